// Download of a list as CSV or as a workbook: all its pages, with the columns that are chosen, in a form
// that the upload reads.

import { pages } from "./api.js";
import { cellOf } from "./cells.js";
import { keyOf, readLanguages, targetsOf } from "./columns.js";
import { hasDecimalCommas, save, toFile } from "./csv.js";
import { announce, button, el } from "./dom.js";
import { listParameters } from "./location.js";
import { isScalar, titleOf, typesOf } from "./model.js";
import { nameOf, readNames } from "./names.js";
import { fieldOf, sheetOf } from "./sheet.js";
import { referencesIn } from "./values.js";
import { label, t, wordFor } from "./words.js";
import { dateCell, numberCell, workbook } from "./xlsx.js";

const NAMES = "names";

// An empty cell leaves a list as it is when it is uploaded, as `[]` would here.
const cell = (value, withCommas) => (Array.isArray(value) && !value.length ? "" : cellOf(value, withCommas));

/** Returns a value, or those of a list, with the words for choices. */
function inWords(value, schema) {
  if (Array.isArray(value)) return value.map((entry) => inWords(entry, schema?.items));
  return schema?.enum?.includes(value) && value !== null ? wordFor(value) : value;
}

/**
 * Returns the cell of a workbook: numbers, days and times as such, if the field has these; texts stay texts.
 */
function typedCell(value, schema) {
  if (typeof value === "number" || typeof value === "boolean") return value;
  const text = cell(inWords(value, schema), false);
  if (typeof value === "string" && /^date/.test(schema?.format ?? "")) return dateCell(text);
  return typeof value === "string" && schema && typesOf(schema).includes("number") ? numberCell(text) : text;
}

/** Adds the columns of a value: of a list of objects one for each field of each entry, or of each language. */
function addCells(cells, path, value) {
  if (Array.isArray(value) && value.some((entry) => entry !== null && typeof entry === "object")) {
    value.forEach((entry, index) => {
      const { languageId, ...members } = entry;
      if (languageId === undefined) addCells(cells, [...path, index], entry);
      else addCells(cells, [...path, `@${languageId}`], members);
    });
  } else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) addCells(cells, [...path, name], member);
  } else cells.set(keyOf(path), value);
}

/** Returns the notation of a path: `prices[0].amount`. */
const notation = (path) =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);

const isOfLanguage = ([, step]) => String(step).startsWith("@");

class Table {
  constructor(model, collection, names, languages) {
    this.model = model;
    this.collection = collection;
    this.names = names;
    this.fields = new Map(model.fields(collection.schema));
    this.withCommas = hasDecimalCommas();
    this.columns = new Map(names.map((name) => [name, new Set()]));
    this.rows = [];
    const sheet = sheetOf(model, collection);
    const targets = sheet ? targetsOf(sheet, languages) : [];
    this.titles = new Map(targets.map(({ key, title }) => [key, title]));
  }

  /** Adds a page of records, whose references are named beside their ids. */
  async add(records) {
    const of = (record) =>
      this.names.flatMap((name) => [
        ...referencesIn(this.model, this.collection, name, this.fields.get(name), record[name]),
      ]);
    await readNames(records.flatMap(of));
    for (const record of records) this.rows.push(this.#cells(record));
  }

  #cells(record) {
    const row = new Map();
    for (const name of this.names) {
      const cells = new Map();
      this.#addField(cells, name, record[name]);
      for (const [key, value] of cells) {
        this.columns.get(name).add(key);
        row.set(key, value);
      }
    }
    return row;
  }

  #addField(cells, name, value) {
    const field = this.fields.get(name);
    const ids = this.#idsField(name, field);
    const target = this.model.reference(this.collection, ids ?? name);
    if (ids) {
      cells.set(
        keyOf([ids]),
        value?.map(({ id }) => id),
      );
      cells.set(this.#beside(ids), value?.map(titleOf));
    } else if (target && this.#isReference(field)) {
      cells.set(keyOf([name]), value);
      cells.set(
        this.#beside(name),
        Array.isArray(value) ? value.map((id) => nameOf(target, id)) : value && nameOf(target, value),
      );
    } else if (this.#isIncomplete(name, field)) {
      cells.set(this.#beside(name), value?.map(titleOf));
    } else if (isScalar(field) || value !== undefined) addCells(cells, [name], value);
  }

  /** Returns the key of the column with the names of the records or entries of a field. It is not read. */
  #beside = (name) => keyOf([name], NAMES);

  #isReference(field) {
    return (
      isScalar(field) ||
      (typesOf(field).includes("array") && isScalar(fieldOf(this.model, field).items.schema))
    );
  }

