// Editors of objects and lists of objects, and the choice of the editor for a schema.

import { button, el } from "./dom.js";
import { named } from "./codes.js";
import { EntryCollection } from "./entries.js";
import { EntryTable } from "./entry_table.js";
import { typesOf } from "./model.js";
import {
  CheckEditor,
  ChoiceEditor,
  ListEditor,
  ReferenceEditor,
  ReferencesEditor,
  TextEditor,
} from "./fields.js";
import { hint, label, lower, t } from "./words.js";

/** Returns what the records are that a reference can name: a collection, or entries of a part; or nothing. */
export function choicesOf(model, schema) {
  const entries = model.entries(schema);
  return entries ? new EntryCollection(entries) : named(schema, model.target(schema));
}

/**
 * Returns the editor of a member of an object. `scope` has the `titles` of entries by their ids, and the
 * `choices` of fields by their names.
 */
function editorOf(model, name, member, value, { isRequired, scope }) {
  const schema = model.resolve(member);
  const field = { name, schema, value, isRequired, scope };
  const target = scope.choices?.get(name) ?? choicesOf(model, schema);
  if (target) return new ReferenceEditor({ ...field, target });
  // An id of what cannot be chosen is a number.
  const plain = schema.anyOf
    ? { ...model.resolve(schema.anyOf[0]), description: schema.description }
    : schema;
  if (typesOf(plain).includes("array")) return editorOfList(model, field);
  if (plain.enum) return new ChoiceEditor(field);
  if (typesOf(plain).includes("boolean")) return new CheckEditor(field);
  return new TextEditor({ ...field, schema: plain });
}

function editorOfList(model, field) {
  const items = model.resolve(field.schema.items);
  const target = choicesOf(model, items);
  if (target) return new ReferencesEditor({ ...field, target });
  const records = items.properties && model.named(field.name, items);
  if (records) return new ReferencesEditor({ ...field, target: records, isNamed: true });
  return items.properties ? new EntriesEditor(model, field) : new ListEditor(field);
}

const joinPath = (path, name) => (path ? `${path}.${name}` : name);

const isIdentity = (model, [name, member]) => name === "id" || model.isIdentity(member);

/**
 * Members of an object, one below the other, those that are required first. An `id`, or what says which
 * entry it is, stays as it is.
 */
export class ObjectEditor {
  /** @type {HTMLElement} the element around it in a list of objects */
  place;

  constructor(model, schema, value, names, scope = {}) {
    const members = Object.entries(schema.properties);
    const required = schema.required ?? [];
    this.identity = members.filter((member) => isIdentity(model, member)).map(([name]) => name);
    this.identity = Object.fromEntries(
      this.identity.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]),
    );
    this.title = Object.values(this.identity).map((id) => scope.titles?.get(String(id)))[0];
    const shown = members.filter(
      (member) => !isIdentity(model, member) && (!names || names.includes(member[0])),
    );
    const first = Object.groupBy(shown, ([name]) => (required.includes(name) ? "required" : "other"));
    const editor = ([name, member]) => [
      name,
      editorOf(model, name, member, value[name], { isRequired: required.includes(name), scope }),
    ];
    this.editors = [...(first.required ?? []), ...(first.other ?? [])].map(editor);
    this.element = el(
      "div",
      { class: "fields" },
      this.editors.map(([, { element }]) => element),
    );
  }

  collect(path, rows) {
    const object = { ...this.identity };
    for (const [name, editor] of this.editors) object[name] = editor.collect(joinPath(path, name), rows);
    return object;
  }
}

/** Most members that the rows of a table have. */
const MOST_COLUMNS = 8;

/** Returns whether entries are rows of a table: they have few members, and no lists of lists. */
function isTabular(model, items, isWithin = false) {
  const members = Object.entries(items.properties).filter((member) => !isIdentity(model, member));
  const isList = (schema) => schema?.properties && !choicesOf(model, schema);
  const fits = ([, member]) => {
    const schema = model.resolve(member);
    const below = schema.items && model.resolve(schema.items);
    return !isList(below) || (!isWithin && isTabular(model, below, true));
  };
  return members.length <= MOST_COLUMNS && members.every(fits);
}

/** Boxes of entries that have too much for a row. */
class EntryBoxes {
  constructor(owner) {
    this.owner = owner;
    this.element = el("div", {});
  }

  append(editor) {
    const remove = button(t("Remove"), () => this.owner.remove(editor));
    editor.place = el(
      "fieldset",
      { class: "entry" },
      el("legend", {}),
      editor.element,
      !this.owner.isFixed && remove,
    );
    this.element.append(editor.place);
  }

  number() {
    const { entries, title: list } = this.owner;
    entries.forEach(
      ({ place, title }, index) => (place.firstChild.textContent = `${list}: ${title ?? index + 1}`),
    );
  }
}

/** List of objects: translations, allowed values, contacts, sizes. */
export class EntriesEditor {
  constructor(model, { name, schema, value, scope }) {
    this.model = model;
    this.value = value;
    this.scope = scope;
    this.items = model.resolve(schema.items);
    // Which entries there are is settled elsewhere if each has to name one.
    this.isFixed = (this.items.required ?? []).some((member) =>
      model.isIdentity(this.items.properties[member]),
    );
    this.isOrdered = /\bin order\b/.test(schema.description);
    this.title = name ? label(name, schema) : t("Entries");
    this.error = el("p", { class: "error", tabindex: "-1" });
    this.entries = [];
    this.list = isTabular(model, this.items) ? new EntryTable(this, this.#columns()) : new EntryBoxes(this);
    this.addButton = button(name ? t("Add: {0}", lower(this.title)) : t("Add an entry"), () => this.add());
    const help = el("p", { class: "quiet hint" }, name ? hint(name, schema) : "");
    this.element = el(
      "fieldset",
      { class: "entries" },
      el("legend", {}, this.title),
      help,
      this.error,
      this.list.element,
      !this.isFixed && this.addButton,
    );
    for (const entry of value ?? []) this.#append(entry);
  }

  #columns() {
    const { editors } = new ObjectEditor(this.model, this.items, {}, undefined, this.scope);
    return editors.map(([name, editor]) => [
      name,
      this.model.resolve(this.items.properties[name]),
      (this.items.required ?? []).includes(name),
      editor,
    ]);
  }

  #append(value) {
    const editor = new ObjectEditor(this.model, this.items, value, undefined, this.scope);
    this.entries.push(editor);
    this.list.append(editor);
    this.list.number();
    return editor;
  }

  add() {
    this.isChanged = true;
    /** @type {HTMLElement} */ (this.#append({}).place.querySelector("input, select, textarea"))?.focus();
  }

  remove(editor) {
    this.entries.splice(this.entries.indexOf(editor), 1);
    editor.place.remove();
    this.isChanged = true;
    this.list.number();
    this.addButton.focus();
  }

  /** Moves an entry up or down; the control that had the focus has it still. */
  move(editor, step, control = /** @type {HTMLElement} */ (document.activeElement)) {
    const index = this.entries.indexOf(editor);
    if (!this.entries[index + step]) return;
    this.entries.splice(index, 1);
    this.entries.splice(index + step, 0, editor);
    this.isChanged = true;
    this.list.number();
    control.focus();
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
