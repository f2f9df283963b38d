// Scopes of API keys in words, and those that a key can give to another one: no more than its own.

import { el } from "./dom.js";
import { groupsOf } from "./groups.js";
import { collectionWords, label, lower, t } from "./words.js";

export const ACCESSES = ["read", "write", "delete"];
export const ACCESS_WORDS = {
  read: t("read"),
  write: t("read and write"),
  delete: t("read, write and delete"),
};
/** Scopes that `*` does not include. */
const APART = { "keys:manage": t("manage API keys"), "audit:read": t("read the audit log") };
/**
 * What is computed is only read, and has scopes of its own.
 * @type {[string, string][]}
 */
const COMPUTED = [
  ["products", t("Products")],
  ["style-completeness", t("Completeness")],
  ["passports", t("Passports")],
  ["migration-verification", t("Migration verification")],
];
const WRITING = ["post", "put", "patch", "delete"];
const SCOPE = /^(\*|[a-z-]+)(?:\[supplierId=(\d+)\])?:(read|write|delete)(?:\[([A-Za-z,]+)\])?$/;
const MOST_SHOWN = 5;

/** Returns a scope in full: two have short names. */
export const fullScope = (text) => ({ read: "*:read", write: "*:delete" })[text] ?? text;

function parseScope(text) {
  const [, collection, supplier, access, fields] = SCOPE.exec(fullScope(text)) ?? [];
  return collection && { collection, supplier, access, fields };
}

/**
 * Returns the collections and parts that are stored, with their titles, by the name that scopes have for them.
 * @returns {[string, string][]}
 */
function storedCollections({ document }) {
  const isWritten = (item) => WRITING.some((method) => item?.[method]);
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const name = /^\/api\/([a-z-]+)$/.exec(path)?.[1];
    const isStored = name && item.get && (isWritten(item) || isWritten(document.paths[`${path}/{id}`]));
    return isStored && name !== "keys" && !COMPUTED.some(([computed]) => computed === name)
      ? [[name, collectionWords(name)?.[0] ?? item.get.tags[0]]]
      : [];
  });
}

/** Returns a scope as words. */
export function scopeWords(model, text) {
  const scope = parseScope(text);
  if (!scope) return APART[text] ?? text;
  const titles = new Map([...storedCollections(model), ...COMPUTED, ["*", t("Everything")]]);
  const supplier = scope.supplier ? ` ${t("of supplier {0}", scope.supplier)}` : "";
  const fields = scope.fields
    ? `, ${t(
        "only {0}",
        scope.fields
          .split(",")
          .map((name) => lower(label(name)))
          .join(", "),
      )}`
    : "";
  return `${titles.get(scope.collection) ?? scope.collection}${supplier}: ${ACCESS_WORDS[scope.access]}${fields}`;
}

/** Returns the list of a key's scopes; a long one is opened. */
export function scopeList(model, scopes) {
  const list = (texts) =>
    el(
      "ul",
      { class: "scopes" },
      texts.map((text) => el("li", {}, el("span", { class: "badge", title: text }, scopeWords(model, text)))),
    );
  const rest = scopes.slice(MOST_SHOWN);
  return [
    list(scopes.slice(0, MOST_SHOWN)),
    rest.length > 0 && el("details", {}, el("summary", {}, t("{0} more", rest.length)), list(rest)),
  ];
}

/**
 * Returns what a key with some scopes can give to another one: the access to `all` collections, the `groups`
 * of collections with
 * the access to each, and the `others`, which are given as they are.
 */
export function grantable(model, scopes) {
  const parsed = scopes.map(parseScope);
  const whole = parsed.filter((scope) => scope && !scope.supplier && !scope.fields);
  const most = (name) =>
    Math.max(
      -1,
      ...whole
        .filter(({ collection }) => collection === "*" || collection === name)
        .map(({ access }) => ACCESSES.indexOf(access)),
    );
  const accessesTo = (name) => ACCESSES.slice(0, most(name) + 1);
  const stored = new Map(storedCollections(model));
  const groups = groupsOf(model).map(({ title, collections }) => ({
    title,
    names: collections.map(({ name }) => name).filter((name) => stored.has(name)),
  }));
  const grouped = new Set(groups.flatMap(({ names }) => names));
  groups.push({
    title: t("Parts of records, and more"),
    names: [...stored.keys()].filter((name) => !grouped.has(name)),
  });
  const rows = groups.map(({ title, names }) => ({
    title,
    rows: names.map((name) => ({ name, title: stored.get(name), accesses: accessesTo(name) })),
  }));
  rows.push({
    title: t("Computed"),
    rows: COMPUTED.map(([name, title]) => ({ name, title, accesses: accessesTo(name).slice(0, 1) })),
  });
  const own = rows.map((group) => ({ ...group, rows: group.rows.filter(({ accesses }) => accesses.length) }));
  const others = scopes.filter((text, index) =>
    parsed[index] ? parsed[index].supplier || parsed[index].fields : text in APART,
  );
  return { all: ACCESSES.slice(0, most("*") + 1), groups: own.filter((group) => group.rows.length), others };
}
