// Conditions on a list: a row of field, operator and value for each.

import { named } from "./codes.js";
import { button, el, newId } from "./dom.js";
import { typesOf } from "./model.js";
import { nameOf, readNames } from "./names.js";
import { Picker } from "./picker.js";
import { label, t, wordFor } from "./words.js";

const WORDS = {
  contains: t("contains"),
  startsWith: t("starts with"),
  eq: t("is"),
  ne: t("is not"),
  in: t("is one of"),
  notIn: t("is none of"),
  isNull: t("is empty"),
  lt: t("is less than"),
  le: t("is at most"),
  gt: t("is greater than"),
  ge: t("is at least"),
};
const OF_TEXTS = ["contains", "startsWith"];
const OF_REFERENCES = ["eq", "in"];
const OF_ORDERED = ["lt", "le", "gt", "ge"];

const OF_NAMED = ["eq", "ne", "in", "notIn", "isNull"];

/** Returns a pick list of records, whose `value` is their ids, separated by commas. */
function namedValue(target, value, isList) {
  let ids =
    /^[\w,-]+$/.test(value) && !["true", "false"].includes(value) ? value.split(",").filter(Boolean) : [];
  const chosen = el("ul", { class: "chosen" });
  const picker = new Picker(target, ({ id }) =>
    choose(isList ? [...new Set([...ids, String(id)])] : [String(id)]),
  );
  picker.input.setAttribute("aria-label", t("Value"));
  const choose = (chosenIds) => {
    ids = chosenIds;
    picker.input.value = "";
    const item = (id) =>
      el(
        "li",
        {},
        el("bdi", {}, nameOf(target, id)),
        button("×", () => choose(ids.filter((other) => other !== id)), {
          "aria-label": t("Remove {0}", nameOf(target, id)),
        }),
      );
    chosen.replaceChildren(...ids.map(item));
  };
  choose(ids);
  if (ids.length)
    readNames(ids.map((id) => [target, id])).then(
      () => choose(ids),
      () => null,
    );
  const element = el("div", { class: "named-value" }, chosen, picker.element);
  return Object.defineProperty(element, "value", { get: () => ids.join(",") });
}

const option = (value, text, selected) => el("option", { value, selected: value === selected }, text);
const select = (name, choices, selected, onChange) =>
  el(
    "select",
    { "aria-label": name, change: onChange },
    choices.map(([value, text]) => option(value, text, selected)),
  );

/** Returns the words of a filter's field: `brand.customId` is "Brand: custom id". */
const wordsOf = (collection, property) =>
  property
    .split(".")
    .map((part, index) => label(part, index ? undefined : collection.schema.properties[part]))
    .join(": ");

export class Filters {
  /** `model` and `collection` give the fields and operators; `onApply` is called with the conditions. */
  constructor(model, collection, onApply) {
    this.model = model;
    this.collection = collection;
    this.onApply = onApply;
    const resolved = (name) => collection.parameters.get(name) ?? {};
    // Those that people filter by most come first: references, and the state.
    const rank = (name) => (this.#target(name) ? 0 : name === "state" || name === "status" ? 1 : 2);
    this.properties = model.filterable(collection).sort((a, b) => rank(a) - rank(b));
    this.operators = Object.keys(WORDS).filter((name) =>
      (resolved("filter[0].operator").enum ?? []).includes(name),
    );
    this.rows = el("div", { class: "conditions" });
    const add = button(t("Add a condition"), () =>
      this.#add({ property: this.properties[0], operator: "", value: "" }),
    );
    this.buttons = el("div", { class: "actions" }, add, el("button", {}, t("Apply")));
    this.form = el("form", { submit: (event) => this.#apply(event) }, this.rows, this.buttons);
    this.summary = el("summary", {}, t("Filter"));
    this.element = el("details", { class: "menu" }, this.summary, this.form);
  }

  /** Returns the conditions of a view as chips in words, each with a button that takes it away. */
  async chips(conditions) {
    const named = conditions.flatMap(({ property, value }) =>
      this.#target(property)
        ? value
            .split(",")
            .filter(Boolean)
            .map((id) => [this.#target(property), id])
        : [],
    );
    await readNames(named.filter(([, id]) => /^\w+$/.test(id)));
    const chip = (condition, index) => {
      const { property, operator, value } = condition;
      const target = this.#target(property);
      const words =
        target && operator !== "isNull"
          ? value
              .split(",")
              .map((id) => nameOf(target, id))
              .join(", ")
          : this.#valueWords(property, value);
      const text =
        operator === "isNull"
          ? value === "false"
            ? t("is not empty")
            : WORDS.isNull
          : `${WORDS[operator] ?? operator} ${words}`;
      const remove = () => this.onApply(conditions.filter((_, other) => other !== index));
      const name = `${wordsOf(this.collection, property)} ${text}`;
      return el(
        "li",
        { class: "chip" },
        el("bdi", {}, name),
        button("×", remove, { "aria-label": t("Remove: {0}", name) }),
      );
    };
    return el(
      "ul",
      { class: "chips conditions-in-words", "aria-label": t("Conditions") },
      conditions.map(chip),
    );
  }

  #valueWords(property, value) {
    const schema = this.#schemaOf(property);
    if (typesOf(schema).includes("boolean")) return value === "true" ? t("yes") : t("no");
    return schema.enum ? value.split(",").map(wordFor).join(", ") : value;
  }

  /** Shows the conditions of a view. */
  update(conditions) {
    this.summary.textContent = conditions.length ? t("Filter ({0})", conditions.length) : t("Filter");
    const shown = JSON.stringify(this.#conditions());
    if (JSON.stringify(conditions) === shown) return;
    this.rows.replaceChildren();
    for (const condition of conditions) this.#add(condition, false);
  }

  #add({ property, operator, value }, isFocused = true) {
    const row = el("div", { class: "condition" });
    const parts = {};
    const { collection } = this;
    const refresh = () => {
      const choices = this.#operatorsOf(parts.property.value).map((name) => [name, WORDS[name]]);
      parts.operator = select(t("Operator"), choices, parts.operator?.value ?? operator, refresh);
      parts.value = this.#input(parts.property.value, parts.operator.value, parts.value?.value ?? value);
      row.replaceChildren(
        parts.property,
        parts.operator,
        parts.value,
        button(t("Remove"), () => this.#remove(row)),
      );
    };
    parts.property = select(
      t("Field"),
      this.properties.map((name) => [name, wordsOf(collection, name)]),
      property,
      refresh,
    );
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
    return property === "id" || property.includes(".")
      ? undefined
      : named(
          this.model.resolve(this.collection.schema.properties[property] ?? {}),
          this.model.reference(this.collection, property),
        );
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
    if (choices && !isList)
      return select(
        t("Value"),
        choices.map((choice) => [
          choice,
          isBoolean ? (choice === "true" ? t("yes") : t("no")) : wordFor(choice),
        ]),
        value,
      );
    const attributes = {
      "aria-label": t("Value"),
      placeholder: isList ? t("Values, separated by commas") : "",
      id: newId("value"),
      dir: "auto",
    };
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
