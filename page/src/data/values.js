// Values of documents as people read them: texts as they are, references as links, lists as tables or
// enumerations.

import { toJson } from "./api.js";
import { country } from "./codes.js";
import { badge, el, link, stored } from "./dom.js";
import { hashOf } from "./location.js";
import { isScalar, titleOf } from "./model.js";
import { nameOf } from "./names.js";
import { label, locale, t, wordFor } from "./words.js";

const TIME = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

export const recordHash = (collection, id) => hashOf({ name: collection.name, id: String(id) });

export const recordLink = (collection, id) =>
  link(recordHash(collection, id), el("bdi", {}, nameOf(collection, id)));

export const isMissing = (value) => value === null || value === undefined;

/** Returns whether two values are stored alike: what is missing is null. */
export const isSame = (left, right) => toJson(left ?? null) === toJson(right ?? null);

export function timeOf(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime())
    ? stored(text)
    : el("time", { datetime: text, title: text }, TIME.format(time));
}

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });

/** Returns a date, which is the same day in all time zones, as people read it. */
export const dayOf = (date) => DAY.format(new Date(`${date}T12:00`));

/** Yields the collection and id of each reference in a value. */
export function* referencesIn(model, collection, field, schema, value) {
  if (isMissing(value)) return;
  const resolved = model.resolve(schema);
  const target = model.reference(collection, field);
  if (Array.isArray(value)) {
    for (const entry of value) yield* referencesIn(model, collection, field, resolved.items ?? {}, entry);
  } else if (typeof value === "object") {
    for (const [name, member] of model.fields(resolved))
      yield* referencesIn(model, collection, name, member, value[name]);
  } else if (target) yield [target, value];
}

/** Returns the nodes of a value in a table's cell or beside a label. */
export function show(model, collection, field, schema, value, isShort = false) {
  const resolved = model.resolve(schema);
  if (isMissing(value)) return el("span", { class: "quiet" }, "–");
  if (Array.isArray(value)) return showList(model, collection, field, resolved, value, isShort);
  if (typeof value === "object") return showMembers(model, collection, resolved, value);
  const target = model.reference(collection, field);
  if (target && isScalar(resolved)) return recordLink(target, value);
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (field === "state" || field === "status") return badge(wordFor(value), value);
  if (resolved.enum) return wordFor(value);
  if (resolved.format === "country-code") return stored(country(value));
  if (resolved.format === "date-time") return timeOf(String(value));
  return stored(String(value));
}

/** Returns a value of a form as a text: references by name, entries of lists separated by commas. */
export function plainText(model, collection, field, value) {
  if (isMissing(value) || value === "") return "–";
  if (Array.isArray(value))
    return value.map((entry) => plainText(model, collection, field, entry)).join(", ") || "–";
  if (typeof value === "object") {
    const members = Object.entries(value).filter(([name, member]) => name !== "id" && !isMissing(member));
    return (
      value.name ?? members.map(([name, member]) => plainText(model, collection, name, member)).join(" ")
    );
  }
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  const target = model.reference(collection, field);
  if (target) return nameOf(target, value);
  const schema = model.resolve(collection.schema?.properties[field] ?? {});
  return schema.enum || field === "state" ? wordFor(value) : String(value);
}

function showList(model, collection, field, schema, entries, isShort) {
  if (!entries.length) return el("span", { class: "quiet" }, "–");
  const items = model.resolve(schema.items ?? {});
  if (isScalar(items)) return joined(entries.map((entry) => show(model, collection, field, items, entry)));
  const target = model.named(field, items);
  if (target)
    return joined(entries.map((entry) => link(recordHash(target, entry.id), el("bdi", {}, titleOf(entry)))));
  if (isShort) return String(entries.length);
  return entryTable(model, collection, items, entries, label(field, schema));
}

function joined(nodes) {
  return el(
    "ul",
    { class: "inline" },
    nodes.map((node) => el("li", {}, node)),
  );
}

/** Returns the members of an object, one below the other. */
export function showMembers(model, collection, schema, object) {
  const members = model.fields(schema).filter(([name]) => name in object);
  return el(
    "dl",
    { class: "members" },
    members.map(([name, member]) => [
      el("dt", {}, label(name, member)),
      el("dd", {}, show(model, collection, name, member, object[name])),
    ]),
  );
}

/** Returns a table of entries: of translations, sizes, lines of a chart. */
export function entryTable(model, collection, schema, entries, caption) {
  const columns = model.fields(schema).filter(([name]) => entries.some((entry) => name in entry));
  const heading = ([name, member]) => el("th", { scope: "col" }, label(name, member));
  const row = (entry) =>
    columns.map(([name, member]) => el("td", {}, show(model, collection, name, member, entry[name])));
  return scrolling(
    caption,
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, columns.map(heading))),
      el(
        "tbody",
        {},
        entries.map((entry) => el("tr", {}, row(entry))),
      ),
    ),
  );
}

/**
 * Returns a group in which a wide table scrolls, by keys as well. A region would have to be the only one of
 * its name.
 */
export function scrolling(name, ...children) {
  return el("div", { class: "scrolling", role: "group", "aria-label": name, tabindex: "0" }, ...children);
}
