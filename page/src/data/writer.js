// Writer of a table's rows: a dry run, and then the write, in requests of as many rows as one takes.

import { idempotencyKey, toJson } from "./api.js";
import { byLanguage, chunksOf, merge, mergeWithNew, remove, someIds } from "./bulk.js";
import { entriesOfNew, withNamesOfNew } from "./references.js";
import { itemsOf, titleOfField } from "./sheet.js";
import { inWords, lower, t } from "./words.js";

const CHANGED = t("Somebody else changed this record meanwhile. Look at what would change again.");
const NOT_LIVE = ["failed", "deleted", "absent"];

/**
 * Row of a table: the items that it becomes, and what came of them. `contents` has those of parts: `part`,
 * `content`, `sent`, `outcome`.
 */
class Row {
  /** @type {boolean} whether its record is named by its id */
  isById;
  /** @type {any} the item that is sent */
  item;
  /** @type {any[]} the items of parts */
  contents;
  /** @type {{ field: string | null, value: string, type?: string }[]} */
  errors;
  /** @type {any} */
  outcome;
  /** @type {any} the item as it was sent */
  sent;
  isWritten = false;

  /** @type {any[]} records that are made with the row */
  makes;
  /** @type {Record<string, string>} names of columns' entries, by the ids in their place */
  aliases;

  constructor(sheet, { number, cells, makes = [], aliases = {} }, { document, errors }) {
    const { isNamed, ...items } = itemsOf(sheet, document);
    Object.assign(this, { number, cells, makes, aliases, ...items, errors: [...errors] });
    if (isNamed) this.name = toJson(this.isById ? [this.item.id] : sheet.keys.map((key) => this.item[key]));
    else
      this.#refuse(
        t(
          "It has no {0}, by which its record is found.",
          sheet.keys.map((key) => lower(titleOfField(sheet, key))).join(t(" or no ")),
        ),
      );
  }

  #refuse(value) {
    this.errors.push({ field: null, value });
  }

  /** Refuses the row if an earlier one has the same record; returns it. */
  after(rows) {
    const first = this.name && rows.get(this.name);
    if (first) this.#refuse(t("Row {0} has the same record: remove one of the two.", first.number));
    else if (this.name) rows.set(this.name, this);
    return this;
  }

  /** Forgets the dry run, unless it has rejected the row. */
  renew() {
    if (this.kind !== "failed")
      for (const each of [this, ...this.contents]) for (const name of ["outcome", "sent"]) delete each[name];
    return this;
  }

  get outcomes() {
    return [this, ...this.contents].map(({ outcome }) => outcome).filter(Boolean);
  }

  /** Kind of the row: `failed`, `created`, `updated`, `unchanged` and so on; null if it is not sent yet. */
  get kind() {
    if (this.errors.length || this.outcomes.some(({ outcome }) => outcome === "failed")) return "failed";
    const [own, ...ofParts] = this.outcomes.map(({ outcome }) => outcome);
    return (own === "unchanged" && ofParts.find((outcome) => outcome !== own)) || (own ?? null);
  }

  get changes() {
    return withNamesOfNew(
      this.outcomes.flatMap(({ changes }) => changes ?? []),
      this,
    );
  }

  /** Returns why the row is rejected: fields, the items that they are in, and sentences. */
  get reasons() {
    const reason = ({ field, value, type }, item) =>
      type === "precondition_failed"
        ? { field: null, value: CHANGED }
        : {
            field: field?.replace(/^(ids)?\[\d+\]\.?(item(\.|$))?/, ""),
            value: inWords({ type, value }),
            item,
          };
    const of = (outcome, item) => outcome?.details.map((detail) => reason(detail, item)) ?? [];
    const ofParts = this.contents.flatMap(({ outcome, sent, content }) => of(outcome, sent ?? content));
    const own =
      this.isWritten && ofParts.length ? [{ field: null, value: t("The record itself is written.") }] : [];
    return [...this.errors, ...of(this.outcome, this.sent), ...own, ...ofParts];
  }
}

/**
 * Rows of one request, and what is sent of them already: a repetition is the same request with the same key.
 */
class Batch {
  constructor(rows) {
    this.rows = rows;
    this.requests = new Map();
    this.isDone = false;
  }

  async once(name, itemsOfRequest, send) {
    const request = this.requests.get(name) ?? { items: await itemsOfRequest(), key: idempotencyKey() };
    this.requests.set(name, request);
    request.outcomes ??= await send(request.items, request.key);
    return request;
  }
}

/** Returns the rows of a table. `documents` are pairs of a row and its document with its errors. */
export function rowsOf(sheet, documents) {
  const seen = new Map();
  return documents.map(([row, result]) => new Row(sheet, row, result).after(seen));
}

