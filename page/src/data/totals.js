// Numbers around a list: how many records match on all pages, and how many rows a page has.

import { get } from "./api.js";
import { el } from "./dom.js";
import { listParameters } from "./location.js";
import { locale, t } from "./words.js";

const SIZES = ["30", "50", "100"];
// Item of the browser's storage, if somebody chose a size.
const ITEM = "selvedge.pageSize";

/** Returns the parameters of the chosen page size; a cursor carries its own. */
export function pageSize({ cursor }) {
  const size = localStorage.getItem(ITEM);
  return !cursor && SIZES.includes(size) ? [["pageSize", size]] : [];
}

/** Returns the choice of the page size. */
export function sizeControl(onChange) {
  const select = el("select", {
    "data-focus": "page size",
    change: () => {
      localStorage.setItem(ITEM, select.value);
      onChange();
    },
  });
  select.append(
    ...SIZES.map((size) =>
      el("option", { value: size, selected: size === localStorage.getItem(ITEM) }, size),
    ),
  );
  return el("label", { class: "size" }, t("Rows per page"), select);
}

/** Total of a list. Pages that are turned have the same one, so that it is counted once. */
export class Total {
  constructor(collection, onCount = (_number) => null) {
    this.collection = collection;
    this.onCount = onCount;
    this.counted = null;
    this.element = el("p", { class: "total quiet" });
  }

  #show(key, number) {
    this.counted = key;
    this.onCount(number);
    this.element.textContent = t(
      number === 1 ? "{0} record" : "{0} records",
      Number(number).toLocaleString(locale),
    );
  }

  /** Counts what a view matches. Its page is shown before; a list without its total is one, too. */
  async update(view, records, { hasMore }) {
    const parameters = listParameters({ ...view, cursor: "" });
    const key = JSON.stringify(parameters);
    this.present = key;
    if (!view.cursor && !hasMore) return this.#show(key, records.length);
    if (this.counted === key) return undefined;
    this.element.textContent = "";
    this.onCount(null);
    try {
      const query = [...parameters, ["pageSize", "1"], ["fields", "id"]];
      const { total } = await get(this.collection.path, query, { headers: { Prefer: "count=exact" } });
      if (this.present === key && total !== null) this.#show(key, Number(total));
    } catch (error) {
      if (!error.rows && error.name !== "AbortError") throw error;
    }
    return undefined;
  }
}
