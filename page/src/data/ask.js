// Question before an act that cannot be taken back, in a dialog.

import { alertBox, button, byId, el, stored } from "./dom.js";
import { t } from "./words.js";

/**
 * Asks, and does what `act()` does if the answer is the `verb`; `after()` goes on. Why it fails is told in
 * the dialog: the `refusal`
 * with the service's words, or what `explain(error)` returns.
 * @param {{ question: string, nodes?: Node[], verb: string, cancel?: string, act: Function, after: Function,
 * refusal?: string,
 *   explain?: Function }} options
 */
export function ask({ question, nodes = [], verb, cancel = t("Cancel"), act, after, refusal, explain }) {
  const problem = el("div", {});
  const dialog = el("dialog", { "aria-label": question, close: () => dialog.remove() });
  const why = explain ?? (({ message }) => alertBox(el("p", {}, refusal), el("p", {}, stored(message))));
  const confirm = button(
    verb,
    async () => {
      confirm.disabled = true;
      try {
        await act();
      } catch (error) {
        if (!error.rows) throw error;
        confirm.disabled = false;
        return problem.replaceChildren(why(error));
      }
      dialog.close();
      return after();
    },
    { class: "" },
  );
  dialog.append(
    el("p", {}, el("strong", {}, question)),
    ...nodes,
    problem,
    el(
      "div",
      { class: "actions" },
      confirm,
      button(cancel, () => dialog.close()),
    ),
  );
  byId("view").append(dialog);
  dialog.showModal();
}
