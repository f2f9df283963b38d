// Table of the entries of a list in a form: a row for each, edited by keys and paste as a sheet is.

import { isTrue } from "./cells.js";
import { parseCells, TableError } from "./csv.js";
import { announce, ARROWS, button, el } from "./dom.js";
import { scrolling } from "./values.js";
import { hint, label, t } from "./words.js";

const FIELD = "input, select, textarea";
const isCombobox = (control) => control.getAttribute("role") === "combobox";

/** Returns the kind of a cell, which gives its column a width. */
function kindOf(control) {
  if (!control || control.closest(".entries")) return "wide";
  if (control.type === "checkbox") return "flag";
  return control.inputMode === "decimal" ? "number" : "text";
}

export class EntryTable {
  /**
   * `owner` has the `entries` and adds, removes and moves them; `columns` are names, schemas and editors of
   * their members, and whether they are required.
   */
  constructor(owner, columns) {
    this.owner = owner;
    const head = ([name, schema, isRequired, { element }]) =>
      el(
        "th",
        { scope: "col", class: kindOf(element.querySelector(FIELD)), title: hint(name, schema) },
        label(name, schema),
        isRequired && el("span", { "aria-hidden": "true" }, " *"),
      );
    this.body = el("tbody", {});
    this.help = el("p", { class: "quiet hint", "aria-hidden": "true" });
    const heads = [el("td", {}), columns.map(head), !owner.isFixed && el("td", {})];
    this.table = el("table", { class: "rows" }, el("thead", {}, el("tr", {}, heads)), this.body);
    this.element = el("div", { hidden: true }, scrolling(owner.title, this.table), this.help);
    this.table.addEventListener("keydown", (event) => this.#key(event));
    this.table.addEventListener("paste", (event) => this.#paste(event));
    this.table.addEventListener("focusin", ({ target }) => {
      const isOwn = target.closest("table") === this.table;
      this.help.textContent = (isOwn && target.closest("td")?.querySelector(".hint")?.textContent) || "";
    });
  }

  /** Adds the row of an entry. */
  append(editor) {
    const { owner } = this;
    const cells = editor.editors.map(([, { element }]) =>
      el("td", { class: kindOf(element.querySelector(FIELD)) }, element),
    );
    const move = (step, text, name) =>
      button(text, () => owner.move(editor, step), { class: "plain move", "aria-label": name });
    const steps = owner.isOrdered && [move(-1, "↑", t("Move up")), move(1, "↓", t("Move down"))];
    const remove = button("×", () => owner.remove(editor), { "aria-label": t("Remove") });
    editor.place = el(
      "tr",
      {},
      el("th", { scope: "row" }),
      cells,
      !owner.isFixed && el("td", { class: "remove" }, steps, remove),
    );
    this.body.append(editor.place);
  }

  /** Numbers the rows in their order. */
  number() {
    this.element.hidden = !this.owner.entries.length;
    this.owner.entries.forEach(({ place, title }, index) => {
      if (this.body.children[index] !== place) this.body.insertBefore(place, this.body.children[index]);
      place.firstChild.textContent = title ?? index + 1;
    });
  }

  /** Returns the row and the column of a control. */
  #at(control) {
    const row = [...this.body.children].findIndex((node) => node.contains(control));
    return [row, [...(this.body.children[row]?.children ?? [])].findIndex((node) => node.contains(control))];
  }

  #control(row, column) {
    return this.body.children[row]?.children[column]?.querySelector(FIELD);
  }

  /** Arrows lead up and down, Enter to the next row, which is added at the end. */
  #key(event) {
    const { target, key, defaultPrevented, altKey } = event;
    if (defaultPrevented || target.closest("table") !== this.table || !target.matches("input")) return;
    const [row, column] = this.#at(target);
    const step = key === "Enter" ? 1 : (ARROWS[key]?.[0] ?? 0);
    if (!step || (key !== "Enter" && isCombobox(target))) return;
    event.preventDefault();
    if (altKey && this.owner.isOrdered) this.owner.move(this.owner.entries[row], step, target);
    else if (this.#control(row + step, column)) this.#control(row + step, column).focus();
    else if (key === "Enter" && !this.owner.isFixed) {
      this.owner.add();
      this.#control(row + 1, column).focus();
    }
  }

  /** Fills fields from cells of a spreadsheet; rows are added at the end. */
  #paste(event) {
    const text = event.clipboardData.getData("text/plain");
    if (
      !/[\t\n]/.test(text) ||
      event.target.closest("table") !== this.table ||
      event.target.matches("textarea")
    )
      return;
    event.preventDefault();
    const [top, left] = this.#at(event.target);
    let filled = 0;
    try {
      parseCells(text).forEach((cells, down) => {
        if (!this.body.children[top + down] && !this.owner.isFixed) this.owner.add();
        cells.forEach(
          (cell, right) => (filled += fill(this.#control(top + down, left + right), cell) ? 1 : 0),
        );
      });
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      return announce(error.message);
    }
    event.target.focus();
    return announce(t("{0} values pasted.", filled));
  }
}

/** Sets a field to a pasted text; returns whether it takes it. */
function fill(control, text) {
  if (!control) return false;
  const isSame = (word) => word.trim().toLowerCase() === text.trim().toLowerCase();
  if (control.type === "checkbox") control.checked = isTrue(text);
  else if (control.matches("select")) {
    const option = [...control.options].find(({ value, label: word }) => isSame(value) || isSame(word));
    if (!option) return false;
    control.value = option.value;
  } else control.value = text.trim();
  control.dispatchEvent(new Event("input", { bubbles: true }));
  if (isCombobox(control)) control.dispatchEvent(new Event("blur"));
  return true;
}
