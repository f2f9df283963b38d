// Upload of a table: a file, its columns, a dry run row by row, the write, and the rejected rows as a table
// again.

import {
  documentOf,
  doubles,
  emptiable,
  fieldsOf,
  listsByLanguage,
  readLanguages,
  REASON,
  targetOf,
  targetsOf,
} from "./columns.js";
import { save, toFile } from "./csv.js";
import { alertBox, announce, button, el, link, newId, stored } from "./dom.js";
import { hashOf } from "./location.js";
import { keyOfNew, withRecords } from "./references.js";
import { sentencesOf } from "./results.js";
import { hasLanguages, sheetOf, titleOfField } from "./sheet.js";
import { readTable, TableError } from "./tables.js";
import { guard } from "./unsaved.js";
import { explanation } from "./upload_rules.js";
import { scrolling } from "./values.js";
import { rowsOf } from "./writer.js";
import { Writing } from "./writing.js";
import { counted, stepsOf, t } from "./words.js";
import { cellName, workbook } from "./xlsx.js";

const SAMPLES = 3;
const SEPARATORS = { ",": t("commas"), ";": t("semicolons"), "\t": t("tabs"), "|": t("vertical bars") };
const ENCODINGS = {
  "utf-8": "UTF-8",
  "utf-8-sig": "UTF-8",
  "utf-16": "UTF-16",
  "utf-32": "UTF-32",
  "windows-1252": t("Windows-1252, because it is no UTF-8"),
};

/** Returns facts about a table in words. */
function factsOf({
  rows,
  encoding,
  delimiter,
  hasDecimalCommas,
  isWorkbook,
  sheet,
  sheets,
  headingRow,
  notes,
}) {
  const place = headingRow > 1 ? [t("The names of the columns stand in row {0}.", headingRow)] : [];
  const numbers = hasDecimalCommas ? t("12,5 and 12.5 are decimal numbers") : t("12.5 is a decimal number");
  const cells = t(
    "{0} rows, in {1}. Cells are separated by {2}; {3}.",
    rows.length,
    ENCODINGS[encoding],
    SEPARATORS[delimiter] ?? delimiter,
    numbers,
  );
  if (!isWorkbook) return [cells, ...place].join(" ");
  const others = sheets.length - 1;
  const ofSheets = others
    ? [counted(others, "{0} other sheet is not read.", "{0} other sheets are not read.")]
    : [];
  const results = t("Of formulas, the results are read.");
  return [
    t("{0} rows of the sheet “{1}”.", rows.length, sheet),
    ...ofSheets,
    results,
    ...place,
    ...notes,
  ].join(" ");
}

/**
 * Returns the steps of a field's path as columns have them: below a part's member, and with what columns have
 * for the keys of entries.
 */
function stepsInRow(steps, part, aliases) {
  const ofRow = part?.list ? [part.member, ...steps.slice(1)] : [...(part ? [part.member] : []), ...steps];
  return ofRow.map((step, index) => (index === 1 && aliases[step]) || step);
}

/** Returns the nodes of the view. */
export async function uploadView(model, collection) {
  const sheet = sheetOf(model, collection);
  const languages = hasLanguages(model, sheet.members) ? await readLanguages(model) : [];
  const upload = new Upload(sheet, languages);
  const title = t("Upload a table: {0}", collection.title);
  return {
    nodes: [
      el("p", {}, link(hashOf({ name: collection.name }), collection.title)),
      el("h1", { tabindex: "-1" }, title),
      upload.element,
    ],
    title,
  };
}

class Upload {
  constructor(sheet, languages) {
    this.sheet = sheet;
    this.languages = languages;
    this.targets = targetsOf(sheet, languages);
    this.languageSteps = Object.fromEntries(languages.map(({ id, code }) => [code, `@${id}`]));
    this.columnsSection = el("section", { class: "columns", "aria-label": t("Columns") });
    const head = {
      title: t("Row"),
      number: ({ number }) => String(number),
      name: (row) => this.#nameOf(row),
      cell: (row, reason) => this.#cellOf(row, reason),
    };
    const fileSection = this.#fileSection();
    const onBusy = (isBusy) => (fileSection.inert = this.columnsSection.inert = isBusy);
    this.writing = new Writing(sheet, { head, rejectsOf: (rows) => this.#rejectsOf(rows), onBusy });
    this.element = el(
      "div",
      {},
      fileSection,
      explanation(sheet, this.targets),
      this.columnsSection,
      this.writing.element,
    );
    guard(() => this.element.isConnected && this.writing.isWriting);
  }

  #fileSection() {
    const id = newId("file");
    const change = () => {
      this.#choose(input.files[0]);
      // A file that was corrected and is chosen again is a change, too.
      input.value = "";
    };
    const input = el("input", {
      type: "file",
      id,
      accept: ".csv,.tsv,.txt,.xlsx,text/csv,text/tab-separated-values",
      change,
    });
    const drop = (event) => {
      event.preventDefault();
      this.#choose(event.dataTransfer.files[0]);
    };
    const text = t(
      "Choose a CSV file or a workbook (XLSX), or drop it here. Nothing is written before you have seen " +
        "what would change.",
    );
    return el(
      "div",
      { class: "drop", drop, dragover: (event) => event.preventDefault() },
      el("label", { for: id }, text),
      input,
    );
  }

  #choose(file) {
    if (!file) return undefined;
    this.file = file;
    return this.#read({});
  }

