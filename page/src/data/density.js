// Density of lists and grids: comfortable, or compact if it was chosen in this browser.

import { button } from "./dom.js";
import { t } from "./words.js";

const ITEM = "selvedge.density";
const COMPACT = "compact";
const root = document.documentElement;

/** Returns the button that chooses compact rows. */
export function densityControl() {
  const control = button(
    t("Compact"),
    () => {
      const isCompact = root.dataset.density !== COMPACT;
      localStorage.setItem(ITEM, isCompact ? COMPACT : "");
      show(isCompact);
      control.setAttribute("aria-pressed", String(isCompact));
    },
    { class: "plain density", "aria-pressed": String(root.dataset.density === COMPACT) },
  );
  return control;
}

function show(isCompact) {
  if (isCompact) root.dataset.density = COMPACT;
  else delete root.dataset.density;
}

show(localStorage.getItem(ITEM) === COMPACT);
