// Results of a bulk write or of its dry run: how many rows of each kind, and row by row what changes or why
// not.

import { toJson } from "./api.js";
import { button, el, link, replace, stored } from "./dom.js";
import { nameOf, readNames } from "./names.js";
import { isMissing, plainText, recordHash, referencesIn, scrolling } from "./values.js";
import { counted, label, stepsOf, t } from "./words.js";

const PAGE_SIZE = 100;
const languageNames = new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" });
const KINDS = {
  failed: t("rejected"),
  created: t("new"),
  updated: t("changed"),
  deleted: t("deleted"),
  absent: t("not there to delete"),
  unchanged: t("unchanged"),
};

/** Returns a field or the key of an entry in words: the code of a language, a price list, or `base`. */
function wordsOfStep(step) {
  if (step === "base") return [];
  return [/^(?!id$)[a-z]{2}$/.test(step) ? languageNames.of(step) : label(step)];
}

/**
 * Returns the steps of a field's path in words: of `translations[0].colorName`, "Translations: German: Color
 * name".
 */
export function wordsOf(model, collection, field, item) {
  const words = [];
  let value = item;
  for (const step of stepsOf(field)) {
    value = value?.[step];
    if (typeof step === "string") words.push(...wordsOfStep(step));
    else
      words.push(
        value?.languageId === undefined
          ? String(step + 1)
          : plainText(model, collection, "languageId", value.languageId),
      );
  }
  return words.join(": ");
}

