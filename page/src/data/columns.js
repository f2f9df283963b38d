// Columns of a table: the fields that people can choose for them. The service reads headings and cells.

import { readAll } from "./api.js";
import { remember } from "./names.js";
import { fieldOf, titleOfField } from "./sheet.js";
import { label, t } from "./words.js";

/** Heading of the column of rejected rows that says why. It is no field when they are uploaded again. */
export const REASON = t("Why it was rejected");

/** Returns the text by which a field of a column is known, whether it was chosen or named by a heading. */
export const keyOf = (path, each) => JSON.stringify([path, each ?? null]);

/** Returns all languages, which name the columns of translations. */
export async function readLanguages(model) {
  const collection = model.collections.get("languages");
  const languages = await readAll(collection.path);
  remember(collection, languages);
  return languages;
}

/** Returns the columns that a table can have, each with its path, field and title. */
export function targetsOf(sheet, languages) {
  const targets = new Targets(sheet, languages);
  const titles = Object.fromEntries(sheet.parts.map(({ member, title }) => [member, title]));
  for (const [name, schema] of Object.entries(sheet.members)) {
    targets.visit(name, schema, [name], titles[name] ?? titleOfField(sheet, name));
  }
  return targets.all;
}

class Targets {
  constructor({ model }, languages) {
    this.model = model;
    this.languages = languages;
    this.all = [];
  }

  #add(path, field, title, each) {
    this.all.push({ path, field, title, each, key: keyOf(path, each) });
  }

  visit(name, schema, path, title) {
    const field = fieldOf(this.model, schema);
    const { members, items, key } = field;
    if (members)
      for (const [member, inner] of Object.entries(members))
        this.visit(member, inner, [...path, member], `${title}: ${label(member, inner)}`);
    else if (items?.members) this.#visitEntries(items, path, title);
    else if (key) this.#addReference(field, key, path, title);
    else if (items?.key) this.#addReferences(field, items.key, path, title);
    else this.#add(path, field, title);
  }

  /** Adds the columns of a record's own key and of its id. */
  #addReference(field, key, path, title) {
    for (const [member, schema] of Object.entries(key.properties)) {
      this.#add([...path, member], fieldOf(this.model, schema), `${title}: ${label(member, schema)}`);
    }
    this.#add(path, field, `${title}: id`);
  }

  /** Adds the columns of the own keys of records, in one cell, and of their ids. */
  #addReferences(field, key, path, title) {
    const [member, ...others] = key.required ?? [];
    const schema = key.properties[member];
    if (member && !others.length)
      this.#add(path, fieldOf(this.model, schema), `${title}: ${label(member, schema)}`, member);
    this.#add(path, field, `${title}: ids`);
  }

  /** Adds the columns of the first entry, after which those of the others are named. */
  #visitEntries({ members }, path, title) {
    if (members.languageId) return this.#addLanguages(members, path, title);
    for (const [member, schema] of Object.entries(members))
      this.visit(member, schema, [...path, 0, member], `${title} 1: ${label(member, schema)}`);
  }

  #addLanguages(members, path, title) {
    const texts = Object.keys(members).filter((member) => !["languageId", "id"].includes(member));
    for (const { id, name: language } of this.languages) {
      for (const member of texts) {
        const ending = texts.length > 1 ? `: ${label(member, members[member])}` : "";
        this.#add(
          [...path, `@${id}`, member],
          fieldOf(this.model, members[member]),
          `${title}: ${language}${ending}`,
        );
      }
    }
  }
}

/**
 * Returns the target of a column's `field`, as the service names it; `isIgnored` if it is not uploaded; or
 * null.
 */
export function targetOf(targets, { name, field }) {
  if (!field) return null;
  const { path, each } = field;
  if (!path.length) return { isIgnored: true };
  const key = keyOf(path, each);
  return targets.find((target) => target.key === key) ?? { path, each, key, title: name };
}

/** Returns the fields of columns as the service takes them. */
export const fieldsOf = (columns) =>
  columns.map((column) => (column?.path ? { path: column.path, each: column.each ?? null } : null));

/** Returns the titles of the columns that mean the same field as an earlier one. */
export function doubles(columns) {
  const paths = columns.map((column) => column?.path && JSON.stringify(column.path));
  return columns
    .filter((column, index) => paths[index] && paths.indexOf(paths[index]) < index)
    .map(({ title }) => title);
}

/**
 * Returns the names of the fields of columns that an empty cell can empty: not own keys, texts in languages,
 * or what needs a value.
 */
export function emptiable({ model, members, keys }, columns) {
  const isEmptiable = (path) => {
    const { schema, key } = fieldOf(model, members[path[0]]);
    const first = schema.anyOf ? model.resolve(schema.anyOf[0]) : schema;
    return (
      !keys.includes(path[0]) && [first.type].flat().includes("null") && (path.length === 1 || Boolean(key))
    );
  };
  return new Set(
    columns.filter((column) => column?.path && isEmptiable(column.path)).map(({ path }) => path[0]),
  );
}

/** Returns the document of a row. Empty cells of the fields in `emptied` empty these; others leave them. */
export function documentOf({ document, problems }, emptied = new Set()) {
  const cleared = [...emptied].filter((name) => !(name in document)).map((name) => [name, null]);
  const errors = problems.map(({ message }) => ({ field: null, value: message }));
  return { document: { ...document, ...Object.fromEntries(cleared) }, errors };
}

/**
 * Returns the codes of languages by their ids, by the names of the lists whose entries a table names by
 * language: other languages of a record stay.
 */
export function listsByLanguage(columns, languages) {
  const codes = new Map(languages.map(({ id, code }) => [String(id), code]));
  return new Map(
    columns
      .filter((column) => column?.path?.some((step) => String(step).startsWith("@")))
      .map(({ path }) => [path[0], codes]),
  );
}
