// What the sections of a style's page share: the style, its colors with their swatches, and its sizes.

import { get, readAll } from "./api.js";
import { swatch, el } from "./dom.js";
import { readNames } from "./names.js";
import { recordPath } from "./paths.js";
import { swatchesOf } from "./swatches.js";
import { referencesIn } from "./values.js";
import { t } from "./words.js";

const LAST = Number.MAX_SAFE_INTEGER;

export class StyleContext {
  constructor(model, collection, id, canWrite) {
    this.model = model;
    this.collection = collection;
    this.id = id;
    this.canWrite = canWrite;
    this.path = recordPath(collection, id);
  }

  /** Reads what all sections need. */
  async read() {
    const { data, tag } = await get(this.path);
    this.style = data;
    this.tag = tag;
    const ofStyle = { styleId: String(data.id) };
    // What the key may not read is missing; the section that it belongs to says so.
    this.refusal = null;
    const allowed = (reading) =>
      reading.catch((error) => {
        if (error.status !== 403) throw error;
        this.refusal ??= error;
        return [];
      });
    const [colors, sizes] = await Promise.all([
      allowed(readAll("api/style-colors", ofStyle)),
      data.sizeRangeId
        ? allowed(get(`api/size-ranges/${data.sizeRangeId}/sizes`).then((response) => response.data))
        : [],
      this.readNamesIn(this.collection, this.collection.schema, data),
    ]);
    this.colors = colors.sort((a, b) => (a.sortOrder ?? LAST) - (b.sortOrder ?? LAST));
    this.allSizes = sizes;
    this.hexes = new Map([...(await swatchesOf(colors))].map(([{ colorId }, hex]) => [String(colorId), hex]));
  }

  /** Returns the sizes in use, and those of some ids that are no longer in use. */
  sizes(ids = []) {
    const named = new Set(ids.map(String));
    return this.allSizes.filter(({ id, isDeactivated }) => !isDeactivated || named.has(String(id)));
  }

  color(styleColorId) {
    return this.colors.find(({ id }) => id === styleColorId);
  }

  colorName(styleColorId) {
    if (styleColorId === null) return t("All other colors");
    const color = this.color(styleColorId);
    return color?.name ?? color?.colorName ?? String(styleColorId);
  }

  /** Returns the name of a style color behind its swatch. */
  colorLabel(styleColorId) {
    const hex = this.hexes.get(String(this.color(styleColorId)?.colorId));
    return el(
      "span",
      { class: "with-swatch" },
      styleColorId !== null && swatch(hex),
      el("bdi", {}, this.colorName(styleColorId)),
    );
  }

  sizeName(sizeRangeSizeId) {
    return this.allSizes.find(({ id }) => id === sizeRangeSizeId)?.name ?? String(sizeRangeSizeId);
  }

  part(name) {
    return this.collection.parts.find((part) => part.name === name);
  }

  /** Reads the names of the records that a value, or each entry of a list, refers to. */
  readNamesIn(collection, schema, value) {
    const entrySchema = schema.items ?? schema;
    return readNames(
      [value].flat().flatMap((entry) => [...referencesIn(this.model, collection, "", entrySchema, entry)]),
    );
  }
}