/** Returns a message with own keys as they are written in tables: `{"customId":"0815"}` is 0815. */
const plainly = (message) => message.replace(/\{"\w+":("(?:[^"\\]|\\.)*")\}/g, (_, key) => JSON.parse(key));

/** Returns the reasons why a row is rejected, as sentences. `cellOf` names the cell that a reason is about. */
export const sentencesOf = (model, collection, row, cellOf = (_row, _reason) => "") =>
  row.reasons.map((reason) => {
    const { field, value, item } = reason;
    const cell = cellOf(row, reason);
    return `${cell && `${cell}: `}${field ? `${wordsOf(model, collection, field, item)}: ` : ""}${plainly(value)}`;
  });

/** Returns the entries of a list that another list does not have. */
const entriesBeside = (entries, others) => {
  const texts = others.map((entry) => toJson(entry));
  return entries.filter((entry) => !texts.includes(toJson(entry)));
};

const IDENTITIES = ["id", "languageId", "priceListId", "customFieldId", "sizeRangeSizeId", "name"];

/** Returns what tells an entry from the others of its list, if its fields change; else the entry itself. */
function identityOf(entry) {
  const name = IDENTITIES.find((each) => !isMissing(entry?.[each]));
  return name ? `${name} ${entry[name]}` : null;
}

/**
 * Returns how many entries of a list another list does not have; of entries with lists, such as price lists,
 * how many of theirs.
 */
function lostIn(entries, others) {
  const [plain, named] = [entries.filter((entry) => !identityOf(entry)), entries.filter(identityOf)];
  if (plain.length && typeof plain[0] !== "object") return entriesBeside(entries, others).length;
  const byIdentity = new Map(others.map((entry) => [identityOf(entry), entry]));
  const lost = named.map((entry) => {
    const other = byIdentity.get(identityOf(entry));
    const [name, nested] = Object.entries(entry).find(([, value]) => Array.isArray(value)) ?? [];
    if (!nested) return other ? 0 : 1;
    return lostIn(nested, other?.[name] ?? []) || (other ? 0 : Number(!nested.length));
  });
  const left = others.filter((entry) => !identityOf(entry)).length;
  return lost.reduce((sum, count) => sum + count, Math.max(plain.length - left, 0));
}

const LOSSES = {
  translations: (count) => counted(count, "{0} translation is removed.", "{0} translations are removed."),
  languages: (count) => counted(count, "{0} translation is removed.", "{0} translations are removed."),
  priceLists: (count) => counted(count, "{0} price is removed.", "{0} prices are removed."),
};

const lossOf = (field, count) =>
  LOSSES[field]?.(count) ?? counted(count, "{0} entry is removed.", "{0} entries are removed.");

/** Returns what changes in a field: of lists, the entries that differ. */
function changeNode(model, collection, { field, before, after }) {
  const areLists = Array.isArray(before) && Array.isArray(after);
  const [old, now] = areLists
    ? [entriesBeside(before, after), entriesBeside(after, before)]
    : [before, after];
  const text = (value) => stored(plainText(model, collection, field, value));
  const title = label(field, collection.schema.properties[field]);
  const was = isMissing(before) ? [] : [el("del", {}, text(old)), " → "];
  const lost = Array.isArray(before) ? lostIn(before, areLists ? after : []) : 0;
  const sentence = lost > 0 && lossOf(field, lost);
  const loss = sentence ? [" ", el("strong", { class: "error" }, sentence)] : [];
  return el("li", {}, `${title}: `, was, el("ins", {}, text(now)), loss);
}

export class Results {
  /**
   * `rows` have a `kind`, `changes`, `reasons` and an `outcome`. `head` says how they are shown (`Writing`).
   */
  constructor({ model, collection, parts }, rows, head) {
    this.model = model;
    this.collection = collection;
    this.parts = parts;
    this.rows = rows;
    this.head = head;
    this.counts = new Map(
      Object.keys(KINDS).map((kind) => [kind, rows.filter((row) => row.kind === kind).length]),
    );
    this.kind = Object.keys(KINDS).find((kind) => this.counts.get(kind)) ?? "failed";
    this.kinds = el("div", { class: "actions kinds", role: "group", "aria-label": t("Rows to show") });
    this.body = el("div", {});
    this.element = el("div", {}, this.kinds, this.body);
  }

  /** Returns how many rows of each kind there are, as a sentence. */
  get summary() {
    const parts = [...this.counts]
      .filter(([, count]) => count)
      .map(([kind, count]) => `${count} ${KINDS[kind]}`);
    return `${parts.join(", ") || t("No rows")}.`;
  }

  async show(kind = this.kind, count = PAGE_SIZE) {
    this.kind = kind;
    const rows = this.rows.filter((row) => row.kind === kind);
    const page = rows.slice(0, count);
    await readNames(page.flatMap((row) => this.#references(row)));
    const more =
      rows.length > count &&
      button(t("Show more of {0}", rows.length), () => this.show(kind, count + PAGE_SIZE), {
        "data-focus": "more",
      });
    replace(this.body, this.#table(page), ...(more ? [more] : []));
    replace(this.kinds, ...this.#kindButtons());
  }

  #kindButtons() {
    const kinds = [...this.counts].filter(([, count]) => count);
    const attributes = (kind) => ({ "aria-pressed": String(kind === this.kind), "data-focus": kind });
    return kinds.map(([kind, count]) =>
      button(`${count} ${KINDS[kind]}`, () => this.show(kind), attributes(kind)),
    );
  }

  #references({ changes }) {
    const ofParts = Object.fromEntries(this.parts.map(({ list, schema }) => [list, schema]));
    const schemas = {
      ...ofParts,
      ...this.collection.schema.properties,
      ...this.collection.create?.properties,
    };
    return changes.flatMap(({ field, before, after }) =>
      [before, after].flatMap((value) => [
        ...referencesIn(this.model, this.collection, field, schemas[field] ?? {}, value),
      ]),
    );
  }

  #table(rows) {
    const titles = [this.head.title, t("Record"), this.kind === "failed" ? t("Why") : t("Changes")];
    const head = el(
      "tr",
      {},
      titles.map((title) => el("th", { scope: "col" }, title)),
    );
    return scrolling(
      t("Rows"),
      el(
        "table",
        {},
        el("thead", {}, head),
        el(
          "tbody",
          {},
          rows.map((row) => this.#row(row)),
        ),
      ),
    );
  }

  #row(row) {
    const { model, collection } = this;
    const id = row.outcome?.id ?? null;
    const name = this.head.name(row);
    const record =
      id === null
        ? stored(name)
        : link(recordHash(collection, id), el("bdi", {}, name || nameOf(collection, id)));
    const lines =
      row.kind === "failed"
        ? sentencesOf(model, collection, row, this.head.cell).map((sentence) =>
            el("li", {}, stored(sentence)),
          )
        : row.changes.map((change) => changeNode(model, collection, change));
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, this.head.number(row)),
      el("td", {}, record),
      el("td", {}, el("ul", { class: "changes" }, lines)),
    );
  }
}
