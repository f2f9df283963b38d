// Form of a record or part, made from the schema of its request body, and saved if nobody else changed it meanwhile.

import { get, idempotencyKey, request, toJson } from "./api.js";
import { alertBox, announce, el, link, stored } from "./dom.js";
import { Conflict } from "./conflict.js";
import { choicesOf, EntriesEditor, ObjectEditor } from "./editors.js";
import { hashOf } from "./location.js";
import { label, titleOf } from "./model.js";
import { readNames } from "./names.js";
import { entryPath, entryTitle, partPath, recordPath } from "./record.js";
import { guard, release } from "./unsaved.js";
import { eachReference } from "./values.js";

/** Returns the nodes of the form that a view names. */
export async function formView(model, collection, view) {
  const task = view.id === "new" ? creation(collection) : await changeOf(model, collection, view);
  await readReferences(model, collection, task);
  const form = new Form(model, collection, task);
  return { nodes: [el("p", {}, link(task.back, task.backText)), el("h1", { tabindex: "-1" }, task.title), form.element], title: task.title };
}

function creation(collection) {
  return {
    method: "POST",
    path: collection.path,
    schema: collection.create,
    values: {},
    tag: null,
    title: `New record: ${collection.title}`,
    back: hashOf({ name: collection.name }),
    backText: collection.title,
  };
}

async function changeOf(model, collection, { name, id, part: partName, entry }) {
  const part = collection.parts.find((candidate) => candidate.name === partName);
  if (part?.entry && entry) return changeOfEntry(collection, part, { id, entry });
  const path = part ? partPath(part, { id }) : recordPath(collection, id);
  const [writable, record] = await Promise.all([get(path, { form: "writable" }), get(recordPath(collection, id))]);
  const schema = part ? part.replace : collection.replace;
  const title = `Edit ${part ? `${part.title.toLowerCase()} of ` : ""}${titleOf(record.data)}`;
  const back = { back: hashOf({ name, id }), backText: "Back to the record" };
  return { method: "PUT", path, schema, values: writable.data, tag: writable.tag, title, ...back };
}

/** Returns the change of an entry of a part. The titles of its own entries are those that its document shows. */
async function changeOfEntry(collection, part, { id, entry }) {
  const { data: record } = await get(recordPath(collection, id));
  const path = entryPath(part, record, entry);
  const [writable, shown] = await Promise.all([get(path, { form: "writable" }), get(path)]);
  const titles = new Map();
  for (const line of Object.values(shown.data).filter(Array.isArray).flat()) {
    for (const [name, value] of Object.entries(line)) if (/Id$/.test(name) && line.name) titles.set(String(value), line.name);
  }
  const title = `Edit ${part.title.toLowerCase()} of ${entryTitle(part, shown.data)}: ${titleOf(record)}`;
  const back = { back: hashOf({ name: collection.name, id }), backText: "Back to the record" };
  return { method: "PUT", path, schema: part.entry.replace, values: writable.data, tag: writable.tag, title, titles, ...back };
}

/** Returns the references to entries of parts in values, such as those to sizes. */
function entryReferences(model, schema, values) {
  const properties = model.resolve(schema.items ?? schema).properties;
  const objects = Array.isArray(values) ? values : [values];
  return Object.entries(properties).flatMap(([name, member]) => {
    const resolved = model.resolve(member);
    const target = choicesOf(model, resolved.items ?? resolved);
    const ids = target?.readNames ? objects.flatMap((object) => object[name] ?? []) : [];
    return ids.map((id) => [target, id]);
  });
}

async function readReferences(model, collection, { schema, values }) {
  const references = entryReferences(model, schema, values);
  eachReference(model, collection, "", schema, values, (target, id) => references.push([target, id]));
  await readNames(references);
}

class Form {
  constructor(model, collection, task) {
    Object.assign(this, { model, collection, task, sent: { text: "", key: "" } });
    this.messages = el("div", {});
    this.saveButton = el("button", {}, "Save");
    this.element = el("div", {});
    this.#show(task.values);
    const initial = this.#text();
    guard(() => this.element.isConnected && this.#text() !== initial);
  }

  /** Returns what is entered, as a text to compare. */
  #text() {
    return toJson(this.editor.collect("", new Map()));
  }

