// Conflict: a record that somebody else changed meanwhile, theirs and yours side by side.

import { button, el, newId } from "./dom.js";
import { isSame, plainText, scrolling } from "./values.js";
import { label, t } from "./words.js";

/** Returns the fields that differ; a list as a whole is a single one, without a name. */
function differences(theirs, yours) {
  if (Array.isArray(yours)) return isSame(theirs, yours) ? [] : [""];
  return Object.keys(yours).filter((name) => !isSame(theirs[name], yours[name]));
}

const memberOf = (values, name) => (name ? values[name] : values);

export class Conflict {
  /** `base` is what the form began with. `onChoose` is called with the values to save. */
  constructor(model, collection, { base, theirs, yours, schema }, { onChoose, onCancel }) {
    this.model = model;
    this.collection = collection;
    this.theirs = theirs;
    this.yours = yours;
    this.schema = schema;
    this.choices = differences(theirs, yours).map((name) =>
      this.#choice(name, !isSame(memberOf(base, name), memberOf(yours, name))),
    );
    const heads = [t("Field"), t("Theirs, as it is stored now"), t("Yours")].map((text) =>
      el("th", { scope: "col" }, text),
    );
    const table = el(
      "table",
      {},
      el("thead", {}, el("tr", {}, heads)),
      el(
        "tbody",
        {},
        this.choices.map(({ row }) => row),
      ),
    );
    this.element = el(
      "section",
      { class: "conflict" },
      el("h2", { tabindex: "-1" }, t("Somebody else changed this meanwhile")),
      el(
        "p",
        {},
        this.choices.length
          ? t("Choose what to keep of each field, and save.")
          : t("It now is as you want it."),
      ),
      this.choices.length > 0 && scrolling(t("Theirs and yours"), table),
      el(
        "div",
        { class: "actions" },
        button(t("Save my choice"), () => onChoose(this.#values()), { class: "" }),
        button(t("Discard my changes"), onCancel),
      ),
    );
  }

  #choice(name, isChangedByMe) {
    const group = newId("choice");
    const title = name ? label(name, this.schema?.properties?.[name]) : t("All entries");
    const option = (values, side, isChosen) => {
      const input = el("input", { type: "radio", name: group, value: side, "data-field": name });
      input.checked = isChosen;
      const text = plainText(this.model, this.collection, name, memberOf(values, name));
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
