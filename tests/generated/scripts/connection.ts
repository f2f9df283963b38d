// The client of both callers: openapi-fetch with the types of the OpenAPI document.

import createClient from "openapi-fetch";

import type { components, paths } from "./schema.js";

export type Outcome = components["schemas"]["ItemOutcome"];

export const client = createClient<paths>({
  baseUrl: process.env.SELVEDGE_URL,
  headers: { Authorization: `Bearer ${process.env.SELVEDGE_API_KEY}` },
  // Filters and sort keys are members of an object, sent as parameters of their own.
  querySerializer: { object: { style: "form", explode: true } },
});

export function given<T>(value: T | undefined, error: unknown): T {
  if (value === undefined) throw new Error(JSON.stringify(error));
  return value;
}

/** Outcomes of a write have the member `outcome`, which no document has. */
export function isOutcome(row: object): row is Outcome {
  return "outcome" in row;
}

/** Returns the documents of a write that does not ask for outcomes. */
export function documents<T extends object>(rows: (T | Outcome)[]): T[] {
  return rows.filter((row): row is T => !isOutcome(row));
}

/** Returns the document of a create of one record. */
export function created<T extends object>(data: T | Outcome | (T | Outcome)[]): T {
  if (Array.isArray(data) || isOutcome(data)) throw new Error(JSON.stringify(data));
  return data;
}
