// A record: its members, its parts, and its history.

import { get } from "./api.js";
import { alertBox, el, link, stored } from "./dom.js";
import { historySection } from "./history.js";
import { hashOf } from "./location.js";
import { measurementsSection } from "./measurements.js";
import { keyOf, titleOf } from "./model.js";
import { readNames, remember } from "./names.js";
import { neighborsSection } from "./neighbors.js";
import { partPath, recordPath } from "./paths.js";
import { entryTable, referencesIn, showMembers } from "./values.js";
import { lower, t, wordFor } from "./words.js";

/** Returns the nodes of a record, and the promise that its parts and history are there. */
export async function recordView(model, collection, id, actions) {
  const { data, tag } = await get(recordPath(collection, id));
  remember(collection, [data]);
  await readNames(referencesIn(model, collection, "", collection.schema, data));
  const context = { model, canWrite: Boolean(actions.canWrite) };
  const isMeasured = ({ entry }) => Boolean(entry?.replace?.properties?.lines);
  const sectionOf = (part) =>
    isMeasured(part)
      ? measurementsSection(context, collection, part, data)
      : partSection(model, collection, part, data, actions);
  const parts = collection.parts.map(sectionOf);
  const history = model.feed.includes(collection.name)
    ? historySection(model, collection, id)
    : { loading: null };
  const neighbors = neighborsSection(model, collection, data);
  const title = titleOf(data);
  const key = keyOf(data);
  const nodes = [
    el("p", {}, link(hashOf({ name: collection.name }), collection.title)),
    el("h1", { tabindex: "-1" }, stored(title)),
    el(
      "p",
      { class: "quiet" },
      `Id ${data.id}`,
      key && [" · ", stored(key)],
      data.state && ` · ${wordFor(data.state)}`,
    ),
    actions.ofRecord(collection, data, tag),
    el("section", {}, el("h2", {}, t("Fields")), showMembers(model, collection, collection.schema, data)),
    ...parts.map((part) => part.element),
    neighbors.element,
    history.element,
  ];
  return {
    nodes,
    title,
    loading: Promise.all([history, neighbors, ...parts].map((section) => section.loading)),
  };
}

export function partSection(model, collection, part, record, actions) {
  if (part.list) return { element: listSection(part, record), loading: null };
  const body = el("div", { "aria-busy": "true" }, el("p", { class: "quiet" }, t("Loading …")));
  const element = el("section", {}, el("h2", {}, part.title), body);
  const loading = readPart(model, collection, part, record)
    .then(({ content, data }) =>
      body.replaceChildren(content, ...actions.ofPart(collection, part, record, data)),
    )
    .catch((error) => {
      if (!error.rows) throw error;
      body.replaceChildren(alertBox(error.message));
    })
    .finally(() => body.setAttribute("aria-busy", "false"));
  return { element, loading };
}

/** Records that belong to this one are a list of their own, with a filter. */
function listSection(part, record) {
  const filters = [{ property: part.owner, operator: "eq", value: String(record.id) }];
  const hash = hashOf({ name: part.list.name, filters });
  return el(
    "section",
    {},
    el("h2", {}, part.title),
    el("p", {}, link(hash, t("Show the {0} of this record", lower(part.title)))),
  );
}

async function readPart(model, collection, part, record) {
  const { data } = await get(partPath(part, record));
  const { schema } = part;
  if (
    Array.isArray(data)
      ? !data.length
      : !Object.values(data).some((value) => (Array.isArray(value) ? value.length : value))
  ) {
    return { content: el("p", { class: "quiet" }, t("None.")), data };
  }
  await readNames(referencesIn(model, collection, "", schema, data));
  const content = Array.isArray(data)
    ? entryTable(model, collection, model.resolve(schema.items), data, part.title)
    : showMembers(model, collection, schema, data);
  return { content, data };
}
