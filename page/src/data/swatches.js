// Swatches: how colors look on a screen, read for those that are shown.

import { readAll } from "./api.js";

const AT_ONCE = 100;
const hexes = new Map();

/** Whether the records of a collection to choose from are colors, or colors of a style. */
export const hasSwatches = ({ name }) => name === "colors" || name === "colors-of-style";

/**
 * Returns the color values of colors, or of what has a color, by record. What a key may not read is missing.
 */
export async function swatchesOf(records) {
  const colorOf = ({ id, colorId }) => String(colorId ?? id);
  const missing = [...new Set(records.map(colorOf))].filter((id) => !hexes.has(id));
  for (let start = 0; start < missing.length; start += AT_ONCE) {
    const ids = missing.slice(start, start + AT_ONCE);
    const swatches = await readAll(
      "api/color-swatches",
      ids.map((id) => ["colorId", id]),
    ).catch((error) => {
      if (error.status !== 403) throw error;
      return [];
    });
    for (const id of ids) hexes.set(id, null);
    for (const { colorId, hex } of swatches) hexes.set(String(colorId), hex);
  }
  return new Map(records.map((record) => [record, hexes.get(colorOf(record))]));
}

/** Forgets the swatches: somebody may have changed them, or another key is used. */
export const forgetSwatches = () => hexes.clear();
