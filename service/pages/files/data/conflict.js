// Conflict: a record that somebody else changed meanwhile, theirs and yours side by side.

import { toJson } from "./api.js";
import { button, el, newId } from "./dom.js";
import { label } from "./model.js";
import { nameOf } from "./names.js";
import { scrolling } from "./values.js";

const isMissing = (value) => value === null || value === undefined;
const isEqual = (left, right) => (isMissing(left) && isMissing(right)) || toJson(left) === toJson(right);

/** Returns a value of a form as a text. */
function textOf(model, collection, field, value) {
  const target = model.reference(collection, field);
  if (isMissing(value) || value === "") return "–";
  if (Array.isArray(value)) return value.length ? value.map((entry) => textOf(model, collection, field, entry)).join(", ") : "–";
  if (typeof value === "object") return value.name ?? Object.values(value).filter((member) => !isMissing(member) && typeof member !== "object").join(" ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return target ? nameOf(target, value) : String(value);
}

/** Returns the fields that differ; a list as a whole is a single one, without a name. */
function differences(theirs, yours) {
  if (Array.isArray(yours)) return isEqual(theirs, yours) ? [] : [""];
  return Object.keys(yours).filter((name) => !isEqual(theirs[name], yours[name]));
}

const memberOf = (values, name) => (name ? values[name] : values);

export class Conflict {
  /** `base` is what the form began with. `onChoose` is called with the values to save. */
  constructor(model, collection, { base, theirs, yours }, { onChoose, onCancel }) {
    Object.assign(this, { model, collection, theirs, yours });
    this.choices = differences(theirs, yours).map((name) => this.#choice(name, !isEqual(memberOf(base, name), memberOf(yours, name))));
    const heads = ["Field", "Theirs, as it is stored now", "Yours"].map((text) => el("th", { scope: "col" }, text));
    const table = el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, this.choices.map(({ row }) => row)));
    this.element = el(
      "section",
      { class: "conflict" },
      el("h2", { tabindex: "-1" }, "Somebody else changed this meanwhile"),
      el("p", {}, this.choices.length ? "Choose what to keep of each field, and save." : "It now is as you want it."),
      this.choices.length > 0 && scrolling("Theirs and yours", table),
      el("div", { class: "actions" }, button("Save my choice", () => onChoose(this.#values()), { class: "" }), button("Discard my changes", onCancel)),
    );
  }

  #choice(name, isChangedByMe) {
    const group = newId("choice");
    const title = name ? label(name) : "All entries";
    const option = (values, side, isChosen) => {
      const input = el("input", { type: "radio", name: group, value: side, "data-field": name });
      input.checked = isChosen;
      const text = textOf(this.model, this.collection, name, memberOf(values, name));
      return [input, el("td", {}, el("label", {}, input, el("bdi", { class: "stored" }, text)))];
    };
    const [, theirs] = option(this.theirs, "theirs", !isChangedByMe);
    const [mine, yours] = option(this.yours, "yours", isChangedByMe);
    const row = el("tr", {}, el("th", { scope: "row" }, title), theirs, yours);
    return { name, mine, row };
  }

  #values() {
    const chosen = this.choices.filter(({ mine }) => mine.checked).map(({ name }) => name);
    if (Array.isArray(this.yours)) return chosen.length ? this.yours : this.theirs;
    const values = Object.fromEntries(Object.keys(this.yours).map((name) => [name, this.theirs[name]]));
    for (const name of chosen) values[name] = this.yours[name];
    return values;
  }
}
