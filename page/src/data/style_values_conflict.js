// Conflict of custom field values: theirs and yours side by side, value by value.

import { button, el, newId, stored } from "./dom.js";
import { scrolling } from "./values.js";
import { t } from "./words.js";

const keyOf = ({ customFieldId, styleColorId, sizeRangeSizeId }) =>
  `${customFieldId} ${styleColorId ?? ""} ${sizeRangeSizeId ?? ""}`;
const plain = (value) => value?.text ?? value?.number ?? value?.allowedValueId;

export class ValuesConflict {
  constructor(context, fields, { base, theirs, yours }, { onChoose, onCancel }) {
    this.context = context;
    this.fields = fields;
    const [baseMap, theirMap, yourMap] = [base, theirs, yours].map(
      (values) => new Map(values.map((value) => [keyOf(value), value])),
    );
    const keys = [...new Set([...theirMap.keys(), ...yourMap.keys()])].filter(
      (key) => String(plain(theirMap.get(key))) !== String(plain(yourMap.get(key))),
    );
    const choices = keys.map((key) => {
      const isMine = String(plain(baseMap.get(key))) !== String(plain(yourMap.get(key)));
      return this.#choice(key, theirMap.get(key), yourMap.get(key), isMine);
    });
    const values = () => {
      const result = new Map(theirMap);
      for (const { key, mine, yours: value } of choices) {
        if (!mine.checked) continue;
        if (value) result.set(key, value);
        else result.delete(key);
      }
      return [...result.values()];
    };
    const heads = [t("Field"), t("Theirs, as it is stored now"), t("Yours")].map((text) =>
      el("th", { scope: "col" }, text),
    );
    this.element = el(
      "section",
      { class: "conflict" },
      el("h2", { tabindex: "-1" }, t("Somebody else changed this meanwhile")),
      el(
        "p",
        {},
        choices.length ? t("Choose what to keep of each value, and save.") : t("It now is as you want it."),
      ),
      choices.length > 0 &&
        scrolling(
          t("Theirs and yours"),
          el(
            "table",
            {},
            el("thead", {}, el("tr", {}, heads)),
            el(
              "tbody",
              {},
              choices.map(({ row }) => row),
            ),
          ),
        ),
      el(
        "div",
        { class: "actions" },
        button(t("Save my choice"), () => onChoose(values()), { class: "" }),
        button(t("Discard my changes"), onCancel),
      ),
    );
  }

  #choice(key, theirs, yours, isMine) {
    const { customFieldId, styleColorId, sizeRangeSizeId } = theirs ?? yours;
    const field = this.fields.find(({ id }) => id === customFieldId);
    const words = [
      field?.name ?? String(customFieldId),
      styleColorId !== null && this.context.colorName(styleColorId),
      sizeRangeSizeId !== null && this.context.sizeName(sizeRangeSizeId),
    ];
    const group = newId("choice");
    const option = (value, side, isChosen) => {
      const input = el("input", { type: "radio", name: group, value: side });
      input.checked = isChosen;
      const allowed = field?.allowedValues.find(({ id }) => id === value?.allowedValueId)?.value;
      return [input, el("td", {}, el("label", {}, input, stored(String(allowed ?? plain(value) ?? "–"))))];
    };
    const [, first] = option(theirs, "theirs", !isMine);
    const [mine, second] = option(yours, "yours", isMine);
    return {
      key,
      mine,
      yours,
      row: el("tr", {}, el("th", { scope: "row" }, words.filter(Boolean).join(", ")), first, second),
    };
  }
}
