"use strict";
// The key is kept for this tab alone, under the name that the front page writes as well.
const KEPT = "selvedge.key";
const SCHEME = "key";

/** What a search finds: tags of that name, and operations of that path, summary or name. */
function found(tagged, phrase) {
  const has = (text) => String(text ?? "").toLowerCase().includes(phrase.trim().toLowerCase());
  const matches = (one) =>
    has(one.get("path")) ||
    has(one.getIn(["operation", "summary"])) ||
    has(one.getIn(["operation", "operationId"]));
  return tagged
    .map((tag, name) => (has(name) ? tag : tag.update("operations", (all) => all.filter(matches))))
    .filter((tag) => tag.get("operations").size > 0);
}

/** Takes the header's words off a pasted key, and keeps it for the next time the page is opened. */
const keeping = {
  authorize: (go) => (given) => {
    const one = given[SCHEME];
    const key = String(one.value).trim().replace(/^(?:authorization:\s*)?(?:bearer\s+)*/i, "");
    sessionStorage.setItem(KEPT, key);
    return go({ ...given, [SCHEME]: { ...one, value: key } });
  },
  logout: (go) => (names) => {
    sessionStorage.removeItem(KEPT);
    return go(names);
  },
};

/** Our document is JSON, which browsers read quicker than Swagger UI reads YAML. */
const reading = {
  parseToJson: (_, system) => (text) =>
    system.specActions.updateJsonSpec(JSON.parse(text ?? system.specSelectors.specStr())),
};

/** A part of the document with what it refers to put in its places; a circle is left at its start. */
function whole(part, documented, within = []) {
  if (Array.isArray(part)) return part.map((one) => whole(one, documented, within));
  if (part === null || typeof part !== "object") return part;
  const { $ref, ...beside } = part;
  const inner = (one, around) =>
    Object.fromEntries(Object.entries(one).map(([name, value]) => [name, whole(value, documented, around)]));
  if (typeof $ref !== "string") return inner(part, within);
  if (within.includes($ref)) return part;
  const target = $ref.slice(2).split("/").reduce((found, name) => found[name], documented);
  return { ...whole(target, documented, [...within, $ref]), ...inner(beside, within) };
}

/** Swagger UI's own way goes through the whole document for each operation that is unfolded. */
async function resolveSubtree(documented, path) {
  return { spec: whole(path.reduce((found, name) => found?.[name], documented), documented), errors: [] };
}

const ui = SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
  plugins: [
    {
      fn: { opsFilter: found, resolveSubtree },
      statePlugins: { auth: { wrapActions: keeping }, spec: { wrapActions: reading } },
    },
  ],
  onComplete: () => {
    document.querySelector(".operation-filter-input").placeholder = "Search paths, summaries and tags";
    const key = sessionStorage.getItem(KEPT);
    if (key) ui.preauthorizeApiKey(SCHEME, key);
  },
});
