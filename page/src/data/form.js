// Form of a record or part, made from the schema of its request body.

import { get, readAll } from "./api.js";
import { el, link } from "./dom.js";
import { Conflict } from "./conflict.js";
import { choicesOf, EntriesEditor, ObjectEditor } from "./editors.js";
import { ColorsOfStyle } from "./entries.js";
import { hashOf } from "./location.js";
import { titleOf } from "./model.js";
import { readNames } from "./names.js";
import { entryPath, entryTitle, partPath, recordPath } from "./paths.js";
import { Saver } from "./saver.js";
import { referencesIn } from "./values.js";
import { lower, t } from "./words.js";

const COLOR = "styleColorId";

/** Returns the nodes of the form that a view names. */
export async function formView(model, collection, view) {
  const task = view.id === "new" ? creation(collection) : await changeOf(model, collection, view);
  const go = (hash) => (location.hash = hash);
  const onSaved = (data) =>
    go(task.method === "POST" ? hashOf({ name: collection.name, id: String(data.id) }) : task.back);
  const form = await formOf(model, collection, { ...task, onSaved, onCancel: () => go(task.back) });
  return {
    nodes: [
      el("p", {}, link(task.back, task.backText)),
      el("h1", { tabindex: "-1" }, task.title),
      form.element,
    ],
    title: task.title,
  };
}

/** Returns the form of a task, which can stand in any view. */
export async function formOf(model, collection, task) {
  const [choices] = await Promise.all([ownChoices(model, task), readReferences(model, collection, task)]);
  return new Saver({
    ...task,
    editorOf: (input) => new FormEditor(model, collection, { ...task, choices }, input),
  });
}

const hasField = (model, schema, field) =>
  Object.entries(model.resolve(schema.items ?? schema).properties ?? {}).some(
    ([name, member]) => name === field || hasField(model, model.resolve(member), field),
  );

/** Returns what a form about a style offers, by field: the colors of this style. */
async function ownChoices(model, { path, schema, values, fixed }) {
  const styleId = fixed?.styleId ?? values.styleId ?? /^api\/styles\/(\d+)\//.exec(path)?.[1];
  if (!styleId || !hasField(model, schema, COLOR)) return new Map();
  try {
    return new Map([
      [COLOR, new ColorsOfStyle(await readAll("api/style-colors", { styleId: String(styleId) }))],
    ]);
  } catch (error) {
    // A key that may not read them enters an id.
    if (error.status !== 403) throw error;
    return new Map();
  }
}

/** Returns the task of changing a record or a part in place. */
export async function changeInPlace(collection, id, part) {
  const path = part ? partPath(part, { id }) : recordPath(collection, id);
  const { data: values, tag } = await get(path, { form: "writable" });
  return { method: "PUT", path, schema: part ? part.replace : collection.replace, values, tag };
}

/**
 * Returns the task of creating a record of a collection in place, with values that are given by where it is.
 */
export function createInPlace(collection, fixed) {
  return { ...creation(collection), fixed };
}

function creation(collection) {
  return {
    method: "POST",
    path: collection.path,
    schema: collection.create,
    values: {},
    tag: null,
    title: collection.newTitle,
    back: hashOf({ name: collection.name }),
    backText: collection.title,
  };
}

async function changeOf(model, collection, { name, id, part: partName, entry }) {
  const part = collection.parts.find((candidate) => candidate.name === partName);
  if (part?.entry && entry) return changeOfEntry(collection, part, { id, entry });
  const path = part ? partPath(part, { id }) : recordPath(collection, id);
  const [writable, record] = await Promise.all([
    get(path, { form: "writable" }),
    get(recordPath(collection, id)),
  ]);
  const schema = part ? part.replace : collection.replace;
  const title = part
    ? t("Edit {0} of {1}", lower(part.title), titleOf(record.data))
    : t("Edit {0}", titleOf(record.data));
  const back = { back: hashOf({ name, id }), backText: t("Back to the record") };
  return { method: "PUT", path, schema, values: writable.data, tag: writable.tag, title, ...back };
}

