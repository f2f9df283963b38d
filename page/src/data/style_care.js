// Care labels of a style, read as they are sewn in: layers with their materials, symbols in their order, and
// texts.

import { get, readAll } from "./api.js";
import { readLanguages } from "./codes.js";
import { el, newId, stored } from "./dom.js";
import { changeInPlace, formOf } from "./form.js";
import { partPath } from "./paths.js";
import { capital, t, wordFor } from "./words.js";

const LISTS = [
  "care-instruction-icons",
  "care-instructions",
  "care-instruction-layers",
  "care-instruction-materials",
];
const LANGUAGE = "selvedge.labelLanguage";

export function careSection(context) {
  const part = context.part("care-instructions");
  const path = partPath(part, context.style);
  const processes = (
    context.model.resolve(context.model.collections.get(LISTS[0]).schema.properties.process).enum ?? []
  ).filter(Boolean);
  return {
    name: "care-instructions",
    title: t("Care label"),
    read: async () => {
      const { data: sets } = await get(path);
      const ids = [
        sets.flatMap(({ careInstructionIconIds }) => careInstructionIconIds),
        sets.flatMap(({ careInstructionIds }) => careInstructionIds),
        sets.flatMap(({ layers }) => layers.map(({ careInstructionLayerId }) => careInstructionLayerId)),
        sets.flatMap(({ layers }) =>
          layers.flatMap(({ materials }) =>
            materials.map(({ careInstructionMaterialId }) => careInstructionMaterialId),
          ),
        ),
      ];
      const read = (name, list) =>
        list.length
          ? readAll(
              `api/${name}`,
              [...new Set(list)].map((id) => ["id", String(id)]),
            )
          : [];
      const [languages, icons, texts, layers, materials] = await Promise.all([
        readLanguages(),
        ...LISTS.map((name, index) => read(name, ids[index])),
      ]);
      const byId = (records) => new Map(records.map((record) => [record.id, record]));
      return {
        sets,
        icons: byId(icons),
        texts: byId(texts),
        layers: byId(layers),
        materials: byId(materials),
        languages,
      };
    },
    show: (data) => {
      if (!data.sets.length) return el("p", { class: "quiet" }, t("No care label yet."));
      const place = el("div", { class: "labels" });
      const fill = (languageId) =>
        place.replaceChildren(
          ...data.sets.map((set) => labelOf(context, data, set, { languageId, processes })),
        );
      fill(Number(localStorage.getItem(LANGUAGE)));
      return [languageChoice(data, fill), place];
    },
    actions: () => {
      if (!context.canWrite || !part.replace) return [];
      const open = async (done) =>
        formOf(context.model, context.collection, {
          ...(await changeInPlace(context.collection, context.style.id, part)),
          ...done,
        });
      return [{ text: t("Edit the care label"), path, open }];
    },
  };
}

function languageChoice({ icons, texts, layers, materials, languages }, fill) {
  const records = [icons, texts, layers, materials].flatMap((map) => [...map.values()]);
  const used = new Set(records.flatMap((record) => record.languages.map(({ languageId }) => languageId)));
  const id = newId("language");
  const options = languages
    .filter((language) => used.has(language.id))
    .map((language) => el("option", { value: language.id }, language.word));
  const change = ({ target }) => {
    localStorage.setItem(LANGUAGE, target.value);
    fill(Number(target.value));
  };
  const select = el("select", { id, change }, el("option", { value: "" }, t("Own words")), options);
  select.value = localStorage.getItem(LANGUAGE) ?? "";
  return el("p", { class: "choice" }, el("label", { for: id }, t("Language of the label ")), select);
}

/** Returns a label. Symbols stand in the order of their processes, as ISO 3758 has them. */
function labelOf(context, { icons, texts, layers, materials }, set, { languageId, processes }) {
  const textOf = (record, id) =>
    record?.languages.find((entry) => entry.languageId === languageId)?.text ?? record?.text ?? String(id);
  const place = ({ process, position }) =>
    (process ? processes.indexOf(process) : processes.length) * 1e6 + (position ?? 0);
  const symbols = set.careInstructionIconIds
    .map((id) => icons.get(id))
    .filter(Boolean)
    .sort((a, b) => place(a) - place(b));
  const layerOf = ({ careInstructionLayerId, materials: shares }) => [
    el("dt", {}, stored(textOf(layers.get(careInstructionLayerId), careInstructionLayerId))),
    el(
      "dd",
      {},
      el(
        "ul",
        {},
        shares.map((share) =>
          el(
            "li",
            {},
            shareOf(
              share,
              textOf(materials.get(share.careInstructionMaterialId), share.careInstructionMaterialId),
            ),
          ),
        ),
      ),
    ),
  ];
  const orderOf = ({ careInstructionLayerId: id }) => layers.get(id)?.position ?? Infinity;
  const byPosition = [...set.layers].sort((a, b) => orderOf(a) - orderOf(b));
  return el(
    "article",
    { class: "label" },
    el(
      "h3",
      {},
      set.styleColorId === null
        ? t("All colors without their own label")
        : context.colorLabel(set.styleColorId),
    ),
    el("dl", { class: "layers" }, byPosition.map(layerOf)),
    symbols.length > 0 &&
      el(
        "ol",
        { class: "symbols", "aria-label": t("Symbols") },
        symbols.map((icon) =>
          el(
            "li",
            {},
            el("code", {}, capital(wordFor(icon.process ?? ""))),
            el("span", {}, stored(textOf(icon, icon.id))),
          ),
        ),
      ),
    el(
      "ul",
      { class: "sentences", "aria-label": t("Texts") },
      set.careInstructionIds.map((id) => el("li", {}, stored(textOf(texts.get(id), id)))),
    ),
  );
}

function shareOf({ percentage, recycledPercentage }, name) {
  const recycled =
    recycledPercentage === null || Number(recycledPercentage) === 0
      ? ""
      : ` (${t("{0} % recycled", recycledPercentage)})`;
  return [el("strong", {}, `${percentage} %`), " ", stored(name), recycled];
}
