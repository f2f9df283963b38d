// Writer of a table's rows: a rehearsal, and then the write, in requests of as many rows as one takes.

import { idempotencyKey, toJson } from "./api.js";
import { chunksOf, keepingLanguages, merge, someIds } from "./bulk.js";
import { itemsOf, listsOfLanguages, titleOfField } from "./sheet.js";

const CHANGED = "Somebody else changed this record meanwhile. Look at what would change again.";
const NOT_LIVE = ["failed", "deleted", "absent"];

/** Row of a table: the items that it becomes, and what came of them. */
class Row {
  constructor(sheet, { number, cells }, { document, errors }) {
    const { isNamed, ...items } = itemsOf(sheet, document);
    Object.assign(this, { number, cells, ...items, errors: [...errors] });
    if (isNamed) this.name = toJson(this.isById ? [this.item.id] : sheet.keys.map((key) => this.item[key]));
    else this.#refuse(`It has no ${sheet.keys.map((key) => titleOfField(sheet, key).toLowerCase()).join(" or no ")}, by which its record is found.`);
  }

  #refuse(value) {
    this.errors.push({ field: null, value });
  }

  /** Refuses the row if an earlier one has the same record; returns it. */
  after(rows) {
    const first = this.name && rows.get(this.name);
    if (first) this.#refuse(`Row ${first.number} has the same record: remove one of the two.`);
    else if (this.name) rows.set(this.name, this);
    return this;
  }

  /** Forgets the rehearsal, unless it has rejected the row. */
  renew() {
    if (this.kind !== "failed") for (const name of ["outcome", "partOutcome", "sent", "sentPart"]) delete this[name];
    return this;
  }

  get outcomes() {
    return [this.outcome, this.partOutcome].filter(Boolean);
  }

  /** Kind of the row: `failed`, `created`, `updated`, `unchanged` and so on; null if it is not sent yet. */
  get kind() {
    if (this.errors.length || this.outcomes.some(({ outcome }) => outcome === "failed")) return "failed";
    const [own, ofPart] = this.outcomes.map(({ outcome }) => outcome);
    return own === "unchanged" && ofPart ? ofPart : (own ?? null);
  }

  get changes() {
    return this.outcomes.flatMap(({ changes }) => changes ?? []);
  }

  /** Returns why the row is rejected: fields, the items that they are in, and sentences. */
  get reasons() {
    const reason = ({ field, value, type }, item) =>
      type === "precondition_failed" ? { field: null, value: CHANGED } : { field: field?.replace(/^\[\d+\]\.?/, ""), value, item };
    const of = (outcome, item) => outcome?.details.map((detail) => reason(detail, item)) ?? [];
    const own = this.isWritten && this.partOutcome?.outcome === "failed" ? [{ field: null, value: "The record itself is written." }] : [];
    return [...this.errors, ...of(this.outcome, this.sent), ...own, ...of(this.partOutcome, this.sentPart ?? this.content)];
  }
}

/** Rows of one request, and what is sent of them already: a repetition is the same request with the same key. */
class Batch {
  constructor(rows) {
    Object.assign(this, { rows, requests: new Map(), isDone: false });
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
   * Rejected rows, also those of a rehearsal, are not sent. `byLanguage` has the names of the lists whose entries the table
   * names by language.
   */
  constructor(sheet, rows, { isDryRun, byLanguage }) {
    Object.assign(this, { sheet, isDryRun, byLanguage, isStopped: false });
    this.rows = rows.map((row) => row.renew());
    const sent = rows.filter(({ kind }) => kind !== "failed");
    const { part, maxItems } = sheet;
    const most = part ? Math.min(maxItems, part.maxItems) : maxItems;
    const sizeOf = ({ cells }) => cells.join().length * 2;
    const kinds = [true, false].map((isById) => sent.filter((row) => row.isById === isById));
    this.batches = kinds.flatMap((some) => chunksOf(some, most, sizeOf)).map((some) => new Batch(some));
    this.rejectedBefore = rows.length - sent.length;
  }

  /** Number of rows that are through, rejected ones included. */
  get done() {
    return this.rejectedBefore + this.batches.filter(({ isDone }) => isDone).flatMap(({ rows }) => rows).length;
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
      if (this.sheet.part) await this.#writeParts(batch);
      batch.isDone = true;
      onProgress();
    }
  }

  async #writeRecords(batch, match) {
    const { sheet, isDryRun, byLanguage } = this;
    const { rows } = batch;
    const lists = listsOfLanguages(sheet.model, sheet.members, byLanguage);
    const items = () => keepingLanguages(sheet.path, rows.map(({ item }) => item), lists, match);
    const { items: sent, outcomes } = await batch.once("records", items, (some, key) => merge(sheet.path, some, { match, isDryRun, key }));
    rows.forEach((row, index) => Object.assign(row, { sent: sent[index], outcome: outcomes[index], isWritten: !isDryRun }));
  }

  async #writeParts(batch) {
    const { sheet, isDryRun, byLanguage } = this;
    const { part } = sheet;
    const rows = batch.rows.filter(({ content, outcome }) => content && !NOT_LIVE.includes(outcome.outcome));
    const stored = rows.filter(({ outcome }) => outcome.id !== null);
    const lists = part.list && byLanguage.has(part.member) ? listsOfLanguages(sheet.model, { [part.list]: part.schema }) : new Map();
    const items = () => keepingLanguages(part.path, stored.map(({ outcome, content }) => ({ [part.owner]: outcome.id, ...content })), lists);
    const { items: sent, outcomes } = await batch.once("parts", items, (some, key) => merge(part.path, some, { isDryRun, key }));
    stored.forEach((row, index) => Object.assign(row, { sentPart: sent[index], partOutcome: outcomes[index] }));
    await this.#rehearseNewParts(rows.filter(({ outcome }) => outcome.id === null), lists.size > 0);
  }

  /** Rehearses parts of records that are not there yet: translations as those of other records, others not at all. */
  async #rehearseNewParts(rows, isChecked) {
    const { part, path } = this.sheet;
    const added = ({ content }) => Object.entries(content).map(([field, after]) => ({ field, before: null, after }));
    for (const row of rows) row.partOutcome = { outcome: "created", details: [], changes: added(row) };
    const ids = rows.length && isChecked ? await someIds(path) : [];
    for (const chunk of ids.length ? chunksOf(rows, ids.length) : []) {
      const items = chunk.map(({ content }, index) => ({ [part.owner]: ids[index], ...content }));
      const outcomes = await merge(part.path, items, { isDryRun: true });
      chunk.forEach((row, index) => {
        if (outcomes[index].outcome === "failed") row.partOutcome = outcomes[index];
      });
    }
  }
}
