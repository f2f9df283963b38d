// Cells of a table: texts to values by the types of their fields, and back. The rules are those of `selvedge
// import`.

import { t, wordFor } from "./words.js";

const BOOLEANS = {
  true: true,
  1: true,
  yes: true,
  ja: true,
  oui: true,
  false: false,
  0: false,
  no: false,
  nein: false,
  non: false,
};
const EMPTY_LIST = "[]";
export const LIST_SEPARATOR = ";";
const INTEGER = /^(-?\d{1,19})(?:\.0{0,10})?$/;
const DECIMAL = /^-?\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,2})?$/;
const DECIMAL_COMMA = /^\s*(-?\d{1,18}),(\d{1,18})\s*$/;
const QUOTES = /^"{2,}$/;
const LARGEST = 2n ** 63n;

export class CellError extends Error {}

/**
 * Returns the value of a cell for a field with `types`, `items` and `hasMembers`. What does not fit is sent
 * as it is.
 */
export function valueOf(text, field, hasDecimalCommas = false) {
  const { types, items, hasMembers } = field;
  if (types.includes("array")) return listOf(text, items, hasDecimalCommas);
  if (hasMembers) throw new CellError(t("This has several fields: use a column for each."));
  if (types.includes("boolean")) return BOOLEANS[text.trim().toLowerCase()] ?? text;
  if (types.includes("integer") || types.includes("number")) {
    return numberOf(hasDecimalCommas ? text.replace(DECIMAL_COMMA, "$1.$2") : text, types);
  }
  const isMeant = (value) =>
    value !== null &&
    [value, wordFor(value)].some((word) => word.toLowerCase() === text.trim().toLowerCase());
  const choice = field.schema?.enum?.find(isMeant);
  return choice ?? (QUOTES.test(text) ? text.slice(2) : text);
}

function listOf(text, items, hasDecimalCommas) {
  if (text.trim() === EMPTY_LIST) return [];
  if (items.hasMembers)
    throw new CellError(
      t("Use {0} for an empty list, and a column for each field of its entries.", EMPTY_LIST),
    );
  const parts = text.split(LIST_SEPARATOR).map((part) => part.trim());
  return parts.filter(Boolean).map((part) => valueOf(part, items, hasDecimalCommas));
}

const isLong = (digits) => BigInt(digits) >= -LARGEST && BigInt(digits) < LARGEST;

/** Returns digits as a number, or as a BigInt if a double cannot hold them. */
export const wholeNumber = (digits) =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);

function numberOf(text, types) {
  const bare = text.trim();
  // Measured values are decimal texts: a number would lose digits.
  if (types.includes("string")) return bare;
  const integer = INTEGER.exec(bare);
  if (integer && isLong(integer[1])) return wholeNumber(integer[1]);
  return types.includes("number") && DECIMAL.test(bare) ? Number(bare) : text;
}

/** Returns the cell of a value, the inverse of `valueOf`: `""` is an empty text, an empty cell null. */
export function cellOf(value, hasDecimalCommas = false) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return !value || QUOTES.test(value) ? `""${value}` : value;
  if (Array.isArray(value)) return value.map((entry) => cellOf(entry)).join(LIST_SEPARATOR) || EMPTY_LIST;
  return hasDecimalCommas ? String(value).replace(".", ",") : String(value);
}
