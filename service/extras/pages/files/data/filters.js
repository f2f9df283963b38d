// Conditions on a list: a row of field, operator and value for each.

import { button, el, newId } from "./dom.js";
import { label, typesOf } from "./model.js";
import { nameOf, readNames } from "./names.js";
import { Picker } from "./picker.js";

const WORDS = {
  contains: "contains",
  startsWith: "starts with",
  eq: "is",
  ne: "is not",
  in: "is one of",
  notIn: "is none of",
  isNull: "is empty",
  lt: "is less than",
  le: "is at most",
  gt: "is greater than",
  ge: "is at least",
};
const OF_TEXTS = ["contains", "startsWith"];
const OF_REFERENCES = ["eq", "in"];
const OF_ORDERED = ["lt", "le", "gt", "ge"];

const OF_NAMED = ["eq", "ne", "in", "notIn", "isNull"];

/** Returns a pick list of records, whose `value` is their ids, separated by commas. */
function namedValue(target, value, isList) {
  let ids = /^[\w,-]+$/.test(value) && !["true", "false"].includes(value) ? value.split(",").filter(Boolean) : [];
  const chosen = el("ul", { class: "chosen" });
  const picker = new Picker(target, ({ id }) => choose(isList ? [...new Set([...ids, String(id)])] : [String(id)]));
  picker.input.setAttribute("aria-label", "Value");
  const choose = (chosenIds) => {
    ids = chosenIds;
    picker.input.value = "";
    const item = (id) => el("li", {}, el("bdi", {}, nameOf(target, id)), button("×", () => choose(ids.filter((other) => other !== id)), { "aria-label": `Remove ${nameOf(target, id)}` }));
    chosen.replaceChildren(...ids.map(item));
  };
  choose(ids);
  if (ids.length) readNames(ids.map((id) => [target, id])).then(() => choose(ids), () => null);
  const element = el("div", { class: "named-value" }, chosen, picker.element);
  return Object.defineProperty(element, "value", { get: () => ids.join(",") });
}

const option = (value, text, selected) => el("option", { value, selected: value === selected }, text);
const select = (name, choices, selected, onChange) =>
  el("select", { "aria-label": name, change: onChange }, choices.map(([value, text]) => option(value, text, selected)));

/** Returns the words of a filter's field: `brand.customId` is "Brand: custom id". */
const wordsOf = (property, isReference) => property.split(".").map((part) => label(part, isReference)).join(": ");

export class Filters {
  /** `model` and `collection` give the fields and operators; `onApply` is called with the conditions. */
  constructor(model, collection, onApply) {
    Object.assign(this, { model, collection, onApply });
    const resolved = (name) => collection.parameters.get(name) ?? {};
    // Those that people filter by most come first: references, and the state.
    const rank = (name) => (this.#target(name) ? 0 : name === "state" || name === "status" ? 1 : 2);
    this.properties = model.filterable(collection).sort((a, b) => rank(a) - rank(b));
    this.operators = Object.keys(WORDS).filter((name) => (resolved("filter[0].operator").enum ?? []).includes(name));
    this.rows = el("div", { class: "conditions" });
    const add = button("Add a condition", () => this.#add({ property: this.properties[0], operator: "", value: "" }));
    this.buttons = el("div", { class: "actions" }, add, el("button", {}, "Apply"));
    this.form = el("form", { submit: (event) => this.#apply(event) }, this.rows, this.buttons);
    this.summary = el("summary", {}, "Filter");
    this.element = el("details", { class: "menu" }, this.summary, this.form);
  }

  /** Returns the conditions of a view as chips in words, each with a button that takes it away. */
  async chips(conditions) {
    const named = conditions.flatMap(({ property, value }) => (this.#target(property) ? value.split(",").filter(Boolean).map((id) => [this.#target(property), id]) : []));
    await readNames(named.filter(([, id]) => /^\w+$/.test(id)));
    const chip = (condition, index) => {
      const { property, operator, value } = condition;
      const target = this.#target(property);
      const words = target && operator !== "isNull" ? value.split(",").map((id) => nameOf(target, id)).join(", ") : value;
      const text = operator === "isNull" ? (value === "false" ? "is not empty" : WORDS.isNull) : `${WORDS[operator] ?? operator} ${words}`;
      const remove = () => this.onApply(conditions.filter((_, other) => other !== index));
      const name = `${label(property.split(".")[0], Boolean(target))} ${text}`;
      return el("li", { class: "chip" }, el("bdi", {}, name), button("×", remove, { "aria-label": `Remove: ${name}` }));
    };
    return el("ul", { class: "chips conditions-in-words", "aria-label": "Conditions" }, conditions.map(chip));
  }

  /** Shows the conditions of a view. */
  update(conditions) {
    this.summary.textContent = conditions.length ? `Filter (${conditions.length})` : "Filter";
    const shown = JSON.stringify(this.#conditions());
    if (JSON.stringify(conditions) === shown) return;
    this.rows.replaceChildren();
    for (const condition of conditions) this.#add(condition, false);
  }

  #add({ property, operator, value }, isFocused = true) {
    const row = el("div", { class: "condition" });
    const parts = {};
    const refresh = () => {
      const choices = this.#operatorsOf(parts.property.value).map((name) => [name, WORDS[name]]);
      parts.operator = select("Operator", choices, parts.operator?.value ?? operator, refresh);
      parts.value = this.#input(parts.property.value, parts.operator.value, parts.value?.value ?? value);
      row.replaceChildren(parts.property, parts.operator, parts.value, button("Remove", () => this.#remove(row)));
    };
    parts.property = select("Field", this.properties.map((name) => [name, wordsOf(name, Boolean(this.#target(name)))]), property, refresh);
    refresh();
    row.parts = parts;
    this.rows.append(row);
    if (isFocused) parts.property.focus();
  }

  #remove(row) {
    row.remove();
    this.buttons.firstChild.focus();
  }

  /** Returns the collection whose records a field names. */
  #target(property) {
    return property === "id" || property.includes(".") ? undefined : this.model.reference(this.collection, property);
  }

  #schemaOf(property) {
    return this.model.resolve(this.collection.parameters.get(property)?.items ?? {});
  }

  #operatorsOf(property) {
    const types = typesOf(this.#schemaOf(property));
    const fits = (name) => {
      if (property.includes(".")) return OF_REFERENCES.includes(name);
      if (this.#target(property)) return OF_NAMED.includes(name);
      if (OF_TEXTS.includes(name)) return types.includes("string");
      return !OF_ORDERED.includes(name) || !types.includes("boolean");
    };
    return this.operators.filter(fits);
  }

  #input(property, operator, value) {
    const schema = this.#schemaOf(property);
    const isBoolean = operator === "isNull" || typesOf(schema).includes("boolean");
    const choices = isBoolean ? ["true", "false"] : schema.enum;
    const isList = operator === "in" || operator === "notIn";
    const target = this.#target(property);
    if (target && !isBoolean) return namedValue(target, value, isList);
    if (choices && !isList) return select("Value", choices.map((choice) => [choice, isBoolean ? (choice === "true" ? "yes" : "no") : choice]), value);
    const attributes = { "aria-label": "Value", placeholder: isList ? "Values, separated by commas" : "", id: newId("value"), dir: "auto" };
    const input = el("input", attributes);
    input.value = value;
    return input;
  }

  #conditions() {
    return [...this.rows.children].map(({ parts }) => ({
      property: parts.property.value,
      operator: parts.operator.value,
      value: parts.value.value,
    }));
  }

  #apply(event) {
    event.preventDefault();
    this.onApply(this.#conditions());
  }
}
