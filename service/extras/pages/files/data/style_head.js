// Head of a style's page: its picture, number, name, state, and what it belongs to.

import { country } from "./codes.js";
import { badge, drawing, el, link, stored } from "./dom.js";
import { hashOf } from "./location.js";
import { isScalar } from "./model.js";
import { pictureOr } from "./pictures.js";
import { isMissing, show } from "./values.js";
import { capital, label, t, wordFor } from "./words.js";

const FACTS = ["brandId", "seasonId", "supplierId", "styleCategoryId", "sizeRangeId", "countryOfOriginCode"];
const SHOWN = ["id", "number", "name", "status", "state", "isReadyForExport"];

/** Drawings by words of the category's or the style's name; the last is of all others. */
const CLOTHES = [
  [/trouser|pant|jean|legging|short|tight/i, [["M15 6h18l3 36h-9l-3-22-3 22h-9z", "cloth"], ["M15 10h18M24 10v8", "seam"]]],
  [/dress|skirt|skort|gown/i, [["M18 5l3 3h6l3-3 2 12 7 25q-15 3-30 0l7-25z", "cloth"], ["M17 18q7 3 14 0M20 24l-4 17M28 24l4 17", "seam"]]],
  [/shoe|boot|sneaker|footwear|sandal/i, [["M6 18q6 4 12-2l8 9 14 4q4 2 3 8H6z", "cloth"], ["M6 33h37M20 19l-4 3M23 22l-4 3", "seam"]]],
  [/hat|cap|beanie/i, [["M8 30q0-18 16-18t16 18z", "cloth"], ["M6 30h36v6H6zM24 12V7", "seam"]]],
  [/bag|pack|tote/i, [["M10 16h28l3 26H7z", "cloth"], ["M17 22v-8q0-7 7-7t7 7v8", "seam"]]],
  [/sock|glove|mitten/i, [["M17 5h13v20l8 9q4 8-5 8-5 0-16-13z", "cloth"], ["M17 10h13M28 26l-8 5", "seam"]]],
  [/jacket|parka|coat|anorak|fleece|vest|shell|blazer|cardigan|hood/i, [["M17 6h14l8 5 5 25-6 2-4-14v18H14V24l-4 14-6-2 5-25z", "cloth"], ["M24 8v34M17 6l7 8 7-8M15 30h6M27 30h6", "seam"]]],
  [/./, [["M17 6q7 6 14 0l13 7-5 10-6-3v22H15V20l-6 3L4 13z", "cloth"], ["M17 6q7 10 14 0M15 38h18", "seam"]]],
];

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
        el("dl", { class: "facts" }, facts.map((name) => el("div", {}, fact(name)))),
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
  return el("a", { href: hash, class: `badge ${count === channels.length ? "ready" : "open"}` }, t("Complete in {0} of {1} channels", count, channels.length));
}

function states({ status, state, isReadyForExport }) {
  return [status && badge(capital(wordFor(status)), status), state && badge(capital(wordFor(state)), state), badge(isReadyForExport ? t("Ready for export") : t("Not ready for export"), isReadyForExport ? "ready" : "open")];
}

/** Draws the clothes in their first color, where the picture is not shown, and links the picture. */
function picture(context, file) {
  const { style, colors, hexes } = context;
  const [, paths] = CLOTHES.find(([words]) => words.test(style.name ?? ""));
  const hex = colors.map(({ colorId }) => hexes.get(String(colorId))).find(Boolean);
  const alt = file?.altText ?? t("Drawing of {0}", style.name ?? style.number);
  const caption = file && el("figcaption", {}, outside(file.url, t("Open the picture")));
  return el("figure", { class: "picture" }, pictureOr(drawing(alt, paths, hex), file?.url, alt), caption);
}

/** Returns a link to another host, which does not learn where it was followed. */
export const outside = (url, ...children) => el("a", { href: url, target: "_blank", rel: "noopener noreferrer", dir: "auto" }, ...children, el("span", { "aria-hidden": "true" }, " ↗"));

/** Returns the members of a style that its head does not show. */
export const otherFields = (context) => {
  const fields = context.model.fields(context.collection.schema);
  return fields.filter(([name, schema]) => !SHOWN.includes(name) && !(FACTS.includes(name) && isScalar(schema)));
};
