// Bulk edit: some fields of all selected records, shown before and after, and written if nobody else changed
// them.

import { get, pages } from "./api.js";
import { alertBox, button, el, link, newId, stored } from "./dom.js";
import { ObjectEditor } from "./editors.js";
import { hashOf, listParameters } from "./location.js";
import { TITLE_FIELDS, titleOf, typesOf } from "./model.js";
import { nameOf, readNames } from "./names.js";
import { recordPath } from "./paths.js";
import { sheetOf, titleOfField } from "./sheet.js";
import { guard } from "./unsaved.js";
import { recordHash } from "./values.js";
import { rowsOf } from "./writer.js";
import { Writing } from "./writing.js";
import { counted, t } from "./words.js";

/** Reads at once. The service serves many, but others of the organization read, too. */
const CONCURRENT = 4;

/** Returns the entity tags of the records of ids, in the order of the ids; null for one that is not there. */
async function readTags(collection, ids) {
  const tags = new Map();
  const left = [...ids];
  const read = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const { tag } = await get(recordPath(collection, id)).catch((error) => {
        if (error.status !== 404) throw error;
        return { tag: null };
      });
      tags.set(id, tag);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, read));
  return ids.map((id) => tags.get(id));
}

const TITLES = {
  edit: (count, title) => t("Edit {0} at once: {1}", count, title),
  delete: (count, title) => t("Delete {0} at once: {1}", count, title),
  restore: (count, title) => t("Restore {0} at once: {1}", count, title),
};
const TITLES_OF_ALL = {
  edit: (title) => t("Edit all that match: {0}", title),
  delete: (title) => t("Delete all that match: {0}", title),
  restore: (title) => t("Restore all that match: {0}", title),
};
const HINTS = {
  edit: t(
    "Choose the fields to change. They get the same value in all of these records; a field that is left " +
      "empty is emptied.",
  ),
  delete: t(
    "Deleted records can be restored, unless they are removed at once. What other records name stays; the " +
      "preview says which.",
  ),
  restore: t("They become active again, unless something is in the way; the preview says what."),
};
/** Returns what is done with the records, as an address says. */
const actionOf = ({ action }) => (Object.hasOwn(TITLES, action) ? action : "edit");
const SHOWN = 500;

function nodesOf(collection, title, element) {
  return {
    nodes: [
      el("p", {}, link(hashOf({ name: collection.name }), collection.title)),
      el("h1", { tabindex: "-1" }, title),
      element,
    ],
    title,
  };
}

/** Returns the nodes of the view of records that were selected one by one. */
export async function selectedView(model, collection, view) {
  const { ids } = view;
  const action = actionOf(view);
  await readNames(ids.map((id) => [collection, id]));
  const names = ids.map((id) => nameOf(collection, id));
  const edit = new BulkEdit(sheetOf(model, collection), {
    action,
    ids,
    names,
    readTags: action !== "delete" && (() => readTags(collection, ids)),
  });
  return nodesOf(collection, TITLES[action](ids.length, collection.title), edit.element);
}

/** Returns the nodes of the view of all records that match a list's search and filters. */
export async function matchingView(model, collection, view) {
  const action = actionOf(view);
  const place = el("div", {});
  const count = el("span", {}, t("{0} records", 0));
  const stop = button(t("Stop"), () => (stop.disabled = true));
  place.append(
    el(
      "p",
      { class: "actions", "aria-busy": "true" },
      el("progress", { "aria-label": t("Records") }),
      count,
      stop,
    ),
  );
  const reading = readMatching(collection, view, (number) => {
    count.textContent = t("{0} records", number);
    return !stop.disabled && (number === 0 || place.isConnected);
  });
  const show = async () => {
    const records = await reading;
    if (!records) return place.replaceChildren(el("p", {}, t("Stopped. Nothing is changed.")));
    const [ids, names] = [records.map(({ id }) => String(id)), records.map(titleOf)];
    const edit = new BulkEdit(sheetOf(model, collection), { action, ids, names });
    return place.replaceChildren(edit.element);
  };
  show().catch((error) => {
    if (error.name !== "AbortError" && !error.rows) throw error;
    place.replaceChildren(alertBox(error.message));
  });
  return nodesOf(collection, TITLES_OF_ALL[action](collection.title), place);
}

/** Returns the ids and names of the records of all pages; null if `onProgress` stops it. */
async function readMatching(collection, view, onProgress) {
  const fields = ["id", ...TITLE_FIELDS.filter((name) => name in collection.schema.properties)];
  const records = [];
  const parameters = [
    ...listParameters({ ...view, sort: "id", order: "asc", cursor: "" }),
    ["fields", fields.join(",")],
  ];
  for await (const page of pages(collection.path, parameters)) {
    records.push(...page);
    if (!onProgress(records.length)) return null;
  }
  return records;
}

