// Entries of a part to choose from, such as the sizes of size ranges: found by words of their owner's name
// and their own.

import { get, pages, searchable } from "./api.js";
import { titleOf } from "./model.js";
import { nameOf, readNames, remember } from "./names.js";
import { t } from "./words.js";

const OWNERS = 10;
const PAGE_SIZE = 100;

/** Colors of a style to choose from: few, which are found by their names. */
export class ColorsOfStyle {
  constructor(colors) {
    this.name = "colors-of-style";
    this.title = t("Colors");
    this.records = colors.map(({ id, colorId, name, colorName }) => ({
      id,
      colorId,
      name: name ?? colorName ?? String(id),
    }));
    remember(this, this.records);
  }

  search(text) {
    return this.records.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  }
}

export class EntryCollection {
  /**
   * `owner` is the collection of the owners; the records at `path` have the entries of each in their `list`.
   */
  constructor({ owner, name, path, title, ownerField, list }) {
    this.owner = owner;
    this.name = name;
    this.path = path;
    this.title = title;
    this.ownerField = ownerField;
    this.list = list;
  }

  /** Returns the entries whose owner has the first words of a text, and whose name begins with the others. */
  async search(text) {
    const words = text.split(/\s+/).filter(searchable);
    for (let count = words.length; count >= 0; count -= 1) {
      const q = words.slice(0, count).join(" ");
      const { data: owners } = await get(this.owner.path, { pageSize: OWNERS, ...(q && { q }) });
      remember(this.owner, owners);
      const sets = owners.length ? await this.#read(owners.map(({ id }) => [this.ownerField, id])) : [];
      const rest = words.slice(count).map((word) => word.toLowerCase());
      const entries = sets.flatMap((set) => this.#entries(set, rest));
      if (entries.length) return entries;
    }
    return [];
  }

  /** Reads the names of entries, whose ids are no filter: page by page, until all are there. */
  async readNames(ids) {
    const missing = new Set(ids);
    for await (const data of pages(this.path)) {
      const sets = data.filter((set) => set[this.list].some(({ id }) => missing.has(String(id))));
      await readNames(sets.map((set) => [this.owner, set[this.ownerField]]));
      for (const set of sets) remember(this, this.#entries(set, []));
      for (const { id } of sets.flatMap((set) => set[this.list])) missing.delete(String(id));
      if (!missing.size) return;
    }
  }

  async #read(parameters) {
    return (await get(this.path, [["pageSize", PAGE_SIZE], ...parameters])).data;
  }

  #entries(set, words) {
    const owner = nameOf(this.owner, set[this.ownerField]);
    const fits = (entry) => words.every((word) => titleOf(entry).toLowerCase().startsWith(word));
    return set[this.list]
      .filter(fits)
      .map((entry) => ({ id: entry.id, name: `${owner}: ${titleOf(entry)}` }));
  }
}
