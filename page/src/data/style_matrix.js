// Sizes and prices of a style: a matrix of colors and sizes with SKU, GTIN and the price of today in a list,
// and its grids.

import { get, readAll, request } from "./api.js";
import { badge, el, link, newId, report } from "./dom.js";
import { hashOf } from "./location.js";
import { Saver } from "./saver.js";
import { inGrid } from "./sheet_editor.js";
import { gtinsForm, withoutGtin } from "./style_gtins.js";
import { dayOf, recordHash, scrolling } from "./values.js";
import { numeral, t, wordFor } from "./words.js";

const MS_PER_DAY = 86_400_000;
const CHOSEN_LIST = "selvedge.priceList";

const today = () => new Date().toISOString().slice(0, 10);
const dayAfter = (date, days) => new Date(Date.parse(date) + days * MS_PER_DAY).toISOString().slice(0, 10);

export class Matrix {
  constructor(context) {
    this.context = context;
    this.lists = null;
  }

  async read() {
    const styleId = String(this.context.style.id);
    this.lists ??= await readAll("api/price-lists", { state: "active" });
    this.listId ??= Number(localStorage.getItem(CHOSEN_LIST)) || this.lists[0]?.id;
    this.list = this.lists.find(({ id }) => id === this.listId) ?? this.lists[0];
    const [skus, prices] = await Promise.all([
      readAll("api/style-skus", { styleId }),
      this.list ? readAll("api/effective-prices", { priceListId: String(this.list.id), styleId }) : [],
    ]);
    return { skus, prices: new Map(prices.map((price) => [price.styleSkuId, price])) };
  }

  /** Chooses the price list whose prices are shown. */
  choose(listId) {
    if (!Number(listId)) return;
    this.listId = Number(listId);
    localStorage.setItem(CHOSEN_LIST, listId);
  }

