// Making of a style: its bill of materials by color, and its steps from fiber to packing.

import { get } from "./api.js";
import { country } from "./codes.js";
import { badge, el, link, stored, swatch } from "./dom.js";
import { changeInPlace, formOf } from "./form.js";
import { nameOf, readNames } from "./names.js";
import { partPath } from "./paths.js";
import { Saver } from "./saver.js";
import { inGrid } from "./sheet_editor.js";
import { recordHash, recordLink, scrolling } from "./values.js";
import { capital, label, t, wordFor } from "./words.js";

const readPart = async (context, part) => {
  const { data } = await get(partPath(part, context.style));
  await context.readNamesIn(context.collection, part.schema, data);
  return data;
};

const formAction = (context, part, text) => ({
  text,
  path: partPath(part, context.style),
  open: async (done) =>
    formOf(context.model, context.collection, {
      ...(await changeInPlace(context.collection, context.style.id, part)),
      ...done,
    }),
});

export function materialsSection(context) {
  const part = context.part("items");
  const path = partPath(part, context.style);
  const of = (name) => context.model.collections.get(name);
  return {
    name: "items",
    title: t("Bill of materials"),
    read: async () => {
      const lines = await readPart(context, part);
      const colors = lines.flatMap(({ colors: own }) => own);
      await readNames([
        ...colors.filter(({ colorId }) => colorId !== null).map(({ colorId }) => [of("colors"), colorId]),
        ...colors.filter(({ itemId }) => itemId !== null).map(({ itemId }) => [of("items"), itemId]),
      ]);
      return lines;
    },
    show: (lines) => {
      if (!lines.length)
        return el("p", { class: "quiet" }, t("No material yet. Edit the bill of materials to add items."));
      const heads = [t("Material"), t("Where"), t("Quantity"), t("Supplier")].map((text) =>
        el("th", { scope: "col" }, text),
      );
      const colorHeads = context.colors.map(({ id }) => el("th", { scope: "col" }, context.colorLabel(id)));
      const row = (line) =>
        el(
          "tr",
          {},
          el(
            "th",
            { scope: "row" },
            link(recordHash(of("items"), line.itemId), stored(line.itemName)),
            el("p", { class: "code" }, line.itemNumber, line.isPrimary && badge(t("Main"), "ready")),
          ),
          el(
            "td",
            {},
            line.placement && stored(line.placement),
            line.careInstructionLayerId !== null &&
              el("p", { class: "quiet" }, nameOf(of("care-instruction-layers"), line.careInstructionLayerId)),
          ),
          el("td", { class: "amount" }, quantityOf(line), sizesOf(context, line)),
          el(
            "td",
            {},
            line.supplierId === null
              ? el("span", { class: "quiet" }, "–")
              : recordLink(of("suppliers"), line.supplierId),
          ),
          context.colors.map(({ id }) =>
            el(
              "td",
              {},
              colorOf(
                context,
                line.colors.find(({ styleColorId }) => styleColorId === id),
              ),
            ),
          ),
        );
      return scrolling(
        t("Bill of materials"),
        el(
          "table",
          { class: "materials" },
          el("thead", {}, el("tr", {}, heads, colorHeads)),
          el("tbody", {}, lines.map(row)),
        ),
      );
    },
    actions: (lines) => {
      if (!context.canWrite || !part.replace) return [];
      const open = async (done) => {
        const { data: values, tag } = await get(path, { form: "writable" });
        return new Saver({
          method: "PUT",
          path,
          key: `${path}#quantities`,
          values,
          tag,
          ...inGrid(quantitiesLayout(context, lines, values)),
          ...done,
        });
      };
      return [
        lines.length > 0 && { text: t("Edit quantities"), open, path: `${path}#quantities` },
        formAction(context, part, t("Edit the items")),
      ].filter(Boolean);
    },
  };
}

function quantityOf({ quantity, effectiveUnit, wastagePercent, grossQuantity }) {
  if (quantity === null) return el("span", { class: "quiet" }, "–");
  const waste =
    wastagePercent !== null &&
    el("p", { class: "quiet" }, t("{0} with {1} % waste", grossQuantity, wastagePercent));
  return [el("strong", {}, String(quantity)), ` ${effectiveUnit ?? ""}`, waste];
}

