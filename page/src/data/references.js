// References of a table's rows by name: a cell has an own key, else the name of exactly one live record.

import { pages } from "./api.js";
import { remember } from "./names.js";
import { sheetOf } from "./sheet.js";
import { lower, t } from "./words.js";

/** Characters of names in the address of a request. */
const MOST_CHARACTERS = 4000;

const normal = (text) => text.trim().normalize("NFC");

/** Returns the own key of a collection's records if a name is enough to make one; else nothing. */
export function keyOfNew(model, collection) {
  const key = sheetOf(model, collection)?.keys[0];
  return collection.create?.required.every((name) => [key, "name"].includes(name)) ? key : undefined;
}

/** Returns the texts that the rows name records by, by the names of their collections. */
function textsOf(rows) {
  const texts = new Map();
  for (const { collection, text } of rows.flatMap(({ references = [] }) => references))
    texts.set(collection, (texts.get(collection) ?? new Set()).add(text));
  return texts;
}

async function recordsWith(collection, field, texts) {
  const records = [];
  let chunk = [];
  const read = async () => {
    if (chunk.length) for await (const page of pages(collection.path, chunk)) records.push(...page);
    chunk = [];
  };
  for (const text of texts) {
    if (new URLSearchParams([...chunk, [field, text]]).toString().length > MOST_CHARACTERS) await read();
    chunk.push([field, text]);
  }
  await read();
  return records;
}

/** Returns the live records with the name of each text that is no own key. */
async function namedBy(model, collection, texts) {
  const key = sheetOf(model, collection).keys[0];
  const keyed = key === "name" ? [] : await recordsWith(collection, key, texts);
  const others = [...texts].filter((text) => !keyed.some((record) => record[key] === text));
  const forms = new Set(
    others.flatMap((text) => [text, ...["NFC", "NFD"].map((form) => text.trim().normalize(form))]),
  );
  const named = await recordsWith(collection, "name", forms);
  remember(collection, [...keyed, ...named]);
  return new Map(others.map((text) => [text, named.filter(({ name }) => normal(name) === normal(text))]));
}

/**
 * Returns the rows with records in place of their names. A name of several rejects its row. With `makes`, a row
 * has `makes`, the records that are missing, if a name is enough for these.
 */
export async function withRecords(model, rows, makes) {
  const named = new Map();
  for (const [name, texts] of textsOf(rows)) {
    const collection = model.collections.get(name);
    if (collection?.isReadable) named.set(name, await namedBy(model, collection, texts));
  }
  return rows.map((row) => (row.references ? withRecordsOf(model, row, named, makes) : row));
}

function withRecordsOf(model, row, named, makes) {
  const document = structuredClone(row.document);
  const changed = { ...row, document, problems: [...row.problems], makes: [], aliases: {} };
  for (const reference of row.references) {
    const records = named.get(reference.collection)?.get(reference.text);
    const collection = model.collections.get(reference.collection);
    if (records?.length > 1) changed.problems.push(severalProblem(collection, reference, records));
    else if (records?.length === 1) place(model, collection, changed, reference, records[0]);
    else if (records && makes) addNew(model, collection, changed, reference);
  }
  return changed;
}

const severalProblem = (collection, { text }, records) => ({
  message: t("{0} {1} are named {2}: use the reference.", records.length, lower(collection.title), text),
});

/** Puts a record in the place of its name: its id as a value, its own key as the key of an entry. */
function place(model, collection, { document, aliases }, { path, text }, record) {
  const last = path.at(-1);
  const parent = path.slice(0, -1).reduce((value, step) => value[step], document);
  if (last !== text) {
    parent[last] = record.id;
    return;
  }
  const step = record[sheetOf(model, collection).keys[0]] ?? record.id;
  parent[step] = parent[text];
  delete parent[text];
  aliases[step] = text;
}

function addNew(model, collection, { makes }, { path, text }) {
  const key = keyOfNew(model, collection);
  if (key && path.at(-1) !== text) makes.push({ collection, key, text });
}

/** Returns the entries of a transaction that make the records that rows need, each once. */
export function entriesOfNew(rows) {
  const entries = new Map();
  for (const { collection, key, text } of rows.flatMap(({ makes = [] }) => makes))
    entries.set(`${collection.name}/${text}`, {
      collection: collection.name,
      operation: "merge",
      item: { [key]: text, name: text },
    });
  return [...entries.values()];
}

/** Returns changes with the names of the records that a row makes, whose ids nobody knows yet. */
export function withNamesOfNew(changes, { makes = [], item }) {
  const texts = new Map(
    makes.map(({ collection, key, text }) => [JSON.stringify({ [key]: text }), { collection, text }]),
  );
  const shown = (given, after) => {
    const made = texts.get(JSON.stringify(given));
    if (!made) return after;
    remember(made.collection, [{ id: made.text, name: made.text }]);
    return made.text;
  };
  return changes.map((change) => {
    const given = item[change.field];
    const isList =
      Array.isArray(given) && Array.isArray(change.after) && given.length === change.after.length;
    const after = isList
      ? change.after.map((value, index) => shown(given[index], value))
      : shown(given, change.after);
    return { ...change, after };
  });
}
