// A caller without casts: filters, bulk writes, the feed and webhooks have the types of the OpenAPI document.

import { client, given } from "./connection.js";
import type { components } from "./schema.js";

type Change = components["schemas"]["Change"];

/** As many filters and sort keys as there are words. */
async function search(...words: string[]): Promise<string[]> {
  const conditions: components["schemas"]["Conditions"] = { "sort[0].property": "name" };
  words.forEach((word, index) => {
    conditions[`filter[${index}].property`] = "name";
    conditions[`filter[${index}].operator`] = "contains";
    conditions[`filter[${index}].value`] = word;
  });
  const { data, error } = await client.GET("/api/colors", { params: { query: { conditions, pageSize: 5 } } });
  return given(data, error).data.map((color) => color.name);
}

/** The form of a document follows from the name of its collection. */
function describe(change: Change): string {
  if (change.collection === "colors") return `color ${change.document?.name}`;
  if (change.collection === "sub-suppliers") return `supplier ${change.document?.customId}`;
  return `${change.collection} ${change.recordId}`;
}

/** Webhooks send the same entries. */
export function receive(message: components["schemas"]["WebhookChangesMessage"]): string[] {
  return message.entries.map(describe);
}

async function changes(cursor?: string) {
  const position: { from?: "now"; cursor?: string } = cursor === undefined ? { from: "now" } : { cursor };
  const query = { ...position, documents: true };
  const { data, error } = await client.GET("/api/changes", { params: { query } });
  return given(data, error);
}

const { pagination } = await changes();
const { error } = await client.PUT("/api/colors", { body: [{ id: 1, name: "Moss", state: "active" }] });
if (error !== undefined) throw new Error(JSON.stringify(error));
const entries = (await changes(pagination.cursor)).data.map(describe);
console.log(JSON.stringify({ found: await search("m", "oss", "s"), entries }));

// What the types have to refuse.
export const wrong = (change: Change) => [
  // @ts-expect-error The collection is not known yet.
  change.document?.colorNote,
  // @ts-expect-error Groups have no such field.
  change.collection === "groups" && change.document?.colorNote,
];
