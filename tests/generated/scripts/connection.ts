// The client of both callers: openapi-fetch with the types of the OpenAPI document.

import createClient from "openapi-fetch";

import type { paths } from "./schema.js";

// Lists exist as CSV, too, and errors as problem details: without `Accept`, both are JSON.
export const client = createClient<paths, "application/json">({
  baseUrl: process.env.SELVEDGE_URL,
  headers: { Authorization: `Bearer ${process.env.SELVEDGE_API_KEY}` },
  // Filters and sort keys are members of an object, sent as parameters of their own.
  querySerializer: { object: { style: "form", explode: true } },
});

export function given<T>(value: T | undefined, error: unknown): T {
  if (value === undefined) throw new Error(JSON.stringify(error));
  return value;
}