export class Writer {
  /**
   * Rejected rows, also those of a dry run, are not sent. `languages` has the codes of languages by their
   * ids, by the names of the lists whose entries the table names by language. `isDeletion` deletes the
   * records of the rows.
   */
  constructor(sheet, rows, { isDryRun, languages, isDeletion = false }) {
    this.sheet = sheet;
    this.isDryRun = isDryRun;
    this.languages = languages;
    this.isDeletion = isDeletion;
    this.isStopped = false;
    this.rows = rows.map((row) => row.renew());
    const sent = rows.filter(({ kind }) => kind !== "failed");
    const most = isDeletion
      ? sheet.collection.maxDeleted
      : Math.min(...[sheet, ...sheet.parts].map(({ maxItems }) => maxItems));
    const sizeOf = ({ cells }) => cells.join().length * 2;
    const kinds = [true, false].map((isById) => sent.filter((row) => row.isById === isById));
    this.batches = kinds.flatMap((some) => chunksOf(some, most, sizeOf)).map((some) => new Batch(some));
    this.rejectedBefore = rows.length - sent.length;
  }

  /** Number of rows that are through, rejected ones included. */
  get done() {
    return (
      this.rejectedBefore + this.batches.filter(({ isDone }) => isDone).flatMap(({ rows }) => rows).length
    );
  }

  get isDone() {
    return this.done === this.rows.length;
  }

  /** Sends what is not sent yet, until it is stopped. Throws a Failure; then it may be called again. */
  async run(onProgress) {
    this.isStopped = false;
    for (const batch of this.batches.filter(({ isDone }) => !isDone)) {
      if (this.isStopped) return;
      const match = batch.rows[0].isById ? undefined : this.sheet.keys[0];
      await this.#writeRecords(batch, match);
      for (const part of this.sheet.parts) await this.#writeParts(batch, part);
      batch.isDone = true;
      onProgress();
    }
  }

  async #writeRecords(batch, match) {
    const { sheet, isDryRun, languages } = this;
    const { rows } = batch;
    if (this.isDeletion) {
      const ids = () => rows.map(({ item }) => item.id);
      const { outcomes } = await batch.once("records", ids, (some, key) =>
        remove(sheet.path, some, { isDryRun, key }),
      );
      rows.forEach((row, index) => Object.assign(row, { outcome: outcomes[index] }));
      return;
    }
    const items = () =>
      byLanguage(
        rows.map(({ item }) => item),
        languages,
      );
    const { items: sent, outcomes } = await batch.once("records", items, (some, key) =>
      this.#merge(rows, some, { match, isDryRun, key }),
    );
    rows.forEach((row, index) =>
      Object.assign(row, { sent: sent[index], outcome: outcomes[index], isWritten: !isDryRun }),
    );
  }

  /** Merges items, with the records that they need and that are missing in the same transaction. */
  async #merge(rows, items, options) {
    const { path, collection } = this.sheet;
    const entries = entriesOfNew(rows);
    if (!entries.length) return merge(path, items, options);
    const [made, outcomes] = await mergeWithNew(collection.name, entries, items, options);
    const reasons = made.flatMap(({ details }) => details.map((detail) => ({ ...detail, field: null })));
    const withReasons = (outcome) => ({ ...outcome, details: [...outcome.details, ...reasons] });
    return outcomes.map((outcome) => (outcome.outcome === "failed" ? withReasons(outcome) : outcome));
  }

  async #writeParts(batch, part) {
    const { isDryRun, languages } = this;
    const live = batch.rows.filter(({ outcome }) => !NOT_LIVE.includes(outcome.outcome));
    const entries = live.flatMap(({ outcome: { id }, contents }) =>
      contents.filter((each) => each.part === part).map((each) => ({ id, each })),
    );
    if (!entries.length) return;
    const stored = entries.filter(({ id }) => id !== null);
    const codes = languages.get(part.member);
    const lists = new Map(codes ? [[part.list, codes]] : []);
    const items = () =>
      byLanguage(
        stored.map(({ id, each }) => ({ [part.owner]: id, ...each.content })),
        lists,
      );
    const { items: sent, outcomes } = await batch.once(part.path, items, (some, key) =>
      merge(part.path, some, { isDryRun, key }),
    );
    stored.forEach(({ each }, index) => Object.assign(each, { sent: sent[index], outcome: outcomes[index] }));
    await this.#checkNewParts(
      part,
      entries.filter(({ id }) => id === null).map(({ each }) => each),
      lists.size > 0,
    );
  }

  /**
   * Checks by dry runs the parts of records that are not there yet: translations as those of other records,
   * others not at all.
   */
  async #checkNewParts(part, contents, isChecked) {
    const added = ({ content }) =>
      Object.entries(content).map(([field, after]) => ({ field, before: null, after }));
    for (const each of contents) each.outcome = { outcome: "created", details: [], changes: added(each) };
    const ids = contents.length && isChecked ? await someIds(this.sheet.path) : [];
    for (const chunk of ids.length ? chunksOf(contents, ids.length) : []) {
      const items = chunk.map(({ content }, index) => ({ [part.owner]: ids[index], ...content }));
      const outcomes = await merge(part.path, items, { isDryRun: true });
      chunk.forEach((each, index) => {
        if (outcomes[index].outcome === "failed") each.outcome = outcomes[index];
      });
    }
  }
}