  /**
   * Reads the file, with another sheet or row of headings if these are given, and shows its columns.
   * @param {{ sheet?: string, headingRow?: string }} place
   */
  async #read({ sheet, headingRow }) {
    this.columnsSection.replaceChildren();
    this.writing.clear();
    try {
      this.table = await this.#tableOf({ sheet, headingRow });
      this.columns = this.table.headings.map((heading) => targetOf(this.targets, heading));
      this.#showColumns();
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.columnsSection.replaceChildren(alertBox(`${this.file.name}: ${error.message}`));
    }
  }

  async #tableOf(parameters) {
    const table = await readTable(this.file, { collection: this.sheet.collection.name, ...parameters });
    const rows = table.rows.map((row) => ({ ...row, cells: row.cells.map(({ text }) => text) }));
    return { ...table, rows, names: table.headings.map(({ name }) => name) };
  }

  /** Returns the choices of the sheet and of the row with the names of the columns. */
  #placeChoices() {
    const { sheets, sheet, headingRow } = this.table;
    const options = sheets.map((name) => el("option", { value: name, selected: name === sheet }, name));
    const chooseSheet = (event) => this.#read({ sheet: event.target.value });
    const chooseRow = (event) =>
      event.target.value && this.#read({ sheet: sheet || undefined, headingRow: event.target.value });
    const row = el("input", { type: "number", min: "1", value: String(headingRow), change: chooseRow });
    return [
      sheets.length > 1 &&
        el("label", { class: "option" }, t("Sheet"), " ", el("select", { change: chooseSheet }, options)),
      el("label", { class: "option" }, t("Row with the names of the columns"), " ", row),
    ].filter(Boolean);
  }

  #showColumns() {
    const facts = factsOf(this.table);
    const heads = [t("Column"), t("First cells"), t("Field")].map((title) =>
      el("th", { scope: "col" }, title),
    );
    const table = el(
      "table",
      {},
      el("thead", {}, el("tr", {}, heads)),
      el(
        "tbody",
        {},
        this.columns.map((_, index) => this.#columnRow(index)),
      ),
    );
    const box = el("input", { type: "checkbox", change: () => this.writing.clear() });
    this.emptyBox = box;
    const empty = el(
      "label",
      { class: "option" },
      box,
      t("Empty cells empty their fields. (Otherwise they leave them as they are.)"),
    );
    const make = el("input", { type: "checkbox", change: () => this.writing.clear() });
    this.makeBox = make;
    const isNamed = Object.values(this.sheet.collection.references).some((target) =>
      keyOfNew(this.sheet.model, target),
    );
    const missing = el(
      "label",
      { class: "option" },
      make,
      t(
        "Records that cells name and that are missing are made with these names. (Otherwise their rows are rejected.)",
      ),
    );
    const check = button(t("See what would change"), () => this.#dryRun(), { class: "" });
    this.columnsSection.replaceChildren(
      el("h2", { tabindex: "-1" }, t("Columns of "), stored(this.file.name)),
      el("p", {}, facts),
      ...this.#placeChoices(),
      scrolling(t("Columns"), table),
      empty,
      ...(isNamed ? [missing] : []),
      el("div", { class: "actions" }, check),
    );
    this.columnsSection.querySelector("h2").focus();
    announce(facts);
  }

  #columnRow(index) {
    const { names, rows } = this.table;
    const samples = rows
      .slice(0, SAMPLES)
      .map(({ cells }) => cells[index])
      .filter(Boolean);
    const column = this.columns[index];
    const name = names[index] || t("Column {0}, without a name", index + 1);
    const note = el("span", { class: column ? "quiet" : "error" }, this.#noteOf(column, names[index]));
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, stored(name)),
      el("td", {}, stored(samples.join("\n"))),
      el("td", {}, this.#fieldChoice(index, name, note), note),
    );
  }

  /** Returns why the cells of a column are not taken; nothing if they are. */
  #noteOf(column, name) {
    if (!name) return t("Not taken: the column has no name.");
    if (!column) return t("Not recognized: choose its field, or leave it out.");
    return column.isIgnored
      ? t("Not taken: the service sets it, or it says in words what another column has.")
      : "";
  }

  #fieldChoice(index, name, note) {
    const recognized = this.columns[index];
    const isOther = recognized?.path && !this.targets.includes(recognized);
    const choices = isOther ? [...this.targets, recognized] : this.targets;
    const choose = () => {
      this.columns[index] = choices[select.selectedIndex - 1] ?? null;
      note.textContent = "";
      this.writing.clear();
    };
    const options = choices.map((target) =>
      el("option", { value: target.title, selected: target === recognized }, target.title),
    );
    const select = el(
      "select",
      { "aria-label": t("Field of {0}", name), change: choose },
      el("option", { value: "" }, t("– not uploaded –")),
      options,
    );
    return select;
  }

  /** Returns why the rows cannot be sent, or nothing. */
  #problem() {
    const { keys } = this.sheet;
    const [double] = doubles(this.columns);
    if (double) return t("Two columns are {0}: leave one out.", double);
    const fields = new Set(this.columns.map((column) => column?.path?.[0]));
    const names = keys.map((key) => titleOfField(this.sheet, key)).join(t(" and "));
    if (!fields.has("id") && !keys.every((key) => fields.has(key)))
      return t("No column says which record a row is: choose a column for {0}, or for Id.", names);
    return this.table.rows.length ? "" : t("The table has no rows below the names of its columns.");
  }

  async #dryRun() {
    const problem = this.#problem();
    if (problem) return this.writing.clear(alertBox(problem));
    const emptied = this.emptyBox.checked ? emptiable(this.sheet, this.columns) : undefined;
    const { model } = this.sheet;
    const rows = await withRecords(model, await this.#rowsOfChosen(), this.makeBox.checked);
    const documents = rows.map((row) => [row, documentOf(row, emptied)]);
    await this.writing.dryRun(rowsOf(this.sheet, documents), listsByLanguage(this.columns, this.languages));
  }

  /** Returns the rows with the documents of the chosen columns, for which the file is read again. */
  async #rowsOfChosen() {
    const { headings, sheet, headingRow, rows } = this.table;
    const [named, chosen] = [headings.map((heading) => targetOf(this.targets, heading)), this.columns].map(
      (each) => JSON.stringify(fieldsOf(each)),
    );
    if (named === chosen) return rows;
    return (await this.#tableOf({ sheet: sheet || undefined, headingRow, columns: chosen })).rows;
  }

  /** Returns the text by which people know a row: its own key, or what stands in its first cells. */
  #nameOf({ item, outcome, cells }) {
    const key = outcome?.key ?? item[this.sheet.keys[0]];
    return typeof key === "string" ? key : (item.name ?? cells.find(Boolean) ?? "");
  }

  /** Returns the name of the cell that a reason is about, such as C7, or nothing. */
  #cellOf({ number, contents, aliases }, { field, item }) {
    const part = contents?.find(({ content, sent }) => item && (content === item || sent === item))?.part;
    const steps = stepsInRow(stepsOf(field ?? ""), part, { ...this.languageSteps, ...aliases });
    const fits = (depth) =>
      this.columns.findIndex(
        (column) => column?.path && steps.slice(0, depth).every((step, index) => column.path[index] === step),
      );
    for (let depth = steps.length; depth > 0; depth -= 1)
      if (fits(depth) >= 0) return cellName(fits(depth), number);
    return "";
  }

  #rejectsOf(rows) {
    const hint = t(
      "Rejected rows are not written. Their table has a column “{0}”. Correct them there, and upload that table.",
      REASON,
    );
    return {
      controls: button(
        counted(rows.length, "Download the {0} rejected row", "Download the {0} rejected rows"),
        () => this.#saveRejects(rows),
      ),
      hint,
    };
  }

  async #saveRejects(rows) {
    const { names, delimiter, isWorkbook, sheet } = this.table;
    const places = names.map((name, index) => [name, index]).filter(([name]) => name !== REASON);
    const reasons = (row) => sentencesOf(this.sheet.model, this.sheet.collection, row).join(" ");
    const cellsOf = (row) => {
      const { cells } = row;
      return [...places.map(([, index]) => cells[index] ?? ""), reasons(row), ...cells.slice(names.length)];
    };
    const table = [[...places.map(([name]) => name), REASON], ...rows.map(cellsOf)];
    const file = isWorkbook ? await workbook(sheet, table) : toFile(table, delimiter);
    save(`rejects-${this.sheet.collection.name}.${isWorkbook ? "xlsx" : "csv"}`, file);
  }
}
