// Columns of a table: the fields that their names mean, and the documents of the rows. Paths such as
// `languages[0].text` and their values follow the rules of `selvedge import`.

import { CellError, LIST_SEPARATOR, valueOf, wholeNumber } from "./cells.js";
import { unguard } from "./csv.js";
import { singular } from "./model.js";
import { fieldOf, titleOfField } from "./sheet.js";
import { label, spelled, stepsOf, t } from "./words.js";

const PATH = /^\w+(\[\d{1,4}\]|\.\w+)*$/;
/** Heading of the column of rejected rows that says why. It is no field when they are uploaded again. */
export const REASON = t("Why it was rejected");
const BESIDE = t("The same cell has a value and fields of its own, in two columns.");

const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Returns the heading of the column with the names of the records or entries of a field. It is not read. */
export const nameHeading = (name) => `${spelled(name, true)} ${/s$/.test(name) ? "names" : "name"}`;

/** Returns the heading that a column has in English, which tables can have whatever the reader's language is. */
const inEnglish = (path) => path.map((step, index) => (typeof step === "number" ? step + 1 : spelled(step, index === 0 && path.length > 1))).join(" ");

const memberOf = (members, step) =>
  Object.keys(members).find((name) => name === step) ?? Object.keys(members).find((name) => name.toLowerCase() === String(step).toLowerCase());

/** Returns the path and field that steps name among the members of an object, or null. */
function follow(model, members, steps) {
  let field = { members };
  const path = [];
  for (const step of steps) {
    if (typeof step === "number") {
      if (!field.items) return null;
      path.push(step);
      field = field.items;
      continue;
    }
    const choices = { ...field.key?.properties, ...field.members };
    const name = field.items ? undefined : memberOf(choices, step);
    if (name === undefined) return null;
    path.push(name);
    field = fieldOf(model, choices[name]);
  }
  return { path, field };
}

/** Returns the columns that a table can have, each with its path, field, title, and the names by which it is recognized. */
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
    Object.assign(this, { model, languages, all: [] });
  }

  #add(path, field, title, names, each) {
    const key = JSON.stringify([path, each]);
    this.all.push({ path, field, title, each, key, names: [title, inEnglish(each ? [...path, each] : path), ...names].map(plain) });
  }

  visit(name, schema, path, title) {
    const field = fieldOf(this.model, schema);
    const { members, items, key } = field;
    if (members) for (const [member, inner] of Object.entries(members)) this.visit(member, inner, [...path, member], `${title}: ${label(member, inner)}`);
    else if (items?.members) this.#visitEntries(name, items, path, title);
    else if (key) this.#addReference(field, key, path, name, title);
    else if (items?.key) this.#addReferences(field, items.key, path, name, title);
    else this.#add(path, field, title, path.length === 1 ? [name] : []);
  }

  /** Adds the columns of a record's own key, which is meant by the bare title, and of its id. */
  #addReference(field, key, path, name, title) {
    const isSingle = key.required?.length === 1;
    for (const [member, schema] of Object.entries(key.properties)) {
      this.#add([...path, member], fieldOf(this.model, schema), `${title}: ${label(member, schema)}`, isSingle ? [title, spelled(name, true), `${name} ${member}`] : []);
    }
    this.#add(path, field, `${title}: id`, path.length === 1 ? [name] : []);
  }

  /** Adds the columns of the own keys of records, in one cell, and of their ids. */
  #addReferences(field, key, path, name, title) {
    const [member, ...others] = key.required ?? [];
    if (member && !others.length) {
      this.#add(path, fieldOf(this.model, key.properties[member]), `${title}: ${label(member, key.properties[member])}`, [title, spelled(name, true), `${name} ${member}`], member);
    }
    this.#add(path, field, `${title}: ids`, path.length === 1 ? [name] : []);
  }

  /** Adds the columns of the first entry, after which those of the others are named. */
  #visitEntries(name, { members }, path, title) {
    if (members.languageId) return this.#addLanguages(name, members, path, title);
    for (const [member, schema] of Object.entries(members)) this.visit(member, schema, [...path, 0, member], `${title} 1: ${label(member, schema)}`);
  }

  #addLanguages(name, members, path, title) {
    const texts = Object.keys(members).filter((member) => !["languageId", "id"].includes(member));
    for (const { id, name: language, code } of this.languages) {
      for (const member of texts) {
        const lists = [name, title, label(member, members[member]), spelled(member), "translations"];
        const names = [language, code].flatMap((word) => wordsFor(word, lists, member));
        const ending = texts.length > 1 ? `: ${label(member, members[member])}` : "";
        this.#add([...path, `@${id}`, member], fieldOf(this.model, members[member]), `${title}: ${language}${ending}`, names);
      }
    }
  }
}

/** Returns the names of the column of a language: "German", "Translation German", "German color name". */
function wordsFor(language, lists, member) {
  const singular = lists.map((name) => name.replace(/s$/, ""));
  const both = [...lists, ...singular].flatMap((name) => [`${name} ${language}`, `${language} ${name}`, `${name} ${language} ${member}`, `${name} ${member} ${language}`]);
  return [language, ...both];
}

