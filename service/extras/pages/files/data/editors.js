// Editors of objects and lists of objects, and the choice of the editor for a schema.

import { button, el } from "./dom.js";
import { EntryCollection } from "./entries.js";
import { typesOf } from "./model.js";
import { CheckEditor, ChoiceEditor, ListEditor, ReferenceEditor, ReferencesEditor, TextEditor } from "./fields.js";
import { hint, label, lower, t } from "./words.js";

/** Returns what the records are that a reference can name: a collection, or entries of a part; or nothing. */
export function choicesOf(model, schema) {
  const entries = model.entries(schema);
  return entries ? new EntryCollection(entries) : model.target(schema);
}

/** Returns the editor of a member of an object. `scope` has the `titles` of entries by their ids, and the `choices` of fields by their names. */
function editorOf(model, name, member, value, { isRequired, scope }) {
  const schema = model.resolve(member);
  const field = { name, schema, value, isRequired, scope };
  const target = scope.choices?.get(name) ?? choicesOf(model, schema);
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

/** Members of an object, one below the other, those that are required first. An `id`, or what says which entry it is, stays as it is. */
export class ObjectEditor {
  constructor(model, schema, value, names, scope = {}) {
    const members = Object.entries(schema.properties);
    const required = schema.required ?? [];
    this.identity = members.filter((member) => isIdentity(model, member)).map(([name]) => name);
    this.identity = Object.fromEntries(this.identity.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));
    this.title = Object.values(this.identity).map((id) => scope.titles?.get(String(id)))[0];
    const shown = members.filter((member) => !isIdentity(model, member) && (!names || names.includes(member[0])));
    const first = Object.groupBy(shown, ([name]) => (required.includes(name) ? "required" : "other"));
    const editor = ([name, member]) => [name, editorOf(model, name, member, value[name], { isRequired: required.includes(name), scope })];
    this.editors = [...(first.required ?? []), ...(first.other ?? [])].map(editor);
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
  constructor(model, { name, schema, value, scope }) {
    Object.assign(this, { model, value, scope });
    this.items = model.resolve(schema.items);
    // Which entries there are is settled elsewhere if each has to name one.
    this.isFixed = (this.items.required ?? []).some((member) => model.isIdentity(this.items.properties[member]));
    this.title = name ? label(name, schema) : t("Entries");
    this.error = el("p", { class: "error", tabindex: "-1" });
    this.list = el("div", {});
    this.entries = [];
    const add = button(name ? t("Add: {0}", lower(this.title)) : t("Add an entry"), () => this.#add({}, true));
    const help = el("p", { class: "quiet hint" }, name ? hint(name, schema) : "");
    this.element = el("fieldset", { class: "entries" }, el("legend", {}, this.title), help, this.error, this.list, !this.isFixed && add);
    this.addButton = add;
    for (const entry of value ?? []) this.#add(entry, false);
  }

  #add(value, isNew) {
    const editor = new ObjectEditor(this.model, this.items, value, undefined, this.scope);
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
