// Numbers of records. Lists have no totals, so that a number ends at a page: "100+".

import { get } from "./api.js";

const MOST = 100;

/** Returns how many records a list has, as a text, and whether there is none. */
export async function countOf(collection, parameters = []) {
  const { data, pagination } = await get(collection.path, [
    ...parameters,
    ["pageSize", String(MOST)],
    ["fields", "id"],
  ]);
  return { isNone: data.length === 0, text: pagination.hasMore ? `${MOST}+` : String(data.length) };
}
