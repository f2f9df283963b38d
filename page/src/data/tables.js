// Tables that people choose: the service reads their files, and nothing is stored by that.

import { Failure, request } from "./api.js";

/** Reason why a file is no table. */
export class TableError extends Error {}

/**
 * Returns what the service reads of a file. Throws a TableError.
 * @param {Blob} file
 * @param {Record<string, any>} [parameters]
 */
export async function readTable(file, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null);
  try {
    const { data } = await request("POST", `data/tables?${new URLSearchParams(given)}`, { body: file });
    return data;
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 413].includes(error.status)) throw error;
    throw new TableError(error.rows[0].said ?? error.message);
  }
}