/**
 * Returns the change of an entry of a part. The titles of its own entries are those that its document shows.
 */
async function changeOfEntry(collection, part, { id, entry }) {
  const { data: record } = await get(recordPath(collection, id));
  const path = entryPath(part, record, entry);
  const [writable, shown] = await Promise.all([get(path, { form: "writable" }), get(path)]);
  const titles = new Map();
  for (const line of Object.values(shown.data).filter(Array.isArray).flat()) {
    for (const [name, value] of Object.entries(line))
      if (/Id$/.test(name) && line.name) titles.set(String(value), line.name);
  }
  const title = t("Edit {0} of {1}: {2}", lower(part.title), entryTitle(part, shown.data), titleOf(record));
  const back = { back: hashOf({ name: collection.name, id }), backText: t("Back to the record") };
  return {
    method: "PUT",
    path,
    schema: part.entry.replace,
    values: writable.data,
    tag: writable.tag,
    title,
    titles,
    ...back,
  };
}

/** Returns the references to entries of parts in values, such as those to sizes. */
function entryReferences(model, schema, values) {
  const properties = model.resolve(schema.items ?? schema).properties;
  const objects = Array.isArray(values) ? values : [values];
  return Object.entries(properties).flatMap(([name, member]) => {
    const resolved = model.resolve(member);
    const items = model.resolve(resolved.items ?? resolved);
    const below = items.properties ? objects.flatMap((object) => object[name] ?? []) : [];
    if (below.length) return entryReferences(model, items, below);
    const target = choicesOf(model, items);
    const ids = target?.readNames ? objects.flatMap((object) => object[name] ?? []) : [];
    return ids.map((id) => [target, id]);
  });
}

function readReferences(model, collection, { schema, values }) {
  return readNames([
    ...entryReferences(model, schema, values),
    ...referencesIn(model, collection, "", schema, values),
  ]);
}

/** Editors of a request body, as the Saver uses them. */
class FormEditor {
  constructor(model, collection, task, input) {
    this.model = model;
    this.collection = collection;
    this.task = task;
    this.rows = new Map();
    const { fixed = {}, schema, values, titles, choices } = task;
    const scope = { titles, choices };
    const isList = Array.isArray(values);
    // A record is replaced by the fields that its writable form has; what is fixed is not shown.
    const all = task.method === "PUT" && !isList ? Object.keys(values) : Object.keys(schema.properties ?? {});
    const names = all.filter((name) => !(name in fixed));
    this.editor = isList
      ? new EntriesEditor(model, { name: "", schema, value: input, scope })
      : new ObjectEditor(model, schema, input, names, scope);
    this.element = this.editor.element;
  }

  collect() {
    this.rows = new Map();
    const values = this.editor.collect("", this.rows);
    return this.task.fixed ? { ...values, ...this.task.fixed } : values;
  }

  async conflictOf(versions, handlers) {
    await readReferences(this.model, this.collection, { schema: this.task.schema, values: versions.theirs });
    return new Conflict(this.model, this.collection, { ...versions, schema: this.task.schema }, handlers);
  }

  /** Shows errors beside their fields. Returns those of no field. */
  showErrors(rows) {
    for (const row of this.rows.values()) row.showError("");
    const failed = new Set(
      rows.map(({ field, value }) => {
        const row = this.#rowOf(field ?? "");
        row?.showError(value);
        return row;
      }),
    );
    [...this.rows.values()].find((row) => failed.has(row))?.focus();
    return rows.filter(({ field }) => !this.#rowOf(field ?? ""));
  }

  /** Returns the row of a field: of `groupIds[2]`, that of `groupIds`. */
  #rowOf(field) {
    for (let path = field; path; path = path.replace(/(\.[^.[\]]*|\[[^[\]]*\]|^[^.[]+)$/, "")) {
      if (this.rows.has(path)) return this.rows.get(path);
    }
    return Array.isArray(this.task.values) && field ? this.rows.get("") : undefined;
  }
}
