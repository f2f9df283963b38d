// Exchange of a grid with a spreadsheet: it is downloaded as a workbook, changed there, and its cells are
// filled from it again.

import { save } from "./csv.js";
import { alertBox, announce, button, el, newId, stored } from "./dom.js";
import { counted, sentence, t } from "./words.js";
import { readTable, TableError } from "./tables.js";
import { cellName, numberCell, workbook } from "./xlsx.js";

const ID = "Id";
const NUMBER = /^-?\d+(\.\d+)?$/;
const MOST_SHOWN = 20;

const plain = (text) => text.trim().toLowerCase();

/** Returns the headings and rows of a grid. A row without an id is new when it comes back. */
function tableOf({ columns, rows, hasHeads, corner }) {
  const head = [ID, ...(hasHeads ? [corner || t("Row")] : []), ...columns.map(({ title }) => title)];
  const cell = (row, { key, isNumber }) =>
    isNumber ? numberCell(row.cells[key] ?? "") : (row.cells[key] ?? "");
  const line = (row) => [
    row.before ? numberCell(row.key) : "",
    ...(hasHeads ? [row.label] : []),
    ...columns.map((column) => cell(row, column)),
  ];
  return [head, ...rows.map(line)];
}

/**
 * Returns the index of the cell of each column in a row of headings; of two with one title the first is
 * meant first.
 */
function placesOf(columns, head) {
  const used = new Set();
  return columns.map(({ title }) => {
    const place = head.findIndex((text, index) => !used.has(index) && plain(text ?? "") === plain(title));
    if (place >= 0) used.add(place);
    return place;
  });
}

/**
 * Returns what a sheet changes in a grid: pairs of a row and texts, and what cannot be taken over, by the
 * names of cells.
 */
function changesOf(grid, [head, ...lines]) {
  const { columns, rows, newRow, hasHeads } = grid;
  const problems = [];
  const places = placesOf(columns, head.cells);
  const idPlace = head.cells.findIndex((text) => plain(text ?? "") === plain(ID));
  const headPlace = hasHeads ? (idPlace === 0 ? 1 : 0) : places[0];
  head.cells.forEach((text, index) => {
    if (text && index !== idPlace && !(hasHeads && index === headPlace) && !places.includes(index))
      problems.push([cellName(index, head.number), t("the table has no column “{0}”.", text)]);
  });
  const left = new Set(rows);
  const changes = [];
  for (const { number, cells } of lines) {
    const id = cells[idPlace] ?? "";
    const name = cells[headPlace] ?? "";
    const row = id
      ? rows.find(({ key }) => key === id)
      : rows.find((each) => left.has(each) && name && plain(each.label ?? "") === plain(name));
    if (row && !left.has(row))
      problems.push([cellName(Math.max(idPlace, 0), number), t("an earlier row has the same id.")]);
    else if (!row && (id || !newRow))
      problems.push([
        cellName(id ? idPlace : headPlace, number),
        t("the table has no row “{0}”.", id || name),
      ]);
    else {
      left.delete(row);
      changes.push([row ?? null, textsOf(columns, places, { number, cells }, problems)]);
    }
  }
  return { changes, problems, left: [...left].filter(({ before }) => before).length };
}

function textsOf(columns, places, { number, cells }, problems) {
  const texts = {};
  columns.forEach(({ key, isNumber }, index) => {
    const place = places[index];
    if (place < 0) return;
    // A cell that shows no value leaves the one of the grid as it is.
    if (cells[place] === undefined && place < cells.length) return;
    const text = (cells[place] ?? "").replace(/\r\n?/g, "\n");
    const bare = isNumber ? text.trim().replace(/^(-?\d+),(\d+)$/, "$1.$2") : text;
    if (isNumber && bare && !NUMBER.test(bare))
      problems.push([cellName(place, number), t("“{0}” is no number.", text)]);
    else texts[key] = bare;
  });
  return texts;
}

/**
 * Returns the texts with the number of a column as the grid has it, if the sheet means the same one: 12.50
 * for 12.5.
 */
