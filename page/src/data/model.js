// Collections and their schemas, as the OpenAPI document describes them.

import { collectionWords, partTitle, t } from "./words.js";

const JSON_TYPE = "application/json";

export const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** Returns the singular of a collection's name or title. */
export const singular = (name) => name.replace(/ies$/, "y").replace(/s$/, "");

/** Returns the types of a resolved schema, without null. */
export const typesOf = (schema) => [schema.type ?? []].flat().filter((type) => type !== "null");

export class Model {
  constructor(document) {
    this.document = document;
    this.#label();
    this.collections = new Map();
    this.byComponent = new Map();
    const changes = document.paths["/api/changes"].get.parameters.map((parameter) => this.resolve(parameter));
    this.feed = this.resolve(
      this.resolve(changes.find(({ name }) => name === "collection").schema).items,
    ).enum;
    for (const [path, item] of Object.entries(document.paths)) this.#addCollection(path, item);
    for (const collection of this.collections.values()) collection.references = this.#references(collection);
    this.references = Object.assign(
      {},
      ...[...this.collections.values()].map(({ references }) => references),
    );
    for (const path of Object.keys(document.paths)) this.#addPart(path);
    for (const { parts } of this.collections.values())
      for (const { replace } of parts)
        this.references = { ...this.#referencesOfPart(replace), ...this.references };
  }

  /** Returns a node with its references replaced by their targets, at its first level. */
  resolve(node) {
    if (typeof node?.$ref !== "string") return node;
    const { $ref, ...siblings } = node;
    const names = $ref
      .slice(2)
      .split("/")
      .map((name) => decodeURIComponent(name).replace(/~1/g, "/").replace(/~0/g, "~"));
    return { ...this.resolve(names.reduce((parent, name) => parent[name], this.document)), ...siblings };
  }

  /** Gives fields the label keys of the components that they refer to. */
  #label() {
    for (const { properties = {} } of Object.values(this.document.components.schemas)) {
      for (const field of Object.values(properties))
        Object.assign(field, { "x-label": this.resolve(field)["x-label"] });
    }
  }

  /**
   * Returns the first alternative of a schema with its references resolved, and the fields that it is
   * composed of.
   */
  schema(node) {
    const { oneOf, anyOf, allOf, ...schema } = this.resolve(node);
    const [first] = oneOf ?? anyOf ?? [];
    if (first) return this.schema(first);
    const parts = [...(allOf ?? []).map((part) => this.schema(part)), schema];
    const required = parts.flatMap((part) => part.required ?? []);
    return Object.assign(
      {},
      ...parts,
      { required },
      allOf && { properties: Object.assign({}, ...parts.map((part) => part.properties)) },
    );
  }

