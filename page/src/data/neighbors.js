// Neighbors of a record: what names it, with numbers and links to the filtered lists.

import { countOf } from "./counts.js";
import { el, link } from "./dom.js";
import { hashOf } from "./location.js";
import { label, lower, t } from "./words.js";

/** Returns the lists that can be filtered by references to a collection, with the field of the reference. */
function listsThatName(model, collection) {
  const lists = [];
  for (const other of model.collections.values()) {
    for (const property of model.filterable(other)) {
      const [field] = property.split(".");
      const isId = property === field || property.endsWith(".id");
      const target =
        isId && (model.reference(other, field) ?? (property.includes(".") && model.collections.get(field)));
      if (target === collection) lists.push({ other, property });
    }
  }
  // A reference that can be filtered by its id and by its record's id is counted once.
  return lists.filter(
    ({ other, property }) =>
      !property.endsWith(".id") ||
      !lists.some(
        (entry) => entry.other === other && entry.property === `${property.slice(0, -".id".length)}Id`,
      ),
  );
}

/** Returns the section of what names a record; it is empty where nothing can. */
export function neighborsSection(model, collection, record) {
  const lists = listsThatName(model, collection);
  const body = el("div", { "aria-busy": "true" }, el("p", { class: "quiet" }, t("Loading …")));
  const read = async () => {
    const counts = await Promise.all(
      lists.map(async ({ other, property }) => ({
        other,
        property,
        ...(await countOf(other, [[property, String(record.id)]])),
      })),
    );
    const item = ({ other, property, text }) => {
      const filters = [{ property, operator: "eq", value: String(record.id) }];
      const times = counts.filter((entry) => entry.other === other && !entry.isNone).length;
      const by = times > 1 ? ` (${lower(label(property.split(".")[0]))})` : "";
      return el("li", {}, link(hashOf({ name: other.name, filters }), `${text} ${lower(other.title)}${by}`));
    };
    const used = counts.filter(({ isNone }) => !isNone);
    body.replaceChildren(
      used.length
        ? el("ul", { class: "chips" }, used.map(item))
        : el("p", { class: "quiet" }, t("No record names this one.")),
    );
  };
  const loading = lists.length
    ? read()
        .catch((error) => {
          if (!error.rows || error.status === 401) throw error;
          body.replaceChildren(el("p", { class: "message" }, error.message));
        })
        .finally(() => body.setAttribute("aria-busy", "false"))
    : null;
  return {
    element: lists.length ? el("section", { class: "neighbors" }, el("h2", {}, t("Used by")), body) : null,
    loading,
  };
}
