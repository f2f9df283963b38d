// Measurement chart of a style: one sheet of points and sizes.

import { get } from "./api.js";
import { el, newId, stored } from "./dom.js";
import { partPath } from "./paths.js";
import { Saver } from "./saver.js";
import { inGrid } from "./sheet_editor.js";
import { scrolling } from "./values.js";
import { counted, numeral, t } from "./words.js";

export function chartSection(context) {
  const part = context.part("measurement-chart");
  const path = partPath(part, context.style);
  return {
    name: "measurement-chart",
    title: part.title,
    read: async () => (await get(path)).data,
    show: ({ unit, lines }) => {
      const active = lines.filter(({ isDeactivated }) => !isDeactivated);
      if (!active.length)
        return el(
          "p",
          { class: "quiet" },
          t("No point of measure yet. Edit the chart to add points, or fill it in from a spreadsheet."),
        );
      const sizes = sizesIn(context, active);
      const heads = [
        [t("Point of measure"), unit && `(${unit})`].filter(Boolean).join(" "),
        t("Tolerance"),
        ...sizes.map(({ name }) => name),
      ];
      const valueAt = (line, id) =>
        line.requested.find(({ sizeRangeSizeId }) => sizeRangeSizeId === id)?.value;
      const number = (value) =>
        el(
          "td",
          { class: "number" },
          value === undefined || value === null ? el("span", { class: "quiet" }, "–") : numeral(value),
        );
      const row = (line) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, stored(line.name ?? "–")),
          number(line.tolerance),
          sizes.map(({ id }) => number(valueAt(line, id))),
        );
      const head = el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((text, index) => el("th", { scope: "col", class: index ? "number" : undefined }, text)),
        ),
      );
      const gone = lines.length - active.length;
      return [
        scrolling(
          t("Measurement chart"),
          el("table", { class: "chart" }, head, el("tbody", {}, active.map(row))),
        ),
        gone > 0 &&
          el(
            "p",
            { class: "quiet" },
            counted(
              gone,
              "{0} deactivated line is used by sample requests.",
              "{0} deactivated lines are used by sample requests.",
            ),
          ),
      ];
    },
    actions: () => {
      if (!context.canWrite || !part.replace) return [];
      const open = async (done) => {
        const { data: values, tag } = await get(path, { form: "writable" });
        return new Saver({
          method: "PUT",
          path,
          values,
          tag,
          ...inGrid(chartLayout(context, values)),
          ...done,
        });
      };
      return [{ text: t("Edit the measurement chart"), path, open }];
    },
  };
}

const sizesIn = (context, lines) =>
  context.sizes(
    lines.flatMap(({ requested }) => (requested ?? []).map(({ sizeRangeSizeId }) => sizeRangeSizeId)),
  );

function chartLayout(context, values) {
  const sizes = sizesIn(context, values.lines);
  const columns = [
    { key: "name", title: t("Point of measure") },
    { key: "tolerance", title: t("Tolerance"), isNumber: true },
    ...sizes.map(({ id, name }) => ({ key: String(id), title: name, isNumber: true })),
  ];
  let added = 0;
  const id = newId("unit");
  const unit = el("input", { id, autocomplete: "off", class: "short" });
  let shown = "";
  // What is entered as the unit stays when others change it.
  const showUnit = (text) => {
    if (unit.value === shown) unit.value = shown = text ?? "";
  };
  const rowOf = (line) => ({
    key: line.lineId === null || line.lineId === undefined ? `new ${++added}` : String(line.lineId),
    label: line.name ?? t("Point"),
    cells: {
      name: line.name ?? "",
      tolerance: line.tolerance ?? "",
      ...Object.fromEntries(
        (line.requested ?? []).map(({ sizeRangeSizeId, value }) => [String(sizeRangeSizeId), value]),
      ),
    },
  });
  return {
    caption: t("Measurement chart"),
    columns,
    newRow: () => ({ key: `new ${++added}`, label: "", cells: {} }),
    rowsOf: (body) => {
      showUnit(body.unit);
      return body.lines.filter(({ isDeactivated }) => !isDeactivated).map(rowOf);
    },
    above: () => [
      el("p", { class: "choice" }, el("label", { for: id }, t("Unit ")), unit),
      el(
        "p",
        { class: "quiet" },
        t(
          "Tab and the arrows move between cells, Enter goes down, Shift with arrows selects. Cells can " +
            "be pasted from a spreadsheet and copied to it.",
        ),
      ),
    ],
    bodyOf(rows, { lines }, locate) {
      const stored = new Map(lines.map((line) => [String(line.lineId), line]));
      const given = rows.filter(({ cells, before }) => before || Object.values(cells).some(Boolean));
      const body = given.map((row, index) => {
        const { cells } = row;
        for (const name of ["name", "tolerance"]) locate(`lines[${index}].${name}`, row, name);
        locate(`lines[${index}]`, row, "name");
        const own = sizes.filter((size) => cells[String(size.id)]);
        own.forEach((size, place) => locate(`lines[${index}].requested[${place}]`, row, String(size.id)));
        const requested = own.map((size) => ({ sizeRangeSizeId: size.id, value: cells[String(size.id)] }));
        const { isDeactivated, ...line } = stored.get(row.key) ?? {};
        return { ...line, name: cells.name || null, tolerance: cells.tolerance || null, requested };
      });
      return { unit: unit.value || null, lines: body };
    },
  };
}