  /** Returns the schema of `data` in a successful response; of a response without an envelope, its schema. */
  #data(operation) {
    const content = this.resolve(this.resolve(operation).responses["200"]).content[JSON_TYPE];
    const schema = this.schema(content.schema);
    return this.resolve(schema.properties?.data ?? schema);
  }

  /** Returns the schema of a request body. */
  body(operation) {
    return operation && this.schema(this.resolve(operation.requestBody).content[JSON_TYPE].schema);
  }

  #addCollection(path, item) {
    const name = /^\/api\/([^/{}]+)$/.exec(path)?.[1];
    const record = this.document.paths[`${path}/{id}`];
    const parameters = (item.get?.parameters ?? []).map((parameter) => this.resolve(parameter));
    const hasSearch = parameters.some((parameter) => parameter.name === "q");
    if (!name || !record || !(hasSearch || this.feed.includes(name))) return;
    const { items } = this.#data(item.get);
    const [title = item.get.tags[0], description, newTitle = t("New in {0}", title)] =
      collectionWords(name) ?? [];
    const collection = {
      name,
      path: path.slice(1),
      hasSearch,
      title,
      newTitle,
      description:
        description ?? this.document.tags.find((tag) => tag.name === item.get.tags[0])?.description ?? "",
      schema: this.resolve(items),
      parameters: new Map(parameters.flatMap((parameter) => this.#queryParameters(parameter))),
      create: this.body(item.post),
      replace: this.body(record.put),
      canDelete: Boolean(record.delete),
      maxDeleted: this.#maxDeleted(item),
      parts: [],
    };
    this.collections.set(name, collection);
    if (items.$ref) this.byComponent.set(items.$ref.split("/").pop(), collection);
  }

  /** Returns how many records a bulk delete takes, if there is one. */
  #maxDeleted({ delete: operation }) {
    const parameters = (operation?.parameters ?? []).map((parameter) => this.resolve(parameter));
    const ids = parameters.find(({ name }) => name === "ids");
    return ids && this.resolve(ids.schema).maxItems;
  }

  /**
   * Returns the names and schemas of a parameter's parts: of an object its members, each a parameter of its
   * own.
   */
  #queryParameters({ name, schema }) {
    const { properties, ...resolved } = this.resolve(schema);
    return properties
      ? Object.entries(properties).map(([member, part]) => [member, this.resolve(part)])
      : [[name, resolved]];
  }

  /** Adds a path below a record: one of its parts, or a list of the records that belong to it. */
  #addPart(path) {
    const [, above, owner, parameter, name] =
      /^\/api\/(.*?)([^/{}]+)\/\{(\w+)\}\/([^/{}]+)$/.exec(path) ?? [];
    const collection = this.collections.get(owner);
    const { get, put } = this.document.paths[path];
    const ofChannel = (get?.parameters ?? []).some((parameter) =>
      this.resolve(parameter).name.startsWith("channel"),
    );
    if (!collection || !get) return;
    // What is told of each channel is no part: it is computed.
    if (ofChannel) {
      collection.byChannel = { name, path: path.slice(1), owner: parameter, above, title: partTitle(name) };
      return;
    }
    // A part can be named as a collection is, such as the items of a style.
    const list = put ? undefined : this.collections.get(name);
    const replace = list ? undefined : this.body(put);
    const schema = this.#data(get);
    const title = partTitle(name);
    collection.parts.push({
      name,
      path: path.slice(1),
      owner: parameter,
      above,
      list,
      schema,
      replace,
      title,
      component: this.#componentOf(put),
      entry: this.#entry(path),
    });
  }

  /** Returns the name of the component that a part is replaced by, without its ending. */
  #componentOf(operation) {
    const schema = operation && this.resolve(operation.requestBody).content[JSON_TYPE].schema;
    return schema?.$ref
      ?.split("/")
      .pop()
      .replace(/Replace$/, "");
  }

  /**
   * Returns the single entries of a part that are replaced one by one, such as the measured values of a
   * size; or null.
   */
  #entry(path) {
    const below = Object.keys(this.document.paths).find(
      (other) => other.startsWith(`${path}/{`) && other.endsWith("}"),
    );
    const { put } = this.document.paths[below] ?? {};
    return put ? { path: below.slice(1), id: /\{(\w+)\}$/.exec(below)[1], replace: this.body(put) } : null;
  }

  /** Returns the collections that the id fields of a collection's forms refer to, by field. */
  #references(collection) {
    const references = {};
    for (const schema of [collection.create, collection.replace])
      if (schema) this.#collect(schema, references);
    return references;
  }

  #referencesOfPart(schema) {
    const references = {};
    if (schema) this.#collect(schema.items ?? schema, references);
    return references;
  }

  #collect(node, references) {
    for (const [name, value] of Object.entries(this.resolve(node).properties ?? {})) {
      const schema = this.resolve(value);
      const target = this.target(schema.items ?? schema);
      if (target) references[name] = target;
      else if (schema.items) this.#collect(schema.items, references);
    }
  }

  /** Returns the collection that a reference names: an id, or an object with the own key of a record. */
  target(schema) {
    const keys = (this.resolve(schema).anyOf ?? []).map((choice) => choice.$ref?.split("/").pop() ?? "");
    const component = keys.find((name) => name.endsWith("Key"))?.slice(0, -"Key".length);
    return this.byComponent.get(component);
  }

  /**
   * Returns the part whose entry a reference names, such as the sizes of size ranges, with its `owner`; or
   * nothing.
   */
  #partOf(schema) {
    const keys = (this.resolve(schema).anyOf ?? []).map((choice) => choice.$ref?.split("/").pop() ?? "");
    const component = keys.find((name) => name.endsWith("Key"))?.replace(/(Related)?Key$/, "");
    for (const owner of component ? this.collections.values() : []) {
      const part = owner.parts.find(({ component: name }) => name === component);
      if (part) return { owner, part };
    }
    return undefined;
  }

  /** Returns what entries a reference can name that people choose from, for an EntryCollection; or null. */
  entries(schema) {
    const { owner, part } = this.#partOf(schema) ?? {};
    if (part?.schema.type !== "array") return null;
    const name = `${singular(owner.name)}-${part.name}`;
    const { properties } = this.resolve(this.#data(this.document.paths[`/api/${name}`].get).items);
    const [ownerField] = Object.keys(properties);
    return { owner, name, path: `api/${name}`, title: part.title, ownerField, list: camelCase(part.name) };
  }

  /**
   * Returns whether a reference says which entry of its own part an object is, as the id of a chart's line
   * does.
   */
  isIdentity(schema) {
    const { part } = this.#partOf(schema) ?? {};
    return part?.schema.type === "object";
  }

  /** Returns the collection that a field of a collection's documents refers to. */
  reference(collection, field) {
    return collection.references[field] ?? this.references[field];
  }

  /** Returns the collection of the records that a list of objects names: of `associatedBrands`, the brands. */
  named(field, itemSchema) {
    const properties = Object.keys(this.resolve(itemSchema).properties ?? {});
    const matches = (name) => field.toLowerCase().endsWith(camelCase(name).toLowerCase());
    const names = [...this.collections.keys()].filter(matches).sort((a, b) => b.length - a.length);
    const collection = this.collections.get(names[0]);
    const isOther = properties.some((name) => name !== "id" && this.references[name] === collection);
    return collection && properties.includes("id") && !isOther ? collection : undefined;
  }

  /** Returns the fields by which a list filters: those with a parameter of their own, which can be repeated. */
  filterable({ parameters }) {
    return [...parameters].filter(([, { type }]) => type === "array").map(([name]) => name);
  }

  /** Returns whether a field of documents counts other records: lists do not sort by it. */
  isCount({ schema }, field) {
    return schema.properties[field]?.$ref?.endsWith("/Count") ?? false;
  }

  /** Returns the fields of documents that are shown: `properties`, which can be empty only, is not. */
  fields(schema) {
    const entries = Object.entries(schema.properties ?? {}).map(([name, value]) => [
      name,
      this.resolve(value),
    ]);
    return entries.filter(([, field]) => field.maxItems !== 0);
  }
}

const TITLES = ["name", "text", "value", "number", "relatedStyleNumber", "sku", "fileName", "barcode"];
/** Fields that the titles of records are made of. */
export const TITLE_FIELDS = [...TITLES, "styleNumber", "colorName", "code"];

/** Returns the text by which people know a record. */
export function titleOf(record) {
  const { styleNumber, colorName, code, id } = record;
  const ofStyle = styleNumber && colorName ? `${styleNumber} ${colorName}` : undefined;
  const own = TITLES.map((name) => record[name]).find((value) => value !== undefined && value !== null);
  return String(own ?? ofStyle ?? code ?? id);
}

/** Returns what tells records of one name apart: the own key. */
export const keyOf = (record) =>
  record.userDefinedId ??
  record.customId ??
  (record.name === undefined ? undefined : (record.number ?? record.code));

export const isScalar = (schema) => !typesOf(schema).some((type) => type === "array" || type === "object");
