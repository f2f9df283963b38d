// A caller of every kind of call without casts: each returns one type. openapi-typescript and openapi-fetch.

import { client, given } from "./connection.js";
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

const created = await client.POST("/api/colors", { body: { name: "Sage", userDefinedId: "ALL-1" } });
const sage = given(created.data, created.error).data;
const many = await client.POST("/api/colors/many", { body: [{ name: "Ash", userDefinedId: "ALL-2" }, { name: "Bone" }] });
const [ash, bone] = given(many.data, many.error).data;

const path = { id: sage.id };
const form = await client.GET("/api/colors/{id}/writable", { params: { path } });
const { state, ...fields } = given(form.data, form.error).data;
if (state === "deleted") throw new Error("A replace would restore the color.");
const back = await client.PUT("/api/colors/{id}", { params: { path }, body: { ...fields, state, colorNote: "Calm" } });
const read = await client.GET("/api/colors/{id}", { params: { path } });
const bulk = await client.PUT("/api/colors", { body: [{ id: bone.id, name: "Bone white", state: "active" }] });

const rehearsal = await client.PUT("/api/colors/outcomes", {
  params: { query: { match: "userDefinedId", dryRun: true, preview: true } },
  body: [{ userDefinedId: "ALL-2", name: "Ash gray", state: "active" }, { userDefinedId: "ALL-3", name: "Coal", state: "active" }],
});
const merged = await client.PATCH("/api/colors/outcomes", {
  headers: { "Content-Type": "application/merge-patch+json" },
  body: [{ id: ash.id, colorNote: "Warm" }],
});
const removed = await client.DELETE("/api/colors/outcomes", {
  params: { query: { match: "userDefinedId", keys: ["ALL-1", "ALL-2", "ALL-4"], onError: "skip" } },
});
const sets = await client.GET("/api/color-translations", { params: { query: { pageSize: 1 } } });
const [set] = given(sets.data, sets.error).data;
const parts = await client.PUT("/api/color-translations", { body: [set] });
const kept = await client.PUT("/api/color-translations/outcomes", { body: [set] });
const feed = await client.GET("/api/changes", { params: { query: { cursor, documents: true } } });
const followed = given(feed.data, feed.error).data.map((entry) => (entry.collection === "colors" ? entry.document?.name : null));

console.log(
  JSON.stringify({
    listed,
    notes: [given(back.data, back.error).data, given(read.data, read.error).data].map((color) => color.colorNote),
    bulk: given(bulk.data, bulk.error).data.map((color) => color.name),
    rehearsed: given(rehearsal.data, rehearsal.error).data.map((row) => [row.outcome, row.changes?.length]),
    outcomes: [merged, removed, kept].flatMap(({ data, error }) => given(data, error).data.map((row) => row.outcome)),
    parts: given(parts.data, parts.error).data.map((part) => part.translations.length > 0),
    followed,
  }),
);
