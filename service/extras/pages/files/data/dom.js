// Elements of the page. Texts become text nodes, so that stored markup is shown and never interpreted.

/** Returns an element. A function as an attribute is the listener of that event; a boolean sets or leaves it out. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setAttribute(element, name, value) {
  if (typeof value === "function") element.addEventListener(name, value);
  else if (typeof value === "boolean") element.toggleAttribute(name, value);
  else if (value !== null && value !== undefined) element.setAttribute(name, value);
}

export const byId = (id) => document.getElementById(id);

let lastId = 0;

/** Returns an id that no other element has. */
export const newId = (prefix) => `${prefix}-${++lastId}`;

/** Replaces the content of an element. The control that had the focus has it again, found by its `data-focus`. */
export function replace(container, ...nodes) {
  const name = container.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  container.replaceChildren(...nodes);
  if (name) [...container.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === name)?.focus();
}

export const button = (text, onClick, attributes = {}) =>
  el("button", { type: "button", class: "plain", click: onClick, ...attributes }, text);

export const link = (hash, ...children) => el("a", { href: hash, dir: "auto" }, ...children);

/** Returns a stored text in its own direction: a text from right to left does not turn what stands beside it. */
export const stored = (text) => el("bdi", { class: "stored" }, text);

/** Has screen readers read a sentence, without moving the focus. */
export function announce(text) {
  byId("status").textContent = text;
}

export const alertBox = (...children) => el("div", { class: "message", role: "alert" }, ...children);
