// Selection of records in a list: a check box for each row, one for all rows of the page, and what to do
// with them.

import { button, el, link, replace } from "./dom.js";
import { hashOf } from "./location.js";
import { titleOf } from "./model.js";
import { locale, t } from "./words.js";

// An address has room for so many.
const MOST = 500;

export class Selection {
  /** `hasState` says whether records are made inactive, deleted and restored by a field. */
  constructor(collection, hasState) {
    this.collection = collection;
    this.hasState = hasState;
    this.ids = new Set();
    this.boxes = [];
    this.total = null;
    this.isAll = false;
    this.element = el("div", { class: "actions selection" });
  }

  /** Returns the check box of all rows of the page. Those of its rows are made after it. */
  pageBox() {
    this.boxes = [];
    const change = () => {
      for (const box of this.boxes) this.#select(box.value, this.all.checked);
      this.update();
    };
    this.all = el("input", {
      type: "checkbox",
      "aria-label": t("All rows of this page"),
      "data-focus": "select all",
      change,
    });
    return this.all;
  }

  /** Returns the check box of a record. */
  box(record) {
    const change = () => {
      this.#select(box.value, box.checked);
      this.update();
    };
    const box = el("input", {
      type: "checkbox",
      value: String(record.id),
      "aria-label": t("Select {0}", titleOf(record)),
      change,
    });
    this.boxes.push(box);
    return box;
  }

  /** Takes the number of records that match on all pages; null while it is not counted. */
  setTotal(total) {
    this.total = total;
    this.update();
  }

  #select(id, isSelected) {
    this.isAll = false;
    if (isSelected && this.ids.size < MOST) this.ids.add(id);
    else if (!isSelected) this.ids.delete(id);
  }

  /**
   * Shows the selection, which pages that are turned do not change. All that match are those of the present
   * filters.
   */
  update(view = this.view) {
    const isOther =
      JSON.stringify([view?.q, view?.filters]) !== JSON.stringify([this.view?.q, this.view?.filters]);
    if (isOther) this.isAll = false;
    this.view = view;
    if (!this.all) return;
    for (const box of this.boxes) box.checked = this.isAll || this.ids.has(box.value);
    const checked = this.boxes.filter((box) => box.checked).length;
    const isPage = checked > 0 && checked === this.boxes.length;
    this.all.checked = isPage;
    this.all.indeterminate = checked > 0 && !isPage;
    replace(this.element, ...(this.isAll ? this.#ofAll() : this.ids.size ? this.#ofSome(isPage) : []));
  }

  #clear() {
    this.ids.clear();
    this.isAll = false;
    this.update();
    this.all.focus();
  }

  get #shownTotal() {
    return this.total.toLocaleString(locale);
  }

  get #none() {
    return button(t("Select none"), () => this.#clear());
  }

  /** Returns links to what can be done with records. `count` says how many they are, and `address` which. */
  #actions(count, address) {
    const { filters } = this.view;
    const to = (action) => hashOf({ name: this.collection.name, action, ...address });
    const showsDeleted = filters.some(
      ({ property, value }) => property === "state" && value.includes("deleted"),
    );
    return [
      link(to(""), t("Edit {0} at once", count)),
      this.collection.canDelete && link(to("delete"), t("Delete {0} …", count)),
      this.hasState && showsDeleted && link(to("restore"), t("Restore {0}", count)),
    ].filter(Boolean);
  }

  #ofSome(isPage) {
    const { size } = this.ids;
    const most = size === MOST ? ` ${t("More than {0} are not edited one by one.", MOST)}` : "";
    const isMore = isPage && this.total !== null && this.total > size;
    const selectAll = () => {
      this.isAll = true;
      this.update();
      this.element.querySelector("a").focus();
    };
    const more = isMore && button(t("Select all {0} that match", this.#shownTotal), selectAll);
    return [
      `${t("{0} selected.", size)}${most}`,
      more,
      ...this.#actions(size, { id: "selected", ids: [...this.ids] }),
      this.#none,
    ].filter(Boolean);
  }

  #ofAll() {
    const { q, filters } = this.view;
    const count = t("all {0}", this.#shownTotal);
    return [
      t("All {0} that match are selected.", this.#shownTotal),
      ...this.#actions(count, { id: "matching", q, filters }),
      this.#none,
    ];
  }
}