  show({ skus, prices }, reload) {
    const { colors } = this.context;
    const sizes = this.context.sizes(skus.map(({ sizeRangeSizeId }) => sizeRangeSizeId));
    if (!colors.length || !sizes.length)
      return el(
        "p",
        { class: "quiet" },
        sizes.length ? t("Add colors first.") : t("Choose a size range in the details first."),
      );
    const at = new Map(skus.map((sku) => [`${sku.styleColorId} ${sku.sizeRangeSizeId}`, sku]));
    const head = el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, t("Color")),
        sizes.map(({ name }) => el("th", { scope: "col" }, name)),
      ),
    );
    const cell = (color, size) => {
      const sku = at.get(`${color.id} ${size.id}`);
      return el(
        "td",
        {},
        sku ? this.#sku(sku, prices.get(sku.id)) : el("span", { class: "quiet" }, t("no SKU")),
      );
    };
    const rows = colors.map((color) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, this.context.colorLabel(color.id)),
        sizes.map((size) => cell(color, size)),
      ),
    );
    return [
      this.#choice(reload),
      scrolling(t("SKUs by color and size"), el("table", { class: "matrix" }, head, el("tbody", {}, rows))),
    ];
  }

  #choice(reload) {
    const id = newId("list");
    const options = this.lists.map((list) =>
      el("option", { value: list.id }, `${list.name} · ${list.currencyCode}`),
    );
    const change = ({ target }) => {
      this.choose(target.value);
      reload();
    };
    const select = el("select", { id, change }, options);
    select.value = String(this.list?.id);
    return el("p", { class: "choice" }, el("label", { for: id }, t("Prices today in ")), select);
  }

  #sku({ id, sku, gtin, state }, price) {
    const currency = this.list?.currencyCode ?? "";
    const written = (value) => numeral(value, currency);
    const amount = price
      ? [
          el("strong", {}, `${written(price.amount)} ${currency}`),
          price.compareAtAmount && el("del", {}, written(price.compareAtAmount)),
        ]
      : el("span", { class: "lacks" }, t("no price"));
    const more =
      price?.tiers.map(({ minimumQuantity, amount: less }) =>
        el("li", {}, t("from {0}: {1}", minimumQuantity, written(less))),
      ) ?? [];
    if (price?.validTo) more.push(el("li", {}, t("until {0}", dayOf(price.validTo))));
    if (price?.lowestAmount30Days)
      more.push(el("li", {}, t("30 days' lowest {0}", written(price.lowestAmount30Days))));
    return el(
      "div",
      { class: "sku" },
      el("p", { class: "price" }, amount),
      el(
        "p",
        { class: "code" },
        link(recordHash(this.context.model.collections.get("style-skus"), id), sku),
        state !== "active" && badge(wordFor(state), state),
      ),
      gtin ? el("p", { class: "code" }, gtin) : el("p", { class: "lacks" }, t("no GTIN")),
      more.length > 0 && el("ul", {}, more),
    );
  }

  actions(data) {
    const { skus } = data;
    if (!this.context.canWrite) return [];
    const { style, colors } = this.context;
    const wanted = colors.length * this.context.sizes().length;
    const path = this.list && `${this.context.path}/prices/${this.list.id}`;
    return [
      this.list && { text: t("Edit prices"), path, open: (done) => this.#editPrices(path, done) },
      skus.length > 0 && {
        text: t("Edit SKUs"),
        path: `api/style-skus#${style.id}`,
        open: (done) => this.#editSkus(skus, done),
      },
      withoutGtin(skus).length > 0 && {
        text: t("Allocate GTINs"),
        opensFor: "gtins",
        open: (done) => gtinsForm(this.context.model, withoutGtin(skus), done),
      },
      skus.length < wanted && { text: t("Make the missing SKUs"), open: () => this.#generate() },
    ].filter(Boolean);
  }

  async #generate() {
    const { data } = await request("POST", "api/style-skus/generate", {
      body: [{ styleId: this.context.style.id }],
    });
    report(t("{0} SKUs made.", data.filter(({ outcome }) => outcome !== "unchanged").length));
  }

  async #editPrices(path, done) {
    const { data: values, tag } = await get(path, { form: "writable" });
    const all = link(
      hashOf({
        name: this.context.collection.name,
        id: String(this.context.style.id),
        action: "edit",
        part: "prices",
        entry: String(this.list.id),
      }),
      t("Edit all prices with their days and quantities"),
    );
    const help = el(
      "p",
      { class: "quiet" },
      t(
        "What one piece costs today in {0}, in {1}. The price of a color or size goes before that of all. " +
          "Other days and quantities stay as they are. ",
        this.list.name,
        this.list.currencyCode,
      ),
      all,
    );
    return new Saver({
      method: "PUT",
      path,
      values,
      tag,
      ...inGrid(pricesLayout(this.context, values, help)),
      ...done,
    });
  }

  /** SKUs are one record each: their entity tags are read when the edit begins. */
  async #editSkus(skus, done) {
    const read = async ({ id }) => {
      const { data, tag } = await get(`api/style-skus/${id}`);
      return {
        id,
        styleColorId: data.styleColorId,
        sizeRangeSizeId: data.sizeRangeSizeId,
        sku: data.sku,
        ifMatch: tag,
      };
    };
    const values = await Promise.all(skus.map(read));
    const task = {
      method: "PATCH",
      path: "api/style-skus",
      type: "application/merge-patch+json",
      key: `api/style-skus#${this.context.style.id}`,
      values,
      tag: null,
    };
    task.reread = async () => ({ data: await Promise.all(skus.map(read)), tag: null });
    task.bodyOf = (items) =>
      items.filter(({ isChanged }) => isChanged).map(({ id, sku, ifMatch }) => ({ id, sku, ifMatch }));
    return new Saver({ ...task, ...inGrid(skusLayout(this.context, values)), ...done });
  }
}

