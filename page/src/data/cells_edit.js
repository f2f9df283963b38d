// Edit in the cells of a list: one field of one record at a time, saved if nobody else changed it, and taken
// back.

import { get, request } from "./api.js";
import { announce, ARROWS, button, el, stored } from "./dom.js";
import { ObjectEditor } from "./editors.js";
import { titleOf, typesOf } from "./model.js";
import { readNames, remember } from "./names.js";
import { recordPath } from "./paths.js";
import { SaveBar } from "./savebar.js";
import { titleOfField } from "./sheet.js";
import { guard } from "./unsaved.js";
import { isSame, plainText, referencesIn } from "./values.js";
import { t } from "./words.js";

const ATTEMPTS = 3;

/** Reason why a field is not written: somebody else has set it to another value. */
class Conflict extends Error {
  constructor(theirs) {
    super("conflict");
    this.theirs = theirs;
  }
}

export class CellsEdit {
  /** `sheet` has the fields that can be written. */
  constructor(sheet) {
    this.sheet = sheet;
    this.rows = [];
    this.steps = [];
    this.editing = null;
    this.place = el("div", {});
    guard(() => Boolean(this.editing) && this.place.isConnected && this.#isChanged());
  }

  /** Returns whether a field is edited in its cell: lists and objects are edited in forms. */
  isEditable(name) {
    const { model, record } = this.sheet;
    const field = record[name] && model.resolve(record[name]);
    const first = field?.anyOf ? model.resolve(field.anyOf[0]) : field;
    return Boolean(first) && !typesOf(first).some((type) => type === "array" || type === "object");
  }

  /**
   * Makes a table a grid of cells, which the arrows lead through. Rows have `cells` with an `element`, the
   * `name` of the field and `show()`.
   */
  attach(table, rows) {
    this.rows = rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell) => ({
        ...cell,
        record: row.record,
        isEditable: this.isEditable(cell.name),
      })),
    }));
    this.#end();
    this.place.replaceChildren();
    table.setAttribute("role", "grid");
    for (const cell of this.rows.flatMap(({ cells }) => cells)) this.#prepare(cell);
    const first = this.rows.flatMap(({ cells }) => cells).find(({ isEditable }) => isEditable);
    if (first) first.element.tabIndex = 0;
  }

  #prepare(cell) {
    const { element, isEditable } = cell;
    if (!isEditable) return element.setAttribute("aria-readonly", "true");
    element.classList.add("editable");
    element.tabIndex = -1;
    element.addEventListener("dblclick", () => cell !== this.editing?.cell && this.#open(cell));
    element.addEventListener("focus", () => this.#enter(cell));
    element.addEventListener("keydown", (event) =>
      cell === this.editing?.cell ? this.#editorKey(event) : this.#cellKey(event, cell),
    );
    element.addEventListener(
      "mousedown",
      ({ target }) =>
        cell === this.editing?.cell &&
        target.closest("[role=option]") &&
        setTimeout(() => this.#commit().then(() => element.focus())),
    );
    element.addEventListener("focusout", (event) => this.#left(cell, event));
    return this.#show(cell);
  }

  #titleOf({ name, record }) {
    return t("{0} of {1}", titleOfField(this.sheet, name), titleOf(record));
  }

  /** Shows the value. A link in the cell takes clicks, so that a button beside it opens the editor. */
  #show(cell) {
    const content = cell.show(cell.record);
    const pencil = button("", () => this.#open(cell), {
      class: "pencil",
      tabindex: "-1",
      "aria-label": t("Edit {0}", this.#titleOf(cell)),
    });
    cell.element.replaceChildren(content, ...(content.matches?.("a") ? [pencil] : []));
  }

  #enter(cell) {
    for (const { cells } of this.rows)
      for (const { element, isEditable } of cells) if (isEditable) element.tabIndex = -1;
    cell.element.tabIndex = 0;
  }

  /** Returns the next cell that can be edited in a direction; sideways, if `isWrapping`, on the next row. */
  #next(cell, down, right, isWrapping = false) {
    const row = this.rows.findIndex(({ cells }) => cells.includes(cell));
    const column = this.rows[row].cells.indexOf(cell);
    if (down) return this.rows[row + down]?.cells[column];
    const cells = isWrapping ? this.rows.flatMap((each) => each.cells) : this.rows[row].cells;
    for (let index = cells.indexOf(cell) + right; cells[index]; index += right)
      if (cells[index].isEditable) return cells[index];
    return undefined;
  }

  #cellKey(event, cell) {
    if (event.target !== cell.element) return;
    const { key, ctrlKey, metaKey, altKey } = event;
    const [down, right] = ARROWS[key] ?? [];
    if ((ctrlKey || metaKey) && key.toLowerCase() === "z") {
      event.preventDefault();
      this.undo();
    } else if (ctrlKey || metaKey || altKey) return;
    else if (down !== undefined) {
      event.preventDefault();
      this.#next(cell, down, right)?.element.focus();
    } else if (key === "Enter" || key === "F2") {
      event.preventDefault();
      this.#open(cell);
    } else if (key.length === 1 && key !== " ") this.#open(cell, true);
  }

  /** Opens the editor of a cell; `isTyping`, if a letter replaces what stands there. */
  async #open(cell, isTyping = false) {
    if (this.editing && !(await this.#commit())) return;
    const { name, record, element } = cell;
    const { model, record: fields } = this.sheet;
    const before = record[name] ?? null;
    const editor = new ObjectEditor(model, { properties: { [name]: fields[name] } }, { [name]: before });
    const control = editor.element.querySelector("input, select, textarea");
    this.editing = { cell, editor, control, before };
    element.classList.add("in-edit");
    element.replaceChildren(editor.element);
    control.focus();
    const isText = control.matches("input:not([type=checkbox]), textarea");
    if (isText && isTyping) control.value = "";
    else if (isText) control.select();
  }

  get #value() {
    const { editor, cell } = this.editing;
    return editor.collect("", new Map())[cell.name];
  }

  #isChanged() {
    return !isSame(this.#value, this.editing.before);
  }

  #showError(text) {
    const rows = new Map();
    this.editing.editor.collect("", rows);
    const [row] = rows.values();
    row.showError(text);
    row.focus();
  }

  async #editorKey(event) {
    const { cell, editor } = this.editing;
    const { key, shiftKey } = event;
    if (key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      this.#end();
      cell.element.focus();
    } else if (key === "Tab" || (key === "Enter" && !shiftKey)) {
      event.preventDefault();
      const [[, field]] = editor.editors;
      // What was typed into a pick list and not chosen is no reference.
      if (field.picker && !field.isSettled)
        return this.#showError(t("Choose a record from the list with the arrows."));
      if (!(await this.#commit())) return undefined;
      const next =
        key === "Enter"
          ? this.#next(cell, shiftKey ? -1 : 1, 0)
          : this.#next(cell, 0, shiftKey ? -1 : 1, true);
      if (key === "Tab" && next) return this.#open(next);
      (next ?? cell).element.focus();
    }
    return undefined;
  }

  /** Saves when the editor is left by the mouse. */
  #left(cell, { relatedTarget }) {
    if (
      cell !== this.editing?.cell ||
      cell.element.contains(relatedTarget) ||
      this.place.contains(relatedTarget) ||
      !document.hasFocus()
    )
      return;
    if (relatedTarget || !this.isSaving)
      setTimeout(
        () => cell === this.editing?.cell && !cell.element.contains(document.activeElement) && this.#commit(),
      );
  }

  #end() {
    if (!this.editing) return;
    const { cell } = this.editing;
    this.editing = null;
    cell.element.classList.remove("in-edit");
    this.#show(cell);
  }

  /** Saves the cell that is edited; returns whether it is closed. */
  async #commit() {
    const { editing } = this;
    if (!editing || this.isSaving) return !editing;
    const { cell, before, seen = before } = editing;
    const value = this.#value;
    if (isSame(value, before)) {
      this.#end();
      return true;
    }
    this.isSaving = true;
    cell.element.setAttribute("aria-busy", "true");
    try {
      await this.#write(cell, seen, value);
      this.steps.push({ cell, before, after: value });
      this.#end();
      this.#tell(t("{0}: saved.", this.#titleOf(cell)));
      return true;
    } catch (error) {
      this.#refuse(error);
      return false;
    } finally {
      this.isSaving = false;
      cell.element.removeAttribute("aria-busy");
    }
  }

  #refuse(error) {
    const { cell } = this.editing;
    if (error instanceof Conflict) {
      this.editing.seen = error.theirs;
      const theirs = plainText(this.sheet.model, this.sheet.collection, cell.name, error.theirs);
      this.#showError(
        t("Somebody else has set this to {0} meanwhile. Enter saves yours, Esc keeps theirs.", theirs),
      );
      cell.record[cell.name] = error.theirs;
    } else if (!error.rows) throw error;
    else if (error.isRefusal) this.#showError(error.message);
    else {
      const back = () => cell.element.focus();
      const bar = new SaveBar({
        onSave: () => this.#commit().then((isClosed) => isClosed && back()),
        onCancel: () => {
          this.#end();
          this.place.replaceChildren();
          back();
        },
      });
      this.place.replaceChildren(bar.element);
      bar.showFailure(error);
    }
  }

  /** Writes a field of a record that still has the value that was seen. Throws a Conflict, or a Failure. */
  async #write({ record, name }, seen, value) {
    const { collection } = this.sheet;
    const path = recordPath(collection, record.id);
    for (let attempt = 1; ; attempt += 1) {
      const { data: present, tag } = await get(path);
      if (!isSame(present[name], seen)) {
        await this.#readNames(present);
        throw new Conflict(present[name] ?? null);
      }
      try {
        const headers = { "If-Match": tag, "Content-Type": "application/merge-patch+json" };
        const { data } = await request("PATCH", path, { body: { [name]: value }, headers });
        remember(collection, [data]);
        await this.#readNames(data);
        for (const field of Object.keys(record)) if (!(field in data)) delete record[field];
        Object.assign(record, data);
        const row = this.rows.find((each) => each.record === record);
        for (const cell of row?.cells ?? []) if (cell !== this.editing?.cell) this.#refresh(cell);
        return;
      } catch (error) {
        // Somebody else changed another field.
        if (error.status !== 412 || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #readNames(record) {
    const { model, collection } = this.sheet;
    return readNames(referencesIn(model, collection, "", collection.schema, record));
  }

  #refresh(cell) {
    if (cell.isEditable) this.#show(cell);
    else cell.element.replaceChildren(cell.show(cell.record));
  }

  /** Says what was done, with a button that takes it back. */
  #tell(text) {
    const undo = this.steps.length > 0 && button(t("Undo"), () => this.undo(), { title: "Ctrl+Z" });
    this.place.replaceChildren(
      el(
        "div",
        { class: "savebar told", role: "group", "aria-label": t("Last change") },
        el("p", { class: "actions" }, stored(text), undo),
      ),
    );
    announce(text);
  }

  /** Takes the last change back, unless somebody else changed the field since. */
  async undo() {
    const step = !this.isSaving && this.steps.pop();
    if (!step) return;
    const { cell, before, after } = step;
    this.isSaving = true;
    try {
      await this.#write(cell, after, before);
      this.#tell(t("{0}: taken back.", this.#titleOf(cell)));
    } catch (error) {
      if (!(error instanceof Conflict) && !error.rows) throw error;
      if (error.rows && !error.isRefusal) this.steps.push(step);
      this.#tell(
        t(
          "{0} is not taken back: {1}",
          this.#titleOf(cell),
          error instanceof Conflict ? t("somebody else has changed it since.") : error.message,
        ),
      );
    } finally {
      this.isSaving = false;
    }
    const row = this.rows.find(({ record }) => record === cell.record);
    row?.cells.find(({ name }) => name === cell.name)?.element.focus();
  }
}
