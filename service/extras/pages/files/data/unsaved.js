// Input that is not saved: people are asked before they leave the view that has it, or the page.

const QUESTION = "What you entered is not saved. Leave it?";
let hasUnsaved = () => false;

/** Has people asked before they leave the present view while the function returns true. */
export const guard = (isUnsaved) => (hasUnsaved = isUnsaved);

/** Leaves the view without a question: its input is saved, or was discarded on purpose. */
export const release = () => (hasUnsaved = () => false);

/** Returns whether the view may be left, and asks if it has unsaved input. */
export function mayLeave() {
  if (hasUnsaved() && !window.confirm(QUESTION)) return false;
  release();
  return true;
}

window.addEventListener("beforeunload", (event) => {
  if (hasUnsaved()) event.preventDefault();
});
