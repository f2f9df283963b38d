// Chooser of the colors of a style: a palette with swatches, of which several are chosen at once.

import { get, searchable } from "./api.js";
import { announce, ARROWS, button, el, newId, swatch } from "./dom.js";
import { nameOf, readNames, remember } from "./names.js";
import { swatchesOf } from "./swatches.js";
import { counted, t } from "./words.js";

const PAGE_SIZE = 48;
const TYPING_MS = 200;

export class ColorChooser {
  /** `input` are the colors that are added to the style of a context: objects with its and their ids. */
  constructor(context, input) {
    this.context = context;
    this.records = [];
    this.active = 0;
    this.searches = 0;
    this.collection = context.model.collections.get("colors");
    this.present = new Set(context.colors.map(({ colorId }) => colorId));
    this.chosen = new Map(input.map(({ colorId }) => [colorId, null]));
    const id = newId("colors");
    this.search = el("input", {
      id,
      type: "search",
      autocomplete: "off",
      dir: "auto",
      placeholder: t("Name or number"),
      input: () => this.#type(),
      keydown: (event) => this.#searchKey(event),
    });
    this.palette = el("ul", {
      class: "palette",
      role: "listbox",
      tabindex: "0",
      "aria-multiselectable": "true",
      "aria-label": t("Colors"),
      keydown: (event) => this.#key(event),
      focus: () => this.#mark(),
    });
    this.chips = el("ul", { class: "chosen", "aria-label": t("Chosen colors") });
    this.more = button(t("Show more colors"), () => this.#read(this.cursor), { hidden: true });
    this.note = el("p", { class: "quiet" });
    const help = el(
      "p",
      { class: "quiet hint" },
      t("Click the colors of the style, or move with the arrows and choose with the space bar."),
    );
    this.element = el(
      "div",
      { class: "chooser" },
      el("label", { for: id }, t("Search colors")),
      this.search,
      help,
      this.palette,
      this.note,
      this.more,
      this.chips,
    );
    this.#showChosen();
    this.#read();
    readNames([...this.chosen.keys()].map((color) => [this.collection, color])).then(
      () => this.#showChosen(),
      () => null,
    );
  }

  #type() {
    clearTimeout(this.timer);
    this.isStale = true;
    this.timer = setTimeout(() => this.#read(), TYPING_MS);
  }

  /** Reads the colors that match, or those after a cursor. */
  async #read(cursor = null) {
    const search = ++this.searches;
    const q = searchable(this.search.value.trim());
    const parameters = cursor
      ? { cursor }
      : { pageSize: PAGE_SIZE, state: "active", "sort[0].property": "name", ...(q && { q }) };
    try {
      const { data, pagination } = await get(this.collection.path, parameters);
      remember(this.collection, data);
      const hexes = await swatchesOf(data);
      if (search !== this.searches) return;
      const records = data.map((record) => ({ ...record, hex: hexes.get(record) }));
      this.cursor = pagination?.hasMore ? pagination.cursor : null;
      this.#show(cursor ? [...this.records, ...records] : records, cursor ? this.records.length : 0);
    } catch (error) {
      if (error.rows) this.note.textContent = error.message;
      else if (error.name !== "AbortError") throw error;
    }
  }

  #show(records, active) {
    this.records = records;
    this.active = active;
    this.isStale = false;
    const option = (record, index) => {
      const isPresent = this.present.has(record.id);
      const number = [record.userDefinedId, record.hex].filter(Boolean).join(" · ");
      return el(
        "li",
        {
          role: "option",
          id: newId("color"),
          "aria-selected": "false",
          "aria-disabled": isPresent ? "true" : undefined,
          click: () => this.#toggle(index),
        },
        swatch(record.hex, "wide"),
        el("strong", {}, el("bdi", {}, record.name)),
        el("span", { class: "quiet" }, isPresent ? t("in the style already") : number),
      );
    };
    this.palette.replaceChildren(...records.map(option));
    this.palette.hidden = !records.length;
    this.more.hidden = !this.cursor;
    this.note.textContent = records.length ? "" : t("Nothing matches.");
    this.#mark();
  }

  #showChosen() {
    const remove = (color) => {
      this.chosen.delete(color);
      this.#showChosen();
      this.#mark();
      this.search.focus();
    };
    const chip = ([color, hex]) =>
      el(
        "li",
        {},
        swatch(hex),
        el("bdi", {}, nameOf(this.collection, color)),
        button("×", () => remove(color), { "aria-label": t("Remove {0}", nameOf(this.collection, color)) }),
      );
    this.chips.replaceChildren(...[...this.chosen].map(chip));
  }

  /** Marks what is chosen, and where the keys are. */
  #mark() {
    [...this.palette.children].forEach((node, index) => {
      node.setAttribute("aria-selected", String(this.chosen.has(this.records[index].id)));
      node.classList.toggle("active", index === this.active);
    });
    const node = this.palette.children[this.active];
    if (node) this.palette.setAttribute("aria-activedescendant", node.id);
    if (node && document.activeElement === this.palette) node.scrollIntoView({ block: "nearest" });
  }

  #toggle(index) {
    const record = this.records[index];
    this.active = index;
    if (record && !this.present.has(record.id)) {
      if (!this.chosen.delete(record.id)) this.chosen.set(record.id, record.hex);
      announce(counted(this.chosen.size, "{0} color chosen", "{0} colors chosen"));
      this.#showChosen();
    }
    this.#mark();
  }

  /** Enter chooses the first match; the arrow leads to the palette. */
  #searchKey(event) {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    if (event.key === "ArrowDown") this.palette.focus();
    else if (!this.isStale && this.search.value.trim()) {
      this.#toggle(0);
      this.search.select();
    }
  }

  #key(event) {
    const { key } = event;
    const [first] = this.palette.children;
    const columns = [...this.palette.children].filter(
      ({ offsetTop }) => offsetTop === first.offsetTop,
    ).length;
    const [down, right] = ARROWS[key] ?? [];
    const last = this.records.length - 1;
    const next =
      { Home: 0, End: last }[key] ??
      (down === undefined ? this.active : this.active + down * columns + right);
    if (key === " " || key === "Enter") this.#toggle(this.active);
    else if (down === undefined && key !== "Home" && key !== "End") return;
    else if (next >= 0 && next <= last) this.active = next;
    event.preventDefault();
    this.#mark();
  }

  collect() {
    return [...this.chosen.keys()].map((colorId) => ({ styleId: this.context.style.id, colorId }));
  }

  changes() {
    return this.chosen.size;
  }

  /** Errors are told with the names of their colors. */
  showErrors(rows) {
    const names = [...this.chosen.keys()].map((color) => nameOf(this.collection, color));
    return rows.map(({ field, value }) => ({
      field: null,
      value: [names[/^\[(\d+)\]/.exec(field ?? "")?.[1]], value].filter(Boolean).join(": "),
    }));
  }
}
