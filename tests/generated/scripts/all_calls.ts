// A caller of every kind of call without casts: a member tells unions apart. openapi-typescript and openapi-fetch.

import { client, created, documents, given, isOutcome } from "./connection.js";
import type { components } from "./schema.js";

const conditions: components["schemas"]["Conditions"] = {
  "filter[0].property": "name",
  "filter[0].operator": "contains",
  "filter[0].value": "e",
  "sort[0].property": "name",
  "sort[0].order": "desc",
};
const start = await client.GET("/api/changes", { params: { query: { from: "now", documents: true } } });
const { cursor } = given(start.data, start.error).pagination;
const page = await client.GET("/api/colors", { params: { query: { conditions, pageSize: 5, state: ["active"] } } });
const listed = given(page.data, page.error).data.map((color) => color.name);

const single = await client.POST("/api/colors", { body: { name: "Sage", userDefinedId: "ALL-1" } });
const sage = created(given(single.data, single.error).data);
const many = await client.POST("/api/colors", { body: [{ name: "Ash", userDefinedId: "ALL-2" }, { name: "Bone" }] });
const [ash, bone] = documents([given(many.data, many.error).data].flat());

const path = { id: sage.id };
const form = await client.GET("/api/colors/{id}", { params: { path, query: { form: "writable" } } });
const writable = given(form.data, form.error).data;
if ("id" in writable) throw new Error("Documents have an id.");
const { state, ...fields } = writable;
if (state === "deleted") throw new Error("A replace would restore the color.");
const back = await client.PUT("/api/colors/{id}", { params: { path }, body: { ...fields, state, colorNote: "Calm" } });
const read = await client.GET("/api/colors/{id}", { params: { path } });
const bulk = await client.PUT("/api/colors", { body: [{ id: bone.id, name: "Bone white", state: "active" }] });

const preview = await client.PUT("/api/colors", {
  params: { query: { match: "userDefinedId", dryRun: true, preview: true } },
  body: [{ userDefinedId: "ALL-2", name: "Ash gray", state: "active" }, { userDefinedId: "ALL-3", name: "Coal", state: "active" }],
});
const merged = await client.PATCH("/api/colors", {
  params: { query: { onError: "skip" } },
  headers: { "Content-Type": "application/merge-patch+json" },
  body: [{ id: ash.id, colorNote: "Warm" }],
});
const removed = await client.DELETE("/api/colors", {
  params: { query: { match: "userDefinedId", keys: ["ALL-1", "ALL-2", "ALL-4"], onError: "skip" } },
});
const sets = await client.GET("/api/color-translations", { params: { query: { pageSize: 1 } } });
const [set] = given(sets.data, sets.error).data;
const parts = await client.PUT("/api/color-translations", { body: [set] });
const kept = await client.PUT("/api/color-translations", { params: { query: { onError: "skip" } }, body: [set] });
const feed = await client.GET("/api/changes", { params: { query: { cursor, documents: true } } });
const followed = given(feed.data, feed.error).data.map((entry) => (entry.collection === "colors" ? entry.document?.name : null));
const outcomes = (rows: object[]) => rows.filter(isOutcome);

console.log(
  JSON.stringify({
    listed,
    notes: [given(back.data, back.error).data, given(read.data, read.error).data].map((color) => color.colorNote),
    bulk: documents(given(bulk.data, bulk.error).data).map((color) => color.name),
    previewed: outcomes(given(preview.data, preview.error).data).map((row) => [row.outcome, row.changes?.length]),
    outcomes: [merged, removed, kept].flatMap(({ data, error }) => outcomes(given(data, error).data)).map((row) => row.outcome),
    parts: documents(given(parts.data, parts.error).data).map((part) => part.translations.length > 0),
    followed,
  }),
);
