// Input that is not saved: people are asked before they leave the view that has it, or the page.

import { t } from "./words.js";

const QUESTION = t("What you entered is not saved. Leave it?");
const checks = new Set();

/** Has people asked before they leave the present view while the function returns true. */
export const guard = (isUnsaved) => checks.add(isUnsaved);

/**
 * Leaves input without a question: it is saved, or was discarded on purpose. Without a function, all input
 * of the view.
 */
export const release = (isUnsaved) => (isUnsaved ? checks.delete(isUnsaved) : checks.clear());

export const hasUnsaved = () => [...checks].some((isUnsaved) => isUnsaved());

/** Returns whether the view may be left, and asks if it has unsaved input. */
export function mayLeave() {
  if (hasUnsaved() && !window.confirm(QUESTION)) return false;
  release();
  return true;
}

window.addEventListener("beforeunload", (event) => {
  if (hasUnsaved()) event.preventDefault();
});
