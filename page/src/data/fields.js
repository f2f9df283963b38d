// Editors of single values, made from their schemas. Each has an element, and `collect` returns its value.

import { button, el, newId } from "./dom.js";
import { titleOf, typesOf } from "./model.js";
import { nameOf } from "./names.js";
import { Picker } from "./picker.js";
import { hint, label, t, wordFor } from "./words.js";

const LONG_TEXT = 1000;

/** Row of a form: a label, a control, a hint, and the place of the service's words about it. */
export class Row {
  constructor(text, control, hint, content = control) {
    const id = newId("field");
    this.control = control;
    this.error = el("p", { class: "error", id: `${id}-error` });
    const help = el("p", { class: "quiet hint", id: `${id}-hint` }, hint);
    control.id = id;
    control.setAttribute("aria-describedby", `${id}-error ${id}-hint`);
    this.element = el("div", { class: "field" }, el("label", { for: id }, text), content, this.error, help);
  }

  showError(text) {
    this.error.textContent = text;
    if (text) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
  }

  focus() {
    this.control.focus();
  }
}

/** The bound of a number that nobody means: what the database can store. */
const WIDEST = 2 ** 31 - 1;

function hintOf(name, schema) {
  const { maxLength, minimum, maximum } = schema;
  const length = maxLength === undefined ? "" : t("At most {0} characters.", maxLength);
  const isBounded =
    Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum) && minimum !== 1 && maximum < WIDEST;
  return [hint(name, schema), length, isBounded ? t("{0} to {1}.", minimum, maximum) : ""]
    .filter(Boolean)
    .join(" ");
}

/** Editor with one control. A value that nobody changed is sent as it was. */
class ControlEditor {
  /** Returns the value that the control shows. */
  get current() {
    return this.value;
  }

  constructor({ name, schema, value, isRequired, note }, control, content) {
    this.value = value;
    this.control = control;
    this.schema = schema;
    const text = label(name, schema) + (isRequired ? ` (${t("required")})` : "");
    if (isRequired) control.setAttribute("aria-required", "true");
    this.row = new Row(text, control, [hintOf(name, schema), note].filter(Boolean).join(" "), content);
    this.element = this.row.element;
  }

  collect(path, rows) {
    rows.set(path, this.row);
    return this.current;
  }
}

export class TextEditor extends ControlEditor {
  constructor(field) {
    const text = field.value === null || field.value === undefined ? "" : String(field.value);
    const isLong = (field.schema.maxLength ?? 0) > LONG_TEXT || /\n/.test(text);
    const control = el(isLong ? "textarea" : "input", {
      rows: isLong ? 4 : undefined,
      dir: "auto",
      autocomplete: "off",
    });
    if (!typesOf(field.schema).includes("string")) control.inputMode = "decimal";
    control.value = text;
    super(field, control);
    // The browser may store other line ends.
    this.initial = control.value;
  }

  get current() {
    const text = this.control.value;
    if (text === this.initial) return this.value;
    if (text === "") return null;
    const types = typesOf(this.schema);
    // What is no number is sent as it is, and the service says so.
    if (types.includes("string") || !/^\s*-?\d+(\.\d+)?\s*$/.test(text)) return text;
    const number = Number(text);
    return types.includes("integer") && !Number.isSafeInteger(number) && !text.includes(".")
      ? BigInt(text)
      : number;
  }
}

export class CheckEditor extends ControlEditor {
  constructor(field) {
    const control = el("input", { type: "checkbox" });
    control.checked = field.value === true;
    super(field, control);
    this.initial = control.checked;
  }

  get current() {
    return this.control.checked === this.initial ? this.value : this.control.checked;
  }
}

