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

/** Returns the stored entries of a list with those that are given instead of theirs, or added. */
function withLanguages(stored, given, members) {
  const own = new Map(given.map((entry) => [String(entry.languageId), entry]));
  // Stored entries may have members that requests do not take, such as an id.
  const bare = (entry) =>
    Object.fromEntries(Object.entries(entry).filter(([name]) => members.includes(name)));
  const kept = stored.map((entry) => ({ ...bare(entry), ...own.get(String(entry.languageId)) }));
  const ids = stored.map((entry) => String(entry.languageId));
  return [...kept, ...given.filter((entry) => !ids.includes(String(entry.languageId)))];
}

/**
 * Returns items whose lists have the stored entries of other languages, too: a dry run shows what would go.
 * `lists` has the members of an entry by the name of the list.
 */
export async function keepingLanguages(path, items, lists, match) {
  const concerned = items.filter((item) => [...lists.keys()].some((name) => item[name]?.length));
  const outcomes = await merge(path, concerned, { match, isDryRun: true });
  const merged = new Map();
  concerned.forEach((item, index) => {
    const shown = outcomes[index].changes.filter(
      ({ field, before }) => before && item[field]?.length && lists.has(field),
    );
    const whole = shown.map(({ field, before }) => [
      field,
      withLanguages(before, item[field], lists.get(field)),
    ]);
    merged.set(item, { ...item, ...Object.fromEntries(whole) });
  });
  return items.map((item) => merged.get(item) ?? item);
}

/** Returns the ids of some records of a collection. */
export const someIds = async (path) =>
  (await get(path, { fields: "id", pageSize: 100 })).data.map(({ id }) => id);
