// Records that belong to a style, as cards: its colors, files, sample requests and related styles.

import { readAll } from "./api.js";
import { ColorChooser } from "./color_chooser.js";
import { badge, drawing, el, link, stored, swatch } from "./dom.js";
import { changeInPlace, createInPlace, formOf } from "./form.js";
import { hashOf } from "./location.js";
import { nameOf } from "./names.js";
import { pictureOr } from "./pictures.js";
import { Saver } from "./saver.js";
import { outside } from "./style_head.js";
import { dayOf, recordHash } from "./values.js";
import { capital, lower, t, wordFor } from "./words.js";

const none = (text) => el("p", { class: "quiet" }, text);
const cards = (className, nodes) =>
  el(
    "ul",
    { class: `cards ${className}` },
    nodes.map((node) => el("li", { class: "card" }, node)),
  );

/** Returns the action that edits a record of a collection in place. */
function editing(context, name, id, title) {
  const collection = context.model.collections.get(name);
  const path = `${collection.path}/${id}`;
  const open = async (done) =>
    formOf(context.model, collection, { ...(await changeInPlace(collection, id)), ...done });
  return { text: t("Edit"), label: t("Edit {0}", title), path, open, isInline: true };
}

/** Returns the action that creates a record of a style in place. */
function adding(context, name, text) {
  const collection = context.model.collections.get(name);
  const key = `${collection.path}#${context.style.id}`;
  const open = (done) =>
    formOf(context.model, collection, {
      ...createInPlace(collection, { styleId: context.style.id }),
      key,
      ...done,
    });
  return { text, path: key, open };
}

/** Returns the action that adds colors to a style, several at once. */
function addingColors(context) {
  const key = `api/style-colors#${context.style.id}`;
  const open = (done) =>
    new Saver({
      method: "POST",
      path: "api/style-colors",
      key,
      values: [],
      tag: null,
      editorOf: (input) => new ColorChooser(context, input),
      ...done,
    });
  return { text: t("Add colors"), path: key, open };
}

const inlineActions = (context, name, records, titleOf) =>
  records.map((record) => editing(context, name, record.id, titleOf(record)));

export function colorsSection(context) {
  const titleOf = ({ id }) => context.colorName(id);
  return {
    name: "colors",
    title: t("Colors"),
    read: async () => {
      if (context.refusal && !context.colors.length) throw context.refusal;
      await context.readNamesIn(
        context.model.collections.get("style-colors"),
        context.model.collections.get("style-colors").schema,
        context.colors,
      );
      return context.colors;
    },
    show: (colors, control) => {
      if (!colors.length) return none(t("No color yet. Add the colors in which the style is sold."));
      const seasons = context.model.collections.get("seasons");
      const card = (color) => [
        swatch(context.hexes.get(String(color.colorId)), "wide"),
        el(
          "h3",
          {},
          link(
            recordHash(context.model.collections.get("colors"), color.colorId),
            context.colorName(color.id),
          ),
        ),
        el(
          "p",
          { class: "quiet" },
          [color.colorUserDefinedId, color.colorReference, context.hexes.get(String(color.colorId))]
            .filter(Boolean)
            .join(" · "),
        ),
        color.seasonIds.length > 0 &&
          el("p", {}, color.seasonIds.map((id) => nameOf(seasons, id)).join(", ")),
        (color.availableFrom || color.availableTo) &&
          el(
            "p",
            { class: "quiet" },
            [
              color.availableFrom && t("from {0}", dayOf(color.availableFrom)),
              color.availableTo && t("until {0}", dayOf(color.availableTo)),
            ]
              .filter(Boolean)
              .join(" "),
          ),
        el(
          "p",
          { class: "actions" },
          color.state !== "active" && badge(wordFor(color.state), color.state),
          context.canWrite && control(editing(context, "style-colors", color.id, titleOf(color))),
        ),
      ];
      return cards("swatches", colors.map(card));
    },
    actions: (colors) =>
      context.canWrite
        ? [addingColors(context), ...inlineActions(context, "style-colors", colors, titleOf)]
        : [],
  };
}

const PAPER = [
  ["M11 5h18l9 9v29H11z", "paper"],
  ["M29 5v9h9M17 22h15M17 28h15M17 34h9", "seam"],
];
const IMAGE = [
  ["M7 9h34v30H7z", "paper"],
  ["M7 34l10-11 7 7 6-5 11 9M31 18a2 2 0 1 0 .1 0", "seam"],
];
const KILO = 1000;
const bytes = (count) =>
  count < KILO * KILO ? `${Math.round(count / KILO)} kB` : `${(count / KILO / KILO).toFixed(1)} MB`;

