// Editor of a grid for the Saver: a request body as rows of cells and back, errors at their cells, changes
// of others cell by cell.

import { el } from "./dom.js";
import { Grid } from "./grid.js";
import { counted, t } from "./words.js";
import { exchange } from "./sheet_exchange.js";

/** Returns the functions of a Saver's task that edit its body as a grid. */
export const inGrid = (layout) => ({ editorOf: (input, values) => new SheetEditor(layout, input, values) });

/**
 * A layout has the `caption`, `corner`, `columns`, `newRow` and `hintOf` of a grid; `rowsOf(values)` returns
 * the rows of a request body, and
 * `bodyOf(rows, values, locate)` is the inverse, which calls `locate(path, row, column)` for the cells that
 * fields of the body have.
 */
class SheetEditor {
  constructor(layout, input, values) {
    this.layout = layout;
    this.values = values;
    const stored = new Map(layout.rowsOf(values).map((row) => [row.key, row.cells]));
    const rows = layout.rowsOf(input).map((row) => ({ ...row, before: stored.get(row.key) }));
    // Without a row there is no cell to type or paste into.
    this.grid = new Grid({ ...layout, rows: rows.length || !layout.newRow ? rows : [layout.newRow()] });
    this.element = el("div", {}, layout.above?.(this), exchange(this), this.grid.element, layout.below);
  }

  undo() {
    this.grid.undo();
  }

  get canUndo() {
    return this.grid.canUndo;
  }

  changes() {
    return this.grid.changes();
  }

  collect() {
    this.places = new Map();
    return this.layout.bodyOf(this.grid.rows, this.values, (path, row, column) =>
      this.places.set(path, [row.key, column]),
    );
  }

  showErrors(errors) {
    this.grid.clearErrors();
    const rest = errors.filter(({ field, value }) => !this.#show(field ?? "", value));
    this.grid.focusError();
    return rest;
  }

  #show(field, text) {
    for (let path = field; path; path = path.replace(/(\.[^.[\]]*|\[[^[\]]*\]|^[^.[]+)$/, "")) {
      if (this.places.has(path)) return this.grid.showError(...this.places.get(path), text);
    }
    return false;
  }

  /**
   * Takes over what others changed, but for the cells that are changed here as well. Returns a sentence
   * about it.
   */
  rebase(theirs) {
    let [taken, both] = [0, 0];
    const mine = new Map(this.grid.rows.map((row) => [row.key, row]));
    const rows = this.layout.rowsOf(theirs).map((row) => {
      const own = mine.get(row.key);
      mine.delete(row.key);
      const cells = { ...row.cells };
      const conflicts = {};
      for (const { key } of this.grid.columns) {
        const [before, now, stored] = [own?.before?.[key] ?? "", own?.cells[key] ?? "", row.cells[key] ?? ""];
        if (own && now !== before) {
          cells[key] = now;
          if (stored !== before && stored !== now) conflicts[key] = stored;
        } else if (stored !== before) taken += 1;
      }
      both += Object.keys(conflicts).length;
      return { ...row, cells, before: row.cells, theirs: conflicts };
    });
    // Rows that are new here stay; rows that others removed stay if they are changed here.
    const left = [...mine.values()].filter(
      (row) =>
        !row.before ||
        this.grid.columns.some(({ key }) => (row.before[key] ?? "") !== (row.cells[key] ?? "")),
    );
    rows.push(...left.map(({ key, label, head, cells }) => ({ key, label, head, cells })));
    const grid = new Grid({ ...this.layout, rows });
    this.grid.element.replaceWith(grid.element);
    this.grid = grid;
    this.values = theirs;
    const others = counted(
      taken,
      "{0} value of theirs is taken over.",
      "{0} values of theirs are taken over.",
    );
    const clash =
      both &&
      counted(
        both,
        "{0} value is changed by both of you, and marked: saving keeps yours.",
        "{0} values are changed by both of you, and marked: saving keeps yours.",
      );
    return [t("Somebody else changed this meanwhile."), others, clash, t("Look at it, and save again.")]
      .filter(Boolean)
      .join(" ");
  }
}
