// Workbooks (ECMA-376, SpreadsheetML): sheets of cells that are texts, numbers, dates or booleans. Texts
// stay texts.

import { zip } from "./zip.js";

const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MS_PER_DAY = 86_400_000;
/** Day 0 of the serial numbers that dates are. */
const EPOCH = Date.UTC(1899, 11, 30);
/** A double holds so many decimal digits. */
const DIGITS = 15;
const MOST_SHOWN = 60;
/** Cell formats of `styles.xml`: general, text, day, time, heading. */
const [GENERAL, TEXT, DAY, TIME, HEADING] = [0, 1, 2, 3, 4];
const FORMATS = [0, 49, 14, 22, 49];
/** Returns the name of a column by its index: A, B, …, Z, AA. */
const columnName = (index) =>
  (index < 26 ? "" : columnName(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

export const cellName = (column, row) => `${columnName(column)}${row}`;

/** Returns digits as a number if a double holds them, else as they are. */
export function numberCell(text) {
  const isNumber =
    /^-?\d+(\.\d+)?$/.test(text) && text.replace(/[-.]/g, "").replace(/^0+/, "").length <= DIGITS;
  return isNumber ? Number(text) : text;
}

/** Returns a day or a point in time as a cell that spreadsheets show as such. */
export function dateCell(text) {
  const time = Date.parse(text);
  return Number.isNaN(time)
    ? text
    : { serial: (time - EPOCH) / MS_PER_DAY, isDay: /^\d{4}-\d\d-\d\d$/.test(text) };
}

// What XML cannot have, and what would be read as its escape.
/* eslint no-control-regex: off */
const escaped = (text) =>
  text
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")
    .replace(
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Surrogate}/gu,
      (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
    )
    .replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

function cellXml(value, name, isHeading) {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return `<c r="${name}" s="${GENERAL}"><v>${value}</v></c>`;
  if (typeof value === "boolean") return `<c r="${name}" t="b"><v>${Number(value)}</v></c>`;
  if (value.serial !== undefined)
    return `<c r="${name}" s="${value.isDay ? DAY : TIME}"><v>${value.serial}</v></c>`;
  const text = `<is><t xml:space="preserve">${escaped(String(value))}</t></is>`;
  return `<c r="${name}" s="${isHeading ? HEADING : TEXT}" t="inlineStr">${text}</c>`;
}

const shownLength = (value) => (value?.serial === undefined ? String(value ?? "").length : 16);

function sheetXml(rows) {
  const columns = Math.max(...rows.map((cells) => cells.length), 1);
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.min(Math.max(...rows.slice(0, 1000).map((cells) => shownLength(cells[index])), 6) + 2, MOST_SHOWN),
  );
  const cols = widths
    .map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`)
    .join("");
  const lines = rows.map((values, row) => {
    const cells = values.map((value, column) => cellXml(value, cellName(column, row + 1), row === 0));
    return `<row r="${row + 1}">${cells.join("")}</row>`;
  });
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`;
  const data = `<sheetData>${lines.join("")}</sheetData>`;
  return `${HEAD}<worksheet xmlns="${MAIN}">${view}<cols>${cols}</cols>${data}</worksheet>`;
}

/** Returns a name that a sheet can have. */
const sheetName = (name) =>
  name
    .replace(/[[\]:*?/\\]/g, " ")
    .replace(/^'|'$/g, " ")
    .trim()
    .slice(0, 31) || "Sheet";

/**
 * Returns a workbook of one sheet, whose first row has the headings. Cells are texts, numbers, booleans,
 * dates or null.
 */
export function workbook(name, rows) {
  const formats = FORMATS.map(
    (format, index) =>
      `<xf numFmtId="${format}" fontId="${Number(index === HEADING)}" fillId="0" borderId="0" ` +
      'xfId="0" applyNumberFormat="1" applyFont="1"/>',
  );
  const font = '<sz val="11"/><name val="Calibri"/>';
  const fill = (pattern) => `<fill><patternFill patternType="${pattern}"/></fill>`;
  const list = (name, ...entries) => `<${name} count="${entries.length}">${entries.join("")}</${name}>`;
  const styles = [
    `${HEAD}<styleSheet xmlns="${MAIN}">`,
    list("fonts", `<font>${font}</font>`, `<font><b/>${font}</font>`),
    list("fills", fill("none"), fill("gray125")),
    list("borders", "<border/>"),
    list("cellStyleXfs", "<xf/>"),
    list("cellXfs", ...formats),
    list("cellStyles", '<cellStyle name="Normal" xfId="0" builtinId="0"/>'),
    "</styleSheet>",
  ].join("");
  const content = (type) => `application/vnd.openxmlformats-${type}+xml`;
  const byExtension = (extension, type) => `<Default Extension="${extension}" ContentType="${type}"/>`;
  const part = (path, type) =>
    `<Override PartName="/${path}" ContentType="${content(`officedocument.spreadsheetml.${type}`)}"/>`;
  const types = [
    `${HEAD}<Types xmlns="${PACKAGE}/content-types">`,
    byExtension("rels", content("package.relationships")),
    byExtension("xml", "application/xml"),
    part("xl/workbook.xml", "sheet.main"),
    part("xl/worksheets/sheet1.xml", "worksheet"),
    part("xl/styles.xml", "styles"),
    "</Types>",
  ].join("");
  const relation = (id, type, target) =>
    `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
  const relations = (...all) =>
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
  const sheet = `<sheet name="${escaped(sheetName(name))}" sheetId="1" r:id="rId1"/>`;
  const book = `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${sheet}</sheets></workbook>`;
  const entries = [
    ["[Content_Types].xml", types],
    ["_rels/.rels", relations(relation("rId1", "officeDocument", "xl/workbook.xml"))],
    ["xl/workbook.xml", book],
    [
      "xl/_rels/workbook.xml.rels",
      relations(
        relation("rId1", "worksheet", "worksheets/sheet1.xml"),
        relation("rId2", "styles", "styles.xml"),
      ),
    ],
    ["xl/styles.xml", styles],
    ["xl/worksheets/sheet1.xml", sheetXml(rows)],
  ];
  return zip(entries, TYPE);
}
