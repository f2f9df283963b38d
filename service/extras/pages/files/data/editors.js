// Editors of objects and lists of objects, and the choice of the editor for a schema.

import { button, el } from "./dom.js";
import { EntryCollection } from "./entries.js";
import { typesOf } from "./model.js";
import { CheckEditor, ChoiceEditor, ListEditor, ReferenceEditor, ReferencesEditor, TextEditor } from "./fields.js";
import { hint, label, t } from "./words.js";

/** Returns what the records are that a reference can name: a collection, or entries of a part; or nothing. */
export function choicesOf(model, schema) {
  const entries = model.entries(schema);
  return entries ? new EntryCollection(entries) : model.target(schema);
}

/** Returns the editor of a member of an object. `titles` has the names of entries by their ids. */
function editorOf(model, name, member, value, { isRequired, titles }) {
  const schema = model.resolve(member);
  const field = { name, schema, value, isRequired, titles };
  const target = choicesOf(model, schema);
  if (target) return new ReferenceEditor({ ...field, target });
  // An id of what cannot be chosen is a number.
  const plain = schema.anyOf ? { ...model.resolve(schema.anyOf[0]), description: schema.description } : schema;
  if (typesOf(plain).includes("array")) return editorOfList(model, field);
  if (plain.enum) return new ChoiceEditor(field);
  if (typesOf(plain).includes("boolean")) return new CheckEditor(field);
  return new TextEditor({ ...field, schema: plain });
}

function editorOfList(model, field) {
  const items = model.resolve(field.schema.items);
  const target = choicesOf(model, items);
  if (target) return new ReferencesEditor({ ...field, target });
  const named = items.properties && model.named(field.name, items);
  if (named) return new ReferencesEditor({ ...field, target: named, isNamed: true });
  return items.properties ? new EntriesEditor(model, field) : new ListEditor(field);
}

const joinPath = (path, name) => (path ? `${path}.${name}` : name);

const isIdentity = (model, [name, member]) => name === "id" || model.isIdentity(member);

/** Members of an object, one below the other. An `id`, or what says which entry it is, stays as it is. */
export class ObjectEditor {
  constructor(model, schema, value, names, titles = new Map()) {
    const members = Object.entries(schema.properties);
    const required = schema.required ?? [];
    this.identity = members.filter((member) => isIdentity(model, member)).map(([name]) => name);
    this.identity = Object.fromEntries(this.identity.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));
    this.title = Object.values(this.identity).map((id) => titles.get(String(id)))[0];
    const shown = members.filter((member) => !isIdentity(model, member) && (!names || names.includes(member[0])));
    const editor = ([name, member]) => [name, editorOf(model, name, member, value[name], { isRequired: required.includes(name), titles })];
    this.editors = shown.map(editor);
    this.element = el("div", { class: "fields" }, this.editors.map(([, { element }]) => element));
  }

  collect(path, rows) {
    const object = { ...this.identity };
    for (const [name, editor] of this.editors) object[name] = editor.collect(joinPath(path, name), rows);
    return object;
  }
}

/** List of objects: translations, allowed values, contacts, sizes. */
export class EntriesEditor {
  constructor(model, { name, schema, value, titles }) {
    Object.assign(this, { model, value, titles });
    this.items = model.resolve(schema.items);
    // Which entries there are is settled elsewhere if each has to name one.
    this.isFixed = (this.items.required ?? []).some((member) => model.isIdentity(this.items.properties[member]));
    this.title = name ? label(name, schema) : t("Entries");
    this.error = el("p", { class: "error", tabindex: "-1" });
    this.list = el("div", {});
    this.entries = [];
    const add = button(t("Add an entry"), () => this.#add({}, true));
    const help = el("p", { class: "quiet hint" }, name ? hint(name, schema) : "");
    this.element = el("fieldset", { class: "entries" }, el("legend", {}, this.title), help, this.error, this.list, !this.isFixed && add);
    this.addButton = add;
    for (const entry of value ?? []) this.#add(entry, false);
  }

  #add(value, isNew) {
    const editor = new ObjectEditor(this.model, this.items, value, undefined, this.titles);
    const remove = button(t("Remove"), () => this.#remove(editor));
    const legend = el("legend", {});
    editor.fieldset = el("fieldset", { class: "entry" }, legend, editor.element, !this.isFixed && remove);
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
    this.entries.forEach(({ fieldset, title }, index) => (fieldset.firstChild.textContent = `${this.title}: ${title ?? index + 1}`));
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
