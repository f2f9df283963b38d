// Delete of a record: asked once, and what is in the way is shown with links.

import { request } from "./api.js";
import { ask } from "./ask.js";
import { alertBox, button, el, link, report, stored } from "./dom.js";
import { go, hashOf } from "./location.js";
import { neighborsSection } from "./neighbors.js";
import { entryTitle, recordPath } from "./paths.js";
import { recordHash } from "./values.js";
import { lower, t } from "./words.js";

const USAGE = /(?:^Used by |\), |, )([a-z][a-z -]*): (\d+)(?: \(((?:[^"()]|"(?:[^"\\]|\\.)*")*)\)?)?/g;
const RECORD = /(?:^|, )([^\s,"]+)(?: ("(?:[^"\\]|\\.)*"))?/g;

/** Returns the records that a message of `conflict.in_use` names: its form is fixed (contract, States). */
function usagesIn(message) {
  return [...message.matchAll(USAGE)].map(([, noun, count, records = ""]) => ({
    name: noun.replaceAll(" ", "-"),
    noun,
    count: Number(count),
    records: [...records.matchAll(RECORD)].map(([, id, key]) => ({
      id,
      key: key === undefined ? id : JSON.parse(key),
    })),
  }));
}

/** Returns the button that deletes a record. */
export const deleteButton = (model, collection, record, tag) =>
  button(t("Delete …"), () =>
    ask({
      question: t("Delete this record? It can be restored. While other records name it, it stays."),
      // What names the record says what a deletion meets; it is read when somebody asks.
      nodes: [neighborsSection(model, collection, record).element ?? ""],
      verb: t("Delete"),
      cancel: t("Keep it"),
      act: () => request("DELETE", recordPath(collection, record.id), { headers: { "If-Match": tag } }),
      explain: (error) => refusal(model, error),
      after: () => {
        go({ name: collection.name });
        report(t("Deleted."));
      },
    }),
  );

/** Returns the button that makes a deleted record active again, and the place for what is in the way. */
export function restoreControl(collection, record, tag) {
  const result = el("div", {});
  const restore = async () => {
    try {
      const headers = { "If-Match": tag, "Content-Type": "application/merge-patch+json" };
      await request("PATCH", recordPath(collection, record.id), { body: { state: "active" }, headers });
      report(t("Restored."));
      window.dispatchEvent(new HashChangeEvent("hashchange"));
    } catch (error) {
      if (!error.rows) throw error;
      result.replaceChildren(
        alertBox(el("p", {}, t("It is not restored.")), el("p", {}, stored(error.message))),
      );
    }
  };
  return el("div", {}, el("div", { class: "actions" }, button(t("Restore"), restore, { class: "" })), result);
}

function refusal(model, error) {
  if (error.status === 412)
    return alertBox(t("Somebody else changed this record meanwhile. Reload the page, and look at it again."));
  const message = error.rows.find(({ type }) => type === "conflict.in_use")?.said ?? "";
  const usages = usagesIn(message).filter(({ name }) => model.collections.has(name));
  if (!usages.length)
    return alertBox(el("p", {}, t("It is not deleted.")), el("p", {}, stored(error.message)));
  const items = usages.map(({ name, count, records }) => {
    const links = records.map(({ id, key }) =>
      el("li", {}, link(recordHash(model.collections.get(name), id), stored(key))),
    );
    const more = count > records.length ? el("li", {}, t("and {0} more", count - records.length)) : null;
    return el(
      "li",
      {},
      `${count} ${lower(model.collections.get(name).title)}: `,
      el("ul", { class: "inline" }, links, more),
    );
  });
  return alertBox(
    el("p", {}, t("It is not deleted, because these records refer to it:")),
    el("ul", {}, items),
  );
}

/** Returns the controls of a record and of its parts, for a key that may write. */
export function actionsOf(model) {
  return {
    canWrite: true,
    ofRecord(collection, record, tag) {
      const edit =
        collection.replace &&
        link(hashOf({ name: collection.name, id: String(record.id), action: "edit" }), t("Edit"));
      if (record.state === "deleted" && collection.replace) return restoreControl(collection, record, tag);
      return el(
        "div",
        { class: "actions" },
        edit,
        collection.canDelete && deleteButton(model, collection, record, tag),
      );
    },
    ofPart(collection, part, record, data) {
      const view = { name: collection.name, id: String(record.id), action: "edit", part: part.name };
      const edit = t("Edit the {0}", lower(part.title));
      if (part.replace) return [el("p", {}, link(hashOf(view), edit))];
      const ofEntry = (entry) =>
        link(
          hashOf({ ...view, entry: String(entry[part.entry.id]) }),
          t("Edit the {0} of ", lower(part.title)),
          stored(entryTitle(part, entry)),
        );
      return part.entry ? data.map((entry) => el("p", {}, ofEntry(entry))) : [];
    },
  };
}
