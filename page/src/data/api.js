// Requests to the service with the key of the tab, and the failures that it answers.

import { inWords, t } from "./words.js";

// Item of the session storage, which the front page and /docs share. It lasts as long as the tab. The same
// item of the local
// storage is there if the user wants the key to stay in the browser.
export const STORAGE_KEY = "selvedge.key";

export const isKeyKept = () => localStorage.getItem(STORAGE_KEY) !== null;
export const storedKey = () => sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY);

/** Stores a key in the tab, and in the browser if it is kept there. */
export function storeKey(key, isKept = isKeyKept()) {
  sessionStorage.setItem(STORAGE_KEY, key);
  if (isKept) localStorage.setItem(STORAGE_KEY, key);
  else localStorage.removeItem(STORAGE_KEY);
}

export function forgetKey() {
  sessionStorage.removeItem(STORAGE_KEY);
  localStorage.removeItem(STORAGE_KEY);
}

/** The organization of the key: what is kept in the browser belongs to it. */
export const scope = { organization: "" };

/** Strips "Authorization: Bearer" from a pasted key. */
export const parseKey = (text) => text.trim().replace(/^(?:authorization:\s*)?(?:bearer\s+)*/i, "");

/** Failure of a request. Its rows have the `field`, and in `value` a sentence for people. */
export class Failure extends Error {
  constructor(status, code, rows, retryAfter = null) {
    super(rows.map((row) => row.value).join(" "));
    this.status = status;
    this.code = code;
    this.rows = rows;
    this.retryAfter = retryAfter;
  }

  /** Whether what was sent is refused, which people can correct. */
  get isRefusal() {
    return [400, 409, 422].includes(this.status);
  }
}

const failure = (code, message) => new Failure(0, code, [{ type: code, field: null, value: message }]);

/**
 * Numbers keep their digits where the browser shows them: long ids become BigInt, amounts such as 180.00
 * texts.
 */
function reviveNumber(_, value, context) {
  const source = context?.source;
  if (typeof value !== "number" || !source || String(value) === source) return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source))
    return BigInt(source);
  return /^-?\d+\.\d+$/.test(source) ? source : value;
}

const writeNumber = (_, value) =>
  typeof value === "bigint" ? /** @type {any} */ (JSON).rawJSON(String(value)) : value;

/** Returns a value as JSON, with the digits of each number. */
export const toJson = (value) => JSON.stringify(value, writeNumber);

/** Returns the value of a JSON text, with the digits of each number. */
export const parseJson = (text) => JSON.parse(text, reviveNumber);

let view = new AbortController();

/** Aborts the reads of the view that is left. */
export function leaveView() {
  view.abort();
  view = new AbortController();
}

/**
 * Returns the `data`, the `pagination`, the entity tag and, if it was asked for, the `total` of a response.
 * Throws a Failure.
 * @param {string} method
 * @param {string} path
 * @param {{ body?: any, headers?: Record<string, string>, key?: string }} [options]
 */
export async function request(method, path, { body, headers = {}, key = storedKey() } = {}) {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw failure("no_key", t("This is no key: keys are letters, digits and underscores."));
  const signal = method === "GET" ? view.signal : undefined;
  const isFile = body instanceof Blob;
  const type =
    body === undefined ? {} : { "Content-Type": isFile ? "application/octet-stream" : "application/json" };
  const response = await fetch(path, {
    method,
    body: body === undefined || isFile ? body : toJson(body),
    headers: { Authorization: `Bearer ${key}`, Accept: "application/json", ...type, ...headers },
    cache: "no-store",
    signal,
  }).catch((error) => {
    throw error.name === "AbortError"
      ? error
      : failure("no_answer", t("The service does not answer. Is it still running?"));
  });
  return readBody(response);
}

async function readBody(response) {
  const tag = response.headers.get("ETag");
  const total = response.headers.get("Total-Count");
  const text = await response.text();
  const body = /^[{[]/.test(text) ? parseJson(text) : {};
  if (response.ok)
    return { data: "data" in body ? body.data : body, pagination: body.pagination, tag, total };
  const rows = body.error?.details.map((detail) => ({
    ...detail,
    value: inWords(detail),
    said: detail.value,
  })) ?? [{ field: null, value: t("The service answered {0}.", response.status) }];
  throw new Failure(response.status, body.code, rows, response.headers.get("Retry-After"));
}

/** Returns a text to search for by `q`: signs alone are none. */
export const searchable = (text) => (/[\p{L}\p{N}]/u.test(text) ? text : "");

/**
 * Returns the response to a GET.
 * @param {string[][] | Record<string, any>} [parameters] pairs, or the members of an object
 */
export function get(path, parameters = [], options = {}) {
  const query = new URLSearchParams(/** @type {any} */ (parameters)).toString();
  return request("GET", query ? `${path}?${query}` : path, options);
}

/** Yields the records of each page of a list. */
export async function* pages(path, parameters = []) {
  const pairs = Array.isArray(parameters) ? parameters : Object.entries(parameters);
  for (let next = [...pairs, ["pageSize", "100"]]; next; ) {
    const { data, pagination } = await get(path, next);
    yield data;
    next = pagination.hasMore ? [["cursor", pagination.cursor]] : null;
  }
}

/** Returns the records of all pages of a list. */
export async function readAll(path, parameters) {
  const records = [];
  for await (const page of pages(path, parameters)) records.push(...page);
  return records;
}

/** Returns an Idempotency-Key. Pages that are not on https have no `randomUUID`. */
export function idempotencyKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
