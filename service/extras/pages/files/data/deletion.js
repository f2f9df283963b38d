// Delete of a record: asked once, and what is in the way is shown with links.

import { request } from "./api.js";
import { alertBox, button, el, link, report, stored } from "./dom.js";
import { go, hashOf } from "./location.js";
import { neighborsSection } from "./neighbors.js";
import { entryTitle, recordPath } from "./record.js";
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
    records: [...records.matchAll(RECORD)].map(([, id, key]) => ({ id, key: key === undefined ? id : JSON.parse(key) })),
  }));
}

/** Returns the button that deletes a record, and the place for what is in the way. */
export function deleteControl(model, collection, record, tag) {
  const result = el("div", {});
  const dialog = el("dialog", { "aria-label": t("Delete the record"), close: () => consequences.replaceChildren() });
  const consequences = el("div", {});
  const ask = button(t("Delete …"), () => {
    // What names the record says what a deletion meets; it is read when somebody asks.
    consequences.replaceChildren(neighborsSection(model, collection, record).element ?? "");
    dialog.showModal();
  });
  const confirm = async () => {
    dialog.close();
    result.replaceChildren();
    try {
      await request("DELETE", recordPath(collection, record.id), { headers: { "If-Match": tag } });
      go({ name: collection.name });
      report(t("Deleted."));
    } catch (error) {
      if (!error.rows) throw error;
      result.replaceChildren(refusal(model, error));
    }
  };
  const buttons = el("div", { class: "actions" }, button(t("Delete"), confirm, { class: "" }), button(t("Keep it"), () => dialog.close()));
  dialog.append(el("p", {}, t("Delete this record? It can be restored. While other records name it, it stays.")), consequences, buttons);
  return { ask, nodes: [result, dialog] };
}

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
      result.replaceChildren(alertBox(el("p", {}, t("It is not restored.")), el("p", {}, stored(error.message))));
    }
  };
  return el("div", {}, el("div", { class: "actions" }, button(t("Restore"), restore, { class: "" })), result);
}

function refusal(model, error) {
  if (error.status === 412) return alertBox(t("Somebody else changed this record meanwhile. Reload the page, and look at it again."));
  const message = error.rows.find(({ type }) => type === "conflict.in_use")?.said ?? "";
  const usages = usagesIn(message).filter(({ name }) => model.collections.has(name));
  if (!usages.length) return alertBox(el("p", {}, t("It is not deleted.")), el("p", {}, stored(error.message)));
  const items = usages.map(({ name, count, records }) => {
    const links = records.map(({ id, key }) => el("li", {}, link(recordHash(model.collections.get(name), id), stored(key))));
    const more = count > records.length ? el("li", {}, t("and {0} more", count - records.length)) : null;
    return el("li", {}, `${count} ${lower(model.collections.get(name).title)}: `, el("ul", { class: "inline" }, links, more));
  });
  return alertBox(el("p", {}, t("It is not deleted, because these records refer to it:")), el("ul", {}, items));
}

/** Returns the controls of a record and of its parts, for a key that may write. */
export function actionsOf(model) {
  return {
    canWrite: true,
    ofRecord(collection, record, tag) {
      const edit = collection.replace && link(hashOf({ name: collection.name, id: String(record.id), action: "edit" }), t("Edit"));
      if (record.state === "deleted" && collection.replace) return restoreControl(collection, record, tag);
      const { ask, nodes } = !collection.canDelete ? { nodes: [] } : deleteControl(model, collection, record, tag);
      return el("div", {}, el("div", { class: "actions" }, edit, ask), nodes);
    },
    ofPart(collection, part, record, data) {
      const view = { name: collection.name, id: String(record.id), action: "edit", part: part.name };
      const edit = t("Edit the {0}", lower(part.title));
      if (part.replace) return [el("p", {}, link(hashOf(view), edit))];
      const ofEntry = (entry) => link(hashOf({ ...view, entry: String(entry[part.entry.id]) }), t("Edit the {0} of ", lower(part.title)), stored(entryTitle(part, entry)));
      return part.entry ? data.map((entry) => el("p", {}, ofEntry(entry))) : [];
    },
  };
}
