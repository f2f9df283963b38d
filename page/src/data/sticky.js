// Headings of a long table that stay in view while the window scrolls.

/**
 * Keeps the head of a table in view. A table that fits its box has the box not scroll, so that the browser
 * does it; a box that
 * scrolls sideways would hold the head, which is moved by script then.
 */
export function keepHeadInView(box, table) {
  const head = table.tHead;
  const place = () => {
    const isWide = box.scrollWidth > box.clientWidth;
    box.classList.toggle("fits", !isWide);
    const { top, height } = table.getBoundingClientRect();
    const most = height - head.offsetHeight - (table.rows[table.rows.length - 1]?.offsetHeight ?? 0);
    const offset = isWide ? Math.max(0, Math.min(-top, most)) : 0;
    head.style.transform = offset ? `translateY(${offset}px)` : "";
  };
  const controller = new AbortController();
  const follow = () => (box.isConnected ? place() : stop());
  const observer = new ResizeObserver(follow);
  const stop = () => {
    controller.abort();
    observer.disconnect();
  };
  observer.observe(box);
  observer.observe(table);
  window.addEventListener("scroll", follow, { passive: true, signal: controller.signal });
}
