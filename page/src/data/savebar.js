// Save bar: stays in view below what is edited, has the service's words, and asks for a new key if the
// present one is refused.

import { get, parseKey, scope, storeKey } from "./api.js";
import { alertBox, button, el, newId } from "./dom.js";
import { t } from "./words.js";

const bars = new Set();

export class SaveBar {
  /**
   * Its buttons and keys call these functions; `onUndo` is there if steps can be taken back.
   * @param {{ onSave: Function, onCancel: Function, onUndo?: Function, saveText?: string }} options
   */
  constructor({ onSave, onCancel, onUndo, saveText = t("Save") }) {
    this.onSave = onSave;
    this.state = el("span", { class: "quiet" }, "");
    this.messages = el("div", { class: "messages" });
    this.saveButton = el("button", { title: "Ctrl+S" }, saveText);
    this.undoButton = onUndo && button(t("Undo"), onUndo, { title: "Ctrl+Z" });
    const cancel = button(t("Cancel"), onCancel);
    this.element = el(
      "div",
      { class: "savebar", role: "group", "aria-label": t("Save") },
      this.messages,
      el("div", { class: "actions" }, this.saveButton, this.undoButton, cancel, this.state),
    );
    bars.add(this);
  }

  /** Says what is not saved. */
  showState(text, canUndo = false) {
    this.state.textContent = text;
    if (this.undoButton) this.undoButton.disabled = !canUndo;
  }

  clear() {
    this.messages.replaceChildren();
  }

  /** Shows a message as an alert. */
  show(...nodes) {
    this.messages.replaceChildren(alertBox(...nodes));
    this.element.scrollIntoView({ block: "nearest" });
  }

  /** Shows why a request failed that has to do with no field, and a way on. */
  showFailure(error) {
    if (error.status !== 401) {
      const wait = error.retryAfter && t("Try again in {0} s.", error.retryAfter);
      return this.show(
        el(
          "p",
          {},
          [t("It is not saved."), error.message, wait, t("Your input stays here.")].filter(Boolean).join(" "),
        ),
      );
    }
    const id = newId("key");
    const field = el("input", {
      id,
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
      placeholder: "slv_1_1_…",
    });
    const refusal = el("p", { class: "error" });
    const goOn = async () => {
      const key = parseKey(field.value);
      refusal.textContent = key ? await whyNot(key) : t("Enter a key.");
      if (refusal.textContent) return field.focus();
      storeKey(key);
      return this.onSave();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      goOn();
    });
    this.show(
      el(
        "p",
        {},
        t(
          "It is not saved: the service does not know the key any more, or it has expired. Your input stays here.",
        ),
      ),
      el(
        "div",
        { class: "actions" },
        el("label", { for: id }, t("Another key")),
        field,
        button(t("Save with this key"), goOn, { class: "" }),
      ),
      refusal,
    );
    return field.focus({ preventScroll: true });
  }
}

/** Returns why a key cannot save what another began, or nothing. */
async function whyNot(key) {
  try {
    const { data } = await get("api/me", [], { key });
    return String(data.organization.id) === scope.organization
      ? ""
      : t("This key is of another organization.");
  } catch (error) {
    if (!error.rows) throw error;
    return error.message;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  for (const bar of bars) if (!bar.element.isConnected) bars.delete(bar);
  // Of several, the one in which the focus is, else the last.
  const open = [...bars];
  const bar =
    open.find(({ element }) => element.parentElement.contains(document.activeElement)) ?? open.at(-1);
  if (!bar) return;
  event.preventDefault();
  if (!bar.saveButton.disabled) bar.onSave();
});
