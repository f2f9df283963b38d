// Elements of the page. Texts become text nodes, so that stored markup is shown and never interpreted.

// A number or a key that stays in one line of a table.
const LONGEST_WORD = 24;
const SVG = "http://www.w3.org/2000/svg";

/**
 * Returns an element. A function as an attribute is the listener of that event; a boolean sets or leaves it
 * out.
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function setAttribute(element, name, value) {
  if (typeof value === "function") element.addEventListener(name, value);
  else if (typeof value === "boolean") element.toggleAttribute(name, value);
  else if (value !== null && value !== undefined) element.setAttribute(name, value);
}

/** Returns a drawing of paths in a square of 48 units. */
export function drawing(name, paths, color) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 48 48");
  svg.setAttribute("class", "drawing");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  for (const [path, kind] of paths) {
    const node = document.createElementNS(SVG, "path");
    node.setAttribute("d", path);
    node.setAttribute("class", kind);
    // Styles that scripts set one by one are not inline styles of the content security policy.
    if (color && kind === "cloth") node.style.fill = color;
    svg.append(node);
  }
  return svg;
}

/** Returns a small field of a color, or one of another kind; without a color value it is hatched. */
export function swatch(hex, kind = "") {
  const node = el("span", {
    class: ["swatch", kind, !hex && "none"].filter(Boolean).join(" "),
    "aria-hidden": "true",
  });
  if (hex) node.style.backgroundColor = hex;
  return node;
}

/** Returns a word with the color of a state. */
export const badge = (text, kind = text) =>
  el("span", { class: `badge ${String(kind).replace(/[^\w-]/g, "")}` }, text);

/** Steps down and to the right of the arrow keys. */
export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Returns the element with an id, whose kind its caller knows.
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

let lastId = 0;

/** Returns an id that no other element has. */
export const newId = (prefix) => `${prefix}-${++lastId}`;

/**
 * Replaces the content of an element. The control that had the focus has it again, found by its
 * `data-focus`.
 */
export function replace(container, ...nodes) {
  const active = /** @type {HTMLElement} */ (document.activeElement);
  const name = container.contains(active) ? active.dataset.focus : undefined;
  container.replaceChildren(...nodes);
  if (name)
    [...container.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === name)?.focus();
}

export const button = (text, onClick, attributes = {}) =>
  el("button", { type: "button", class: "plain", click: onClick, ...attributes }, text);

export const link = (hash, ...children) => el("a", { href: hash, dir: "auto" }, ...children);

/**
 * Returns a stored text in its own direction: a text from right to left does not turn what stands beside it.
 */
export const stored = (text) =>
  el(
    "bdi",
    { class: String(text).length <= LONGEST_WORD && !/\s/.test(text) ? "stored word" : "stored" },
    text,
  );

/** Has screen readers read a sentence, without moving the focus. */
export function announce(text) {
  byId("status").textContent = text;
}

const REPORTED_MS = 5000;
let ending;

/** Says to everybody, wherever the page is scrolled to, what is done. */
export function report(text) {
  announce(text);
  const shown =
    document.querySelector(".report") ??
    document.body.appendChild(el("p", { class: "report", "aria-hidden": "true" }));
  shown.textContent = text;
  shown.hidden = false;
  clearTimeout(ending);
  ending = setTimeout(() => (shown.hidden = true), REPORTED_MS);
}

export const alertBox = (...children) => el("div", { class: "message", role: "alert" }, ...children);
