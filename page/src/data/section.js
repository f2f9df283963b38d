// Section of a page: a heading, what is read, and what is edited in its place.

import { alertBox, button, el } from "./dom.js";
import { draftOf } from "./drafts.js";
import { hasUnsaved } from "./unsaved.js";
import { t } from "./words.js";

export class Section {
  /**
   * `read()` returns the data, `show(data)` its nodes, and `actions(data)` what can be done: a `text`, the
   * `path` that is written
   * to, and `open(done, choice)`, which returns the Saver; `done` has the functions of its task.
   * `choose(choice)` chooses what is read,
   * unless an action `opensFor` that word before its first dot. `onChange` is called after a change.
   */
  constructor({
    name,
    title,
    read,
    show,
    actions = (_data) => [],
    choose = null,
    onChange = (_section) => null,
  }) {
    this.name = name;
    this.title = title;
    this.read = read;
    this.show = show;
    this.actions = actions;
    this.choose = choose;
    this.onChange = onChange;
    this.isEditing = false;
    this.heading = el("h2", { tabindex: "-1", id: `at-${name}` }, title);
    this.count = el("span", { class: "count" });
    this.buttons = el("div", { class: "actions" });
    this.body = el(
      "div",
      { class: "body", "aria-busy": "true" },
      el("p", { class: "quiet" }, t("Loading …")),
    );
    this.element = el(
      "section",
      { class: `part of-${name}`, "aria-labelledby": `at-${name}` },
      el("div", { class: "section-head" }, this.heading, this.buttons),
      this.body,
    );
  }

  /** Reads and shows the data; what is being edited stays. */
  async load() {
    if (this.isEditing) return;
    try {
      this.data = await this.read();
      this.#view();
      await this.#reopen();
    } catch (error) {
      if (!error.rows || error.status === 401) throw error;
      this.body.replaceChildren(alertBox(error.message));
    } finally {
      this.body.setAttribute("aria-busy", "false");
    }
  }

  #view() {
    this.isEditing = false;
    this.options = this.actions(this.data);
    const open = (action) =>
      button(action.text, () => this.open(action), { class: "plain small", "aria-label": action.label });
    this.buttons.replaceChildren(...this.options.filter(({ isInline }) => !isInline).map(open));
    const nodes = [this.show(this.data, (action) => open(action))].flat(Infinity).filter(Boolean);
    this.body.replaceChildren(...nodes);
  }

  /** Goes on with a draft that the tab has. */
  async #reopen() {
    const action = this.options.find(({ path }) => path && draftOf(path));
    if (action) await this.open(action, false);
  }

  async open(action, isFocused = true, choice = "") {
    const done = {
      onSaved: () => this.#close(() => this.onChange(this)),
      onCancel: () => this.#close(),
    };
    this.body.setAttribute("aria-busy", "true");
    try {
      const saver = await action.open(done, choice);
      // An action without input is done at once.
      if (!saver) return this.#close(() => this.onChange(this));
      this.isEditing = true;
      this.buttons.replaceChildren();
      this.body.replaceChildren(saver.element);
      if (!isFocused) return undefined;
      // From the top, where its heading says what is edited; the bar with Save covers no field then.
      this.element.scrollIntoView({ block: "start" });
      (saver.first ?? saver.element)
        .querySelector("input:not([readonly], [type=file]), select, textarea")
        ?.focus();
    } catch (error) {
      if (!error.rows || error.status === 401) throw error;
      this.body.prepend(alertBox(error.message));
    } finally {
      this.body.setAttribute("aria-busy", "false");
    }
    return undefined;
  }

  async #close(then = () => null) {
    this.isEditing = false;
    await this.load();
    this.heading.focus();
    await then();
  }

  /** Shows the section, with the focus at its heading, where screen readers and Tab go on. */
  async goTo(choice) {
    const meant = this.options?.find(({ opensFor }) => opensFor && opensFor === choice?.split(".")[0]);
    if (choice && this.choose && !meant && !this.isEditing) {
      this.choose(choice);
      await this.load();
    }
    this.element.scrollIntoView({ block: "start" });
    this.heading.focus({ preventScroll: true });
    const [first] = this.options ?? [];
    const action = meant ?? (first?.opensAtOnce ? first : null);
    if (action && !this.isEditing && !hasUnsaved()) this.open(action, true, choice);
  }
}