export function filesSection(context) {
  return {
    name: "files",
    title: t("Files"),
    read: () => readAll("api/style-files", { styleId: String(context.style.id) }),
    show: (files, control) => {
      if (!files.length)
        return none(t("No file yet. Add pictures, drawings and documents by their addresses."));
      const isImage = ({ category, mimeType }) => category === "image" || mimeType?.startsWith("image/");
      const card = (file) => [
        pictureOr(
          drawing(capital(wordFor(file.category)), isImage(file) ? IMAGE : PAPER),
          isImage(file) && file.url,
          file.altText ?? file.fileName,
        ),
        el("h3", {}, outside(file.url, file.fileName)),
        file.altText && el("p", {}, stored(file.altText)),
        el(
          "p",
          { class: "quiet" },
          [
            capital(wordFor(file.category)),
            file.width && file.height && `${file.width} × ${file.height}`,
            file.sizeBytes && bytes(file.sizeBytes),
          ]
            .filter(Boolean)
            .join(" · "),
        ),
        file.styleColorId !== null && el("p", {}, context.colorLabel(file.styleColorId)),
        el(
          "p",
          { class: "actions" },
          file.isMain && badge(t("Main picture"), "ready"),
          file.state !== "active" && badge(wordFor(file.state), file.state),
          context.canWrite && control(editing(context, "style-files", file.id, file.fileName)),
        ),
      ];
      return cards("files", files.map(card));
    },
    actions: (files) =>
      context.canWrite
        ? [
            adding(context, "style-files", t("Add a file")),
            ...inlineActions(context, "style-files", files, ({ fileName }) => fileName),
          ]
        : [],
  };
}

export function relationsSection(context) {
  const id = String(context.style.id);
  const styles = context.collection;
  return {
    name: "relations",
    title: t("Related styles"),
    read: async () => {
      const [to, from] = await Promise.all([
        readAll("api/style-relations", { styleId: id }),
        readAll("api/style-relations", { relatedStyleId: id }),
      ]);
      await context.readNamesIn(
        context.model.collections.get("style-relations"),
        context.model.collections.get("style-relations").schema,
        from,
      );
      return { to, from };
    },
    show: ({ to, from }) => {
      const list = (title, items) =>
        items.length > 0 && [
          el("h3", {}, `${title} (${items.length})`),
          el(
            "ul",
            { class: "chips" },
            items.map((item) => el("li", {}, item)),
          ),
        ];
      const forth = to.map(({ relatedStyleId, relatedStyleNumber, relatedStyleName }) =>
        link(
          recordHash(styles, relatedStyleId),
          [relatedStyleName, relatedStyleNumber].filter(Boolean).join(" · "),
        ),
      );
      const back = from.map(({ styleId }) => link(recordHash(styles, styleId), nameOf(styles, styleId)));
      return to.length || from.length
        ? [list(t("Named here"), forth), list(t("That name this one"), back)]
        : none(t("None."));
    },
    actions: () => (context.canWrite ? [adding(context, "style-relations", t("Relate a style"))] : []),
  };
}

export function samplesSection(context) {
  const id = String(context.style.id);
  return {
    name: "sample-requests",
    title: t("Sample requests"),
    read: async () => {
      const requests = await readAll("api/sample-requests", { styleId: id });
      const collection = context.model.collections.get("sample-requests");
      await context.readNamesIn(collection, collection.schema, requests);
      return requests;
    },
    show: (requests) => {
      const collection = context.model.collections.get("sample-requests");
      const types = context.model.collections.get("sample-types");
      const card = (request) => [
        el("h3", {}, link(recordHash(collection, request.id), request.name ?? String(request.id))),
        el(
          "p",
          {},
          request.status && badge(capital(wordFor(request.status)), request.status),
          request.sampleTypeId && ` ${nameOf(types, request.sampleTypeId)}`,
        ),
        el(
          "p",
          { class: "quiet" },
          [
            request.deadline && t("due {0}", dayOf(request.deadline)),
            request.sizes.map(({ sizeRangeSizeName }) => sizeRangeSizeName).join(", "),
          ]
            .filter(Boolean)
            .join(" · "),
        ),
      ];
      const filters = [{ property: "styleId", operator: "eq", value: id }];
      const all = link(
        hashOf({ name: "sample-requests", filters }),
        t("Show the {0} of this record", lower(collection.title)),
      );
      return [requests.length ? cards("samples", requests.map(card)) : none(t("None.")), el("p", {}, all)];
    },
    actions: () => (context.canWrite ? [adding(context, "sample-requests", t("Request a sample"))] : []),
  };
}
