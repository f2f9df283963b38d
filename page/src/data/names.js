// Names of referenced records, read at once for all ids that a view shows.

import { get } from "./api.js";
import { titleOf } from "./model.js";

const PAGE_SIZE = 100;
const names = new Map();
const keyFor = (collection, id) => `${collection.name}/${id}`;

/** Returns the name of a record, or its id while the name is not read. */
export const nameOf = (collection, id) =>
  names.get(keyFor(collection, id)) ?? collection.nameOf?.(id) ?? String(id);

/** Stores the names of records that were read anyway. */
export function remember(collection, records) {
  for (const record of records) names.set(keyFor(collection, record.id), titleOf(record));
}

export const forgetNames = () => names.clear();

/** Reads the names of references that are not read yet. `references` are pairs of a collection and an id. */
export async function readNames(references) {
  const missing = new Map();
  for (const [collection, id] of references) {
    if (names.has(keyFor(collection, id))) continue;
    missing.set(collection, (missing.get(collection) ?? new Set()).add(String(id)));
  }
  await Promise.all([...missing].map(([collection, ids]) => readOf(collection, [...ids])));
}

async function readOf(collection, ids) {
  if (collection.readNames) return remember(collection, (await collection.readNames(ids)) ?? []);
  if (!collection.isReadable) return;
  // A record that is deleted has a name, too.
  const states = collection.parameters.get("state")?.items ? ["active", "inactive", "deleted"] : [];
  for (let start = 0; start < ids.length; start += PAGE_SIZE) {
    const parameters = ids.slice(start, start + PAGE_SIZE).map((id) => ["id", id]);
    parameters.push(["pageSize", PAGE_SIZE], ...states.map((state) => ["state", state]));
    remember(collection, (await get(collection.path, parameters)).data);
  }
}
