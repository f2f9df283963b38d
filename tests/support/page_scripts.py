"""Scripts that find, type, choose and go on a page of the browser, each at one moment."""

SHOWN = """((selector) => {
  const node = document.querySelector(selector);
  return (node?.checkVisibility({ visibilityProperty: true }) || node?.type === "file") && node;
})"""
TAKES_CLICKS = """((path) => {
  const node = /^[(]?[/]/.test(path) ? document.evaluate(path, document, null, 9).singleNodeValue
    : document.querySelector(path);
  if (!node?.checkVisibility({ visibilityProperty: true }) || node.matches(":disabled")) return;
  // Clear of the bars that stay in view, as the page's scroll padding has it.
  node.scrollIntoView({ block: "nearest", behavior: "instant" });
  const { left, right, top, bottom } = node.getClientRects()[0] ?? node.getBoundingClientRect();
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
  const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
  if (!node.contains(document.elementFromPoint(x, y))) return;
  const heard = new Set();
  const listening = new AbortController();
  const hear = (event) => {
    if (node.contains(event.target)) return heard.add(event.type);
    // Another element has moved there.
    if (event.detail) event.preventDefault();
    if (event.detail) event.stopImmediatePropagation();
  };
  const options = { capture: true, signal: listening.signal };
  for (const type of ["mousedown", "click"]) addEventListener(type, hear, options);
  window.isMissed = () => {
    listening.abort();
    // What is pressed may go away before it is clicked.
    return !heard.has(node.checkVisibility() ? "click" : "mousedown");
  };
  return { x, y };
})"""
TYPE = """((selector, text, selects, deletes) => {
  const field = document.querySelector(selector);
  if (field?.selectionStart == null) return null;
  const hasFocus = document.activeElement === field;
  field.focus();
  if (document.activeElement !== field || field.readOnly) return false;
  if (selects) field.select();
  else if (!hasFocus) field.selectionStart = field.value.length;
  if (deletes && field.value) document.execCommand("delete");
  return text ? document.execCommand("insertText", false, text) : true;
})"""
SELECT = """((selector, value) => {
  const list = document.querySelector(selector);
  const option = [...(list?.options ?? [])].find((each) => each.value === value);
  if (!list?.checkVisibility() || list.disabled || !option) return false;
  list.focus();
  const events = option.selected ? [] : ["input", "change"];
  option.selected = true;
  return events.every((type) => list.dispatchEvent(new Event(type, { bubbles: true })));
})"""
GO = """((address, key) => {
  const record = (hash) => /^#[/][^/?]*([/][^/?]*)?/.exec(hash)?.[0];
  const view = document.querySelector("main#view");
  if (!view?.checkVisibility() || sessionStorage["selvedge.key"] !== key) return false;
  if (!record(address) || record(address) === record(location.hash)) return false;
  for (const node of view.children) node.dataset.before = "";
  location.hash = address;
  return true;
})"""
IS_LEFT = "!document.querySelector('#view > [data-before]')"
