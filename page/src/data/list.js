// List of a collection: search, filters, columns, a table whose headings sort, and pages by cursor.

import { get, searchable } from "./api.js";
import { CellsEdit } from "./cells_edit.js";
import { densityControl } from "./density.js";
import { alertBox, announce, button, el, link, replace } from "./dom.js";
import { downloadControl } from "./download.js";
import { Filters } from "./filters.js";
import { go, hashOf, listParameters } from "./location.js";
import { isScalar } from "./model.js";
import { readNames, remember } from "./names.js";
import { SavedViews } from "./saved_views.js";
import { Selection } from "./selection.js";
import { sheetOf } from "./sheet.js";
import { keepHeadInView } from "./sticky.js";
import { thumbnails } from "./thumbnails.js";
import { pageSize, sizeControl, Total } from "./totals.js";
import { recordHash, referencesIn, scrolling, show } from "./values.js";
import { counted, label, t } from "./words.js";

const DEFAULT_COLUMNS = 7;
const TYPING_MS = 300;
// Lists up to this length have no page size to choose.
const SHORT = 30;
// Cursors lead forward only, so each page remembers the one that led to it.
const previousPages = new Map();

/** Returns the columns that are shown first: texts, numbers and references, without the id. */
function defaultColumns(model, { schema }) {
  const fields = model.fields(schema).filter(([name]) => name !== "id");
  const scalars = fields.filter(([, field]) => isScalar(field)).map(([name]) => name);
  const first = scalars.filter((name) => name !== "state").slice(0, DEFAULT_COLUMNS - 1);
  return scalars.includes("state") ? [...first, "state"] : first;
}

export class ListView {
  constructor(model, collection, canWrite) {
    this.model = model;
    this.collection = collection;
    this.selection = null;
    this.cells = null;
    const sheet = canWrite && sheetOf(model, collection);
    if (sheet) this.selection = new Selection(collection, Boolean(sheet.record.state));
    if (sheet) this.cells = new CellsEdit(sheet);
    this.sortable = new Set(model.filterable(collection).filter((name) => !model.isCount(collection, name)));
    this.filters = new Filters(model, collection, (filters) => this.#go({ filters }));
    this.search = this.#searchField();
    this.columnBoxes = el("fieldset", {}, el("legend", {}, t("Columns")));
    this.columns = el("details", { class: "menu" }, el("summary", {}, t("Columns")), this.columnBoxes);
    this.views = new SavedViews(collection);
    this.chips = el("div", {});
    this.total = new Total(collection, (number) => this.selection?.setTotal(number));
    this.results = el("div", { class: "results", "aria-busy": "true" });
    const create = canWrite && collection.create;
    const actions = [
      create && link(hashOf({ name: collection.name, id: "new" }), collection.newTitle),
      this.selection && link(hashOf({ name: collection.name, id: "upload" }), t("Upload a table")),
      downloadControl(model, collection, () => ({ view: this.view, shown: this.shown })),
    ];
    this.element = el(
      "div",
      {},
      el("h1", { tabindex: "-1" }, collection.title),
      el("p", { class: "quiet" }, collection.description),
      el("div", { class: "actions" }, actions),
      this.selection?.element,
      el(
        "div",
        { class: "toolbar" },
        collection.hasSearch &&
          el("form", { role: "search", submit: (event) => this.#submit(event) }, this.search),
        this.filters.element,
        this.columns,
        this.views.element,
        densityControl(),
      ),
      this.chips,
      this.total.element,
      this.results,
    );
  }

  #searchField() {
    const field = el("input", {
      type: "search",
      "aria-label": t("Search {0}", this.collection.title),
      placeholder: t("Search names and keys"),
      dir: "auto",
    });
    field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.#find(), TYPING_MS);
    });
    return field;
  }

