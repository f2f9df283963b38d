// Bulk merges: requests of as many items as one takes. What fails is left out, and each item has an outcome.

import { get, idempotencyKey, request } from "./api.js";

const MERGE = "application/merge-patch+json";
/** Half of what a request may have. */
const MAX_BYTES = 4 * 2 ** 20;
const ATTEMPTS = 4;
const TRANSIENT = [0, 408, 429, 502, 503, 504];
/** Statuses of requests that are refused as a whole, and sent again in halves. */
const SPLITTABLE = [400, 413];

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Returns entries in chunks of as many items and bytes as a request takes. */
export function chunksOf(entries, maxItems, sizeOf = (_entry) => 0) {
  const chunks = [];
  let size = 0;
  for (const entry of entries) {
    const bytes = sizeOf(entry);
    if (!chunks.length || chunks.at(-1).length === maxItems || size + bytes > MAX_BYTES) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1).push(entry);
    size += bytes;
  }
  return chunks;
}

/** Sends a request again while the service is busy or away. The key makes the repetition safe. */
async function insist(send) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isTransient = TRANSIENT.includes(error.status) || error.code === "conflict.in_progress";
      if (!isTransient || attempt === ATTEMPTS) throw error;
      await pause(Number(error.retryAfter) || attempt / 2);
    }
  }
}

/**
 * Merges items into their records and returns their outcomes; a dry run has the changes in each. Throws a Failure.
 * @param {string} path
 * @param {object[]} items
 * @param {{ match?: string, isDryRun?: boolean, key?: string }} options
 */
export async function merge(path, items, { match, isDryRun, key = idempotencyKey() }) {
  if (!items.length) return [];
  const parameters = {
    onError: "skip",
    ...(match && { match }),
    ...(isDryRun && { dryRun: "true", preview: "true" }),
  };
  const headers = { "Content-Type": MERGE, ...(!isDryRun && { "Idempotency-Key": key }) };
  try {
    return (
      await insist(() =>
        request("PATCH", `${path}?${new URLSearchParams(parameters)}`, { body: items, headers }),
      )
    ).data;
  } catch (error) {
    if (!SPLITTABLE.includes(error.status)) throw error;
    if (items.length === 1)
      return [{ outcome: "failed", id: null, key: null, details: error.rows, changes: [] }];
  }
  const middle = Math.ceil(items.length / 2);
  const first = await merge(path, items.slice(0, middle), { match, isDryRun, key: `${key}-1` });
  return [...first, ...(await merge(path, items.slice(middle), { match, isDryRun, key: `${key}-2` }))];
}

/**
 * Merges items into their records after records that they need have been made, and returns the outcomes of
 * both. Throws a Failure.
 * @param {string} collection
 * @param {object[]} entries
 * @param {object[]} items
 * @param {{ isDryRun?: boolean, key?: string }} options
 */
export async function mergeWithNew(collection, entries, items, { isDryRun, key }) {
  const body = [...entries, ...items.map((item) => ({ collection, operation: "merge", item }))];
  const parameters = { onError: "skip", ...(isDryRun && { dryRun: "true", preview: "true" }) };
  const headers = isDryRun ? {} : { "Idempotency-Key": key };
  const { data } = await insist(() =>
    request("POST", `api/transaction?${new URLSearchParams(parameters)}`, { body, headers }),
  );
  return [data.slice(0, entries.length), data.slice(entries.length)];
}

/**
 * Deletes records by their ids and returns their outcomes; a dry run says what is in the way. Throws a
 * Failure.
 */
export async function remove(path, ids, { isDryRun, key = idempotencyKey() }) {
  const parameters = [
    ...ids.map((id) => ["ids", String(id)]),
    ["onError", "skip"],
    ...(isDryRun
      ? [
          ["dryRun", "true"],
          ["preview", "true"],
        ]
      : []),
  ];
  const headers = isDryRun ? {} : { "Idempotency-Key": key };
  return (await insist(() => request("DELETE", `${path}?${new URLSearchParams(parameters)}`, { headers })))
    .data;
}

/**
 * Returns items with lists that have an entry for each language as objects by the codes of languages: entries
 * in other languages stay. `lists` has the codes by the ids of languages, by the names of lists.
 */
export const byLanguage = (items, lists) =>
  items.map((item) => {
    const keyed = [...lists].filter(([name]) => Array.isArray(item[name]) && item[name].length);
    const entriesOf = ([name, codes]) => [
      name,
      Object.fromEntries(
        item[name].map(({ languageId, ...entry }) => [codes.get(String(languageId)), entry]),
      ),
    ];
    return { ...item, ...Object.fromEntries(keyed.map(entriesOf)) };
  });

/** Returns the ids of some records of a collection. */
export const someIds = async (path) =>
  (await get(path, { fields: "id", pageSize: 100 })).data.map(({ id }) => id);
