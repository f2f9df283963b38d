// Grid: a table of cells that are edited as in a spreadsheet, by keys, copy and paste, with steps that can
// be taken back.

import { announce, ARROWS, button, el, newId } from "./dom.js";
import { copy, paste, textFor } from "./grid_clipboard.js";
import { scrolling } from "./values.js";
import { t } from "./words.js";

/**
 * `columns` have a `key`, a `title`, and may be `isNumber`, `isLong` or `isFixed`. Rows have a `key`, a
 * `label`, a `head` to show if
 * it is not a cell, and the texts of their `cells` by column. `before` has those that are stored; a row without is new.
 * `hintOf(row, column, textAt)` returns what an empty cell means, by the texts at keys of rows and columns.
 */
export class Grid {
  constructor({ caption, corner = "", columns, rows, newRow = null, hintOf = null }) {
    this.caption = caption;
    this.corner = corner;
    this.columns = columns;
    this.newRow = newRow;
    this.hintOf = hintOf;
    this.rows = [];
    this.steps = [];
    this.anchor = null;
    this.hasHeads = rows.some(({ head }) => head !== undefined) || !newRow;
    const titles = columns.map(({ title, head, isNumber }) =>
      el("th", { scope: "col", class: isNumber ? "number" : undefined }, head ?? title),
    );
    this.body = el("tbody", {});
    const heads = [
      this.hasHeads && el("th", { scope: "col" }, corner),
      titles,
      newRow && el("td", { class: "remove" }),
    ];
    this.table = el("table", { class: "sheet" }, el("thead", {}, el("tr", {}, heads)), this.body);
    for (const row of rows) this.append(row);
    this.#hint();
    this.element = el(
      "div",
      { class: "grid" },
      scrolling(caption, this.table),
      newRow &&
        el(
          "p",
          {},
          button(t("Add a row"), () => this.#addRow()),
        ),
    );
    this.table.addEventListener("paste", (event) => paste(this, event));
    for (const name of ["copy", "cut"])
      this.table.addEventListener(name, (event) => copy(this, event, name === "cut"));
    this.table.addEventListener("keydown", (event) => this.#key(event));
  }

  append(row, index = this.rows.length) {
    const cells = this.columns.map((column) => {
      const attributes = {
        "aria-label": `${row.label || t("New row")}, ${column.title}`,
        autocomplete: "off",
        dir: "auto",
      };
      const isFixed = column.isFixed || row.fixed?.includes(column.key);
      const input = el(column.isLong ? "textarea" : "input", {
        ...attributes,
        rows: column.isLong ? 3 : undefined,
        readonly: isFixed,
        inputmode: column.isNumber ? "decimal" : undefined,
      });
      input.value = row.cells[column.key] ?? "";
      const cell = {
        row,
        column,
        input,
        element: el("td", { class: column.isNumber ? "number" : undefined }, input),
      };
      input.addEventListener("input", () => this.#typed(cell));
      input.addEventListener("focus", () => this.#focused(cell));
      input.addEventListener("blur", () => this.#set(cell, row.cells[column.key] ?? "", false));
      input.addEventListener("mousedown", (event) => this.#extend(event, cell));
      return cell;
    });
    const remove =
      this.newRow &&
      el(
        "td",
        { class: "remove" },
        button("×", () => this.#removeRow(row), {
          "aria-label": t("Remove {0}", row.label || t("the new row")),
        }),
      );
    const head = this.hasHeads && el("th", { scope: "row" }, row.head ?? row.label);
    Object.assign(row, {
      inputs: cells,
      element: el(
        "tr",
        {},
        head,
        cells.map(({ element }) => element),
        remove,
      ),
    });
    this.body.insertBefore(row.element, this.rows[index]?.element ?? null);
    this.rows.splice(index, 0, row);
    for (const cell of cells) this.#mark(cell);
  }

  #mark({ row, column, element, input }) {
    const isChanged = (row.before?.[column.key] ?? "") !== (row.cells[column.key] ?? "");
    element.classList.toggle("changed", isChanged);
    const theirs = row.theirs?.[column.key];
    element.classList.toggle("conflict", theirs !== undefined);
    const was = isChanged && row.before ? t("It was {0}.", row.before[column.key] || t("empty")) : "";
    input.title =
      theirs === undefined ? was : t("Somebody else has set this to {0}.", theirs || t("nothing"));
  }

  /** Shows in each empty cell what it means by the others as they are now. */
  #hint() {
    if (!this.hintOf) return;
    const texts = new Map(this.rows.map(({ key, cells }) => [key, cells]));
    const textAt = (row, column) => texts.get(row)?.[column] ?? "";
    for (const { row, column, input } of this.rows.flatMap(({ inputs }) => inputs))
      input.placeholder = this.hintOf(row.key, column.key, textAt);
  }

  /** Returns how many cells and rows differ from what is stored. */
  changes() {
    const cells = this.rows.flatMap(({ before, cells: now }) =>
      this.columns.filter(({ key }) => (before?.[key] ?? "") !== (now[key] ?? "")),
    );
    return cells.length + (this.removed ?? 0);
  }

  get canUndo() {
    return this.steps.length > 0;
  }

  #typed(cell) {
    const before = cell.row.cells[cell.column.key] ?? "";
    const last = this.steps.at(-1);
    if (last?.typing !== cell) this.steps.push({ typing: cell, cells: [[cell, before]] });
    // What is typed stays as it is until the cell is left.
    cell.row.cells[cell.column.key] = textFor(cell.column, cell.input.value);
    delete cell.row.theirs?.[cell.column.key];
    this.#mark(cell);
    this.#hint();
  }

  #set(cell, text, isSettled = true) {
    cell.row.cells[cell.column.key] = text;
    if (cell.input.value !== text) cell.input.value = text;
    // Whoever sets a value has seen that of others.
    if (isSettled) delete cell.row.theirs?.[cell.column.key];
    this.#mark(cell);
  }

  /** Sets several cells as one step. */
  setAll(pairs, more = {}) {
    if (pairs.length)
      this.steps.push({
        ...more,
        cells: pairs.map(([cell]) => [cell, cell.row.cells[cell.column.key] ?? ""]),
      });
    for (const [cell, text] of pairs) this.#set(cell, text);
  }

  /** Empties the cells that are selected, as one step. */
  empty() {
    this.setAll(this.selected.filter(({ input }) => !input.readOnly).map((cell) => [cell, ""]));
  }

  /** Takes the last step back. */
  undo() {
    const step = this.steps.pop();
    if (!step) return;
    for (const [cell, text] of step.cells ?? []) this.#set(cell, text);
    for (const row of step.added ?? []) this.#drop(row);
    if (step.removed) this.append(step.removed.row, step.removed.index);
    if (step.removed?.row.before) this.removed -= 1;
    const cell = step.cells?.at(-1)?.[0] ?? step.removed?.row.inputs[0];
    if (cell?.input.isConnected) cell.input.focus();
    announce(t("Taken back."));
    this.changed();
  }

  changed() {
    this.#hint();
    this.table.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #addRow() {
    const row = this.newRow();
    this.append(row);
    this.steps.push({ added: [row] });
    row.inputs[0].input.focus();
    this.changed();
    return row;
  }

  /** Moves to the row of a key, which is added if there is none. */
  reveal(row) {
    const present = this.rows.find(({ key }) => key === row.key);
    if (!present) {
      this.append(row);
      this.steps.push({ added: [row] });
      this.changed();
    }
    (present ?? row).inputs[0].input.focus();
  }

  #drop(row) {
    this.rows.splice(this.rows.indexOf(row), 1);
    row.element.remove();
  }

