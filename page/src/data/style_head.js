// Head of a style's page: its picture, number, name, state, and what it belongs to.

import { badge, drawing, el, link, stored } from "./dom.js";
import { hashOf } from "./location.js";
import { isScalar } from "./model.js";
import { pictureOr } from "./pictures.js";
import { clothes } from "./thumbnails.js";
import { isMissing, show } from "./values.js";
import { capital, label, t, wordFor } from "./words.js";

const FACTS = ["brandId", "seasonId", "supplierId", "styleCategoryId", "sizeRangeId", "countryOfOriginCode"];
const SHOWN = ["id", "number", "name", "status", "state", "isReadyForExport"];

/** Returns the head. `controls` are those of the record. */
export function styleHead(context, { file, channels, controls, jumps }) {
  const { model, collection, style } = context;
  const fields = new Map(model.fields(collection.schema));
  const fact = (name) => [
    el("dt", {}, label(name, fields.get(name))),
    el("dd", {}, show(model, collection, name, fields.get(name), style[name], true)),
  ];
  const facts = FACTS.filter((name) => fields.has(name) && !isMissing(style[name]));
  return [
    el("p", { class: "crumb" }, link(hashOf({ name: collection.name }), collection.title)),
    el(
      "div",
      { class: "style-head" },
      picture(context, file),
      el(
        "div",
        {},
        el("p", { class: "style-number" }, stored(style.number), ` · Id ${style.id}`),
        el("h1", { tabindex: "-1" }, stored(style.name ?? style.number)),
        el("p", { class: "badges" }, states(style), completeness(context, channels)),
        el(
          "dl",
          { class: "facts" },
          facts.map((name) => el("div", {}, fact(name))),
        ),
        controls,
      ),
    ),
    jumps,
  ];
}

function completeness({ collection, style }, channels) {
  if (!channels?.length) return null;
  const count = channels.filter(({ isComplete }) => isComplete).length;
  const hash = hashOf({ name: collection.name, id: String(style.id), action: "at", part: "completeness" });
  return el(
    "a",
    { href: hash, class: `badge ${count === channels.length ? "ready" : "open"}` },
    t("Complete in {0} of {1} channels", count, channels.length),
  );
}

function states({ status, state, isReadyForExport }) {
  return [
    status && badge(capital(wordFor(status)), status),
    state && badge(capital(wordFor(state)), state),
    badge(
      isReadyForExport ? t("Ready for export") : t("Not ready for export"),
      isReadyForExport ? "ready" : "open",
    ),
  ];
}

/** Draws the clothes in their first color, where the picture is not shown, and links the picture. */
function picture(context, file) {
  const { style, colors, hexes } = context;
  const hex = colors.map(({ colorId }) => hexes.get(String(colorId))).find(Boolean);
  const alt = file?.altText ?? t("Drawing of {0}", style.name ?? style.number);
  const caption = file && el("figcaption", {}, outside(file.url, t("Open the picture")));
  return el(
    "figure",
    { class: "picture" },
    pictureOr(drawing(alt, clothes(style.name), hex), file?.url, alt),
    caption,
  );
}

/** Returns a link to another host, which does not learn where it was followed. */
export const outside = (url, ...children) =>
  el(
    "a",
    { href: url, target: "_blank", rel: "noopener noreferrer", dir: "auto" },
    ...children,
    el("span", { "aria-hidden": "true" }, " ↗"),
  );

/** Returns the members of a style that its head does not show. */
export const otherFields = (context) => {
  const fields = context.model.fields(context.collection.schema);
  return fields.filter(
    ([name, schema]) => !SHOWN.includes(name) && !(FACTS.includes(name) && isScalar(schema)),
  );
};