const sizesOf = (context, { sizes }) =>
  sizes.length > 0 &&
  el(
    "p",
    { class: "quiet" },
    sizes
      .map(({ sizeRangeSizeId, quantity }) => `${context.sizeName(sizeRangeSizeId)} ${quantity}`)
      .join(" · "),
  );

/** What a color of the style has: the item in a color, another item, or none. */
function colorOf(context, color) {
  if (!color) return el("span", { class: "quiet" }, t("as it is"));
  if (color.isOmitted) return el("span", { class: "quiet" }, t("without"));
  const of = (name) => context.model.collections.get(name);
  const hex = context.hexes.get(String(color.colorId));
  return [
    color.itemId !== null && recordLink(of("items"), color.itemId),
    color.colorId !== null &&
      el("span", { class: "with-swatch" }, hex && swatch(hex), recordLink(of("colors"), color.colorId)),
  ];
}

/** Quantities of the lines, of all sizes and by size, and their waste. */
function quantitiesLayout(context, lines, values) {
  const sizes = context.sizes(
    values.flatMap(({ sizes: own }) => (own ?? []).map(({ sizeRangeSizeId }) => sizeRangeSizeId)),
  );
  const names = new Map(
    lines.map(({ id, itemName, placement }) => [
      String(id),
      [itemName, placement].filter(Boolean).join(", "),
    ]),
  );
  const columns = [
    { key: "quantity", title: t("All sizes"), isNumber: true },
    { key: "wastagePercent", title: t("Waste in %"), isNumber: true },
    ...sizes.map(({ id, name }) => ({ key: String(id), title: name, isNumber: true })),
  ];
  const rowOf = (line) => ({
    key: String(line.id),
    label: names.get(String(line.id)) ?? t("Line"),
    cells: {
      quantity: line.quantity ?? "",
      wastagePercent: line.wastagePercent ?? "",
      ...Object.fromEntries(
        (line.sizes ?? []).map(({ sizeRangeSizeId, quantity }) => [String(sizeRangeSizeId), quantity]),
      ),
    },
  });
  return {
    caption: t("Quantities"),
    corner: t("Material"),
    columns,
    rowsOf: (body) => body.map(rowOf),
    bodyOf(rows, body, locate) {
      const stored = new Map(body.map((line) => [String(line.id), line]));
      return rows.map((row, index) => {
        const { cells } = row;
        for (const name of ["quantity", "wastagePercent"]) locate(`[${index}].${name}`, row, name);
        const own = sizes.filter(({ id }) => cells[String(id)]);
        own.forEach(({ id }, place) => locate(`[${index}].sizes[${place}]`, row, String(id)));
        return {
          ...stored.get(row.key),
          quantity: cells.quantity || null,
          wastagePercent: cells.wastagePercent || null,
          sizes: own.map(({ id }) => ({ sizeRangeSizeId: id, quantity: cells[String(id)] })),
        };
      });
    },
  };
}

export function stepsSection(context) {
  const part = context.part("supplier-facilities");
  const { properties } = context.model.resolve(part.schema.items);
  const order = context.model.resolve(properties.process).enum;
  return {
    name: "supplier-facilities",
    title: t("From fiber to packing"),
    read: () => readPart(context, part),
    show: (steps) => {
      if (!steps.length) return el("p", { class: "quiet" }, t("No step yet."));
      const sorted = [...steps].sort(
        (a, b) => order.indexOf(a.process) - order.indexOf(b.process) || (b.tier ?? 0) - (a.tier ?? 0),
      );
      const whoOf = (step) =>
        ["supplierId", "subSupplierId", "facilityId"]
          .filter((name) => step[name] !== null)
          .map((name) =>
            el(
              "p",
              {},
              el("span", { class: "quiet" }, `${label(name)} `),
              recordLink(context.model.reference(context.collection, name), step[name]),
            ),
          );
      const item = (step) =>
        el(
          "li",
          {},
          el(
            "h3",
            {},
            step.processName ? stored(step.processName) : capital(wordFor(step.process)),
            " ",
            step.tier !== null && el("span", { class: "tier" }, t("Tier {0}", step.tier)),
          ),
          whoOf(step),
          step.effectiveCountryCode && el("p", { class: "quiet" }, country(step.effectiveCountryCode)),
        );
      return el("ol", { class: "steps" }, sorted.map(item));
    },
    actions: () => (context.canWrite && part.replace ? [formAction(context, part, t("Edit the steps"))] : []),
  };
}
