// Rules of tables, told on the page: the columns that a table may have, and how their cells are read.

import { LIST_SEPARATOR } from "./cells.js";
import { hasDecimalCommas, save, toFile } from "./csv.js";
import { button, el } from "./dom.js";
import { titleOfField } from "./sheet.js";
import { scrolling } from "./values.js";
import { t, wordFor } from "./words.js";

const KINDS = {
  boolean: t("yes or no, true or false, 1 or 0"),
  integer: t("whole number"),
  number: t("decimal number"),
  string: t("text"),
};

function kindOf({ field, each }) {
  const { types, items, schema } = field;
  if (each || types.includes("array")) return t("several, separated by {0}", LIST_SEPARATOR);
  const choices = (schema ?? items?.schema)?.enum?.filter((choice) => choice !== null);
  if (choices) return choices.map(wordFor).join(", ");
  const kind = KINDS[["number", "integer", "boolean"].find((type) => types.includes(type)) ?? "string"];
  return schema?.maxLength && types.includes("string") && kind === KINDS.string
    ? t("text of at most {0} characters", schema.maxLength)
    : kind;
}

/** Saves a table with the columns alone. Records are named by own key, unless they have none. */
function saveEmpty(sheet, targets) {
  const isOnly = (target) => targets.every((other) => other === target || other.path[0] !== target.path[0]);
  const columns = targets.filter(
    (target) => target.path[0] !== "id" && (!/: ids?$/.test(target.title) || isOnly(target)),
  );
  save(
    `${sheet.collection.name}.csv`,
    toFile([columns.map(({ title }) => title)], hasDecimalCommas() ? ";" : ","),
  );
}

/** Returns the rules, closed until somebody wants to read them. */
export function explanation(sheet, targets) {
  const keys = sheet.keys.map((key) => titleOfField(sheet, key)).join(t(" and "));
  const rules = [
    t(
      "The names of the columns are as below or as on the list, in any language of the page. Columns that " +
        "you leave out change nothing.",
    ),
    t(
      "A row changes the record with the same {0}. If there is none, the row is a new record. A row with " +
        "an Id changes that record.",
      keys,
    ),
    t(
      "A column of another record has its reference, else its name if no other record has that. A column " +
        "“Price RETAIL-EUR” of styles changes the base price in that price list alone.",
    ),
    t(
      "An empty cell leaves the field as it is, and so does a translation without a column. If you choose " +
        "that empty cells empty their fields, those of texts in languages and of what needs a value still " +
        "stay.",
    ),
    t(
      "Several values stand in one cell, separated by {0}, and replace those that are stored.",
      LIST_SEPARATOR,
    ),
    t(
      "In a workbook cells are read as they are shown: 00123 keeps its zeros. A cell that shows an error, " +
        "or a formula without a result, rejects its row.",
    ),
    t(
      "In a table with semicolons 12,5 is a number like 12.5; 1.234 is rejected there, as it may be 1234. " +
        "In tables with commas write 12.5.",
    ),
    t(
      "An apostrophe before =, +, - or @ is taken away: downloads have it, so that spreadsheets do not " +
        "run a text as a formula.",
    ),
  ];
  const row = (target) =>
    el("tr", {}, el("th", { scope: "row" }, target.title), el("td", {}, kindOf(target)));
  const head = el(
    "tr",
    {},
    [t("Column"), t("Cells")].map((title) => el("th", { scope: "col" }, title)),
  );
  const table = el("table", {}, el("thead", {}, head), el("tbody", {}, targets.map(row)));
  const list = el(
    "ul",
    {},
    rules.map((rule) => el("li", {}, rule)),
  );
  const empty = button(t("Download an empty table with these columns"), () => saveEmpty(sheet, targets));
  return el(
    "details",
    { class: "menu rules" },
    el("summary", {}, t("What a table may have")),
    list,
    empty,
    scrolling(t("Columns of a table"), table),
  );
}
