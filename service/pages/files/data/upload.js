// Upload of a table: a file, its columns, a rehearsal row by row, the write, and the rejected rows as a table again.

import { get } from "./api.js";
import { documentOf, doubles, listsByLanguage, REASON, recognize, targetsOf } from "./columns.js";
import { readTable, save, TableError, toFile } from "./csv.js";
import { alertBox, announce, button, el, link, newId, stored } from "./dom.js";
import { hashOf } from "./location.js";
import { remember } from "./names.js";
import { Results, sentencesOf } from "./results.js";
import { listsOfLanguages, sheetOf, titleOfField } from "./sheet.js";
import { explanation } from "./upload_rules.js";
import { scrolling } from "./values.js";
import { rowsOf, Writer } from "./writer.js";

const SAMPLES = 3;
const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars" };
const ENCODINGS = { "utf-8": "UTF-8", "utf-16le": "UTF-16", "utf-16be": "UTF-16", "windows-1252": "Windows-1252, because it is no UTF-8" };

/** Returns all languages, which name the columns of translations. */
async function readLanguages(model) {
  const collection = model.collections.get("languages");
  const languages = [];
  for (let parameters = [["pageSize", 100]]; parameters; ) {
    const { data, pagination } = await get(collection.path, parameters);
    languages.push(...data);
    parameters = pagination.hasMore ? [["cursor", pagination.cursor]] : null;
  }
  remember(collection, languages);
  return languages;
}

/** Returns the nodes of the view. */
export async function uploadView(model, collection) {
  const sheet = sheetOf(model, collection);
  const hasLanguages = listsOfLanguages(model, sheet.members).size > 0;
  const upload = new Upload(sheet, hasLanguages ? await readLanguages(model) : []);
  const title = `Upload a table: ${collection.title}`;
  return { nodes: [el("p", {}, link(hashOf({ name: collection.name }), collection.title)), el("h1", { tabindex: "-1" }, title), upload.element], title };
}

class Upload {
  constructor(sheet, languages) {
    Object.assign(this, { sheet, languages });
    this.targets = targetsOf(sheet, languages);
    this.columnsSection = el("section", { "aria-label": "Columns" });
    this.resultSection = el("section", { "aria-label": "Result" });
    this.element = el("div", { class: "upload" }, this.#fileSection(), explanation(sheet, this.targets), this.columnsSection, this.resultSection);
  }

  #fileSection() {
    const id = newId("file");
    const change = () => {
      this.#choose(input.files[0]);
      // A file that was corrected and is chosen again is a change, too.
      input.value = "";
    };
    const input = el("input", { type: "file", id, accept: ".csv,.tsv,.txt,text/csv,text/tab-separated-values", change });
    const drop = (event) => {
      event.preventDefault();
      this.#choose(event.dataTransfer.files[0]);
    };
    const text = "Choose a CSV file, or drop it here. Nothing is written before you have seen what would change.";
    return el("div", { class: "drop", drop, dragover: (event) => event.preventDefault() }, el("label", { for: id }, text), input);
  }