/** Returns the only target that a name means without the word for a record: "Color name" of colors is the name. */
function closest({ collection, keys }, targets, name) {
  const own = plain(singular(collection.name));
  const bare = (text) => (text.startsWith(own) ? text.slice(own.length) : text);
  const short = bare(plain(name));
  // The id of a table may be an own key as well.
  if (short === "id") return undefined;
  const meant = { status: "state", code: keys[0], key: keys[0] }[short];
  const isMeant = ({ path, names }) => (meant ? path.join() === meant : names.some((other) => bare(other) === short));
  const matches = targets.filter(isMeant);
  return matches.length === 1 ? matches[0] : undefined;
}

/** Returns the target of a column's name; `isIgnored` if it is known, but not uploaded; or null. */
export function recognize(sheet, targets, name) {
  const { model, collection, members } = sheet;
  const text = name.trim();
  const steps = PATH.test(text) ? stepsOf(text) : null;
  const found = steps && follow(model, members, steps);
  if (found) {
    const key = JSON.stringify([found.path, undefined]);
    return targets.find((target) => target.key === key) ?? { ...found, key, title: text };
  }
  const byName = targets.find(({ names }) => names.includes(plain(text)));
  if (byName) return byName;
  const shown = [...Object.keys(members), ...Object.keys(collection.schema.properties)].map(nameHeading);
  const isShown = steps && follow(model, collection.schema.properties, steps);
  const isIgnored = isShown || [REASON, ...shown].map(plain).includes(plain(text));
  return isIgnored ? { isIgnored: true } : (closest(sheet, targets, text) ?? null);
}

/** Returns the titles of the columns that mean the same field as an earlier one. */
export function doubles(columns) {
  const paths = columns.map((column) => column?.path && JSON.stringify(column.path));
  return columns.filter((column, index) => paths[index] && paths.indexOf(paths[index]) < index).map(({ title }) => title);
}

/** Returns the names of the fields of columns that an empty cell can empty: not own keys, texts in languages, or what needs a value. */
export function emptiable({ model, members, keys }, columns) {
  const isEmptiable = (path) => {
    const { schema, key } = fieldOf(model, members[path[0]]);
    const first = schema.anyOf ? model.resolve(schema.anyOf[0]) : schema;
    return !keys.includes(path[0]) && [first.type].flat().includes("null") && (path.length === 1 || Boolean(key));
  };
  return new Set(columns.filter((column) => column?.path && isEmptiable(column.path)).map(({ path }) => path[0]));
}

/**
 * Returns the document of a row, and why it has none. Entries of lists whose cells are all empty are left out. Empty cells
 * of the fields in `emptied` empty these; others leave them.
 */
export function documentOf(cells, columns, hasDecimalCommas, emptied = new Set()) {
  const errors = [];
  const tree = new Map();
  if (cells.length < columns.length) errors.push({ field: null, value: t("It has {0} cells below {1} columns.", cells.length, columns.length) });
  cells.forEach((text, index) => {
    if (!text) return;
    const column = columns[index];
    if (index >= columns.length) errors.push({ field: null, value: t("Cell {0} has no column.", index + 1) });
    if (!column?.path) return;
    try {
      insert(tree, column, cellValue(text, column, hasDecimalCommas));
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      errors.push({ field: null, value: `${column.title}: ${error.message}`, column: index });
    }
  });
  for (const { path } of columns.filter((column) => emptied.has(column?.path?.[0]))) if (!tree.has(path[0])) tree.set(path[0], null);
  return { document: assembled(tree), errors };
}

function cellValue(text, { field, each }, hasDecimalCommas) {
  const bare = unguard(text);
  if (!each) return valueOf(bare, field, hasDecimalCommas);
  if (bare.trim() === "[]") return [];
  const keys = bare.split(LIST_SEPARATOR).map((key) => key.trim());
  return keys.filter(Boolean).map((key) => ({ [each]: valueOf(key, field, hasDecimalCommas) }));
}

function insert(tree, { path }, value) {
  let parent = tree;
  for (const step of path.slice(0, -1)) {
    if (!parent.has(step)) parent.set(step, new Map());
    parent = parent.get(step);
    if (!(parent instanceof Map)) throw new CellError(BESIDE);
  }
  if (parent.has(path.at(-1))) throw new CellError(BESIDE);
  parent.set(path.at(-1), value);
}

/** Returns a tree of steps as a value: numbers are entries of lists, `@5` the entry of the language 5. */
function assembled(tree) {
  if (!(tree instanceof Map)) return tree;
  const steps = [...tree.keys()];
  const indexes = steps.filter((step) => typeof step === "number").sort((a, b) => a - b);
  const languages = steps.filter((step) => String(step).startsWith("@"));
  if (!indexes.length && !languages.length) return Object.fromEntries([...tree].map(([step, value]) => [step, assembled(value)]));
  const translations = languages.map((step) => ({ languageId: wholeNumber(step.slice(1)), ...assembled(tree.get(step)) }));
  return [...indexes.map((index) => assembled(tree.get(index))), ...translations];
}

/** Returns the names of the lists whose entries a table names by language: other languages of a record stay. */
export function listsByLanguage(columns) {
  return new Set(columns.filter((column) => column?.path?.some((step) => String(step).startsWith("@"))).map(({ path }) => path[0]));
}