  #submit(event) {
    event.preventDefault();
    clearTimeout(this.timer);
    this.#find();
  }

  #find() {
    const q = searchable(this.search.value);
    if (this.element.isConnected && q !== this.view.q) this.#go({ q }, true);
  }

  #go(change, isSameStep = false) {
    go({ ...this.view, cursor: "", ...change }, { isSameStep });
  }

  /** Shows a view of the list; returns when it is read. */
  async update(view) {
    this.view = view;
    if (document.activeElement !== this.search) this.search.value = view.q;
    this.filters.update(view.filters);
    this.views.update(view);
    this.#updateColumns();
    this.results.setAttribute("aria-busy", "true");
    try {
      await this.#read();
    } finally {
      if (this.view === view) this.results.setAttribute("aria-busy", "false");
    }
  }

  async #read() {
    const view = this.view;
    try {
      const { data, pagination } = await get(this.collection.path, [
        ...listParameters(view),
        ...pageSize(view),
      ]);
      remember(this.collection, data);
      await readNames(this.#references(data));
      const chips = view.filters.length ? await this.filters.chips(view.filters) : "";
      if (this.view === view) this.chips.replaceChildren(chips);
      if (this.view === view) this.#show(data, pagination);
      if (this.view === view) this.total.update(view, data, pagination);
    } catch (error) {
      if (!error.rows) throw error;
      if (error.status === 401) throw error;
      const first = view.cursor ? link(hashOf({ ...view, cursor: "" }), t("Show the first page")) : null;
      replace(this.results, alertBox(el("p", {}, error.message), first));
    }
  }

  get shown() {
    const all = new Set(this.model.fields(this.collection.schema).map(([name]) => name));
    return (this.view.columns ?? defaultColumns(this.model, this.collection)).filter((name) => all.has(name));
  }

  #references(records) {
    const { model, collection, shown } = this;
    const fields = new Map(model.fields(collection.schema));
    return records.flatMap((record) =>
      shown.flatMap((name) => [...referencesIn(model, collection, name, fields.get(name), record[name])]),
    );
  }

  #updateColumns() {
    const shown = this.shown;
    const boxes = this.model.fields(this.collection.schema).map(([name]) => {
      const box = el("input", {
        type: "checkbox",
        value: name,
        "data-focus": `column ${name}`,
        change: () => this.#chooseColumns(),
      });
      box.checked = shown.includes(name);
      return el("label", {}, box, label(name, this.collection.schema.properties[name]));
    });
    replace(this.columnBoxes, el("legend", {}, t("Columns")), ...boxes);
  }

  #chooseColumns() {
    const columns = [...this.columnBoxes.querySelectorAll(":checked")].map((box) => box.value);
    go({ ...this.view, columns }, { isSameStep: true });
  }

  #show(records, pagination) {
    // The check box of the page comes before those of its rows.
    const head = el("thead", {}, el("tr", {}, this.#headings()));
    const pictures = thumbnails(this.model, this.collection, records);
    const rows = records.map((record) => this.#row(record, pictures.get(String(record.id))));
    const table = el(
      "table",
      {},
      head,
      el(
        "tbody",
        {},
        rows.map(({ element }) => element),
      ),
    );
    this.cells?.attach(table, rows);
    const none = records.length ? null : this.#nothing();
    const box = scrolling(this.collection.title, table);
    const hint =
      this.cells &&
      records.length > 0 &&
      el(
        "p",
        { class: "quiet hint" },
        t(
          "Enter, F2 or a double click edits a cell. Arrows and Tab move, Esc leaves it as it was, Ctrl+Z " +
            "takes the last change back.",
        ),
      );
    replace(
      this.results,
      box,
      ...[none, hint, this.cells?.place].filter(Boolean),
      this.#pages(pagination, records.length),
    );
    keepHeadInView(box, table);
    this.selection?.update(this.view);
    announce(
      pagination.hasMore
        ? t("{0} records, and more", records.length)
        : counted(records.length, "{0} record", "{0} records"),
    );
  }

  /** Says why the list is empty, and what to do next. */
  #nothing() {
    const { collection, view } = this;
    const isFiltered = Boolean(view.q || view.filters.length || view.cursor);
    const all = isFiltered && link(hashOf({ name: collection.name }), t("Show all"));
    const create =
      !isFiltered &&
      this.cells &&
      collection.create &&
      link(hashOf({ name: collection.name, id: "new" }), collection.newTitle);
    return el(
      "div",
      { class: "nothing" },
      el("p", {}, isFiltered ? t("No record matches.") : t("No record yet.")),
      el("p", { class: "actions" }, all, create),
    );
  }

  #headings() {
    const { sort, order } = this.view;
    const all = (name) => name === "id" && this.selection?.pageBox();
    return ["id", ...this.shown.filter((name) => name !== "id")].map((name) => {
      const text = label(name, this.collection.schema.properties[name]);
      const direction = sort === name ? (order === "desc" ? "descending" : "ascending") : undefined;
      if (!this.sortable.has(name)) return el("th", { scope: "col" }, all(name), text);
      const mark =
        direction && el("span", { "aria-hidden": "true" }, direction === "ascending" ? " ▲" : " ▼");
      const sorter = el(
        "button",
        { type: "button", class: "sort", "data-focus": `sort ${name}`, click: () => this.#sort(name) },
        text,
        mark,
      );
      return el("th", { scope: "col", "aria-sort": direction }, all(name), sorter);
    });
  }

  /** Sorts by a field: ascending, then descending, then not. */
  #sort(name) {
    const { sort, order } = this.view;
    if (sort !== name) this.#go({ sort: name, order: "asc" });
    else if (order !== "desc") this.#go({ sort: name, order: "desc" });
    else this.#go({ sort: "", order: "" });
  }

  #row(record, picture) {
    const { model, collection } = this;
    const fields = new Map(model.fields(collection.schema));
    const own = el(
      "th",
      { scope: "row" },
      this.selection?.box(record),
      picture,
      link(recordHash(collection, record.id), String(record.id)),
    );
    const cells = this.shown
      .filter((name) => name !== "id")
      .map((name) => {
        const content = (shown) => show(model, collection, name, fields.get(name), shown[name], true);
        const cell = (shown) =>
          name === "name" || name === "text"
            ? link(recordHash(collection, shown.id), content(shown))
            : content(shown);
        return {
          name,
          show: cell,
          element: el(
            "td",
            { class: `of-${name}`, "data-title": label(name, fields.get(name)) },
            cell(record),
          ),
        };
      });
    return {
      record,
      cells,
      element: el(
        "tr",
        {},
        own,
        cells.map(({ element }) => element),
      ),
    };
  }

  #pages({ hasMore, cursor }, length) {
    const view = this.view;
    const pageKey = (page) => `${this.collection.name} ${page}`;
    if (hasMore) previousPages.set(pageKey(cursor), view.cursor);
    const before = previousPages.get(pageKey(view.cursor));
    const turn = (text, page) => button(text, () => this.#turn(page), { "data-focus": text });
    return el(
      "nav",
      { class: "pages", "aria-label": t("Pages") },
      view.cursor && before === undefined && turn(t("First page"), ""),
      before !== undefined && turn(t("Previous page"), before),
      hasMore && turn(t("Next page"), cursor),
      (hasMore || view.cursor || length > SHORT) && sizeControl(() => this.#resize()),
    );
  }

  /** Shows the first page again, with as many rows as were chosen. */
  #resize() {
    if (this.view.cursor) this.#go({});
    else this.update({ ...this.view });
  }

  #turn(cursor) {
    this.#go({ cursor });
    this.element.querySelector("h1").scrollIntoView();
  }
}
