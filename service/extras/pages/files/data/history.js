// History of a record: its entries in the change feed, the newest first.

import { get } from "./api.js";
import { button, el, replace, stored } from "./dom.js";
import { scrolling, timeOf } from "./values.js";
import { t, wordFor } from "./words.js";

const LIMIT = 1000;
// Pages that are read at once: the feed of a record that is changed by the minute has many.
const PAGES = 5;

/** Returns the section with the changes of a record, and fills it. */
export function historySection(collection, id) {
  const body = el("div", { "aria-busy": "true" }, el("p", { class: "quiet" }, t("Loading …")));
  const entries = [];
  const more = async (parameters) => {
    const next = await readEntries(parameters, entries);
    const continuing = next && button(t("Read on"), () => more({ cursor: next }), { "data-focus": "history" });
    replace(body, table(entries), ...(continuing ? [continuing] : []));
    body.setAttribute("aria-busy", "false");
  };
  const first = { collection: collection.name, recordId: String(id), from: "oldest", limit: LIMIT };
  const loading = more(first).catch((error) => {
    if (!error.rows) throw error;
    replace(body, el("p", { class: "message" }, error.message));
  });
  return { element: el("section", {}, el("h2", {}, t("History")), body), loading };
}

/** Reads on, into `entries`; returns the cursor if there is more. */
async function readEntries(parameters, entries) {
  let query = parameters;
  for (let page = 0; page < PAGES; page += 1) {
    const { data, pagination } = await get("api/changes", query);
    entries.push(...data);
    if (!pagination.hasMore) return null;
    query = { cursor: pagination.cursor };
  }
  return query.cursor;
}

function table(entries) {
  if (!entries.length) return el("p", { class: "quiet" }, t("No change is on record: changes are kept for some days only."));
  const names = [t("When"), t("What"), t("API key"), t("Request")];
  const row = ({ at, operation, apiKeyId, requestId }) => [
    timeOf(at), wordFor(operation), apiKeyId === null ? t("operator") : String(apiKeyId), requestId === null ? "–" : stored(requestId),
  ];
  const rows = entries.toReversed().map((entry) => el("tr", {}, row(entry).map((cell) => el("td", {}, cell))));
  const head = el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name))));
  return scrolling(t("History"), el("table", {}, head, el("tbody", {}, rows)));
}