/** Prices of one piece today: colors, and all of them, by sizes, and all of them. */
function pricesLayout(context, { prices }, help) {
  const sizes = context.sizes(prices.map(({ sizeRangeSizeId }) => sizeRangeSizeId));
  const columns = [
    { key: "all", title: t("All sizes"), isNumber: true },
    ...sizes.map(({ id, name }) => ({ key: String(id), title: name, isNumber: true })),
  ];
  const keyOf = (id) => (id === null || id === undefined ? "all" : String(id));
  const isToday = ({ validFrom, validTo }) =>
    (!validFrom || validFrom <= today()) && (!validTo || validTo >= today());
  const atCell = (price, row, column) =>
    (price.minimumQuantity ?? 1) === 1 &&
    keyOf(price.styleColorId) === row &&
    keyOf(price.sizeRangeSizeId) === column;
  const indexOf = (list, row, column) =>
    list.findIndex((price) => atCell(price, row, column) && isToday(price));
  const heads = [
    ["all", t("All colors")],
    ...context.colors.map(({ id }) => [String(id), context.colorName(id)]),
  ];
  const rowsOf = ({ prices: list }) =>
    heads.map(([key, label]) => ({
      key,
      label,
      head: key === "all" ? label : context.colorLabel(Number(key)),
      cells: Object.fromEntries(
        columns.map(({ key: column }) => [column, list[indexOf(list, key, column)]?.amount ?? ""]),
      ),
    }));
  return {
    caption: t("Prices"),
    corner: t("Color"),
    columns,
    rowsOf,
    above: () => [help],
    // What an empty cell costs: the price of the color wins over that of the size, and this over that of all.
    hintOf: (row, column, textAt) => textAt(row, "all") || textAt("all", column) || textAt("all", "all"),
    bodyOf(rows, { prices: list }, locate) {
      const changed = list.map((price) => ({ ...price }));
      const gone = new Set();
      for (const row of rows)
        for (const { key: column } of columns) {
          const [index, text] = [indexOf(list, row.key, column), row.cells[column] ?? ""];
          if (index >= 0 && text === "") gone.add(changed[index]);
          else if (index >= 0) changed[index].amount = text;
          else if (text !== "")
            changed.push(
              newPrice(
                list.filter((price) => atCell(price, row.key, column)),
                row.key,
                column,
                text,
              ),
            );
        }
      const body = changed.filter((price) => !gone.has(price));
      body.forEach((price, index) => {
        if ((price.minimumQuantity ?? 1) === 1 && isToday(price))
          locate(`prices[${index}]`, { key: keyOf(price.styleColorId) }, keyOf(price.sizeRangeSizeId));
      });
      return { prices: body };
    },
  };
}

/** Returns a price for the days around today that no other price of its cell has. */
function newPrice(others, row, column, amount) {
  const before = others
    .map(({ validTo }) => validTo)
    .filter((date) => date && date < today())
    .sort()
    .at(-1);
  const after = others
    .map(({ validFrom }) => validFrom)
    .filter((date) => date && date > today())
    .sort()[0];
  const idOf = (key) => (key === "all" ? null : Number(key));
  const days = {
    validFrom: before ? dayAfter(before, 1) : null,
    validTo: after ? dayAfter(after, -1) : null,
  };
  return {
    styleColorId: idOf(row),
    sizeRangeSizeId: idOf(column),
    minimumQuantity: 1,
    amount,
    compareAtAmount: null,
    ...days,
  };
}

/** SKUs by color and size. Pairs without one cannot be edited here. */
function skusLayout(context, values) {
  const sizes = context.sizes(values.map(({ sizeRangeSizeId }) => sizeRangeSizeId));
  const rowsOf = (skus) =>
    context.colors.map(({ id }) => {
      const own = new Map(
        skus
          .filter(({ styleColorId }) => styleColorId === id)
          .map((sku) => [String(sku.sizeRangeSizeId), sku.sku]),
      );
      const fixed = sizes.map((size) => String(size.id)).filter((key) => !own.has(key));
      return {
        key: String(id),
        label: context.colorName(id),
        head: context.colorLabel(id),
        cells: Object.fromEntries(own),
        fixed,
      };
    });
  return {
    caption: "SKUs",
    corner: t("Color"),
    columns: sizes.map(({ id, name }) => ({ key: String(id), title: name })),
    rowsOf,
    bodyOf(rows, skus, locate) {
      const cells = new Map(rows.map(({ key, cells: texts }) => [key, texts]));
      let place = 0;
      return skus.map((item) => {
        const sku = cells.get(String(item.styleColorId))?.[String(item.sizeRangeSizeId)] ?? "";
        if (sku === item.sku) return item;
        locate(`[${place++}]`, { key: String(item.styleColorId) }, String(item.sizeRangeSizeId));
        return { ...item, sku, isChanged: true };
      });
    },
  };
}
