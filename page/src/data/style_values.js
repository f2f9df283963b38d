// Values of a style in its custom fields: a form made from their definitions, by color and size where they
// differ.

import { get, readAll } from "./api.js";
import { el, link, newId, stored } from "./dom.js";
import { Row } from "./fields.js";
import { partPath } from "./paths.js";
import { Saver } from "./saver.js";
import { ValuesConflict } from "./style_values_conflict.js";
import { recordHash, scrolling } from "./values.js";
import { t } from "./words.js";

const keyOf = (fieldId, colorId, sizeId) => `${fieldId} ${colorId ?? ""} ${sizeId ?? ""}`;
const keyOfValue = ({ customFieldId, styleColorId, sizeRangeSizeId }) =>
  keyOf(customFieldId, styleColorId, sizeRangeSizeId);

/**
 * Returns whether a field applies to a style: one of its brands, of its groups and of its categories, as far
 * as it has any.
 */
function applies(
  { associatedBrands, associatedGroups, associatedStyleCategories },
  { brandId, groupIds, styleCategoryId },
) {
  const fits = (entries, ids) => !entries.length || entries.some(({ id }) => ids.includes(id));
  return (
    fits(associatedBrands, [brandId]) &&
    fits(associatedGroups, groupIds ?? []) &&
    fits(associatedStyleCategories, [styleCategoryId])
  );
}

export function valuesSection(context) {
  const part = context.part("custom-field-values");
  const path = partPath(part, context.style);
  const collection = context.model.collections.get("style-custom-fields");
  return {
    name: "custom-field-values",
    title: t("Custom fields"),
    read: async () => {
      const [{ data: values }, all] = await Promise.all([get(path), readAll(collection.path)]);
      const used = new Set(values.map(({ customFieldId }) => customFieldId));
      const fields = all.filter(
        (field) => used.has(field.id) || (field.state === "active" && applies(field, context.style)),
      );
      return {
        values: new Map(values.map((value) => [keyOfValue(value), value])),
        fields: fields.sort((a, b) => (a.position ?? 0) - (b.position ?? 0)),
      };
    },
    show: ({ values, fields }) => {
      if (!fields.length) return el("p", { class: "quiet" }, t("No custom field applies to this style."));
      const textOf = (field, place) => {
        const value = values.get(keyOf(field.id, place.color, place.size));
        if (!value)
          return field.isMandatory
            ? el("span", { class: "lacks" }, t("missing"))
            : el("span", { class: "quiet" }, "–");
        if (value.allowedValueId !== null)
          return stored(
            field.allowedValues.find(({ id }) => id === value.allowedValueId)?.value ??
              String(value.allowedValueId),
          );
        return stored(String(value.text ?? value.number));
      };
      const entry = (field) => [
        el("dt", {}, link(recordHash(collection, field.id), stored(field.name))),
        el(
          "dd",
          {},
          atPlaces(context, field, (place) => textOf(field, place)),
        ),
      ];
      return el("dl", { class: "members" }, fields.map(entry));
    },
    actions: ({ fields }) => {
      if (!context.canWrite || !part.replace || !fields.length) return [];
      const open = async (done) => {
        const { data, tag } = await get(path, { form: "writable" });
        const editorOf = (input) => new ValuesEditor(context, fields, input);
        const task = { method: "PUT", path, values: data, tag, editorOf, ...done };
        return new Saver(task);
      };
      return [{ text: t("Edit the custom field values"), path, open }];
    },
  };
}

/**
 * Returns the colors and sizes at which a field has values of their own; one place without either if it does
 * not differ.
 */
const axes = (context, { diffPerColor, diffPerSize }) => ({
  colors: diffPerColor ? context.colors.map(({ id }) => id) : [null],
  sizes: diffPerSize ? context.sizes().map(({ id }) => id) : [null],
});

/** Returns what a function makes of each place of a field: alone, in a row, or in a matrix. */
function atPlaces(context, field, make) {
  const { colors, sizes } = axes(context, field);
  if (!field.diffPerColor && !field.diffPerSize) return make({ color: null, size: null });
  const head =
    field.diffPerSize &&
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        field.diffPerColor && el("td", {}),
        sizes.map((id) => el("th", { scope: "col" }, context.sizeName(id))),
      ),
    );
  const row = (color) =>
    el(
      "tr",
      {},
      color !== null && el("th", { scope: "row" }, context.colorLabel(color)),
      sizes.map((size) => el("td", {}, make({ color, size }))),
    );
  return scrolling(field.name, el("table", { class: "by-place" }, head, el("tbody", {}, colors.map(row))));
}

