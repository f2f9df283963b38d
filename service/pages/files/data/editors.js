// Editors of objects and lists of objects, and the choice of the editor for a schema.

import { button, el } from "./dom.js";
import { label, typesOf } from "./model.js";
import { CheckEditor, ChoiceEditor, ListEditor, ReferenceEditor, ReferencesEditor, TextEditor, wordsFor } from "./fields.js";

/** Returns the editor of a member of an object. */
function editorOf(model, name, member, value, isRequired) {
  const schema = model.resolve(member);
  const field = { name, schema, value, isRequired };
  const target = model.target(schema);
  if (target) return new ReferenceEditor({ ...field, target });
  // An id of what is no collection, such as a size, is a number.
  const plain = schema.anyOf ? { ...model.resolve(schema.anyOf[0]), description: schema.description } : schema;
  if (typesOf(plain).includes("array")) return editorOfList(model, field);
  if (plain.enum) return new ChoiceEditor(field);
  if (typesOf(plain).includes("boolean")) return new CheckEditor(field);
  return new TextEditor({ ...field, schema: plain });
}

function editorOfList(model, field) {
  const items = model.resolve(field.schema.items);
  const target = model.target(items);
  if (target) return new ReferencesEditor({ ...field, target });
  const named = items.properties && model.named(field.name, items);
  if (named) return new ReferencesEditor({ ...field, target: named, isNamed: true });
  return items.properties ? new EntriesEditor(model, field) : new ListEditor(field);
}

const joinPath = (path, name) => (path ? `${path}.${name}` : name);

/** Members of an object, one below the other. An `id` stays as it is. */
export class ObjectEditor {
  constructor(model, schema, value, names) {
    this.value = value;
    const required = schema.required ?? [];
    const shown = Object.entries(schema.properties).filter(([name]) => name !== "id" && (!names || names.includes(name)));
    const editor = ([name, member]) => [name, editorOf(model, name, member, value[name], required.includes(name))];
    this.editors = shown.map(editor);
    this.element = el("div", { class: "fields" }, this.editors.map(([, { element }]) => element));
  }

  collect(path, rows) {
    const object = this.value.id === undefined ? {} : { id: this.value.id };
    for (const [name, editor] of this.editors) object[name] = editor.collect(joinPath(path, name), rows);
    return object;
  }
}

/** List of objects: translations, allowed values, contacts, sizes. */
export class EntriesEditor {
  constructor(model, { name, schema, value }) {
    this.model = model;
    this.value = value;
    this.items = model.resolve(schema.items);
    this.title = label(name || "entries");
    this.error = el("p", { class: "error", tabindex: "-1" });
    this.list = el("div", {});
    this.entries = [];
    const add = button("Add an entry", () => this.#add({}, true));
    const hint = el("p", { class: "quiet hint" }, wordsFor(schema.description));
    this.element = el("fieldset", { class: "entries" }, el("legend", {}, this.title), hint, this.error, this.list, add);
    this.addButton = add;
    for (const entry of value ?? []) this.#add(entry, false);
  }

  #add(value, isNew) {
    const editor = new ObjectEditor(this.model, this.items, value);
    const remove = button("Remove", () => this.#remove(editor));
    const legend = el("legend", {});
    editor.fieldset = el("fieldset", { class: "entry" }, legend, editor.element, remove);
    this.entries.push(editor);
    this.list.append(editor.fieldset);
    this.#number();
    this.isChanged ||= isNew;
    if (isNew) editor.element.querySelector("input, select, textarea")?.focus();
  }

  #remove(editor) {
    this.entries.splice(this.entries.indexOf(editor), 1);
    editor.fieldset.remove();
    this.isChanged = true;
    this.#number();
    this.addButton.focus();
  }

  #number() {
    this.entries.forEach(({ fieldset }, index) => (fieldset.firstChild.textContent = `${this.title}: ${index + 1}`));
  }

  showError(text) {
    this.error.textContent = text;
  }

  focus() {
    this.error.focus();
  }

  collect(path, rows) {
    rows.set(path, this);
    const values = this.entries.map((editor, index) => editor.collect(`${path}[${index}]`, rows));
    return values.length || this.isChanged ? values : this.value;
  }
}
