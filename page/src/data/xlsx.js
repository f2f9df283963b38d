// Workbooks (ECMA-376, SpreadsheetML): sheets of cells that are texts, numbers, dates or booleans. Texts stay texts.

import { t } from "./words.js";
import { DAMAGED, NO_WORKBOOK, TOO_LARGE, unzip, zip, ZipError } from "./zip.js";

const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MS_PER_DAY = 86_400_000;
/** Day 0 of the serial numbers that dates are, and of those of old Macintosh files. */
const EPOCH = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** A double holds so many decimal digits. */
const DIGITS = 15;
const MOST_SHOWN = 60;
/** Cell formats of `styles.xml`: general, text, day, time, heading. */
const [GENERAL, TEXT, DAY, TIME, HEADING] = [0, 1, 2, 3, 4];
const FORMATS = [0, 49, 14, 22, 49];
/** Built-in number formats that show days or times. */
const BUILT_IN_DATES = [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47];
const MOST_ROWS = 100_000;
const MOST_COLUMNS = 16_384;
/** Of all rows, with the empty cells before others. */
const MOST_CELLS = 10_000_000;
/** The longest code of a number format. */
const LONGEST_FORMAT = 255;

/** Returns the name of a column by its index: A, B, …, Z, AA. */
const columnName = (index) => (index < 26 ? "" : columnName(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

export const cellName = (column, row) => `${columnName(column)}${row}`;

/** Returns whether a file is an archive, as workbooks are. */
export const isArchive = (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/** Returns digits as a number if a double holds them, else as they are. */
export function numberCell(text) {
  const isNumber = /^-?\d+(\.\d+)?$/.test(text) && text.replace(/[-.]/g, "").replace(/^0+/, "").length <= DIGITS;
  return isNumber ? Number(text) : text;
}

/** Returns a day or a point in time as a cell that spreadsheets show as such. */
export function dateCell(text) {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : { serial: (time - EPOCH) / MS_PER_DAY, isDay: /^\d{4}-\d\d-\d\d$/.test(text) };
}

// What XML cannot have, and what would be read as its escape.
const escaped = (text) =>
  text
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

function cellXml(value, name, isHeading) {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return `<c r="${name}" s="${GENERAL}"><v>${value}</v></c>`;
  if (typeof value === "boolean") return `<c r="${name}" t="b"><v>${Number(value)}</v></c>`;
  if (value.serial !== undefined) return `<c r="${name}" s="${value.isDay ? DAY : TIME}"><v>${value.serial}</v></c>`;
  return `<c r="${name}" s="${isHeading ? HEADING : TEXT}" t="inlineStr"><is><t xml:space="preserve">${escaped(String(value))}</t></is></c>`;
}

const shownLength = (value) => (value?.serial === undefined ? String(value ?? "").length : 16);

function sheetXml(rows) {
  const columns = Math.max(...rows.map((cells) => cells.length), 1);
  const widths = Array.from({ length: columns }, (_, index) => Math.min(Math.max(...rows.slice(0, 1000).map((cells) => shownLength(cells[index])), 6) + 2, MOST_SHOWN));
  const cols = widths.map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`).join("");
  const lines = rows.map((cells, row) => `<row r="${row + 1}">${cells.map((value, column) => cellXml(value, cellName(column, row + 1), row === 0)).join("")}</row>`);
  const view = '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  return `${HEAD}<worksheet xmlns="${MAIN}">${view}<cols>${cols}</cols><sheetData>${lines.join("")}</sheetData></worksheet>`;
}

/** Returns a name that a sheet can have. */
const sheetName = (name) => name.replace(/[[\]:*?/\\]/g, " ").replace(/^'|'$/g, " ").trim().slice(0, 31) || "Sheet";

/** Returns a workbook of one sheet, whose first row has the headings. Cells are texts, numbers, booleans, dates or null. */
export function workbook(name, rows) {
  const formats = FORMATS.map((format, index) => `<xf numFmtId="${format}" fontId="${Number(index === HEADING)}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`).join("");
  const styles = `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${FORMATS.length}">${formats}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
  const part = (path, type) => `<Override PartName="/${path}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`;
  const types = `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part("xl/workbook.xml", "sheet.main")}${part("xl/worksheets/sheet1.xml", "worksheet")}${part("xl/styles.xml", "styles")}</Types>`;
  const relation = (id, type, target) => `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
  const relations = (...all) => `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
  const book = `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="${escaped(sheetName(name))}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
  const entries = [
    ["[Content_Types].xml", types],
    ["_rels/.rels", relations(relation("rId1", "officeDocument", "xl/workbook.xml"))],
    ["xl/workbook.xml", book],
    ["xl/_rels/workbook.xml.rels", relations(relation("rId1", "worksheet", "worksheets/sheet1.xml"), relation("rId2", "styles", "styles.xml"))],
    ["xl/styles.xml", styles],
    ["xl/worksheets/sheet1.xml", sheetXml(rows)],
  ];
  return zip(entries, TYPE);
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const characterOf = (code) => (code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd");
const unescaped = (text) => text.replace(/&(?:#x([\da-fA-F]+)|#(\d+)|(\w+));/g, (all, hex, digits, name) => (name ? (ENTITIES[name] ?? all) : characterOf(hex ? parseInt(hex, 16) : Number(digits))));
const decoded = (text) => text.replace(/_x([\dA-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));

/**
 * Yields the tags and texts of XML: `[name, attributes]` for a start, `["/name"]` for an end, `[null, text]`. The page's policy
 * forbids the browser's parser, because that one also makes documents that run.
 */
function* tokens(xml) {
  // What never ends takes the rest: each beginning would search it to its end again.
  const pattern = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/g;
  for (const [, data, end, name, attributes, isEmpty, text] of xml.matchAll(pattern)) {
    if (data !== undefined) yield [null, data];
    else if (text !== undefined) yield [null, unescaped(text)];
    else if (name && end) yield [`/${name}`];
    else if (name) {
      const pairs = [...attributes.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
      yield [name, Object.fromEntries(pairs.map(([, key, double, single]) => [key.replace(/^[\w.-]+:/, ""), unescaped(double ?? single)]))];
      if (isEmpty) yield [`/${name}`];
    }
  }
}

/** Returns the attributes of all elements of a name. */
const elements = (xml, wanted) => [...tokens(xml ?? "")].filter(([name]) => name === wanted).map(([, attributes]) => attributes);

/** Returns the texts of shared strings; readings of East Asian texts are left out. */
function sharedStrings(xml) {
  const strings = [];
  let [isText, isReading] = [false, false];
  for (const [name, value] of tokens(xml ?? "")) {
    if (name === "si") strings.push("");
    else if (name === "rPh" || name === "/rPh") isReading = name === "rPh";
    else if (name === "t" || name === "/t") isText = name === "t" && !isReading;
    else if (name === null && isText) strings[strings.length - 1] += value;
  }
  return strings.map(decoded);
}

/** Returns whether each cell format shows dates. */
function dateFormats(xml) {
  const own = new Map(elements(xml, "numFmt").map(({ numFmtId, formatCode }) => [numFmtId, formatCode]));
  const isDate = (id) => BUILT_IN_DATES.includes(Number(id)) || /[dmyhs]/i.test((own.get(id) ?? "").slice(0, LONGEST_FORMAT).replace(/"[^"]*"|\\.|\[[^\]]*\]|general/gi, ""));
  const formats = [];
  let isInside = false;
  for (const [name, value] of tokens(xml ?? "")) {
    if (name === "cellXfs" || name === "/cellXfs") isInside = name === "cellXfs";
    else if (name === "xf" && isInside) formats.push(isDate(value.numFmtId ?? "0"));
  }
  return formats;
}

const columnOf = (name) => [...name.match(/^[A-Z]*/)[0].slice(0, 4)].reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** Returns the digits of a number without an exponent, as far as a double has them. */
function digitsOf(text) {
  const number = Number(Number(text).toPrecision(DIGITS));
  if (!Number.isFinite(number)) return text;
  const shown = String(number);
  return shown.includes("e") ? number.toFixed(Math.min(20, Math.max(0, -Math.floor(Math.log10(Math.abs(number))) + DIGITS))).replace(/\.?0+$/, "") : shown;
}

function dateOf(text, epoch) {
  const serial = Number(text);
  if (!Number.isFinite(serial)) return text;
  const date = new Date(epoch + Math.round(serial * MS_PER_DAY / 1000) * 1000);
  if (Number.isNaN(date.getTime())) return text;
  const iso = date.toISOString();
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.replace(".000Z", "Z");
}

/** Returns the text of a cell. */
function textOf({ type, style, value }, { strings, dates, epoch }) {
  if (type === "s") return strings[Number(value)] ?? "";
  if (type === "inlineStr" || type === "str") return decoded(value);
  if (type === "b") return value === "1" ? "true" : "false";
  if (type === "e" || type === "d" || value === "") return value;
  return dates[style] ? dateOf(value, epoch) : digitsOf(value);
}

/** Returns the rows of a sheet that are not empty: their number, and the texts of their cells. */
function rowsOf(xml, context) {
  const rows = [];
  let [row, cell, isValue, isReading] = [null, null, false, false];
  let [number, column, count] = [0, -1, 0];
  for (const [name, value] of tokens(xml)) {
    if (name === "row") {
      number = Number(value.r ?? number + 1);
      [row, column] = [{ number, cells: [] }, -1];
    } else if (name === "c" && row) {
      column = value.r ? columnOf(value.r) : column + 1;
      if (column >= MOST_COLUMNS) throw new ZipError(DAMAGED);
      cell = { type: value.t ?? "n", style: Number(value.s ?? 0), value: "" };
    } else if (name === "rPh" || name === "/rPh") isReading = name === "rPh";
    else if (name === "v" || name === "t") isValue = !isReading;
    else if (name === "/v" || name === "/t") isValue = false;
    else if (name === null && isValue && cell) cell.value += value;
    else if (name === "/c" && cell) {
      row.cells[column] = textOf(cell, context);
      cell = null;
    } else if (name === "/row" && row) {
      count += row.cells.length;
      if (count > MOST_CELLS) throw new ZipError(TOO_LARGE);
      row.cells = Array.from(row.cells, (text) => text ?? "");
      if (row.cells.some(Boolean)) rows.push(row);
      if (rows.length > MOST_ROWS) throw new ZipError(t("The sheet has more than {0} rows.", MOST_ROWS));
      row = null;
    }
  }
  return rows;
}

/** Returns the first sheet of a workbook: its `name`, its `rows` and whether there are `others`. Throws a ZipError. */
export async function readWorkbook(bytes) {
  const read = unzip(bytes);
  const book = await read("xl/workbook.xml");
  if (book === null) throw new ZipError(NO_WORKBOOK);
  const targets = new Map(elements(await read("xl/_rels/workbook.xml.rels"), "Relationship").map(({ Id, Target }) => [Id, Target]));
  const sheets = elements(book, "sheet").filter(({ state }) => !/hidden/i.test(state ?? ""));
  const path = (target) => (target.startsWith("/") ? target.slice(1) : `xl/${target}`);
  const xml = sheets.length ? await read(path(targets.get(sheets[0].id) ?? "")) : null;
  if (xml === null) throw new ZipError(t("The workbook has no sheet."));
  const is1904 = elements(book, "workbookPr").some(({ date1904 }) => /^(1|true)$/.test(date1904 ?? ""));
  const context = {
    strings: sharedStrings(await read("xl/sharedStrings.xml")),
    dates: dateFormats(await read("xl/styles.xml")),
    epoch: is1904 ? EPOCH_1904 : EPOCH,
  };
  return { name: sheets[0].name, rows: rowsOf(xml, context), others: sheets.length - 1 };
}
