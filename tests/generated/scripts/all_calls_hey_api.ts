// A caller of every kind of call without casts: each returns one type. hey-api (@hey-api/openapi-ts).

import { client } from "./hey/client.gen.js";
import type { Conditions } from "./hey/types.gen.js";
import { bulkDeleteColorsOutcomes, bulkPatchColorsOutcomes, bulkReplaceColorTranslationSets, bulkReplaceColorTranslationSetsOutcomes, bulkReplaceColors, bulkReplaceColorsOutcomes, createColors } from "./hey/sdk.gen.js";
import { createManyColors, followChanges, listColorTranslationSets, listColors, readColor, readWritableColor, replaceColor } from "./hey/sdk.gen.js";

client.setConfig({
  baseUrl: process.env.SELVEDGE_URL,
  auth: process.env.SELVEDGE_API_KEY,
  throwOnError: true,
  // Filters and sort keys are members of an object, sent as parameters of their own.
  querySerializer: { object: { style: "form", explode: true } },
});
const throwOnError = true;
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

const created = await createColors({ body: { name: "Sage", userDefinedId: "ALL-1" }, throwOnError });
const many = await createManyColors({ body: [{ name: "Ash", userDefinedId: "ALL-2" }, { name: "Bone" }], throwOnError });
const [ash, bone] = many.data.data;

const path = { id: created.data.data.id };
const form = await readWritableColor({ path, throwOnError });
const { state, ...fields } = form.data.data;
if (state === "deleted") throw new Error("A replace would restore the color.");
const back = await replaceColor({ path, body: { ...fields, state, colorNote: "Calm" }, throwOnError });
const read = await readColor({ path, throwOnError });
const bulk = await bulkReplaceColors({ body: [{ id: bone.id, name: "Bone white", state: "active" }], throwOnError });

const rehearsal = await bulkReplaceColorsOutcomes({
  query: { match: "userDefinedId", dryRun: true, preview: true },
  body: [{ userDefinedId: "ALL-2", name: "Ash gray", state: "active" }, { userDefinedId: "ALL-3", name: "Coal", state: "active" }],
  throwOnError,
});
const merged = await bulkPatchColorsOutcomes({ body: [{ id: ash.id, colorNote: "Warm" }], throwOnError });
const removed = await bulkDeleteColorsOutcomes({ query: { match: "userDefinedId", keys: ["ALL-1", "ALL-2", "ALL-4"], onError: "skip" }, throwOnError });
const sets = await listColorTranslationSets({ query: { pageSize: 1 }, throwOnError });
const [set] = sets.data.data;
const parts = await bulkReplaceColorTranslationSets({ body: [set], throwOnError });
const kept = await bulkReplaceColorTranslationSetsOutcomes({ body: [set], throwOnError });
const feed = await followChanges({ query: { cursor, documents: true }, throwOnError });

const listed = page.data.data.map((color) => color.name);
const notes = [back, read].map(({ data }) => data.data.colorNote);
const rehearsed = rehearsal.data.data.map((row) => [row.outcome, row.changes?.length]);
const outcomes = [merged, removed, kept].flatMap(({ data }) => data.data.map((row) => row.outcome));
const followed = feed.data.data.map((entry) => (entry.collection === "colors" ? entry.document?.name : null));
const names = bulk.data.data.map((color) => color.name);
console.log(JSON.stringify({ listed, notes, bulk: names, rehearsed, outcomes, parts: parts.data.data.map((part) => part.translations.length > 0), followed }));
