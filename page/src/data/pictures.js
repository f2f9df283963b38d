// Pictures of other hosts, from the sources that the operator permits; others, and those that are not there,
// stay drawn.

import { el } from "./dom.js";

// The content security policy has the same sources.
const SOURCES = /** @type {HTMLMetaElement} */ (document.querySelector("meta[name=pictures]")).content
  .split(" ")
  .filter(Boolean);

/** Whether pictures of any host are shown. */
export const permitsPictures = SOURCES.length > 0;

function isPermitted(url) {
  if (!URL.canParse(url)) return false;
  const { protocol, origin } = new URL(url);
  return SOURCES.includes(protocol) || SOURCES.includes(origin);
}

/** Returns the picture at an address, which does not learn where it is shown; or the drawing. */
export function pictureOr(drawn, url, alt) {
  if (!url || !isPermitted(url)) return drawn;
  const picture = el("img", {
    class: "photo",
    alt,
    loading: "lazy",
    referrerpolicy: "no-referrer",
    error: () => picture.replaceWith(drawn),
  });
  picture.src = url;
  return picture;
}