  async #choose(file) {
    if (!file) return;
    this.columnsSection.replaceChildren();
    this.resultSection.replaceChildren();
    try {
      this.table = readTable(new Uint8Array(await file.arrayBuffer()));
      this.table.fileName = file.name;
      this.columns = this.table.names.map((name) => (name ? recognize(this.sheet, this.targets, name) : null));
      this.#showColumns();
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.columnsSection.replaceChildren(alertBox(`${file.name}, line ${error.line}: ${error.message}`));
    }
  }

  #showColumns() {
    const { rows, encoding, separator, hasDecimalCommas, fileName } = this.table;
    const numbers = hasDecimalCommas ? "12,5 and 12.5 are decimal numbers" : "12.5 is a decimal number";
    const facts = `${rows.length} rows, in ${ENCODINGS[encoding]}. Cells are separated by ${SEPARATORS[separator]}; ${numbers}.`;
    const heads = ["Column", "First cells", "Field"].map((title) => el("th", { scope: "col" }, title));
    const table = el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, this.columns.map((_, index) => this.#columnRow(index))));
    this.check = button("See what would change", () => this.#rehearse(), { class: "" });
    this.columnsSection.replaceChildren(
      el("h2", { tabindex: "-1" }, "Columns of ", stored(fileName)),
      el("p", {}, facts),
      scrolling("Columns", table),
      el("div", { class: "actions" }, this.check),
    );
    this.columnsSection.querySelector("h2").focus();
    announce(facts);
  }

  #columnRow(index) {
    const { names, rows } = this.table;
    const samples = rows.slice(0, SAMPLES).map(({ cells }) => cells[index]).filter(Boolean);
    const column = this.columns[index];
    const name = names[index] || `Column ${index + 1}, without a name`;
    const note = el("span", { class: "error" }, column || !names[index] ? "" : "Not recognized: choose its field, or leave it out.");
    return el("tr", {}, el("th", { scope: "row" }, stored(name)), el("td", {}, stored(samples.join("\n"))), el("td", {}, this.#fieldChoice(index, name, note), note));
  }

  #fieldChoice(index, name, note) {
    const recognized = this.columns[index];
    const isOther = recognized?.path && !this.targets.includes(recognized);
    const choices = isOther ? [...this.targets, recognized] : this.targets;
    const choose = () => {
      this.columns[index] = choices[select.selectedIndex - 1] ?? null;
      note.textContent = "";
      this.resultSection.replaceChildren();
    };
    const options = choices.map((target) => el("option", { value: target.title, selected: target === recognized }, target.title));
    const select = el("select", { "aria-label": `Field of ${name}`, change: choose }, el("option", { value: "" }, "– not uploaded –"), options);
    return select;
  }

  /** Returns why the rows cannot be sent, or nothing. */
  #problem() {
    const { keys } = this.sheet;
    const [double] = doubles(this.columns);
    if (double) return `Two columns are ${double}: leave one out.`;
    const fields = new Set(this.columns.map((column) => column?.path?.[0]));
    const names = keys.map((key) => titleOfField(this.sheet, key)).join(" and ");
    if (!fields.has("id") && !keys.every((key) => fields.has(key))) return `No column says which record a row is: choose a column for ${names}, or for Id.`;
    return this.table.rows.length ? "" : "The table has no rows below the names of its columns.";
  }

  async #rehearse() {
    const problem = this.#problem();
    if (problem) return this.resultSection.replaceChildren(alertBox(problem));
    const { rows, hasDecimalCommas } = this.table;
    const documents = rows.map((row) => [row, documentOf(row.cells, this.columns, hasDecimalCommas)]);
    await this.#start(rowsOf(this.sheet, documents), true);
  }

  #start(rows, isDryRun) {
    return this.#run(new Writer(this.sheet, rows, { isDryRun, byLanguage: listsByLanguage(this.columns) }));
  }

  /** Runs a writer, and shows what came of it. After a failure, or when it is stopped, it can go on. */
  async #run(writer) {
    const bar = el("progress", { max: writer.rows.length, "aria-label": "Rows" });
    const count = el("span", {});
    const onProgress = () => {
      bar.value = writer.done;
      count.textContent = `${writer.done} of ${writer.rows.length} rows`;
      writer.isStopped ||= !this.element.isConnected;
    };
    const stop = button("Stop", () => (writer.isStopped = stop.disabled = true));
    this.resultSection.replaceChildren(el("p", { class: "actions" }, bar, count, stop));
    this.check.disabled = true;
    onProgress();
    let failure = null;
    try {
      await writer.run(onProgress);
    } catch (error) {
      if (!error.rows || error.status === 401) throw error;
      failure = error;
    } finally {
      this.check.disabled = false;
    }
    await this.#showResult(writer, failure);
  }

  async #showResult(writer, failure) {
    const { model, collection } = this.sheet;
    const { isDryRun, isDone, rows } = writer;
    const through = rows.filter(({ kind }) => kind);
    const results = new Results(model, collection, through, { title: "Row", number: ({ number }) => String(number), name: (row) => this.#nameOf(row) });
    const title = isDryRun ? "What would change" : isDone ? "What was written" : "What was written until now";
    const good = through.filter(({ kind }) => kind !== "failed" && kind !== "unchanged").length;
    const write = isDone && isDryRun && good > 0 && button(`Write ${good} rows`, () => this.#start(rows, false), { class: "" });
    const goOn = !isDone && button("Go on", () => this.#run(writer), { class: "" });
    const rejected = rows.filter(({ kind }) => kind === "failed");
    const rejects = rejected.length > 0 && button(`Download the ${rejected.length} rejected rows`, () => this.#saveRejects(rejected));
    const hint = rejected.length > 0 && el("p", { class: "quiet" }, `Rejected rows are not written. Their table has a column “${REASON}”. Correct them there, and upload that table.`);
    const why = failure && alertBox(`It stopped: ${failure.message} Rows that are written stay written; going on writes none of them twice.`);
    const heading = el("h2", { tabindex: "-1" }, title);
    await results.show();
    this.resultSection.replaceChildren(...[heading, why, el("p", {}, results.summary), el("div", { class: "actions" }, write, goOn, rejects), hint, results.element].filter(Boolean));
    heading.focus();
    announce(`${title}: ${results.summary}`);
  }

  /** Returns the text by which people know a row: its own key, or what stands in its first cells. */
  #nameOf({ item, outcome, cells }) {
    const key = outcome?.key ?? item[this.sheet.keys[0]];
    return typeof key === "string" ? key : (item.name ?? cells.find(Boolean) ?? "");
  }

  #saveRejects(rows) {
    const { names, separator } = this.table;
    const places = names.map((name, index) => [name, index]).filter(([name]) => name !== REASON);
    const reasons = (row) => sentencesOf(this.sheet.model, this.sheet.collection, row).join(" ");
    const cellsOf = (row) => [...places.map(([, index]) => row.cells[index] ?? ""), reasons(row), ...row.cells.slice(names.length)];
    save(`rejects-${this.sheet.collection.name}.csv`, toFile([[...places.map(([name]) => name), REASON], ...rows.map(cellsOf)], separator));
  }
}
