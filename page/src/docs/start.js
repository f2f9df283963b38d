/* global SwaggerUIBundle */
import { englishFields, groupWords, hint, label, language, offerLanguages, t } from "../data/words.js";

// Item of the session storage, which the front page and /data share. It lasts as long as the tab.
const STORAGE_KEY = "selvedge.key";
const SCHEME = "key";

/** Search filter: tags whose name matches, and operations whose path, summary or id matches. */
function filterOperations(tags, phrase) {
  const contains = (text) =>
    String(text ?? "")
      .toLowerCase()
      .includes(phrase.trim().toLowerCase());
  const matches = (operation) =>
    contains(operation.get("path")) ||
    contains(operation.getIn(["operation", "summary"])) ||
    contains(operation.getIn(["operation", "operationId"]));
  return tags
    .map((tag, name) =>
      contains(name) ? tag : tag.update("operations", (operations) => operations.filter(matches)),
    )
    .filter((tag) => tag.get("operations").size > 0);
}

/** Strips "Authorization: Bearer" from a pasted key, and stores the key in the session storage. */
const keyStorage = {
  authorize: (next) => (credentials) => {
    const credential = credentials[SCHEME];
    const key = String(credential.value)
      .trim()
      .replace(/^(?:authorization:\s*)?(?:bearer\s+)*/i, "");
    sessionStorage.setItem(STORAGE_KEY, key);
    return next({ ...credentials, [SCHEME]: { ...credential, value: key } });
  },
  logout: (next) => (names) => {
    sessionStorage.removeItem(STORAGE_KEY);
    return next(names);
  },
};

/** Gives each operation the parameters of its path, too, as the resolver that is replaced below would do. */
function inheritParameters(spec) {
  for (const { parameters = [], ...operations } of Object.values(spec.paths))
    for (const operation of Object.values(operations))
      operation.parameters = [...parameters, ...(operation.parameters ?? [])];
  return spec;
}

const english = await englishFields();

/** Returns the description of a field, with its hint in the reader's language in place of the English one. */
function translated(name, field, description) {
  const [own, said] = [hint(name, field), hint(name, field, english)];
  if (said && description?.startsWith(said)) return own + description.slice(said.length);
  return language === "en" || !own ? description : [own, description].filter(Boolean).join(" · ");
}

/** Begins the descriptions of fields with the words that people have for them, in the reader's language. */
function describe(spec) {
  const { schemas } = spec.components;
  for (const { properties = {} } of Object.values(schemas))
    for (const [name, field] of Object.entries(properties)) {
      const target = schemas[field.$ref?.split("/").pop()] ?? {};
      const own = field.description ?? target.description;
      const words = [`**${label(name, { ...target, ...field })}**`, translated(name, field, own)];
      field.description = words.filter(Boolean).join(" · ");
    }
  return spec;
}

/** Titles of the groups of collections by their first tags. */
const groupStarts = new Map();

/** Finds the first tag of each group; tags stand in the order of the groups. */
function group(spec) {
  const collections = new Map();
  for (const [path, { parameters: _, ...operations }] of Object.entries(spec.paths))
    for (const { tags } of Object.values(operations))
      for (const tag of tags) if (!collections.has(tag)) collections.set(tag, path.split("/")[2]);
  const shown = new Set();
  for (const { name } of spec.tags) {
    const [title] = groupWords().find(([, names]) => names.includes(collections.get(name))) ?? [];
    if (title && !shown.has(title)) groupStarts.set(name, title);
    shown.add(title);
  }
  return spec;
}

/** Parses the document as JSON, which is quicker than Swagger UI's YAML parser. */
const jsonParser = {
  parseToJson: (_, system) => (text) =>
    system.specActions.updateJsonSpec(
      group(describe(inheritParameters(JSON.parse(text ?? system.specSelectors.specStr())))),
    ),
};

/**
 * Dereferences a part of the document: replaces each $ref by its target. A circular reference stays
 * unresolved.
 */
function dereference(part, root, ancestors = []) {
  if (Array.isArray(part)) return part.map((element) => dereference(element, root, ancestors));
  if (part === null || typeof part !== "object") return part;
  const { $ref, ...siblings } = part;
  const resolveMembers = (object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, dereference(value, root, ancestors)]),
    );
  if (typeof $ref !== "string") return resolveMembers(part);
  if (ancestors.includes($ref)) return part;
  const target = $ref
    .slice(2)
    .split("/")
    .reduce((node, name) => node[name], root);
  return { ...dereference(target, root, [...ancestors, $ref]), ...resolveMembers(siblings) };
}

/**
 * Replaces "No operations defined in spec!", which stands there while the document loads and when a search
 * finds nothing.
 */
const wrapOperations =
  (Original, { React }) =>
  (props) => {
    if (props.specSelectors.taggedOperations().size > 0) return React.createElement(Original, props);
    const isLoaded = props.specSelectors.specJson().size > 0;
    return React.createElement(
      "p",
      { role: "status" },
      isLoaded ? t("No operation matches the search.") : t("Loading the operations …"),
    );
  };

/** Renders a Markdown text again only if it changes: there are hundreds, and each is sanitized. */
const wrapMarkdown = (Original, { React }) =>
  React.memo(
    Original,
    (before, after) => before.source === after.source && before.className === after.className,
  );

/**
 * Puts the title of a group before its first tag, unless somebody searches; renders a folded tag again only
 * if it changes.
 */
const wrapTag = (Original, { React, layoutSelectors }) => {
  const detailsOf = ({ tagObj }) => tagObj.get("tagDetails");
  const isSame = (before, after) =>
    !before.isShown && !after.isShown && detailsOf(before) === detailsOf(after);
  const Tag = React.memo(Original, isSame);
  return (props) => {
    const own = React.createElement(Tag, {
      ...props,
      isShown: layoutSelectors.isShown(["operations-tag", props.tag]),
    });
    const filter = layoutSelectors.currentFilter();
    const title = typeof filter === "string" && filter ? undefined : groupStarts.get(props.tag);
    return title
      ? React.createElement(React.Fragment, {}, React.createElement("h2", { className: "group" }, title), own)
      : own;
  };
};

/** Replaces Swagger UI's resolver, which traverses the whole document for each unfolded operation. */
async function resolveSubtree(root, path) {
  return {
    spec: dereference(
      path.reduce((node, name) => node?.[name], root),
      root,
    ),
    errors: [],
  };
}

document.documentElement.lang = language;
for (const node of document.querySelectorAll("[data-t], body > nav a"))
  node.textContent = t(node.textContent);
document.querySelector("body > nav").ariaLabel = t("Pages of the service");
document.getElementById("language").ariaLabel = t("Language");
offerLanguages();

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
      fn: { opsFilter: filterOperations, resolveSubtree },
      wrapComponents: { operations: wrapOperations, Markdown: wrapMarkdown, OperationTag: wrapTag },
      statePlugins: { auth: { wrapActions: keyStorage }, spec: { wrapActions: jsonParser } },
    },
  ],
  onComplete: () => {
    /** @type {HTMLInputElement} */ (document.querySelector(".operation-filter-input")).placeholder = t(
      "Search paths, summaries and tags",
    );
    const key = sessionStorage.getItem(STORAGE_KEY);
    if (key) ui.preauthorizeApiKey(SCHEME, key);
  },
});
