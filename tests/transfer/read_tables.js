// Reads tables as the upload of /data does. Takes { document, languages, cases } and prints the documents of each case.

import { readFileSync } from "node:fs";

// The page asks the browser for the reader's language, and the service for its words.
const browser = {
  document: { getElementById: () => ({ options: [{ value: "en" }] }) },
  localStorage: { getItem: () => null },
  navigator: { languages: ["en"] },
  fetch: async (url) => ({ ok: true, json: async () => JSON.parse(readFileSync(url, "utf-8")) }),
};
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value });
const { readTable, TableError } = await import("./data/csv.js");
const { documentOf, doubles, recognize, targetsOf } = await import("./data/columns.js");
const { Model } = await import("./data/model.js");
const { sheetOf } = await import("./data/sheet.js");

const { document: openapi, languages, cases } = JSON.parse(readFileSync(0, "utf-8"));
const model = new Model(openapi);

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
