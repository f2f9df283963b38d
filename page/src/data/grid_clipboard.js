// Clipboard of a grid: cells are copied, cut and pasted as those of a spreadsheet.

import { parseCells, toCells, TableError, unguardCell, withoutHeads } from "./csv.js";
import { announce } from "./dom.js";
import { t } from "./words.js";

const DECIMAL_COMMA = /^\s*-?\d+,\d+\s*$/;

/** Copies the selected cells, and empties them if they are cut. */
export function copy(grid, event, isCut) {
  const { selectionStart, selectionEnd, value } = grid.current?.input ?? {};
  // A part of one cell's text is the browser's to copy.
  if (
    !grid.range ||
    (grid.selected.length < 2 &&
      selectionStart !== selectionEnd &&
      selectionEnd - selectionStart < value.length)
  )
    return;
  event.preventDefault();
  event.clipboardData.setData(
    "text/plain",
    toCells(grid.range.map((cells) => cells.map(({ input }) => input.value))),
  );
  if (isCut) grid.empty();
  grid.changed();
}

/** Pastes cells at the current one. */
export function paste(grid, event) {
  const text = event.clipboardData.getData("text/plain");
  const start = grid.current;
  if (!start || (!/[\t\n]/.test(text) && grid.selected.length < 2))
    return start && pasteWithin(event, start, text);
  event.preventDefault();
  try {
    fill(grid, parseCells(text), grid.range[0][0] ?? start);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    announce(error.message);
  }
}

/** Pastes into the text of a cell: the browser does, unless the text was guarded when it was copied. */
function pasteWithin(event, { input }, text) {
  if (unguardCell(text) === text || input.readOnly) return;
  event.preventDefault();
  input.setRangeText(unguardCell(text), input.selectionStart, input.selectionEnd, "end");
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Fills cells from a place on. A single value fills the whole selection. Rows are added at the end. */
function fill(grid, cells, start) {
  const [top, left] = grid.place(start);
  const table = withoutHeads(cells, grid.columns.slice(left));
  const isSingle = table.length === 1 && table[0].length === 1;
  const [added, pairs] = [[], []];
  let leftOut = 0;
  const put = (cell, text) =>
    cell && !cell.input.readOnly ? pairs.push([cell, textFor(cell.column, text)]) : (leftOut += text ? 1 : 0);
  if (isSingle) for (const cell of grid.selected) put(cell, table[0][0]);
  else {
    table.forEach((texts, down) => {
      if (!grid.rows[top + down] && grid.newRow) {
        const row = grid.newRow();
        grid.append(row);
        added.push(row);
      }
      texts.forEach((text, right) => put(grid.cell(top + down, left + right), text));
    });
  }
  grid.setAll(pairs, { added });
  announce(
    [t("{0} values pasted.", pairs.length), leftOut && t("{0} did not fit.", leftOut)]
      .filter(Boolean)
      .join(" "),
  );
  grid.changed();
}

/** Returns a pasted text as a column takes it: numbers with a point, however they are written here. */
export function textFor({ isNumber }, text) {
  const bare = text.trim();
  if (!isNumber) return text.replace(/\r\n?/g, "\n");
  return DECIMAL_COMMA.test(bare) ? bare.replace(",", ".") : bare.replace(/\u00a0/g, "");
}
