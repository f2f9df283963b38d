// Words: the page's texts in the reader's language, and the labels and hints of fields.

// Item of the browser's storage, if somebody chose a language.
const ITEM = "selvedge.language";

const choice = /** @type {HTMLSelectElement} */ (document.getElementById("language"));
const isSpoken = (code) => [...choice.options].some(({ value }) => value === code);

/** Returns the language that the reader chose, else the first one of the browser that the page speaks. */
function preferred() {
  const chosen = localStorage.getItem(ITEM);
  const codes = navigator.languages.map((tag) => tag.slice(0, 2));
  return isSpoken(chosen) ? chosen : (codes.find(isSpoken) ?? "en");
}

export const language = preferred();
/** The language with the reader's habits of dates and numbers. */
export const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;

/**
 * Returns a stored number as the reader writes numbers, with all its decimals; an amount with those of its
 * currency at least.
 */
export function numeral(value, currency) {
  const usual = currency
    ? new Intl.NumberFormat(locale, { style: "currency", currency }).resolvedOptions().minimumFractionDigits
    : 0;
  const digits = Math.max(usual, String(value).split(".")[1]?.length ?? 0);
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(/** @type {any} */ (String(value)));
}

async function read(code = language) {
  const response = await fetch(new URL(`words.${code}.json`, import.meta.url));
  return response.ok ? response.json() : {};
}

// Modules that name texts as constants wait for it.
const {
  texts = {},
  fields = {},
  values = {},
  parts = {},
  collections = {},
  groups = {},
  errors = {},
  sentences = {},
} = await read();

const filled = (text, parts) => text.replace(/\{(\d)\}/g, (_, index) => parts[index]);

/** Returns an English text of the page in the reader's language, with `{0}` and so on replaced by parts. */
export const t = (text, ...parts) => filled(texts[text] ?? text, parts);

const patternOf = (text) =>
  new RegExp(`^${text.replace(/[.*+?^$()[\]\\|]/g, "\\$&").replace(/\{\d\}/g, "(.*?)")}$`, "su");

// Longer texts come first: a gap of a shorter one may fit what they say.
const patterns = Object.keys(sentences)
  .sort((one, other) => other.length - one.length)
  .map((text) => [patternOf(text), sentences[text]]);

/** Returns a sentence of the service about a table in the reader's language, also the sentences within it. */
export function sentence(text) {
  for (const [pattern, translation] of patterns) {
    const match = pattern.exec(text);
    if (match) return filled(translation, match.slice(1).map(sentence));
  }
  return text;
}

/** Returns the text for a number: the first for one, else the second. `{0}` is the number. */
export const counted = (number, one, several, ...parts) =>
  t(Number(number) === 1 ? one : several, number, ...parts);

/** Returns a name as words: `userDefinedId` is "User defined id", of a reference `brandId` "Brand". */
export function spelled(name, isReference = false) {
  const bare = isReference ? name.replace(/Ids$/, "s").replace(/Id$/, "") : name;
  const words = bare.replace(/([a-z\d])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);
  return capital(words);
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a name within a sentence. German nouns keep their capitals. */
export const lower = (text) => (language === "de" ? text : text.toLowerCase());

const entryOf = (name, schema, words = fields) => words[schema?.["x-label"] ?? name] ?? words[name];

/** Returns the label of a field. Its schema tells fields of one name apart. */
export const label = (name, schema) => entryOf(name, schema)?.[0] ?? spelled(name);

/** Returns what people should know of a field, in the reader's language or by other words. */
export const hint = (name, schema, words = fields) => entryOf(name, schema, words)?.[1] ?? "";

/** Returns the English words of fields. */
export const englishFields = async () => (language === "en" ? fields : (await read("en")).fields);

/**
 * Returns the steps of a field's path: of `prices[0].amount`, the names `prices` and `amount` and the number
 * 0 between.
 */
export const stepsOf = (path) =>
  [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => name ?? Number(index));

/** Returns a field's path in words: of `prices[0].amount`, "Prices: 1: Amount". */
export const pathWords = (path) =>
  stepsOf(path)
    .map((step) => (typeof step === "number" ? step + 1 : label(step)))
    .join(": ");

/** Returns the word for a value of an enumeration. */
export const wordFor = (value) => values[value] ?? String(value);

/** Returns the title of a collection and what it has, or nothing. */
export const collectionWords = (name) => collections[name];

/** Returns the title of a part of records. */
export const partTitle = (name) => parts[name] ?? spelled(name.replaceAll("-", " "));

/** Returns the names of the collections of each group, by the group's title. */
export const groupWords = () => Object.entries(groups);

// Types whose service's sentence says no more than that of the reader's language.
const SAID = new Set([
  "validation_error.required_field",
  "unauthorized",
  "not_found",
  "precondition_failed",
  "server_error",
  "server_error.unavailable",
  "too_many_requests",
]);

/** Returns what went wrong in the reader's language, before the service's own sentence. */
export function inWords({ type, value }) {
  if (!errors[type]) return value;
  return SAID.has(type) ? errors[type] : `${errors[type]} (${value})`;
}

/** Shows the language in the page's list of them, and has the choice kept in the browser. */
export function offerLanguages() {
  choice.value = language;
  choice.addEventListener("change", () => {
    localStorage.setItem(ITEM, choice.value);
    location.reload();
  });
}