  /** Shows values in the editors. Those of an untouched field are sent as they are here. */
  #show(values) {
    const { model, task } = this;
    const names = task.method === "PUT" && !Array.isArray(values) ? Object.keys(values) : undefined;
    this.editor = Array.isArray(values)
      ? new EntriesEditor(model, { name: "", schema: task.schema, value: values })
      : new ObjectEditor(model, task.schema, values, names, task.titles);
    const cancel = link(task.back, "Cancel");
    cancel.addEventListener("click", release);
    const actions = el("div", { class: "actions" }, this.saveButton, cancel);
    const submit = (event) => {
      event.preventDefault();
      this.#save(this.#collect());
    };
    this.element.replaceChildren(el("form", { class: "editing", novalidate: true, submit }, this.messages, this.editor.element, actions));
  }

  #collect() {
    this.rows = new Map();
    return this.editor.collect("", this.rows);
  }

  async #save(values) {
    const { method, path, tag, back } = this.task;
    this.#clear();
    this.saveButton.disabled = true;
    try {
      const headers = method === "POST" ? { "Idempotency-Key": this.#keyFor(values) } : { "If-Match": tag };
      const { data } = await request(method, path, { body: values, headers });
      release();
      location.hash = method === "POST" ? hashOf({ name: this.collection.name, id: String(data.id) }) : back;
      announce("Saved.");
    } catch (error) {
      if (!error.rows) throw error;
      if (error.status === 412) await this.#showConflict(values);
      else this.#showErrors(error);
    } finally {
      this.saveButton.disabled = false;
    }
  }

  /** The same request again has the same key, so that a lost response does not create two records. */
  #keyFor(values) {
    const text = toJson(values);
    if (this.sent.text !== text) this.sent = { text, key: idempotencyKey() };
    return this.sent.key;
  }

  async #showConflict(yours) {
    const { task } = this;
    try {
      const { data: theirs, tag } = await get(task.path, { form: "writable" });
      await readReferences(this.model, this.collection, { schema: task.schema, values: theirs });
      const onChoose = (values) => this.#resolve(values, theirs, tag);
      const onCancel = () => {
        release();
        location.hash = task.back;
      };
      const conflict = new Conflict(this.model, this.collection, { base: task.values, theirs, yours }, { onChoose, onCancel });
      this.element.replaceChildren(conflict.element);
      conflict.element.querySelector("h2").focus();
    } catch (error) {
      if (!error.rows) throw error;
      this.#showErrors(error);
    }
  }

  /** Saves what was chosen. A failure of it is shown at the fields again. */
  async #resolve(values, theirs, tag) {
    Object.assign(this.task, { tag, values: theirs });
    this.#show(values);
    await this.#save(this.#collect());
  }

  #clear() {
    this.messages.replaceChildren();
    for (const row of this.rows?.values() ?? []) row.showError("");
  }

  /** Shows the service's words beside the fields that they are about, and above the form what has no field. */
  #showErrors({ rows }) {
    const others = [];
    const failed = new Set();
    for (const { field, value } of rows) {
      const row = this.#rowOf(field ?? "");
      if (row) row.showError(value);
      else others.push(el("li", {}, field ? `${label(field)}: ` : "", stored(value)));
      failed.add(row);
    }
    const summary = rows.length === 1 ? "It is not saved: see below." : `It is not saved: ${rows.length} errors.`;
    this.messages.replaceChildren(alertBox(el("p", {}, summary), others.length > 0 && el("ul", {}, others)));
    [...this.rows.values()].find((row) => failed.has(row))?.focus();
  }

  /** Returns the row of a field: of `groupIds[2]`, that of `groupIds`. */
  #rowOf(field) {
    for (let path = field; path; path = path.replace(/(\.[^.[]*|\[[^[]*|^[^.[]+)$/, "")) {
      if (this.rows.has(path)) return this.rows.get(path);
    }
    return Array.isArray(this.task.values) && field ? this.rows.get("") : undefined;
  }
}