class BulkEdit {
  /**
   * `readTags` returns the records' entity tags; without it what others change meanwhile in these fields is
   * overwritten. Deletions have none.
   */
  constructor(sheet, { action, ids, names, readTags = null }) {
    this.sheet = sheet;
    this.ids = ids;
    this.action = action;
    this.readTags = readTags;
    this.isEdit = action === "edit";
    this.editors = new Map();
    this.names = new Map(ids.map((id, index) => [id, names[index]]));
    const head = {
      title: t("Id"),
      number: ({ item }) => String(item.id),
      name: ({ item }) => this.names.get(String(item.id)),
    };
    this.preview = el("button", {}, t("See what would change"));
    const onBusy = (isBusy) => (this.form.inert = isBusy);
    this.writing = new Writing(sheet, {
      head,
      rejectsOf: (rows) => this.#rejectsOf(rows),
      onBusy,
      isDeletion: action === "delete",
    });
    this.fields = el("div", { class: "fields" });
    const items = ids
      .slice(0, SHOWN)
      .map((id) => el("li", {}, link(recordHash(sheet.collection, id), stored(this.names.get(id)))));
    if (ids.length > SHOWN) items.push(el("li", {}, t("and {0} more", ids.length - SHOWN)));
    const records = el(
      "details",
      { class: "menu" },
      el("summary", {}, counted(ids.length, "{0} record", "{0} records")),
      el("ul", {}, items),
    );
    const hint = el("p", { class: "quiet" }, HINTS[action]);
    const submit = (event) => {
      event.preventDefault();
      this.#dryRun();
    };
    this.form = el(
      "form",
      { class: "editing", novalidate: true, submit },
      this.fields,
      el("div", { class: "actions" }, this.isEdit && this.#fieldChoice(), this.preview),
    );
    this.element = el("div", {}, records, hint, this.form, this.writing.element);
    guard(
      () =>
        this.element.isConnected &&
        (this.writing.isWriting || (this.editors.size > 0 && !this.writing.isWritten)),
    );
  }

  /** Returns the choice of a field. The own key is none: no two records share it. */
  #fieldChoice() {
    const names = Object.keys(this.sheet.record).filter((name) => name !== this.sheet.keys[0]);
    const id = newId("choice");
    const option = (name) => el("option", { value: name }, titleOfField(this.sheet, name));
    const select = el("select", { id }, el("option", { value: "" }, t("Choose a field")), names.map(option));
    select.addEventListener("change", () => {
      if (select.value) this.#add(select.value);
      select.value = "";
    });
    return [el("label", { for: id }, t("Field to change")), select];
  }

  #add(name) {
    if (!this.editors.has(name)) {
      const { model, record } = this.sheet;
      const types = typesOf(model.resolve(record[name]));
      const value = types.includes("array") ? [] : types.includes("boolean") ? false : null;
      const editor = new ObjectEditor(model, { properties: { [name]: record[name] } }, { [name]: value });
      const title = titleOfField(this.sheet, name);
      const block = el(
        "div",
        { class: "bulk-field" },
        editor.element,
        button(t("Leave it as it is"), () => this.#remove(name, block), {
          "aria-label": t("Leave {0} as it is", title),
        }),
      );
      this.editors.set(name, editor);
      this.fields.append(block);
    }
    this.editors.get(name).element.querySelector("input, select, textarea")?.focus();
    this.writing.clear();
  }

  #remove(name, block) {
    this.editors.delete(name);
    block.remove();
    this.writing.clear();
    this.element.querySelector("select")?.focus();
  }

  #values() {
    return Object.assign({}, ...[...this.editors.values()].map((editor) => editor.collect("", new Map())));
  }

  /**
   * Sends a dry run of the change of the records as they are now: what is written later fails if somebody
   * changes them meanwhile.
   */
  async #dryRun() {
    if (this.isEdit && !this.editors.size)
      return this.writing.clear(alertBox(t("Choose a field to change.")));
    const values = this.action === "restore" ? { state: "active" } : this.#values();
    this.preview.disabled = true;
    try {
      const tags = this.readTags && (await this.readTags());
      const documents = this.ids.map((id, index) => [
        { number: index + 1, cells: [] },
        this.#documentOf(id, tags?.[index], values),
      ]);
      await this.writing.dryRun(rowsOf(this.sheet, documents));
    } catch (error) {
      if (!error.rows || error.status === 401) throw error;
      this.writing.clear(alertBox(error.message));
    } finally {
      this.preview.disabled = false;
    }
  }

  #documentOf(id, ifMatch, values) {
    if (ifMatch === null)
      return { document: { id }, errors: [{ field: null, value: t("There is no such record any more.") }] };
    return { document: { id, ...values, ...(ifMatch && { ifMatch }) }, errors: [] };
  }

  #rejectsOf(rows) {
    const ids = rows.slice(0, SHOWN).map(({ item }) => String(item.id));
    const text = counted(ids.length, "Edit the {0} rejected record", "Edit the {0} rejected records");
    const hint = t("Rejected records are not written.");
    return { controls: link(hashOf({ name: this.sheet.collection.name, id: "selected", ids }), text), hint };
  }
}
