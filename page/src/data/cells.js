// Cells of a table: values to texts, as `selvedge import` and the upload read them.

const TRUE = ["true", "1", "yes", "ja", "oui", "wahr", "vrai"];
const EMPTY_LIST = "[]";
export const LIST_SEPARATOR = ";";
const QUOTES = /^"{2,}$/;

/** Returns whether a pasted text ticks a box. */
export const isTrue = (text) => TRUE.includes(text.trim().toLowerCase());

/** Returns digits as a number, or as a BigInt if a double cannot hold them. */
export const wholeNumber = (digits) =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);

/** Returns the cell of a value: `""` is an empty text, an empty cell null. */
export function cellOf(value, hasDecimalCommas = false) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return !value || QUOTES.test(value) ? `""${value}` : value;
  if (Array.isArray(value)) return value.map((entry) => cellOf(entry)).join(LIST_SEPARATOR) || EMPTY_LIST;
  return hasDecimalCommas ? String(value).replace(".", ",") : String(value);
}
