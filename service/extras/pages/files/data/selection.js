// Selection of records in a list: a check box for each row, one for all rows of the page, and what to do with them.

import { button, el, link, replace } from "./dom.js";
import { hashOf } from "./location.js";
import { titleOf } from "./model.js";
import { t } from "./words.js";

// An address has room for so many.
const MOST = 500;

export class Selection {
  constructor(collection) {
    Object.assign(this, { collection, ids: new Set(), boxes: [] });
    this.element = el("div", { class: "actions selection" });
  }

  /** Returns the check box of all rows of the page. Those of its rows are made after it. */
  pageBox() {
    this.boxes = [];
    const change = () => {
      for (const box of this.boxes) this.#select(box.value, this.all.checked);
      this.update();
    };
    this.all = el("input", { type: "checkbox", "aria-label": t("All rows of this page"), "data-focus": "select all", change });
    return this.all;
  }

  /** Returns the check box of a record. */
  box(record) {
    const change = () => {
      this.#select(box.value, box.checked);
      this.update();
    };
    const box = el("input", { type: "checkbox", value: String(record.id), "aria-label": t("Select {0}", titleOf(record)), change });
    this.boxes.push(box);
    return box;
  }

  #select(id, isSelected) {
    if (isSelected && this.ids.size < MOST) this.ids.add(id);
    else if (!isSelected) this.ids.delete(id);
  }

  /** Shows the selection, which pages that are turned do not change. */
  update() {
    for (const box of this.boxes) box.checked = this.ids.has(box.value);
    const checked = this.boxes.filter((box) => box.checked).length;
    this.all.checked = checked > 0 && checked === this.boxes.length;
    this.all.indeterminate = checked > 0 && checked < this.boxes.length;
    const { size } = this.ids;
    const hash = hashOf({ name: this.collection.name, id: "selected", ids: [...this.ids] });
    const clear = () => {
      this.ids.clear();
      this.update();
      this.all.focus();
    };
    const most = size === MOST && t("More than {0} are not edited at once.", MOST);
    replace(this.element, ...(size ? [[t("{0} selected.", size), most].filter(Boolean).join(" "), link(hash, t("Edit {0} at once", size)), button(t("Select none"), clear)] : []));
  }
}
