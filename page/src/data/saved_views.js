// Saved views of a list: its search, filters, sort and columns under a name, in the browser.

import { scope } from "./api.js";
import { button, el, link, report } from "./dom.js";
import { hashOf } from "./location.js";
import { t } from "./words.js";

const nameOfItem = (collection) => `selvedge.views.${scope.organization}.${collection.name}`;

function read(collection) {
  try {
    return JSON.parse(localStorage.getItem(nameOfItem(collection)) ?? "[]");
  } catch {
    return [];
  }
}

export class SavedViews {
  constructor(collection) {
    this.collection = collection;
    this.view = null;
    this.list = el("ul", { class: "chips" });
    this.name = el("input", {
      "aria-label": t("Name of the view"),
      placeholder: t("Name of the view"),
      dir: "auto",
      maxlength: 60,
    });
    const form = el(
      "form",
      { submit: (event) => this.#save(event) },
      this.name,
      el("button", {}, t("Save this view")),
    );
    this.summary = el("summary", {}, t("Views"));
    this.element = el("details", { class: "menu" }, this.summary, this.list, form);
    this.#show();
  }

  update(view) {
    this.view = view;
  }

  #write(views) {
    localStorage.setItem(nameOfItem(this.collection), JSON.stringify(views));
    this.#show();
  }

  #save(event) {
    event.preventDefault();
    const name = this.name.value.trim();
    if (!name || !this.view) return this.name.focus();
    const hash = hashOf({ ...this.view, cursor: "" });
    this.#write([...read(this.collection).filter((other) => other.name !== name), { name, hash }]);
    this.name.value = "";
    return report(t("The view {0} is saved in this browser.", name));
  }

  #show() {
    const views = read(this.collection);
    this.summary.textContent = views.length ? t("Views ({0})", views.length) : t("Views");
    const remove = (view) => {
      this.#write(read(this.collection).filter(({ name }) => name !== view.name));
      this.name.focus();
    };
    const chip = (view) =>
      el(
        "li",
        { class: "chip" },
        link(view.hash, el("bdi", {}, view.name)),
        button("×", () => remove(view), { "aria-label": t("Remove the view {0}", view.name) }),
      );
    this.list.replaceChildren(...views.map(chip));
  }
}
