// Measured values of a sample request: one sheet of points and sizes, with deviations beyond the tolerance
// marked.

import { get } from "./api.js";
import { el, link, stored } from "./dom.js";
import { hashOf } from "./location.js";
import { entryPath, entryTitle, partPath } from "./paths.js";
import { Saver } from "./saver.js";
import { Section } from "./section.js";
import { inGrid } from "./sheet_editor.js";
import { scrolling } from "./values.js";
import { label, lower, t } from "./words.js";

const PRECISION = 1e-9;
const isNumber = (value) => value !== null && value !== undefined;

/**
 * Returns the deviation of a value from the requested one, and whether it is beyond the tolerance; null
 * without one of the three.
 */
function deviationOf({ requestedMeasurement: requested, tolerance }, value) {
  if (![requested, value, tolerance].every(isNumber)) return null;
  const deviation = Number(value) - Number(requested);
  return { deviation, isBeyond: Math.abs(deviation) > Number(tolerance) + PRECISION };
}

/** Returns the section of a part whose entries are the measured sizes of a record. */
export function measurementsSection(context, collection, part, record) {
  const { canWrite } = context;
  // The measured values of a line are what its form writes, but for what names the line.
  const lines = context.model.resolve(part.entry.replace.properties.lines);
  const values = Object.keys(context.model.resolve(lines.items).properties).filter((name) =>
    name.endsWith("Measurement"),
  );
  const section = new Section({
    name: part.name,
    title: part.title,
    read: async () => (await get(partPath(part, record))).data,
    show: (sizes) => {
      if (!sizes.length) return el("p", { class: "quiet" }, t("None."));
      const comments = sizes.filter(({ designerComment }) => designerComment);
      return [
        scrolling(part.title, table(sizes, values)),
        el("p", { class: "quiet" }, t("Values beyond the tolerance are marked with their deviation.")),
        comments.map((size) =>
          el("p", {}, el("strong", {}, entryTitle(part, size)), ": ", stored(size.designerComment)),
        ),
        canWrite && sizes.map((size) => el("p", {}, formLink(collection, part, record, size))),
      ];
    },
    actions: (sizes) => {
      if (!canWrite) return [];
      const action = (size) => {
        const path = entryPath(part, record, size[part.entry.id]);
        return {
          text: t("Edit the values of {0}", entryTitle(part, size)),
          path,
          open: (done) => edit(path, size, values, done),
        };
      };
      return sizes.map(action);
    },
  });
  return { element: section.element, loading: section.load() };
}

function formLink(collection, part, record, size) {
  const view = {
    name: collection.name,
    id: String(record.id),
    action: "edit",
    part: part.name,
    entry: String(size[part.entry.id]),
  };
  return link(hashOf(view), t("Edit the {0} of ", lower(part.title)), stored(entryTitle(part, size)));
}

const number = (value) => (isNumber(value) ? String(value) : "");

function table(sizes, values) {
  const points = [
    ...new Map(
      sizes.flatMap(({ lines }) => lines).map((line) => [String(line.lineId ?? line.name), line.name]),
    ).entries(),
  ];
  const over = el(
    "tr",
    {},
    el("td", {}),
    sizes.map((size) =>
      el(
        "th",
        { scope: "colgroup", colspan: values.length + 1 },
        `${size.sizeRangeSizeName} (${size.unit ?? ""})`.replace(" ()", ""),
      ),
    ),
  );
  const heads = sizes.flatMap(() => [t("Requested"), ...values.map((name) => label(name))]);
  const under = el(
    "tr",
    {},
    el("th", { scope: "col" }, t("Point of measure")),
    heads.map((text) => el("th", { scope: "col", class: "number" }, text)),
  );
  const cells = (line) => [
    el("td", { class: "number asked" }, number(line?.requestedMeasurement)),
    values.map((name) => el("td", { class: "number" }, line && valueOf(line, line[name]))),
  ];
  const row = ([key, name]) => {
    const own = sizes.map(({ lines }) => lines.find((line) => String(line.lineId ?? line.name) === key));
    return el("tr", {}, el("th", { scope: "row" }, stored(name ?? "–")), own.map(cells));
  };
  return el(
    "table",
    { class: "chart measured" },
    el("thead", {}, over, under),
    el("tbody", {}, points.map(row)),
  );
}

function valueOf(line, value) {
  const deviant = deviationOf(line, value);
  if (!deviant?.isBeyond) return number(value);
  const sign = deviant.deviation > 0 ? "+" : "−";
  return el(
    "strong",
    { class: "beyond" },
    number(value),
    el("span", {}, ` ${sign}${Number(Math.abs(deviant.deviation).toFixed(3))}`),
  );
}

async function edit(path, size, values, done) {
  const { data, tag } = await get(path, { form: "writable" });
  return new Saver({ method: "PUT", path, values: data, tag, ...inGrid(layoutOf(size, values)), ...done });
}

/** Points by what is measured, beside the requested value and the tolerance. */
function layoutOf(size, values) {
  const shown = new Map(size.lines.map((line) => [String(line.lineId), line]));
  const fixed = [
    ["requestedMeasurement", t("Requested")],
    ["tolerance", t("Tolerance")],
  ].map(([key, title]) => ({ key, title, isNumber: true, isFixed: true }));
  const columns = [...fixed, ...values.map((name) => ({ key: name, title: label(name), isNumber: true }))];
  const rowOf = (line) => {
    const point = shown.get(String(line.lineId));
    const cells = {
      requestedMeasurement: number(point?.requestedMeasurement),
      tolerance: number(point?.tolerance),
    };
    for (const name of values) cells[name] = line[name] ?? "";
    return { key: String(line.lineId), label: point?.name ?? String(line.lineId), cells };
  };
  return {
    caption: t("Measured values of {0}", size.sizeRangeSizeName),
    corner: t("Point of measure"),
    columns,
    rowsOf: ({ lines }) => lines.map(rowOf),
    bodyOf(rows, body, locate) {
      const before = new Map(body.lines.map((line) => [String(line.lineId), line]));
      const lines = rows.map((row, index) => {
        for (const name of values) locate(`lines[${index}].${name}`, row, name);
        return {
          ...before.get(row.key),
          ...Object.fromEntries(values.map((name) => [name, row.cells[name] || null])),
        };
      });
      return { ...body, lines };
    },
  };
}