  #removeRow(row) {
    const index = this.rows.indexOf(row);
    this.#drop(row);
    this.steps.push({ removed: { row, index } });
    if (row.before) this.removed = (this.removed ?? 0) + 1;
    (
      this.rows[Math.min(index, this.rows.length - 1)]?.inputs[0].input ??
      this.element.querySelector("button")
    )?.focus();
    this.changed();
  }

  #focused(cell) {
    this.current = cell;
    this.#select(cell, cell);
    // As in a spreadsheet, typing replaces what stands there; a click or F2 sets the cursor.
    if (this.isMoving && !cell.column.isLong) cell.input.select();
  }

  #extend(event, cell) {
    if (!event.shiftKey || !this.anchor) return;
    event.preventDefault();
    this.#select(this.anchor, cell);
  }

  /** Returns the row and the column of a cell. */
  place(cell) {
    return [this.rows.indexOf(cell.row), this.columns.indexOf(cell.column)];
  }

  cell(row, column) {
    return this.rows[row]?.inputs[column];
  }

  #select(anchor, end) {
    for (const cell of this.selected ?? []) cell.element.classList.remove("selected");
    const [[top, left], [bottom, right]] = [this.place(anchor), this.place(end)];
    const between = (start, stop) =>
      Array.from({ length: Math.abs(stop - start) + 1 }, (_, index) => Math.min(start, stop) + index);
    this.anchor = anchor;
    this.end = end;
    this.range = between(top, bottom).map((row) =>
      between(left, right).map((column) => this.cell(row, column)),
    );
    this.selected = this.range.flat();
    if (this.selected.length > 1) for (const cell of this.selected) cell.element.classList.add("selected");
  }

  #move(cell) {
    if (!cell) return false;
    this.isMoving = true;
    cell.input.focus();
    this.isMoving = false;
    return true;
  }

  #key(event) {
    const cell = this.current;
    if (!cell || event.target !== cell.input) return;
    const { key, shiftKey, ctrlKey, metaKey } = event;
    if ((ctrlKey || metaKey) && key.toLowerCase() === "z") {
      event.preventDefault();
      this.undo();
    } else if (key === "Enter" && !cell.column.isLong) {
      event.preventDefault();
      this.#down(cell);
    } else if (key === "Delete" && this.selected.length > 1) {
      event.preventDefault();
      this.empty();
      this.changed();
    } else if (key.startsWith("Arrow") && !ctrlKey && !metaKey) {
      this.#arrow(event, cell, key, shiftKey);
    }
  }

  #down(cell) {
    const [row, column] = this.place(cell);
    if (!this.#move(this.cell(row + 1, column)) && this.newRow) this.#addRow();
  }

  /**
   * Arrows leave a cell at its edges, or at once if all of it is selected. With Shift they extend the
   * selection.
   */
  #arrow(event, cell, key, isExtending) {
    if (this.#movesWithin(cell, key, isExtending)) return;
    const [row, column] = this.place(isExtending ? this.end : cell);
    const [down, right] = ARROWS[key];
    const next = this.cell(row + down, column + right);
    if (!next) return;
    event.preventDefault();
    if (isExtending) this.#select(this.anchor, next);
    else this.#move(next);
  }

  /** Returns whether an arrow moves the cursor, or extends the selected text, within a cell. */
  #movesWithin({ input, column }, key, isExtending) {
    const { selectionStart, selectionEnd, value } = input;
    const isSideways = key === "ArrowLeft" || key === "ArrowRight";
    const isWhole = selectionStart === 0 && selectionEnd === value.length;
    if (isWhole || !(isSideways || column.isLong)) return false;
    if (isExtending) return this.selected.length < 2;
    const edge = key === "ArrowLeft" || key === "ArrowUp" ? 0 : value.length;
    return selectionStart !== selectionEnd || selectionStart !== edge;
  }

  /** Shows an error at a cell; returns whether there is one. */
  showError(key, columnKey, text) {
    const cell = this.rows
      .find((row) => row.key === key)
      ?.inputs.find(({ column }) => column.key === columnKey);
    if (!cell) return false;
    const error = el("p", { class: "error", id: newId("cell-error") }, text);
    cell.element.append(error);
    cell.input.setAttribute("aria-invalid", "true");
    cell.input.setAttribute("aria-describedby", error.id);
    this.firstError ??= cell;
    return true;
  }

  clearErrors() {
    this.firstError = null;
    for (const error of this.table.querySelectorAll(".error")) error.remove();
    for (const input of this.table.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  }

  focusError() {
    this.firstError?.input.focus();
  }
}
