// Sheet of a collection: the fields that a row of a table can have, and the requests that it becomes.

import { wholeNumber } from "./cells.js";
import { camelCase, typesOf } from "./model.js";
import { label } from "./words.js";

const MERGE = "application/merge-patch+json";
const NOT_FIELDS = ["id", "ifMatch", "newKey"];

const without = (properties, names) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)));

/**
 * Returns what a schema's value is: its types, its members or items, and the object with which it names a
 * record by key.
 */
export function fieldOf(model, schema) {
  const resolved = model.resolve(schema);
  const [first, key] = (resolved.anyOf ?? [resolved]).map((choice) => model.resolve(choice));
  const items = first.items && fieldOf(model, first.items);
  return {
    schema: resolved,
    types: typesOf(first),
    items,
    members: first.properties,
    key,
  };
}

/** Returns the item of a collection's bulk merge, and how many a request takes; null if there is none. */
function bulkMerge(model, path) {
  const operation = model.document.paths[path]?.patch;
  const content = operation && model.resolve(operation.requestBody).content[MERGE];
  if (!content) return null;
  const { items, maxItems } = model.resolve(content.schema);
  if (!items) return null;
  const match = (operation.parameters ?? [])
    .map((parameter) => model.resolve(parameter))
    .find(({ name }) => name === "match");
  return { maxItems, item: model.schema(items), match: match && model.resolve(match.schema).enum[0] };
}

/**
 * Returns the parts of a collection's records that are collections of their own, such as the translations of
 * colors.
 */
function partsOf(model, collection) {
  const parts = [];
  for (const path of Object.keys(model.document.paths)) {
    const merge = model.document.paths[`${path}/{id}`] ? null : bulkMerge(model, path);
    const item = merge?.item;
    const [owner] = item?.required ?? [];
    if (!owner || model.target(model.resolve(item.properties[owner])) !== collection) continue;
    const below = collection.parts.find(({ name, list }) => !list && path.includes(name));
    const properties = without(item.properties, [owner, ...NOT_FIELDS]);
    const names = Object.keys(properties);
    const member = camelCase(below.name);
    const list = names.length === 1 ? names[0] : null;
    const schema = list ? properties[list] : { type: "object", properties };
    parts.push({
      path: path.slice(1),
      owner,
      member,
      list,
      schema,
      title: below.title,
      maxItems: merge.maxItems,
    });
  }
  return parts;
}

/** Returns the sheet of a collection, or null if its records cannot be written. */
export function sheetOf(model, collection) {
  const merge = bulkMerge(model, `/${collection.path}`);
  if (!merge) return null;
  const { properties } = merge.item;
  const parts = partsOf(model, collection);
  const record = without(properties, NOT_FIELDS);
  const members = {
    id: { type: "string" },
    ...record,
    ...Object.fromEntries(parts.map(({ member, schema }) => [member, schema])),
  };
  // Records whose own keys are unique within another record are created with a reference to it.
  const scope = collection.create.required.filter(
    (name) => name !== merge.match && model.reference(collection, name),
  );
  const keys = [merge.match, ...scope];
  const idTypes = typesOf(model.resolve(properties.id));
  return {
    model,
    collection,
    members,
    record,
    parts,
    keys,
    idTypes,
    path: collection.path,
    maxItems: merge.maxItems,
  };
}

/** Returns the title of a field on the page. */
export const titleOfField = (sheet, name) => label(name, sheet.model.resolve(sheet.members[name]));

/** Returns the id that a cell names. */
const idOf = (text, types) =>
  types.includes("integer") && /^\d{1,19}$/.test(text) ? wholeNumber(text) : text;

/**
 * Returns the request items of a row's document: of the record, by its id or its own key, and the contents
 * of its parts.
 */
export function itemsOf(sheet, document) {
  const { parts, idTypes, keys } = sheet;
  const fields = without(document, ["id", ...parts.map(({ member }) => member)]);
  const isById = document.id !== undefined;
  const isNamed = isById || keys.every((name) => fields[name] !== undefined && fields[name] !== "");
  const given = parts.filter(({ member }) => document[member] !== undefined && document[member] !== null);
  return {
    item: isById ? { id: idOf(document.id, idTypes), ...fields } : fields,
    isById,
    isNamed,
    contents: given.map((part) => ({
      part,
      content: part.list ? { [part.list]: document[part.member] } : document[part.member],
    })),
  };
}

/** Returns whether some of the fields is a list with an entry for each language. */
export const hasLanguages = (model, properties) =>
  Object.values(properties).some((schema) => fieldOf(model, schema).items?.members?.languageId);
