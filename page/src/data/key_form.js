// Form of a new API key: its name, what it may do, and when it ends.

import { request } from "./api.js";
import { alertBox, button, el, link, newId, stored } from "./dom.js";
import { go, hashOf } from "./location.js";
import { ACCESSES, ACCESS_WORDS, grantable, scopeWords } from "./scopes.js";
import { guard, release } from "./unsaved.js";
import { t } from "./words.js";

const EXPIRIES = [
  ["", t("never")],
  ["30", t("in 30 days")],
  ["90", t("in 90 days")],
  ["365", t("in a year")],
  ["date", t("on a date")],
];
const DAY_MS = 24 * 60 * 60 * 1000;

const option = ([value, text]) => el("option", { value }, text);

/** Field of the form, with a place for its error. */
class Field {
  constructor(title, control, hint = "") {
    const id = newId("field");
    const hintId = newId("hint");
    this.control = control;
    control.id = id;
    control.setAttribute("aria-describedby", hintId);
    this.error = el("p", { class: "error" });
    this.element = el(
      "div",
      { class: "field" },
      el("label", { for: id }, title),
      control,
      el("p", { class: "hint quiet", id: hintId }, hint),
      this.error,
    );
  }

  showError(text) {
    this.error.textContent = text;
    if (text) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
  }
}

/** Accesses to choose from, for all collections and for each, and other scopes to check. */
class ScopeChoice {
  constructor(model, scopes) {
    this.model = model;
    this.selects = new Map();
    this.boxes = [];
    const { all, groups, others } = grantable(model, scopes);
    const change = () => this.#changed();
    const access = (name, title, accesses) => {
      const select = el(
        "select",
        { name, change },
        option(["", t("nothing")]),
        accesses.map((each) => option([each, ACCESS_WORDS[each]])),
      );
      this.selects.set(name, select);
      return el("label", { class: "access" }, el("span", {}, title), select);
    };
    const group = ({ title, rows }) =>
      el(
        "fieldset",
        {},
        el("legend", {}, title),
        el(
          "div",
          { class: "accesses" },
          rows.map((row) => access(row.name, row.title, row.accesses)),
        ),
      );
    const box = (text) => {
      const input = el("input", { type: "checkbox", value: text, change });
      this.boxes.push(input);
      return el(
        "label",
        { class: "option" },
        input,
        el("span", {}, scopeWords(model, text), " ", el("code", { class: "quiet" }, text)),
      );
    };
    this.result = el("p", { class: "quiet", "aria-live": "polite" });
    this.error = el("p", { class: "error" });
    this.element = el(
      "fieldset",
      { class: "scope-choice" },
      el("legend", {}, t("What it may do")),
      all.length > 0 && el("div", { class: "accesses" }, access("*", t("All collections"), all)),
      groups.length > 0 &&
        el("details", { open: !all.length }, el("summary", {}, t("Choose by collection")), groups.map(group)),
      others.map(box),
      this.result,
      this.error,
    );
    this.#changed();
  }

  /** Returns the scopes that are chosen, without those that the access to all collections includes. */
  get scopes() {
    const rank = (select) => ACCESSES.indexOf(select?.value);
    const all = this.selects.get("*");
    const chosen = [...this.selects].filter(
      ([, select]) => select.value && (select === all || rank(select) > rank(all)),
    );
    return [
      ...chosen.map(([name, { value }]) => `${name}:${value}`),
      ...this.boxes.filter(({ checked }) => checked).map(({ value }) => value),
    ];
  }

  #changed() {
    const all = this.selects.get("*");
    for (const select of this.selects.values())
      if (select !== all) select.options[0].textContent = all?.value ? t("as all") : t("nothing");
    this.error.textContent = "";
    const { scopes } = this;
    this.result.replaceChildren(
      scopes.length ? t("Scopes: ") : t("No scope is chosen yet."),
      ...scopes.flatMap((scope) => [el("code", {}, scope), " "]),
    );
  }

  showError(text) {
    this.error.textContent = text;
  }
}

/** Returns the form of a new key. `onIssued` is called with the key that the service has made. */
export function keyForm(model, { key: own }, onIssued) {
  const name = el("input", { required: true, maxlength: 1000, autocomplete: "off", dir: "auto" });
  const source = el("input", { maxlength: 1000, autocomplete: "off", dir: "auto" });
  const expiry = el("select", { change: () => showDate() }, EXPIRIES.map(option));
  const date = el("input", {
    type: "date",
    "aria-label": t("Last day"),
    min: new Date(Date.now() + DAY_MS).toISOString().slice(0, 10),
  });
  const choice = new ScopeChoice(model, own.scopes);
  const fields = {
    name: new Field(
      t("Name (required)"),
      name,
      t("What it is for, such as “Supplier portal”. Each program has its own key."),
    ),
    source: new Field(
      t("Source"),
      source,
      t("The system that uses the key. Lists can be filtered by the source that created a record."),
    ),
    expiresAt: new Field(t("Ends"), expiry, t("From then on the key is refused.")),
    scopes: choice,
  };
  fields.expiresAt.element.insertBefore(date, fields.expiresAt.error);
  const showDate = () => {
    date.hidden = !(date.required = expiry.value === "date");
    if (date.required) date.focus();
  };
  showDate();
  const problems = el("div", {});
  const save = el("button", {}, t("Make the key"));
  const isEntered = () => Boolean(name.value.trim() || choice.scopes.length);
  guard(isEntered);

  const expiresAt = () => {
    if (!expiry.value) return null;
    return (
      expiry.value === "date"
        ? new Date(`${date.value}T23:59:59`)
        : new Date(Date.now() + Number(expiry.value) * DAY_MS)
    ).toISOString();
  };
  const show = (rows) => {
    const fieldOf = ({ field }) => fields[/^\w+/.exec(field ?? "")?.[0]];
    for (const [member, field] of Object.entries(fields))
      field.showError(
        rows
          .filter((row) => fieldOf(row) === fields[member])
          .map(({ value }) => value)
          .join(" "),
      );
    const rest = rows.filter((row) => !fieldOf(row));
    problems.replaceChildren(
      rest.length
        ? alertBox(
            el("p", {}, t("The key is not made.")),
            rest.map(({ value }) => el("p", {}, stored(value))),
          )
        : "",
    );
    form.querySelector("[aria-invalid]")?.focus();
  };
  const submit = async (event) => {
    event.preventDefault();
    if (!choice.scopes.length) return show([{ field: "scopes", value: t("Choose at least one.") }]);
    save.disabled = true;
    try {
      // Without an Idempotency-Key: with one, the service would store the secret for its replay.
      const body = {
        name: name.value,
        scopes: choice.scopes,
        source: source.value.trim() || null,
        expiresAt: expiresAt(),
      };
      const { data } = await request("POST", "api/keys", { body });
      release(isEntered);
      return onIssued(data);
    } catch (error) {
      if (!error.rows) throw error;
      return show(error.rows);
    } finally {
      save.disabled = false;
    }
  };
  const cancel = button(t("Cancel"), () => go({ name: "keys" }));
  const form = el(
    "form",
    { class: "editing", submit },
    el(
      "div",
      { class: "fields" },
      fields.name.element,
      choice.element,
      fields.expiresAt.element,
      fields.source.element,
    ),
    problems,
    el("div", { class: "actions" }, save, cancel),
  );
  return [
    el("p", { class: "crumb" }, link(hashOf({ name: "keys" }), t("API keys"))),
    el("h1", { tabindex: "-1" }, t("New API key")),
    el("p", { class: "quiet" }, t("It can do no more than the key with which you are here.")),
    form,
  ];
}