export class ChoiceEditor extends ControlEditor {
  constructor(field) {
    const choices = field.schema.enum.filter((choice) => choice !== null);
    const isSet = field.value !== null && field.value !== undefined;
    const isKnown = choices.includes(field.value);
    const shown = [
      ...(isSet && field.schema.enum.length === choices.length ? [] : [""]),
      ...choices,
      ...(isSet && !isKnown ? [field.value] : []),
    ];
    const control = el(
      "select",
      {},
      shown.map((choice) => el("option", { value: choice }, choice ? wordFor(choice) : "–")),
    );
    control.value = isSet ? field.value : "";
    super(field, control);
    this.initial = control.value;
  }

  get current() {
    return this.control.value === this.initial ? this.value : this.control.value || null;
  }
}

/** List of numbers or texts without a collection of their own. */
export class ListEditor extends ControlEditor {
  constructor(field) {
    const control = el("input", { dir: "auto", autocomplete: "off" });
    control.value = (field.value ?? []).join(", ");
    super({ ...field, note: t("Separated by commas.") }, control);
    this.initial = control.value;
  }

  get current() {
    if (this.control.value === this.initial) return this.value;
    const texts = this.control.value
      .split(",")
      .map((text) => text.trim())
      .filter(Boolean);
    return texts.map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : text));
  }
}

export class ReferenceEditor extends ControlEditor {
  constructor(field) {
    const picker = new Picker(field.target, (record) => this.#choose(record.id, titleOf(record)));
    super(field, picker.input, picker.element);
    this.picker = picker;
    this.target = field.target;
    this.id = field.value;
    const isSet = field.value !== null && field.value !== undefined;
    this.#choose(field.value, isSet ? nameOf(field.target, field.value) : "");
    this.control.addEventListener("input", () => (picker.isChosen = false));
    this.control.addEventListener("blur", () => this.#settle());
  }

  #choose(id, text) {
    this.id = id;
    this.text = text;
    this.control.value = text;
    this.picker.isChosen = true;
  }

  /** What was typed as a whole, such as the code of a country. */
  get #match() {
    return this.picker.isChosen ? undefined : this.target.match?.(this.control.value);
  }

  /** Whether what stands there is a record, or nothing. */
  get isSettled() {
    return this.picker.isChosen || !this.control.value.trim() || Boolean(this.#match);
  }

  /** A text that was typed and not chosen is no reference; an empty one clears it. */
  #settle() {
    if (this.#match) return this.#choose(this.#match.id, this.#match.name);
    const isEmpty = this.control.value.trim() === "" && this.text !== "";
    return this.#choose(isEmpty ? null : this.id, isEmpty ? "" : this.text);
  }

  get current() {
    return this.#match?.id ?? this.id;
  }
}

/** Set of references: those that are chosen, with a button each, and a pick list for more. */
export class ReferencesEditor extends ControlEditor {
  constructor(field) {
    const picker = new Picker(field.target, (record) => this.#add(record));
    const chosen = el("ul", { class: "chosen" });
    super(field, picker.input, el("div", {}, chosen, picker.element));
    this.chosen = chosen;
    this.target = field.target;
    this.isNamed = field.isNamed;
    this.entries = [...(field.value ?? [])];
    this.isChanged = false;
    this.#show();
  }

  #idOf(entry) {
    return this.isNamed ? entry.id : entry;
  }

  #add(record) {
    this.control.value = "";
    if (this.entries.some((entry) => this.#idOf(entry) === record.id)) return;
    this.#change([...this.entries, this.isNamed ? { id: record.id } : record.id]);
  }

  #change(entries) {
    this.entries = entries;
    this.isChanged = true;
    this.#show();
    this.control.focus();
  }

  #show() {
    const items = this.entries.map((entry) => {
      const name = entry?.name ?? nameOf(this.target, this.#idOf(entry));
      const remove = () => this.#change(this.entries.filter((other) => other !== entry));
      return el("li", {}, el("bdi", {}, name), button("×", remove, { "aria-label": t("Remove {0}", name) }));
    });
    this.chosen.replaceChildren(...items);
  }

  get current() {
    return this.isChanged ? this.entries : this.value;
  }
}
