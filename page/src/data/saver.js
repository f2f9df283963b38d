// Saver: what is edited, and the bar that saves it if nobody else changed it meanwhile.

import { get, idempotencyKey, request, toJson } from "./api.js";
import { button, el, report, stored } from "./dom.js";
import { draftOf, forgetDraft, storeDraft } from "./drafts.js";
import { SaveBar } from "./savebar.js";
import { guard, release } from "./unsaved.js";
import { counted, pathWords, t } from "./words.js";

const DRAFT_MS = 300;
const INPUT_EVENTS = ["input", "change", "click", "keyup", "paste"];

/**
 * A task has the `method`, `path`, `values` and `tag` of what is written, and functions: `editorOf(input,
 * values)` makes the
 * editor of some input, `onSaved(data)` and `onCancel()` go on. Editors have an `element`, `collect()`,
 * which returns the request body,
 * `showErrors(rows)`, which returns the rows that have no field, and `conflictOf` or `rebase` for changes of others.
 */
export class Saver {
  constructor(task) {
    this.task = task;
    this.sent = { text: "", key: "" };
    this.place = el("div", {});
    this.element = el("form", { class: "editing", novalidate: true });
    this.#show(task.values);
    this.initial = this.#input();
    this.bar = new SaveBar({
      onSave: () => this.save(),
      onCancel: () => this.#leave(() => task.onCancel()),
      onUndo: this.editor.undo && (() => this.editor.undo()),
    });
    this.element.append(this.place, this.bar.element);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    for (const name of INPUT_EVENTS) this.element.addEventListener(name, () => this.#scheduleDraft());
    this.isUnsaved = () => this.element.isConnected && this.#input() !== this.initial;
    guard(this.isUnsaved);
    this.#restore();
  }

  #show(input) {
    this.editor = this.task.editorOf(input, this.task.values);
    this.place.replaceChildren(this.editor.element);
  }

  /** Returns what is entered, as a text to compare. */
  #input() {
    return toJson(this.editor.collect());
  }

  /** Name of the draft. */
  get #key() {
    return this.task.key ?? this.task.path;
  }

  #restore() {
    const draft = draftOf(this.#key);
    if (!draft) return this.#showState();
    // Whether somebody else changed it since the draft began is told when it is saved.
    Object.assign(this.task, { tag: draft.tag, values: draft.values });
    this.#show(draft.input);
    const discard = button(t("Discard the draft"), () => this.#leave(() => this.task.onCancel()));
    this.bar.show(el("p", {}, t("This is the draft that you had not saved. ")), discard);
    return this.#showState();
  }

  #scheduleDraft() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#storeDraft(), DRAFT_MS);
  }

  #storeDraft() {
    if (!this.element.isConnected) return;
    const { tag, values } = this.task;
    if (this.isUnsaved()) storeDraft(this.#key, { tag, values, input: this.editor.collect() });
    else forgetDraft(this.#key);
    this.#showState();
  }

  #showState() {
    const isChanged = this.#input() !== this.initial;
    const count = this.editor.changes?.();
    const text = count
      ? counted(count, "{0} change is not saved.", "{0} changes are not saved.")
      : t("Not saved yet.");
    this.bar.showState(isChanged ? text : "", this.editor.canUndo);
  }

  #leave(then) {
    clearTimeout(this.timer);
    forgetDraft(this.#key);
    release(this.isUnsaved);
    then();
  }

  async save() {
    const { task, bar } = this;
    const input = this.editor.collect();
    const body = task.bodyOf ? task.bodyOf(input) : input;
    bar.clear();
    this.editor.showErrors([]);
    bar.saveButton.disabled = true;
    try {
      const { data } = await request(task.method, task.path, { body, headers: this.#headers(body) });
      this.#leave(() => task.onSaved(data));
      report(t("Saved."));
    } catch (error) {
      if (!error.rows) throw error;
      if (error.status === 412) await this.#settle(input);
      else if (error.isRefusal) this.#showErrors(error);
      else bar.showFailure(error);
    } finally {
      bar.saveButton.disabled = false;
    }
  }

  #headers(body) {
    const type = this.task.type ? { "Content-Type": this.task.type } : {};
    if (this.task.method !== "POST") return { ...type, ...(this.task.tag && { "If-Match": this.task.tag }) };
    const text = toJson(body);
    // The same request again has the same key, so that a lost response does not create two records.
    if (this.sent.text !== text) this.sent = { text, key: idempotencyKey() };
    return { "Idempotency-Key": this.sent.key };
  }

  /** Settles that somebody else changed it meanwhile: in the editor, or with both versions side by side. */
  async #settle(yours) {
    const { task, bar } = this;
    try {
      const { data: theirs, tag } = await (task.reread
        ? task.reread()
        : get(task.path, { form: "writable" }));
      if (this.editor.rebase) {
        Object.assign(task, { tag, values: theirs });
        bar.show(el("p", {}, this.editor.rebase(theirs)));
        this.#storeDraft();
        return;
      }
      const onChoose = (values) => this.#resolve(values, theirs, tag);
      const conflict = await this.editor.conflictOf(
        { base: task.values, theirs, yours },
        { onChoose, onCancel: () => this.#leave(() => task.onCancel()) },
      );
      this.element.replaceChildren(conflict.element);
      conflict.element.querySelector("h2").focus();
    } catch (error) {
      if (!error.rows) throw error;
      bar.showFailure(error);
    }
  }

  /** Saves what was chosen. A failure of it is shown at the fields again. */
  async #resolve(values, theirs, tag) {
    Object.assign(this.task, { tag, values: theirs });
    this.#show(values);
    this.element.replaceChildren(this.place, this.bar.element);
    await this.save();
  }

  /** Shows the service's words beside the fields that they are about, and in the bar what has no field. */
  #showErrors({ rows }) {
    const others = this.editor
      .showErrors(rows)
      .map(({ field, value }) => el("li", {}, field ? `${pathWords(field)}: ` : "", stored(value)));
    const summary = counted(rows.length, "It is not saved: see above.", "It is not saved: {0} errors.");
    this.bar.show(
      el("p", {}, others.length === rows.length ? t("It is not saved.") : summary),
      others.length > 0 && el("ul", {}, others),
    );
  }
}