  /**
   * Returns whether entries of a list are written with more than is shown: uploaded, they would lose the
   * rest.
   */
  #isIncomplete(name, field) {
    const written = this.collection.create?.properties?.[name];
    const [shown, all] = [field, written].map(
      (schema) => schema && fieldOf(this.model, schema).items?.members,
    );
    return Boolean(shown && all) && Object.keys(all).some((member) => !(member in shown));
  }

  /** Returns the field in which a list of records is written: of `colorGroups`, `colorGroupIds`. */
  #idsField(name, field) {
    const target = typesOf(field).includes("array") && this.model.named(name, field.items ?? {});
    if (!target) return undefined;
    const isTwin = (other) =>
      other.endsWith("Ids") && this.model.reference(this.collection, other) === target;
    return Object.keys(this.collection.create?.properties ?? {}).find(isTwin);
  }

  /** Returns the columns: their keys, paths, headings and schemas. */
  #columns() {
    const keys = [...new Set([...this.columns.values()].flatMap((some) => [...some]))];
    const columns = keys.map((key) => ({ key, path: JSON.parse(key)[0], heading: this.#heading(key) }));
    const read = columns.filter(({ path, key }) => !isOfLanguage(path) || this.titles.has(key));
    const isAmbiguous = ({ heading }, index) =>
      read.findIndex((other) => other.heading === heading) !== index;
    return read.map((column, index) => ({
      ...column,
      schema: this.#schemaOf(column.path),
      heading: isAmbiguous(column, index) ? notation(column.path) : column.heading,
    }));
  }

  /** Returns the label of a column, else the notation of its path. */
  #heading(key) {
    const [path, each] = JSON.parse(key);
    const [name] = path;
    const title = label(name, this.fields.get(name));
    if (each === NAMES) return t("{0} in words", title);
    return this.titles.get(key) ?? (path.length === 1 ? title : notation(path));
  }

  /** Returns the schema of a column: of `prices[0].amount`, that of amounts. */
  #schemaOf([first, ...steps]) {
    const below = (schema, step) => {
      const field = schema && fieldOf(this.model, schema);
      return field?.items ? field.items.schema : field?.members?.[step];
    };
    const schema = steps.reduce(below, this.fields.get(first));
    return schema && this.model.resolve(schema);
  }

  toFile() {
    const columns = this.#columns();
    const cells = (row) =>
      columns.map(({ key, schema }) => cell(inWords(row.get(key), schema), this.withCommas));
    const headings = columns.map(({ heading }) => heading);
    return toFile([headings, ...this.rows.map(cells)], this.withCommas ? ";" : ",");
  }

  toWorkbook() {
    const columns = this.#columns();
    const cells = (row) => columns.map(({ key, schema }) => typedCell(row.get(key), schema));
    const headings = columns.map(({ heading }) => heading);
    return workbook(this.collection.title, [headings, ...this.rows.map(cells)]);
  }
}

/** Returns the controls that download a list. `viewOf` returns its view and the columns that are chosen. */
export function downloadControl(model, collection, viewOf) {
  const state = el("span", { class: "quiet" });
  const stop = button(t("Stop the download"), () => (stop.hidden = true), { hidden: true });
  const run = async (format) => {
    for (const start of starts) start.disabled = true;
    stop.hidden = false;
    const onProgress = (text) => {
      state.textContent = text;
      return !stop.hidden;
    };
    try {
      await download(model, collection, { ...viewOf(), format }, onProgress);
    } catch (error) {
      state.textContent = error.rows
        ? t("It is not downloaded: {0}", error.message)
        : t("The download is stopped.");
      if (!error.rows && error.name !== "AbortError") throw error;
    } finally {
      for (const start of starts) start.disabled = false;
      stop.hidden = true;
      announce(state.textContent);
    }
  };
  const starts = ["CSV", "XLSX"].map((format) => button(t("Download {0}", format), () => run(format)));
  return el("span", { class: "actions" }, starts, stop, state);
}

/** Reads the pages one after the other and has the browser save them. `onProgress` returns whether to go on. */
async function download(model, collection, { view, shown, format }, onProgress) {
  const names = ["id", ...shown.filter((name) => name !== "id")];
  const table = new Table(model, collection, names, await readLanguages(model));
  const parameters = [...listParameters({ ...view, cursor: "" }), ["fields", names.join(",")]];
  for await (const records of pages(collection.path, parameters)) {
    await table.add(records);
    if (!onProgress(t("{0} records …", table.rows.length))) return onProgress(t("The download is stopped."));
  }
  const file = format === "CSV" ? table.toFile() : await table.toWorkbook();
  save(`${collection.name}.${format.toLowerCase()}`, file);
  return onProgress(t("{0} records are downloaded.", table.rows.length));
}
