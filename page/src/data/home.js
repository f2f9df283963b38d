// Start page: a search over all collections, their numbers, and what changed last.

import { get, searchable } from "./api.js";
import { countOf } from "./counts.js";
import { announce, badge, el, link, stored } from "./dom.js";
import { groupsOf } from "./groups.js";
import { hashOf } from "./location.js";
import { keyOf, titleOf } from "./model.js";
import { nameOf, readNames } from "./names.js";
import { thumbnails } from "./thumbnails.js";
import { recordHash, timeOf } from "./values.js";
import { counted, lower, t, wordFor } from "./words.js";

const TYPING_MS = 300;
const HITS = 5;
const CHANGES = 12;
const NEWEST = 6;
const LATEST = 100;
const PAGE = 1000;
const PAGES = 3;

/** Returns the nodes of the start page, and the promise that its numbers are there. */
export function homeView(model, { organization }, canWrite) {
  const styles = model.collections.get("styles");
  const hits = el("div", { class: "hits", "aria-live": "off" });
  const groups = el("div", { class: "groups" });
  const changes = el("div", { "aria-busy": "true" }, el("p", { class: "quiet" }, t("Loading …")));
  const numbers = [];
  for (const { title, collections } of groupsOf(model)) {
    const item = (collection) => {
      const number = el("span", { class: "total" });
      numbers.push([collection, number]);
      return el("li", {}, link(hashOf({ name: collection.name }), collection.title), number);
    };
    groups.append(el("section", { class: "card" }, el("h2", {}, title), el("ul", {}, collections.map(item))));
  }
  const newest =
    styles?.isReadable && el("section", { class: "newest", hidden: true }, el("h2", {}, t("Newest styles")));
  const start = el("div", {}, newest, groups);
  const nodes = [
    el("h1", { tabindex: "-1" }, stored(organization.name)),
    styles?.create &&
      canWrite(styles) &&
      el("p", { class: "actions" }, link(hashOf({ name: styles.name, id: "new" }), styles.newTitle)),
    searchForm(model, hits, start),
    hits,
    start,
    el("section", {}, el("h2", {}, t("What changed last")), changes),
  ];
  return {
    nodes,
    title: t("Data"),
    loading: Promise.all([
      showNumbers(numbers),
      showChanges(model, changes),
      newest && showNewest(model, styles, newest),
    ]),
  };
}

function searchForm(model, place, start) {
  const field = el("input", {
    type: "search",
    id: "search-all",
    dir: "auto",
    placeholder: t("Names, numbers and keys"),
  });
  let [timer, searches] = [0, 0];
  const search = async () => {
    const own = ++searches;
    const text = searchable(field.value);
    const lists = text ? await findAll(model, text) : [];
    if (own !== searches) return;
    start.hidden = Boolean(text);
    place.replaceChildren(...hitsOf(lists, text));
    if (text)
      announce(
        counted(
          lists.reduce((sum, { data }) => sum + data.length, 0),
          "{0} record",
          "{0} records",
        ),
      );
  };
  const soon = (event) => {
    event.preventDefault();
    clearTimeout(timer);
    timer = setTimeout(search, event.type === "submit" ? 0 : TYPING_MS);
  };
  field.addEventListener("input", soon);
  return el(
    "form",
    { role: "search", class: "search-all", submit: soon },
    el("label", { for: "search-all" }, t("Search everything")),
    field,
  );
}

/** Returns the first matches of each collection that can be searched. */
async function findAll(model, q) {
  const lists = await Promise.all(
    groupsOf(model)
      .flatMap(({ collections }) => collections)
      .filter(({ hasSearch }) => hasSearch)
      .map(async (collection) => {
        try {
          const { data, pagination } = await get(collection.path, { q, pageSize: String(HITS) });
          return { collection, data, hasMore: pagination.hasMore };
        } catch (error) {
          if (!error.rows || error.status === 401) throw error;
          return { collection, data: [], hasMore: false };
        }
      }),
  );
  return lists.filter(({ data }) => data.length);
}

