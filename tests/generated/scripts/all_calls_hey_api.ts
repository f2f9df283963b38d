// A caller of every kind of call without casts: a member tells unions apart. hey-api (@hey-api/openapi-ts).

import { client } from "./hey/client.gen.js";
import type { Conditions, ItemOutcome } from "./hey/types.gen.js";
import { bulkDeleteColors, bulkPatchColors, bulkReplaceColorTranslationSets, bulkReplaceColors, createColors } from "./hey/sdk.gen.js";
import { followChanges, listColorTranslationSets, listColors, readColor, replaceColor } from "./hey/sdk.gen.js";

client.setConfig({
  baseUrl: process.env.SELVEDGE_URL,
  auth: process.env.SELVEDGE_API_KEY,
  throwOnError: true,
  // Filters and sort keys are members of an object, sent as parameters of their own.
  querySerializer: { object: { style: "form", explode: true } },
});
const throwOnError = true;
/** Outcomes of a write have the member `outcome`, which no document has. */
const isOutcome = (row: object): row is ItemOutcome => "outcome" in row;
const outcomesOf = (rows: object[]) => rows.filter(isOutcome);
const documents = <T extends object>(rows: (T | ItemOutcome)[]) => rows.filter((row): row is T => !isOutcome(row));
const conditions: Conditions = {
  "filter[0].property": "name",
  "filter[0].operator": "contains",
  "filter[0].value": "e",
  "sort[0].property": "name",
  "sort[0].order": "desc",
};
const start = await followChanges({ query: { from: "now", documents: true }, throwOnError });
const { cursor } = start.data.pagination;
const page = await listColors({ query: { conditions, pageSize: 5, state: ["active"] }, throwOnError });

const single = await createColors({ body: { name: "Sage", userDefinedId: "ALL-1" }, throwOnError });
const many = await createColors({ body: [{ name: "Ash", userDefinedId: "ALL-2" }, { name: "Bone" }], throwOnError });
const [sage] = documents([single.data.data].flat());
const [ash, bone] = documents([many.data.data].flat());

const path = { id: sage.id };
const form = await readColor({ path, query: { form: "writable" }, throwOnError });
if ("id" in form.data.data) throw new Error("Documents have an id.");
const { state, ...fields } = form.data.data;
if (state === "deleted") throw new Error("A replace would restore the color.");
const back = await replaceColor({ path, body: { ...fields, state, colorNote: "Calm" }, throwOnError });
const read = await readColor({ path, throwOnError });
const bulk = await bulkReplaceColors({ body: [{ id: bone.id, name: "Bone white", state: "active" }], throwOnError });

const preview = await bulkReplaceColors({
  query: { match: "userDefinedId", dryRun: true, preview: true },
  body: [{ userDefinedId: "ALL-2", name: "Ash gray", state: "active" }, { userDefinedId: "ALL-3", name: "Coal", state: "active" }],
  throwOnError,
});
const merged = await bulkPatchColors({ query: { onError: "skip" }, body: [{ id: ash.id, colorNote: "Warm" }], throwOnError });
const removed = await bulkDeleteColors({ query: { match: "userDefinedId", keys: ["ALL-1", "ALL-2", "ALL-4"], onError: "skip" }, throwOnError });
const sets = await listColorTranslationSets({ query: { pageSize: 1 }, throwOnError });
const [set] = sets.data.data;
const parts = await bulkReplaceColorTranslationSets({ body: [set], throwOnError });
const kept = await bulkReplaceColorTranslationSets({ query: { onError: "skip" }, body: [set], throwOnError });
const feed = await followChanges({ query: { cursor, documents: true }, throwOnError });

const listed = page.data.data.map((color) => color.name);
const notes = [back, read].map(({ data }) => data.data.colorNote);
const previewed = outcomesOf(preview.data.data).map((row) => [row.outcome, row.changes?.length]);
const outcomes = [merged, removed, kept].flatMap(({ data }) => outcomesOf(data.data)).map((row) => row.outcome);
const followed = feed.data.data.map((entry) => (entry.collection === "colors" ? entry.document?.name : null));
const names = documents(bulk.data.data).map((color) => color.name);
console.log(JSON.stringify({ listed, notes, bulk: names, previewed, outcomes, parts: documents(parts.data.data).map((part) => part.translations.length > 0), followed }));
