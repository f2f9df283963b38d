// Pick list: a combobox that finds the records of a collection by `q` (ARIA, combobox with a listbox popup).

import { get, searchable } from "./api.js";
import { announce, el, newId, swatch } from "./dom.js";
import { keyOf, titleOf } from "./model.js";
import { remember } from "./names.js";
import { hasSwatches, swatchesOf } from "./swatches.js";
import { lower, t } from "./words.js";

const CHOICES = 10;
const TYPING_MS = 200;
/** Height and width that a list of choices has at most and at least. */
const [TALLEST, NARROWEST] = [256, 240];

const textOf = (record) =>
  [titleOf(record), keyOf(record)].filter((text) => text !== undefined && text !== null).join(" · ");

export class Picker {
  /** `onPick` is called with the record that is chosen. */
  constructor(collection, onPick) {
    this.collection = collection;
    this.onPick = onPick;
    this.records = [];
    this.active = -1;
    this.searches = 0;
    this.isChosen = false;
    this.list = el("ul", {
      role: "listbox",
      id: newId("choices"),
      "aria-label": collection.title,
      hidden: true,
    });
    this.input = el("input", {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-controls": this.list.id,
      "aria-expanded": "false",
      autocomplete: "off",
      dir: "auto",
      placeholder: t("Search {0}", lower(collection.title)),
      input: () => this.#type(),
      keydown: (event) => this.#key(event),
      click: () => this.#search(),
      blur: () => this.#close(),
    });
    this.none = el("p", { class: "quiet", hidden: true }, t("Nothing matches."));
    this.more = el("p", { class: "quiet more", hidden: true }, t("More match: type to narrow."));
    this.popup = el("div", { class: "choices", hidden: true }, this.list, this.none, this.more);
    this.element = el("div", { class: "picker" }, this.input, this.popup);
  }

  #type() {
    this.isStale = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#search(), TYPING_MS);
  }

  async #search() {
    const search = ++this.searches;
    const text = this.input.value;
    // Without a word the first records are offered.
    const q = this.isChosen ? "" : searchable(text);
    try {
      const { data, hasMore } = await this.#find(q);
      if (search !== this.searches || document.activeElement !== this.input) return;
      remember(this.collection, data);
      this.#open(data, hasMore);
    } catch (error) {
      if (error.rows) announce(error.message);
      else if (error.name !== "AbortError") throw error;
    }
  }

  async #find(q) {
    const { collection } = this;
    if (collection.search) return { data: await collection.search(q), hasMore: false };
    const canNarrow = collection.hasSearch !== false;
    const { data, pagination } = await get(collection.path, {
      pageSize: CHOICES,
      ...(q && canNarrow && { q }),
    });
    return { data, hasMore: canNarrow && Boolean(pagination?.hasMore) };
  }

  #open(records, hasMore) {
    this.records = records;
    this.active = -1;
    this.isStale = false;
    const options = records.map((record, index) => {
      const attributes = { role: "option", id: newId("choice"), dir: "auto", "aria-selected": "false" };
      // Before the blur, which closes the list.
      return el("li", { ...attributes, mousedown: (event) => this.#pick(event, index) }, textOf(record));
    });
    this.list.replaceChildren(...options);
    this.list.hidden = !records.length;
    this.none.hidden = records.length > 0;
    this.more.hidden = !hasMore;
    this.input.setAttribute("aria-expanded", String(records.length > 0));
    this.popup.hidden = false;
    this.#follow();
    if (hasSwatches(this.collection))
      swatchesOf(records)
        .then((hexes) => options.forEach((node, index) => node.prepend(swatch(hexes.get(records[index])))))
        .catch(() => null);
    const said = records.length ? t("{0} choices", records.length) : t("Nothing matches.");
    announce(hasMore ? `${said}. ${t("More match: type to narrow.")}` : said);
  }

  /** Keeps the choices at their field, wherever it is scrolled to: no table cuts them off. */
  #follow() {
    this.following?.abort();
    this.following = new AbortController();
    const { signal } = this.following;
    const place = () => {
      const { left, top, bottom, width } = this.input.getBoundingClientRect();
      const isAbove = innerHeight - bottom < TALLEST && top > innerHeight - bottom;
      const wide = Math.min(Math.max(width, NARROWEST), innerWidth - 16);
      const { style } = this.popup;
      style.left = `${Math.max(8, Math.min(left, innerWidth - wide - 8))}px`;
      style.width = `${wide}px`;
      style.top = isAbove ? "auto" : `${bottom + 2}px`;
      style.bottom = isAbove ? `${innerHeight - top + 2}px` : "auto";
      style.maxHeight = `${Math.min(TALLEST, (isAbove ? top : innerHeight - bottom) - 8)}px`;
    };
    place();
    for (const name of ["scroll", "resize"])
      window.addEventListener(name, place, { capture: true, passive: true, signal });
  }

  #close() {
    this.following?.abort();
    this.searches += 1;
    clearTimeout(this.timer);
    this.popup.hidden = this.list.hidden = this.none.hidden = this.more.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    const isOpen = !this.list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (isOpen) this.#move(event.key === "ArrowDown" ? 1 : -1);
      else this.#search();
    } else if (event.key === "Enter") {
      // Enter chooses here; it does not send the form.
      event.preventDefault();
      // The only choice for what was typed is meant.
      const isOnly = this.records.length === 1 && !this.isStale && !this.isChosen && this.input.value.trim();
      if (isOpen && (this.active >= 0 || isOnly)) this.#pick(event, Math.max(this.active, 0));
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      this.#close();
    }
  }

  #move(step) {
    const options = [...this.list.children];
    this.active =
      (this.active + step + options.length + (this.active < 0 && step < 0 ? 1 : 0)) % options.length;
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === this.active)));
    this.input.setAttribute("aria-activedescendant", options[this.active].id);
    options[this.active].scrollIntoView({ block: "nearest" });
  }

  #pick(event, index) {
    event.preventDefault();
    const record = this.records[index];
    this.#close();
    this.onPick(record);
  }
}