function hitsOf(lists, q) {
  if (!q) return [];
  if (!lists.length) return [el("p", {}, t("Nothing matches."))];
  const hit = (collection) => (record) => {
    const key = keyOf(record);
    const isShown = key && String(key) !== titleOf(record);
    return el(
      "li",
      {},
      link(recordHash(collection, record.id), stored(titleOf(record))),
      isShown && el("span", { class: "quiet" }, " ", stored(key)),
      record.state && record.state !== "active" && badge(wordFor(record.state), record.state),
    );
  };
  return lists.map(({ collection, data, hasMore }) =>
    el(
      "section",
      {},
      el("h2", {}, collection.title),
      el("ul", {}, data.map(hit(collection))),
      hasMore &&
        el(
          "p",
          {},
          link(hashOf({ name: collection.name, q }), t("All {0} that match", lower(collection.title))),
        ),
    ),
  );
}

async function showNumbers(numbers) {
  await Promise.all(
    numbers.map(async ([collection, place]) => {
      const { text } = await countOf(collection);
      place.textContent = text;
    }),
  );
}

/** Shows the styles that were created last, of each category the newest, with their pictures. */
async function showNewest(model, styles, place) {
  const { data } = await get(styles.path, [
    ["sort[0].property", "id"],
    ["sort[0].order", "desc"],
    ["pageSize", String(LATEST)],
    ["fields", "id,name,number,styleCategoryId"],
  ]);
  const newest = [...new Map(data.reverse().map((style) => [style.styleCategoryId, style])).values()]
    .slice(-NEWEST)
    .reverse();
  const pictures = thumbnails(model, styles, newest);
  const card = (style) =>
    el(
      "li",
      {},
      link(
        recordHash(styles, style.id),
        pictures.get(String(style.id)),
        stored(titleOf(style)),
        el("span", { class: "quiet" }, stored(style.number)),
      ),
    );
  place.append(el("ul", {}, newest.map(card)));
  place.hidden = newest.length === 0;
}

const read = (after, limit) => get("api/changes", { after: String(after), limit: String(limit) });

/** Returns whether a number is at or behind the end of the feed. */
async function isBehind(number) {
  try {
    return (await read(number, 1)).data.length === 0;
  } catch (error) {
    if (error.status !== 410) throw error;
    return true;
  }
}

/**
 * Returns the last entries of the feed, which leads forward only: a long one is searched by halving its
 * numbers.
 */
async function lastEntries() {
  const entries = [];
  for (let page = 0; page < PAGES; page += 1) {
    const { data, pagination } = await read(entries.at(-1)?.n ?? 0, PAGE);
    entries.push(...data);
    if (!pagination.hasMore) return entries;
  }
  let [low, step] = [Number(entries.at(-1).n), PAGE];
  for (; !(await isBehind(low + step)); step *= 4) low += step;
  let high = low + step;
  while (high - low > PAGE / 2) {
    const middle = Math.floor((low + high) / 2);
    if (await isBehind(middle)) high = middle;
    else low = middle;
  }
  return (await read(low, PAGE)).data;
}

async function showChanges(model, place) {
  try {
    const entries = (await lastEntries())
      .filter(({ collection }) => model.collections.has(collection))
      .slice(-CHANGES)
      .reverse();
    await readNames(entries.map(({ collection, recordId }) => [model.collections.get(collection), recordId]));
    const row = ({ at, collection: name, recordId, operation }) => {
      const collection = model.collections.get(name);
      return el(
        "li",
        {},
        badge(wordFor(operation), operation === "created" ? "ready" : operation),
        " ",
        link(recordHash(collection, recordId), stored(nameOf(collection, recordId))),
        el("span", { class: "quiet" }, ` ${collection.title} · `, timeOf(at)),
      );
    };
    place.replaceChildren(
      entries.length
        ? el("ul", { class: "recent" }, entries.map(row))
        : el("p", { class: "quiet" }, t("No change is on record: changes are kept for some days only.")),
    );
  } catch (error) {
    if (!error.rows || error.status === 401) throw error;
    place.replaceChildren(el("p", { class: "message" }, error.message));
  } finally {
    place.setAttribute("aria-busy", "false");
  }
}