class ValuesEditor {
  constructor(context, fields, input) {
    this.context = context;
    this.fields = fields;
    this.input = input;
    this.controls = new Map();
    this.stored = new Map(input.map((value) => [keyOfValue(value), value]));
    this.element = el(
      "div",
      { class: "fields" },
      fields.map((field) => this.#field(field)),
    );
    this.element.addEventListener("change", () => this.#narrow());
    this.#narrow();
  }

  #field(field) {
    const differs = field.diffPerColor || field.diffPerSize;
    const text = field.name + (field.isMandatory ? ` (${t("required")})` : "");
    const hints = [
      field.internalOnly && t("Internal."),
      field.maxChar && t("At most {0} characters.", field.maxChar),
      field.parentCustomFieldName && t("Depends on {0}.", field.parentCustomFieldName),
    ];
    const hint = hints.filter(Boolean).join(" ");
    if (!differs) return this.#row(field, { color: null, size: null }, text, hint).element;
    const cell = (place) => {
      const words = [
        field.name,
        place.color !== null && this.context.colorName(place.color),
        place.size !== null && this.context.sizeName(place.size),
      ];
      const row = this.#row(field, place, words.filter(Boolean).join(", "), "");
      row.element.firstChild.classList.add("hidden");
      return row.element;
    };
    return el(
      "fieldset",
      {},
      el("legend", {}, text),
      hint && el("p", { class: "quiet hint" }, hint),
      atPlaces(this.context, field, cell),
    );
  }

  #row(field, place, text, hint) {
    const key = keyOf(field.id, place.color, place.size);
    const value = this.stored.get(key);
    const control = controlOf(field);
    const shown = value?.text ?? value?.number ?? value?.allowedValueId;
    if (shown !== undefined && shown !== null) select(field, control, String(shown));
    const row = new Row(text, control, hint);
    this.controls.set(key, { field, place, control, row, initial: control.value });
    return row;
  }

  /** A nested field offers the values that belong to the chosen value of its parent. */
  #narrow() {
    for (const { field, place, control } of this.controls.values()) {
      if (field.type !== "nestedAllowedValue") continue;
      const parent = this.#parentOf(field, place);
      const chosen = parent ? String(parent.control.value) : null;
      for (const option of control.options) {
        const needed = field.allowedValues.find(
          ({ id }) => String(id) === option.value,
        )?.parentAllowedValueId;
        const fits = !option.value || chosen === null || needed === undefined || String(needed) === chosen;
        option.hidden = option.disabled = !fits && !option.selected;
      }
    }
  }

  #parentOf({ parentCustomFieldId: id }, { color, size }) {
    const keys = [
      keyOf(id, color, size),
      keyOf(id, color, null),
      keyOf(id, null, size),
      keyOf(id, null, null),
    ];
    return keys.map((key) => this.controls.get(key)).find(Boolean);
  }

  collect() {
    this.places = [];
    const values = [];
    const push = (value, row) => {
      values.push(value);
      this.places.push(row);
    };
    // Values of fields that are not shown stay.
    for (const value of this.input) if (!this.controls.has(keyOfValue(value))) push(value, null);
    for (const [key, { field, place, control, row, initial }] of this.controls) {
      const text = control.value;
      if (text === initial && this.stored.has(key)) push(this.stored.get(key), row);
      else if (text.trim() !== "") push(valueOf(field, place, text), row);
    }
    return values;
  }

  conflictOf({ base, theirs, yours }, handlers) {
    return new ValuesConflict(this.context, this.fields, { base, theirs, yours }, handlers);
  }

  showErrors(errors) {
    for (const { row } of this.controls.values()) row.showError("");
    const rest = [];
    for (const error of errors) {
      const row = this.places?.[Number(/^\[(\d+)\]/.exec(error.field ?? "")?.[1])];
      if (row) row.showError(error.value);
      else rest.push(error);
    }
    this.element.querySelector("[aria-invalid]")?.focus();
    return rest;
  }
}

function controlOf(field) {
  if (field.type.toLowerCase().endsWith("allowedvalue")) {
    return el(
      "select",
      {},
      el("option", { value: "" }, "–"),
      field.allowedValues.map(({ id, value }) => el("option", { value: id }, value)),
    );
  }
  const isLong = field.isMultiLine;
  return el(isLong ? "textarea" : "input", {
    rows: isLong ? 3 : undefined,
    dir: "auto",
    autocomplete: "off",
    id: newId("value"),
    maxlength: field.maxChar,
    inputmode: field.type === "numeric" ? "decimal" : undefined,
  });
}

/** A value that is no longer allowed stays to be seen. */
function select(field, control, text) {
  if (control.options && ![...control.options].some(({ value }) => value === text))
    control.append(el("option", { value: text }, text));
  control.value = text;
}

function valueOf(field, { color, size }, text) {
  const value = {
    customFieldId: field.id,
    styleColorId: color,
    sizeRangeSizeId: size,
    text: null,
    number: null,
    allowedValueId: null,
  };
  if (field.type === "text") return { ...value, text };
  if (field.type === "numeric")
    return { ...value, number: /^\s*-?\d+,\d+\s*$/.test(text) ? text.trim().replace(",", ".") : text.trim() };
  return { ...value, allowedValueId: Number(text) };
}
