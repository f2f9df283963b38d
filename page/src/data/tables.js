// Tables that people choose: the service reads their files, and nothing is stored by that.

import { Failure, request } from "./api.js";
import { sentence } from "./words.js";

/** Reason why a file is no table. */
export class TableError extends Error {}

/** Returns a row whose problems are in the reader's language. */
const inLanguage = (row) =>
  row.problems?.length
    ? { ...row, problems: row.problems.map((each) => ({ ...each, message: sentence(each.message) })) }
    : row;

/**
 * Returns what the service reads of a file. Throws a TableError.
 * @param {Blob} file
 * @param {Record<string, any>} [parameters]
 */
export async function readTable(file, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null);
  try {
    const { data } = await request("POST", `data/tables?${new URLSearchParams(given)}`, { body: file });
    return { ...data, notes: data.notes.map(sentence), rows: data.rows.map(inLanguage) };
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 413].includes(error.status)) throw error;
    throw new TableError(sentence(error.rows[0].said ?? error.message));
  }
}
