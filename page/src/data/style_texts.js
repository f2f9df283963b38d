// Texts of a style in its languages, side by side.

import { get } from "./api.js";
import { readLanguages } from "./codes.js";
import { button, el, stored } from "./dom.js";
import { partPath } from "./paths.js";
import { Saver } from "./saver.js";
import { inGrid } from "./sheet_editor.js";
import { scrolling } from "./values.js";
import { label, t } from "./words.js";

export function textsSection(context) {
  const part = context.part("translations");
  const path = partPath(part, context.style);
  const fields = Object.keys(context.model.resolve(part.schema.items).properties).filter(
    (name) => name !== "languageId",
  );
  return {
    name: "translations",
    title: part.title,
    read: async () => {
      const [{ data }, languages] = await Promise.all([get(path), readLanguages()]);
      return { entries: data, languages: new Map(languages.map(({ id, word }) => [id, word])) };
    },
    show: ({ entries, languages }) => {
      const heads = [
        "",
        t("Without language"),
        ...entries.map(({ languageId }) => languages.get(languageId) ?? String(languageId)),
      ];
      const cell = (text) => el("td", {}, text ? stored(text) : el("span", { class: "lacks" }, t("missing")));
      const row = (name) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, label(name)),
          cell(context.style[name]),
          entries.map((entry) => cell(entry[name])),
        );
      const head = el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((text) => (text ? el("th", { scope: "col" }, text) : el("td", {}))),
        ),
      );
      return scrolling(
        t("Texts by language"),
        el("table", { class: "texts" }, head, el("tbody", {}, fields.map(row))),
      );
    },
    actions: ({ languages }) => {
      if (!context.canWrite || !part.replace) return [];
      const open = async (done, choice) => {
        const { data: values, tag } = await get(path, { form: "writable" });
        const lacking = choice
          .split(".")
          .slice(1)
          .map(Number)
          .filter((id) => languages.has(id));
        const saver = new Saver({
          method: "PUT",
          path,
          values,
          tag,
          ...inGrid(layoutOf(fields, languages, part, lacking)),
          ...done,
        });
        const first = saver.editor.grid.rows.find(({ key }) => key === String(lacking[0]));
        return Object.assign(saver, { first: first?.element });
      };
      return [{ text: t("Edit the translations"), opensFor: "languages", path, open }];
    },
  };
}

/**
 * Languages one below the other, so that a list from a translator can be pasted. Those that are `lacking`
 * have rows at once.
 */
function layoutOf(fields, languages, part, lacking) {
  const { properties } = part.replace.items ?? {};
  const isLong = (name) => name !== "name" && (properties?.[name]?.maxLength ?? Infinity) > 300;
  const rowOf = (entry) => ({
    key: String(entry.languageId),
    label: languages.get(entry.languageId) ?? String(entry.languageId),
    head: languages.get(entry.languageId) ?? String(entry.languageId),
    cells: Object.fromEntries(fields.map((name) => [name, entry[name] ?? ""])),
  });
  return {
    caption: t("Translations"),
    corner: t("Language"),
    columns: fields.map((name) => ({ key: name, title: label(name), isLong: isLong(name) })),
    rowsOf: (entries) => {
      const present = new Set(entries.map(({ languageId }) => languageId));
      return [
        ...entries,
        ...lacking.filter((id) => !present.has(id)).map((languageId) => ({ languageId })),
      ].map(rowOf);
    },
    above: (editor) => [languageChoice(editor, languages, (id) => rowOf({ languageId: id }))],
    bodyOf(rows, values, locate) {
      const stored = new Map(values.map((entry) => [String(entry.languageId), entry]));
      // A language without a text is left out.
      const given = rows.filter(({ cells }) => fields.some((name) => cells[name]));
      return given.map((row, index) => {
        for (const name of fields) locate(`[${index}].${name}`, row, name);
        const entry = stored.get(row.key) ?? { languageId: Number(row.key) };
        return { ...entry, ...Object.fromEntries(fields.map((name) => [name, row.cells[name] || null])) };
      });
    },
  };
}

function languageChoice(editor, languages, rowOf) {
  const select = el(
    "select",
    { "aria-label": t("Language to add") },
    [...languages].map(([id, name]) => el("option", { value: id }, name)),
  );
  const add = () => editor.grid.reveal(rowOf(Number(select.value)));
  return el("p", { class: "choice" }, select, " ", button(t("Add this language"), add));
}
