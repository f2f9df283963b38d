// Reads tables as the upload of /data does. Takes { document, languages, cases } and prints the documents of each case.

import { readFileSync } from "node:fs";
import { readTable, TableError } from "./data/csv.js";
import { documentOf, doubles, recognize, targetsOf } from "./data/columns.js";
import { Model } from "./data/model.js";
import { sheetOf } from "./data/sheet.js";

const { document, languages, cases } = JSON.parse(readFileSync(0, "utf-8"));
const model = new Model(document);

function read({ collection, table }) {
  const sheet = sheetOf(model, model.collections.get(collection));
  const targets = targetsOf(sheet, languages);
  const { names, rows, hasDecimalCommas } = readTable(Buffer.from(table, "base64"));
  const columns = names.map((name) => (name ? recognize(sheet, targets, name) : { isIgnored: true }));
  if (columns.includes(null) || doubles(columns).length) return null;
  const results = rows.map(({ cells }) => documentOf(cells, columns, hasDecimalCommas));
  return results.some(({ errors }) => errors.length) ? null : results.map((result) => result.document);
}

function readOrRefuse(example) {
  try {
    return read(example);
  } catch (error) {
    if (error instanceof TableError) return null;
    throw error;
  }
}

const text = JSON.stringify(cases.map(readOrRefuse), (_, value) => (typeof value === "bigint" ? `bigint ${value}` : value));
process.stdout.write(text.replace(/"bigint (-?\d+)"/g, "$1"));
