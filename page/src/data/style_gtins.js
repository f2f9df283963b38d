// Allocation of GTINs to the SKUs of a style that have none, from a range that is chosen.

import { idempotencyKey, readAll, request } from "./api.js";
import { chunksOf } from "./bulk.js";
import { alertBox, button, el, newId, report } from "./dom.js";
import { counted, t } from "./words.js";

/** Returns the SKUs that get numbers: those that are out of use need none. */
export const withoutGtin = (skus) => skus.filter(({ gtin, state }) => !gtin && state === "active");

/** Returns the active ranges, the default one first; none for a key that may not read them. */
async function readRanges() {
  try {
    const ranges = await readAll("api/barcode-ranges", { state: "active" });
    return ranges.sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
  } catch (error) {
    if (error.status !== 403) throw error;
    return [];
  }
}

/** Returns the form that asks for the range, and says what is done for good. */
export async function gtinsForm(model, skus, { onSaved, onCancel }) {
  const [id, ranges] = [newId("range"), await readRanges()];
  const { items } = model.body(model.document.paths["/api/barcodes/allocate"].post);
  const { maxItems } = model.resolve(items).properties.styleSkuIds;
  let key = idempotencyKey();
  const options = ranges.map((range) =>
    el(
      "option",
      { value: range.id },
      `${range.name} · ${counted(range.free, "{0} number free", "{0} numbers free")}`,
    ),
  );
  const select = el("select", { id }, options);
  const failure = el("div", {});
  const allocate = button(counted(skus.length, "Allocate {0} GTIN", "Allocate {0} GTINs"), null, {
    type: "submit",
    class: "",
  });
  const submit = async (event) => {
    event.preventDefault();
    allocate.disabled = true;
    // Without a choice it is the default range.
    const chosen = select.value ? { barcodeRangeId: Number(select.value) } : {};
    const body = chunksOf(
      skus.map((sku) => sku.id),
      maxItems,
    ).map((styleSkuIds) => ({ ...chosen, styleSkuIds }));
    try {
      const { data } = await request("POST", "api/barcodes/allocate", {
        body,
        headers: { "Idempotency-Key": key },
      });
      const count = data.filter(({ outcome }) => outcome === "created").length;
      await onSaved();
      report(counted(count, "{0} GTIN allocated.", "{0} GTINs allocated."));
    } catch (error) {
      if (!error.rows || error.status === 401) throw error;
      // What was answered is not sent again; what was not, is repeated.
      if (error.status) key = idempotencyKey();
      failure.replaceChildren(alertBox(error.message));
      allocate.disabled = false;
    }
  };
  const element = el(
    "form",
    { class: "editing", submit },
    el(
      "p",
      {},
      counted(
        skus.length,
        "{0} SKU in use has no GTIN: it gets the next free number of the range.",
        "{0} SKUs in use have no GTIN: each gets the next free number of the range.",
      ),
    ),
    el(
      "p",
      { class: "quiet" },
      t(
        "The range never gives these numbers out again, and once the style is no longer work in progress, " +
          "they cannot be taken away.",
      ),
    ),
    ranges.length > 0 &&
      el("p", { class: "choice" }, el("label", { for: id }, t("Range of numbers ")), select),
    failure,
    el("div", { class: "actions" }, allocate, button(t("Cancel"), onCancel)),
  );
  return { element };
}
