// History of a record: the changes of it and of its parts in the change feed, the newest first, with the
// names of keys.

import { get, readAll } from "./api.js";
import { badge, button, el, replace } from "./dom.js";
import { t, wordFor } from "./words.js";
import { sheetOf } from "./sheet.js";
import { scrolling, timeOf } from "./values.js";

const LIMIT = 1000;
// Pages that are read at once: the feed of a record that is changed by the minute has many.
const PAGES = 5;
/** What a key may not read, or a part without records of the owner's id, is left out. */
const LEFT_OUT = [400, 403, 404];

/** Returns the section with the changes of a record, and fills it. */
export function historySection(model, collection, id) {
  const body = el("div", { "aria-busy": "true" }, el("p", { class: "quiet" }, t("Loading …")));
  const feeds = feedsOf(model, collection).map((feed) => ({
    ...feed,
    entries: [],
    query: { collection: feed.name, recordId: String(id), from: "oldest", limit: LIMIT },
  }));
  const naming = keyNames(model);
  const more = async () => {
    const [keys] = await Promise.all([naming, ...feeds.filter(({ query }) => query).map(readOn)]);
    const continuing =
      feeds.some(({ query }) => query) && button(t("Read on"), more, { "data-focus": "history" });
    replace(body, table(feeds, keys), ...(continuing ? [continuing] : []));
    body.setAttribute("aria-busy", "false");
  };
  const loading = more().catch((error) => {
    if (!error.rows) throw error;
    replace(body, el("p", { class: "message" }, error.message));
  });
  return { element: el("section", {}, el("h2", {}, t("History")), body), loading };
}

/**
 * Returns the names of the feed's collections that tell of a record: its own, and those of its parts with
 * their titles.
 */
function feedsOf(model, collection) {
  const parts =
    sheetOf(model, collection)?.parts.map(({ path, title }) => ({
      name: path.replace(/^api\//, ""),
      title,
    })) ?? [];
  return [{ name: collection.name, title: null }, ...parts.filter(({ name }) => model.feed.includes(name))];
}

async function readOn(feed) {
  try {
    for (let page = 0; page < PAGES && feed.query; page += 1) {
      const { data, pagination } = await get("api/changes", feed.query);
      feed.entries.push(...data);
      feed.query = pagination.hasMore ? { cursor: pagination.cursor } : null;
    }
  } catch (error) {
    if (!feed.title || !LEFT_OUT.includes(error.status)) throw error;
    feed.query = null;
  }
}

/** Returns the names of API keys by id, as far as this key may read them. */
async function keyNames(model) {
  try {
    const keys = model.collections.get("keys")?.isReadable
      ? await readAll("api/keys")
      : [(await get("api/me")).data.key];
    return new Map(keys.map(({ id, name }) => [String(id), name]));
  } catch (error) {
    if (!LEFT_OUT.includes(error.status)) throw error;
    return new Map();
  }
}

/** Returns the changes of each transaction together, the newest first. */
function transactionsOf(feeds) {
  const transactions = new Map();
  for (const { title, entries } of feeds) {
    for (const entry of entries) {
      const changes = transactions.get(String(entry.n))?.changes ?? [];
      transactions.set(String(entry.n), {
        ...entry,
        changes: [...changes, { title, operation: entry.operation }],
      });
    }
  }
  return [...transactions.values()].sort((a, b) => (a.n < b.n ? 1 : -1));
}

function table(feeds, keys) {
  const transactions = transactionsOf(feeds);
  if (!transactions.length)
    return el("p", { class: "quiet" }, t("No change is on record: changes are kept for some days only."));
  const names = [t("When"), t("What"), t("API key")];
  const change = ({ title, operation }) =>
    el("li", {}, title && `${title}: `, badge(wordFor(operation), operation));
  const keyName = (id) => (id === null ? t("operator") : (keys.get(String(id)) ?? t("Key {0}", id)));
  const row = ({ at, changes, apiKeyId, requestId }) =>
    el(
      "tr",
      {},
      el("td", {}, timeOf(at)),
      el("td", {}, el("ul", { class: "inline" }, changes.map(change))),
      el("td", { title: requestId && t("Request {0}", requestId) }, el("bdi", {}, keyName(apiKeyId))),
    );
  const head = el(
    "thead",
    {},
    el(
      "tr",
      {},
      names.map((name) => el("th", { scope: "col" }, name)),
    ),
  );
  return scrolling(
    t("History"),
    el("table", { class: "history" }, head, el("tbody", {}, transactions.map(row))),
  );
}
