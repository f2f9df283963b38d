// Tables as text: cells as in RFC 4180, in files that are downloaded and in what people copy and paste.

import { t } from "./words.js";

// Where spreadsheets may begin a cell, also if they separate at another character, and how formulas begin.
const START = String.raw`([,;\t|\r\n]|^)`;
const FORMULA = String.raw`(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])`;
const UNGUARDED = new RegExp(START + FORMULA, "g");
const BARE_CELL = new RegExp(`^${FORMULA}`);
const GUARDED_CELL = new RegExp(`^'${FORMULA}`);
const NUMBER = /^-?\d+([.,]\d+)?([eE][+-]?\d+)?$/;
const SPECIAL = /[",;\t|\r\n]/;

/** Reason why cells that are pasted are no table. Their line is counted from 1. */
export class TableError extends Error {
  constructor(line, message) {
    super(message);
    this.line = line;
  }
}

/** Returns all rows of cells that were copied from a spreadsheet, empty ones as well. Throws a TableError. */
export function parseCells(text) {
  const reader = new Reader(text, "\t");
  const rows = [];
  while (!reader.isAtEnd) rows.push(reader.row().map(unguardCell));
  return rows;
}

/**
 * Puts an apostrophe before a text that a spreadsheet would run as a formula when it is pasted; numbers
 * stay.
 */
const guardCell = (text) => (NUMBER.test(text) ? text : text.replace(BARE_CELL, "'"));

/** Takes the apostrophe of a copied cell away again. */
export const unguardCell = (text) => (GUARDED_CELL.test(text) ? text.slice(1) : text);

/** Returns cells as a spreadsheet takes them from the clipboard. */
export const toCells = (rows) =>
  rows
    .map((cells) =>
      cells
        .map(guardCell)
        .map((text) => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
        .join("\t"),
    )
    .join("\n");

class Reader {
  constructor(text, separator) {
    this.text = text;
    this.separator = separator;
    this.position = 0;
    this.line = 1;
    this.end = new RegExp(`[${separator}\\r\\n]`, "g");
  }

  get isAtEnd() {
    return this.position >= this.text.length;
  }

  row() {
    this.first = this.line;
    const cells = [this.#cell()];
    while (this.text[this.position] === this.separator) {
      this.position += 1;
      cells.push(this.#cell());
    }
    this.position += this.text.startsWith("\r\n", this.position) ? 2 : 1;
    this.line += 1;
    return cells;
  }

  #cell() {
    if (this.text[this.position] === '"') return this.#quoted();
    const start = this.position;
    this.end.lastIndex = start;
    this.position = this.end.exec(this.text)?.index ?? this.text.length;
    return this.text.slice(start, this.position);
  }

  #quoted() {
    let start = this.position + 1;
    const parts = [];
    for (;;) {
      const end = this.text.indexOf('"', start);
      if (end < 0)
        throw new TableError(
          this.first,
          t("A quotation mark is never closed: double each one within a quoted cell."),
        );
      parts.push(this.text.slice(start, end));
      this.position = end + 1;
      if (this.text[end + 1] !== '"') break;
      start = end + 2;
    }
    const after = this.text[this.position];
    if (after !== undefined && after !== this.separator && !/[\r\n]/.test(after)) {
      throw new TableError(
        this.first,
        t("Text follows a quoted cell: double each quotation mark within it."),
      );
    }
    const value = parts.join('"');
    this.line += value.match(/\r\n|\r|\n/g)?.length ?? 0;
    return value;
  }
}

/**
 * Returns rows of texts as a file that spreadsheets open and run nothing of: with a mark, without which they guess the
 * encoding.
 */
export function toFile(rows, separator) {
  const quoted = (text) => (SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((cells) => `${cells.map(guard).map(quoted).join(separator)}\r\n`);
  return new Blob(["\ufeff", ...lines], { type: "text/csv" });
}

/** Returns whether people here write 12,5, so that their spreadsheets separate cells by semicolons. */
export const hasDecimalCommas = () => new Intl.NumberFormat().format(1.5).includes(",");

/** Puts an apostrophe before what a spreadsheet could run as a formula. */
export const guard = (text) => (NUMBER.test(text) ? text : text.replace(UNGUARDED, "$1'"));

/** Has the browser save a file. */
export function save(name, blob) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60000);
}

/** Leaves out the headings that were copied with the cells of columns: they are no values. */
export function withoutHeads(table, columns) {
  const isHeads =
    table.length > 1 &&
    table[0].every((text, index) => text.trim().toLowerCase() === columns[index]?.title.toLowerCase());
  return isHeads ? table.slice(1) : table;
}