function keepDigits(row, { key, isNumber }, texts) {
  const present = row?.cells[key];
  const isSame = isNumber && present && texts[key] && Number(present) === Number(texts[key]);
  return isSame ? { ...texts, [key]: present } : texts;
}

/**
 * Fills cells of a grid as one step. `changes` are pairs of a row, or null for a new one, and the texts of
 * its cells.
 */
function fill(grid, changes) {
  const added = [];
  const pairs = [];
  for (const [present, texts] of changes) {
    const row = present ?? grid.newRow();
    if (!present) {
      grid.append(row);
      added.push(row);
    }
    for (const cell of row.inputs) {
      const { [cell.column.key]: text } = keepDigits(present, cell.column, texts);
      if (text !== undefined && text !== (row.cells[cell.column.key] ?? "") && !cell.input.readOnly)
        pairs.push([cell, text]);
    }
  }
  if (pairs.length) grid.setAll(pairs, { added });
  grid.changed();
  return { values: pairs.filter(([{ row }]) => !added.includes(row)).length, rows: added.length };
}

/**
 * Returns the controls of an editor with a `grid`: a download, and a file that fills the cells. Nothing is
 * saved by it.
 */
export function exchange(editor) {
  const result = el("div", { class: "exchange" });
  const title = editor.layout.caption;
  const name = [document.querySelector("#view h1")?.textContent, title]
    .filter(Boolean)
    .join(" ")
    .replace(/[^\p{L}\p{N}]+/gu, "-");
  const download = button(
    t("Download {0}", "XLSX"),
    async () => save(`${name}.xlsx`, await workbook(title, tableOf(editor.grid))),
    { class: "plain small" },
  );
  const id = newId("sheet");
  const input = el("input", {
    type: "file",
    id,
    accept: ".xlsx",
    change: async () => {
      const [file] = input.files;
      input.value = "";
      if (file) result.replaceChildren(...(await bring(editor, file)));
    },
  });
  const label = el("label", { for: id }, t("Fill in from XLSX"));
  return el(
    "div",
    {},
    el("div", { class: "actions exchange-controls" }, download, el("span", { class: "file" }, label, input)),
    result,
  );
}

const textRow = ({ number, cells }) => ({
  number,
  cells: cells.map(({ text, problem }) => (problem ? undefined : text)),
});

/** Returns the name of a cell and its problem, which is the rest of a sentence that begins with the name. */
const whyOdd = (name, problem) => [name, sentence(`${name} ${problem}.`).slice(name.length + 1)];

/** Returns the names of the cells that show no value, and why. */
const oddCells = (rows) =>
  rows.flatMap(({ number, cells }) =>
    cells.flatMap(({ problem }, index) => (problem ? [whyOdd(cellName(index, number), problem)] : [])),
  );

async function bring({ grid }, file) {
  try {
    const { rows } = await readTable(file);
    if (!rows.length) throw new TableError(t("The sheet is empty."));
    const { changes, problems, left } = changesOf(grid, rows.map(textRow));
    const filled = fill(grid, changes);
    return report(filled, [...oddCells(rows), ...problems], left);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    return [alertBox(`${file.name}: ${error.message}`)];
  }
}

/** Returns what the sheet changes, before it is saved. */
function report({ values, rows }, problems, left) {
  const parts = [
    counted(values, "{0} value differs", "{0} values differ"),
    rows && counted(rows, "{0} row is new", "{0} rows are new"),
    left && counted(left, "{0} row is not in the file and stays", "{0} rows are not in the file and stay"),
  ];
  const next =
    values || rows
      ? t("What differs is marked. Look at it, and save, or undo it.")
      : t("Nothing is changed.");
  const text = `${parts.filter(Boolean).join(", ")}. ${next}`;
  announce(text);
  const items = problems
    .slice(0, MOST_SHOWN)
    .map(([cell, why]) => el("li", {}, el("strong", {}, cell), ": ", stored(why)));
  if (problems.length > MOST_SHOWN) items.push(el("li", {}, t("and {0} more", problems.length - MOST_SHOWN)));
  const wrong = items.length > 0 && alertBox(el("p", {}, t("Not taken over:")), el("ul", {}, items));
  return [el("p", { role: "status" }, text), wrong].filter(Boolean);
}
