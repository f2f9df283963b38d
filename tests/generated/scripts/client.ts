// A caller whose types come from the OpenAPI document alone: openapi-typescript, openapi-fetch.

import { client, created as one, documents, given } from "./connection.js";
import type { components } from "./schema.js";

type Color = components["schemas"]["Color"];

async function list(): Promise<Color[]> {
  const { data, error } = await client.GET("/api/colors", {
    params: {
      query: {
        conditions: {
          "filter[0].property": "name",
          "filter[0].operator": "contains",
          "filter[0].value": "e",
          "filter[1].property": "state",
          "filter[1].operator": "eq",
          "filter[1].value": "active",
          "filter[2].property": "id",
          "filter[2].operator": "ge",
          "filter[2].value": "1",
          "sort[0].property": "state",
          "sort[0].order": "asc",
          "sort[1].property": "name",
          "sort[1].order": "desc",
        },
        pageSize: 5,
      },
    },
  });
  return given(data, error).data;
}

async function create(): Promise<Color> {
  const { data, error } = await client.POST("/api/colors", {
    body: { name: "Sage", colorGroupIds: null },
  });
  return one(given(data, error).data);
}

async function replace(id: number): Promise<Color[]> {
  const { data, error } = await client.PUT("/api/colors", {
    body: [{ id, name: "Dusty sage", state: "inactive" }],
    params: { header: { "Idempotency-Key": `typescript-${id}` } },
  });
  return documents(given(data, error).data);
}

async function patch(id: number): Promise<Color> {
  const { data, error } = await client.PATCH("/api/colors/{id}", {
    params: { path: { id } },
    headers: { "Content-Type": "application/json-patch+json" },
    body: [{ op: "replace", path: "/name", value: "Deep sage" }],
  });
  return given(data, error).data;
}

async function merge(id: number): Promise<Color> {
  const { data, error } = await client.PATCH("/api/colors/{id}", {
    params: { path: { id } },
    headers: { "Content-Type": "application/merge-patch+json" },
    body: { name: "Pale sage" },
  });
  return given(data, error).data;
}

async function fail(): Promise<string[]> {
  const { error } = await client.PUT("/api/colors", {
    body: [{ id: 1, name: "", state: "active" }],
  });
  if (error === undefined) throw new Error("it was taken");
  if ("failed_items" in error.error && error.error.failed_items !== 1) throw new Error("items");
  return error.error.details.map((row): components["schemas"]["ErrorType"] => row.type);
}

// What the types have to refuse.
export const wrong = () => [
  // @ts-expect-error A name is required.
  client.POST("/api/colors", { body: { colorNote: "nameless" } }),
  // @ts-expect-error A name is a text.
  client.POST("/api/colors", { body: { name: 7 } }),
  // @ts-expect-error An item has no such field.
  client.PUT("/api/colors", { body: [{ id: 1, colour: "Sage" }] }),
  // @ts-expect-error There is no such operator.
  client.GET("/api/colors", { params: { query: { conditions: { "filter[0].operator": "like" } } } }),
  // @ts-expect-error A dry run is a boolean.
  client.PUT("/api/colors", { body: [], params: { query: { dryRun: "yes" } } }),
];

const created = await create();
const [replaced] = await replace(created.id);
console.log(
  JSON.stringify({
    listed: (await list()).map((color) => color.name),
    created: created.name,
    replaced: replaced.name,
    patched: (await patch(created.id)).name,
    merged: (await merge(created.id)).name,
    failed: await fail(),
  }),
);
