// Completeness of a style: what it lacks in each channel, with links to where it is filled in.

import { get, readAll } from "./api.js";
import { badge, el, link, stored } from "./dom.js";
import { hashOf } from "./location.js";
import { partPath } from "./paths.js";
import { recordHash } from "./values.js";
import { capital, label, lower, t, wordFor } from "./words.js";

const SHOWN = 4;
/** What a section opens for requirements, by the words of `opensFor`. */
const OPENED = {
  barcodes: () => "gtins",
  translations: (entries) => ["languages", ...new Set(entries.map(({ languageId }) => languageId))].join("."),
};

export function completenessSection(context, sectionOf) {
  const path = partPath(context.collection.byChannel, context.style);
  return {
    name: "completeness",
    title: context.collection.byChannel.title,
    read: async () => {
      const channels = await readAll("api/channels", { state: "active" });
      const judge = async (channel) => ({
        channel,
        ...(await get(path, { channelId: String(channel.id) })).data,
      });
      return Promise.all(channels.map(judge));
    },
    show: (channels) => {
      if (!channels.length) return el("p", { class: "quiet" }, t("There is no channel yet."));
      const complete = channels.filter(({ isComplete }) => isComplete);
      const summary = t("Complete in {0} of {1} channels.", complete.length, channels.length);
      const of = context.model.collections.get("channels");
      // What is nearly complete comes first.
      const sorted = channels
        .filter(({ isComplete }) => !isComplete)
        .sort((a, b) => a.missing.length - b.missing.length);
      const done = complete.map(({ channel }) =>
        el("li", {}, link(recordHash(of, channel.id), channel.name)),
      );
      return [
        el(
          "p",
          { class: "meter" },
          el("meter", {
            min: 0,
            max: channels.length,
            value: complete.length,
            "aria-label": t("Complete channels"),
          }),
          " ",
          summary,
        ),
        done.length > 0 && el("ul", { class: "chips complete", "aria-label": t("Complete channels") }, done),
        el(
          "ul",
          { class: "channels" },
          sorted.map((channel) => el("li", {}, channelOf(context, channel, sectionOf))),
        ),
      ];
    },
  };
}

function channelOf(context, { channel, missing }, sectionOf) {
  const state = badge(t("{0} missing", missing.length), "open");
  const name = stored(channel.name);
  const record = link(
    recordHash(context.model.collections.get("channels"), channel.id),
    t("Open the channel"),
  );
  const groups = Map.groupBy(missing, ({ requirement }) => requirement);
  const list = (requirement, entries) =>
    el(
      "section",
      {},
      el("h3", {}, capital(wordFor(requirement))),
      el(
        "ul",
        {},
        entries.slice(0, SHOWN).map(({ message }) => el("li", {}, stored(message))),
      ),
      entries.length > SHOWN &&
        el("p", { class: "quiet" }, t("and {0} more like these", entries.length - SHOWN)),
      el("p", {}, whereTo(context, entries, sectionOf)),
    );
  return el(
    "details",
    { class: "channel" },
    el("summary", {}, name, " ", state),
    [...groups].map(([requirement, entries]) => list(requirement, entries)),
    el("p", {}, record),
  );
}

/**
 * Returns the link to where something is filled in: a section of this page, else the list of its collection.
 */
function whereTo(context, entries, sectionOf) {
  const [{ path, requirement }] = entries;
  const [address, field] = path.split("#");
  const [, collection, , part, entry] = address.replace(/^\//, "").split("/");
  const section = sectionOf(part ?? (collection === context.collection.name ? "details" : collection));
  const text = t("Fill in {0}", lower(wordFor(requirement)));
  const opened = OPENED[requirement]?.(entries) ?? (section?.choose ? entry : "");
  if (section)
    return again(
      link(
        hashOf({
          name: context.collection.name,
          id: String(context.style.id),
          action: "at",
          part: section.name,
          entry: opened,
        }),
        text,
      ),
    );
  return link(hashOf({ name: collection }), `${text}: ${label(field ?? "")}`);
}

/** Has a link lead there also when the address has it already. */
function again(node) {
  node.addEventListener(
    "click",
    () => node.hash === location.hash && window.dispatchEvent(new HashChangeEvent("hashchange")),
  );
  return node;
}
