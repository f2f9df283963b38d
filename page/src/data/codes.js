// Countries, currencies and languages to choose from: by their names in the reader's language, or their codes.

import { readAll } from "./api.js";
import { collectionWords, locale } from "./words.js";

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

class Codes {
  /** Records of a collection have a `code`; what refers to them is what `idOf` returns. */
  constructor(collection, type, idOf = (record) => record.code) {
    this.collection = collection;
    this.idOf = idOf;
    this.name = `${collection}-by-code`;
    this.title = collectionWords(collection)?.[0] ?? collection;
    this.names = new Intl.DisplayNames(locale, { type, fallback: "none" });
  }

  /** Returns the name of a code, or nothing. */
  word(code) {
    try {
      return this.names.of(code);
    } catch {
      // It is no code at all.
      return undefined;
    }
  }

  #record(record) {
    const { code, name } = record;
    const word = this.word(code) ?? name ?? code;
    return { id: this.idOf(record), code, word, name: word === code ? code : `${word} · ${code}` };
  }

  /** Returns all records, which are read once, in the order of their names. */
  read() {
    this.reading ??= this.#read();
    return this.reading;
  }

  async #read() {
    try {
      const records = (await readAll(`api/${this.collection}`)).map((record) => this.#record(record));
      return (this.records = records.sort((a, b) => a.name.localeCompare(b.name, locale)));
    } finally {
      // What fails is read again.
      if (!this.records) this.reading = null;
    }
  }

  /** Returns the records whose name or code has a text, first those that begin with it. */
  async search(text) {
    const q = plain(text.trim());
    const rank = ({ code, name }) =>
      plain(code) === q ? 0 : plain(name).startsWith(q) ? 1 : plain(name).includes(q) ? 2 : 3;
    const records = await this.read();
    return records
      .filter((record) => rank(record) < 3)
      .sort((a, b) => rank(a) - rank(b))
      .map(({ id, name }) => ({ id, name }));
  }

  /** Returns the record of a code or a name that was typed as a whole, or nothing. */
  match(text) {
    const [q, code] = [plain(text.trim()), text.trim().toUpperCase()];
    const record =
      q && this.records?.find((each) => [each.code, each.name, each.word].some((part) => plain(part) === q));
    // Before the records are there, a code is one by its name.
    return (
      record || (!this.records && this.idOf({ code }) && this.word(code) ? this.#record({ code }) : undefined)
    );
  }

  /** Reads the names of ids that are not codes. Returns the records. */
  async readNames(ids) {
    return (await this.read()).filter(({ id }) => ids.includes(String(id)));
  }

  /** Returns the name of what an id names, if it is there without a request. */
  nameOf(id) {
    const record = this.records?.find((each) => String(each.id) === String(id));
    return record?.name ?? (this.word(String(id)) && this.#record({ id, code: String(id) }).name);
  }
}

const FORMATS = {
  "country-code": new Codes("countries", "region"),
  "currency-code": new Codes("currencies", "currency"),
};
const LANGUAGES = new Codes("languages", "language", (record) => record.id);

/**
 * Returns what a field of codes, or a reference to a collection of codes, chooses from; or the collection as
 * it is.
 */
export const named = (schema, collection) =>
  FORMATS[schema?.format] ?? (collection?.name === "languages" ? LANGUAGES : collection);

/** Returns the name of a country by its code. */
export const country = (code) => code && (FORMATS["country-code"].word(code) ?? code);

/** Returns all languages; the `word` of each is its name in that of the reader. */
export const readLanguages = () => LANGUAGES.read();
