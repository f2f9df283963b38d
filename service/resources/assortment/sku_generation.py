"""Generation of SKUs: makes the missing SKUs of styles (contract, SKU generations)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import asyncpg

from service.batches.batch import Batch
from service.batches.change_recorder import CREATED, UPDATED
from service.batches.entry import CREATE, Entry, Item
from service.error_types import ErrorType
from service.errors import api_error
from service.records.references import Reference
from service.records.writable_resource import FOR_NO_KEY_UPDATE, WritableResource
from service.resources.assortment.barcode_allocations import BarcodeAllocations
from service.resources.assortment.style_skus import StyleSkus
from service.schemas.visible_text import key_problem
from service.writing import own_keys
from service.writing.collection_writes import CollectionWrite, check, record_changes, store
from service.writing.keyed_references import KeyedReferences
from service.writing.locking import assign_ids
from service.writing.outcomes import UNCHANGED, WriteOptions

MAX_PAIRS: Final = 10_000
"""Maximum number of pairs of a style color and a size in a request."""
_FORMAT: Final = "{styleNumber}-{colorUserDefinedId}-{sizeName}"
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_FIELD: Final = "skuFormat"
RANGE: Final = "barcodeRangeId"
_LONGEST: Final = 100


class SkuGeneration(WritableResource):
    """Generation of the SKUs of styles: all pairs of a color and a size that have none.

    A deleted SKU of a pair is restored instead, with its ``sku``. SKUs without a primary GTIN get
    one of the item's barcode range. All of it is one change.
    """

    name = "sku-generation"
    collection = StyleSkus.name
    segment = f"{StyleSkus.name}/generate"
    is_in_feed = False
    scope_field = "styleId"
    sizes_of = "size_ranges_of_style"
    unique_fields = ("styleId",)
    references = (
        Reference("styleId", "style", "style", lock="for share"),
        Reference("styleColorIds", "style_color", "style color", lock="for share"),
        Reference("sizeRangeSizeIds", "size_range_size", "size", "true", within="size_range"),
        Reference(RANGE, "barcode_range", "barcode range", lock="for no key update"),
    )

    def __init__(self, skus: StyleSkus, allocations: BarcodeAllocations) -> None:
        super().__init__()
        self.validators = {"generate": self._validator("generate")}
        self._skus = skus
        self._allocations = allocations

    async def generate(self, batch: Batch, options: WriteOptions) -> list[dict[str, Any]]:
        """Make the missing SKUs and barcodes; return the outcomes of all pairs in their order.

        Raise ApiError with the errors of all items if there are any.
        """
        await own_keys.take_writer_lock(batch, self._skus)
        await self._check_items(batch)
        pairs = await self._fetch(batch, "pairs", batch.json(), MAX_PAIRS + 1)
        if len(pairs) > MAX_PAIRS:
            message = f"Name fewer styles: there are more than {MAX_PAIRS:,} pairs."
            raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)
        missing = [pair for pair in pairs if pair["state"] in ("", "deleted")]
        items = [self._sku(batch, pair) for pair in missing]
        batch.errors.raise_any()
        _report_equal(batch, missing, items)
        batch.errors.raise_any()
        written = list[CollectionWrite]()
        if items:
            written.append(await self._store(batch.of_collection(items), options))
        made = iter(items)
        outcomes = [_outcome(pair, made) for pair in pairs]
        barcodes, of_barcodes = await self._allocate(batch, pairs, outcomes, options)
        if written or of_barcodes:
            await record_changes([*written, *of_barcodes])
        for outcome in outcomes:
            if outcome["id"] in barcodes:
                outcome["barcode"] = barcodes[outcome["id"]]
                if outcome["outcome"] == UNCHANGED:
                    outcome["outcome"] = UPDATED
            if options.dry_run and outcome["outcome"] == CREATED:
                outcome["id"] = None
        return outcomes

    async def _allocate(
        self,
        batch: Batch,
        pairs: Sequence[asyncpg.Record],
        outcomes: list[dict[str, Any]],
        options: WriteOptions,
    ) -> tuple[dict[int, str], list[CollectionWrite]]:
        """Allocate what the SKUs of items with a range lack; return the GTINs by SKU."""
        lacking: dict[int, list[int]] = {}
        for pair, outcome in zip(pairs, outcomes, strict=True):
            if outcome["barcode"] is None and batch.items[pair["item"]].get(RANGE) is not None:
                lacking.setdefault(pair["item"], []).append(outcome["id"])
        if not lacking:
            return {}, []
        items = [
            Entry({RANGE: item[RANGE], "styleSkuIds": sku_ids}, item.index)
            for index, sku_ids in lacking.items()
            for item in (batch.items[index],)
        ]
        allocations = batch.of_collection(items)
        rows, written = await self._allocations.store_barcodes(allocations, options)
        return {row["styleSkuId"]: row["key"] for row in rows}, written

    async def _check_items(self, batch: Batch) -> None:
        """Replace key objects by ids; report what stored data show."""
        references = KeyedReferences.of(self, batch)
        if references:
            await references.resolve(batch)
        for reference in self.references:
            await reference.check(batch)
        seen = set[int]()
        for index, item in enumerate(batch.items):
            if item["styleId"] in seen:
                message = "Another item of this request has this style."
                batch.fail(index, ErrorType.DUPLICATE, "styleId", message=message)
            seen.add(item["styleId"])
        batch.errors.raise_any()
        batch.fail_all(await self._fetch(batch, "check", batch.json()))
        batch.errors.raise_any()

    def _sku(self, batch: Batch, pair: asyncpg.Record) -> Entry:
        """Return the entry that creates or restores the SKU of a pair; report what it lacks."""
        fields: Item = {"styleColorId": pair["style_color_id"], "sizeRangeSizeId": pair["size_id"]}
        index = batch.items[pair["item"]].index
        if pair["sku_id"]:
            more = {"sku": pair["sku"], "netWeight": pair["net_weight"], "state": "active"}
            return Entry(fields | more | {"id": pair["sku_id"]}, index)
        template = batch.items[pair["item"]].get(_FIELD) or pair["skuFormat"] or _FORMAT
        for name in _PLACEHOLDER.findall(template):
            if not pair[name]:
                message = f"There is no {name} of style {pair['styleNumber']}."
                batch.fail(pair["item"], ErrorType.CONFLICT_INCOMPLETE, _FIELD, message=message)
        sku = _PLACEHOLDER.sub(lambda match: pair[match[1]] or "", template)
        if key_problem(sku) or len(sku) > _LONGEST:
            message = f"This is no sku: {sku}."
            batch.fail(pair["item"], ErrorType.INVALID_VALUE, _FIELD, message=message)
        return Entry(fields | {"sku": sku}, index, CREATE)

    async def _store(self, skus: Batch, options: WriteOptions) -> CollectionWrite:
        """Write the SKUs; report the errors of ``sku`` at the format."""
        for entry in skus.items:
            skus.errors.report_at(entry.index, ("sku",), (_FIELD,))
        created, restored = skus.split(lambda entry: entry.operation is CREATE)
        await assign_ids(self._skus, created)
        rows = await skus.fetch(self._skus.locks_by_id[FOR_NO_KEY_UPDATE], restored.id_array)
        stored = {row["id"]: row for row in rows}
        for entry in restored.items:
            entry.lock(stored[entry["id"]])
        written = CollectionWrite.of(self._skus, skus)
        await store(written, await check(written, options), options)
        return written


def _report_equal(batch: Batch, pairs: Sequence[asyncpg.Record], items: Sequence[Item]) -> None:
    """Report the first SKU of each item that an earlier one equals, with both pairs."""
    first, reported = dict[str, asyncpg.Record](), set[int]()
    for pair, item in zip(pairs, items, strict=True):
        other = first.setdefault(item["sku"], pair)
        if other is not pair and pair["item"] not in reported:
            reported.add(pair["item"])
            message = f"{item['sku']} would be the sku of {_named(other)} and of {_named(pair)}."
            batch.fail(pair["item"], ErrorType.DUPLICATE, _FIELD, message=message)


def _named(pair: asyncpg.Record) -> str:
    color = f"{pair['style_color_id']} ({pair['colorUserDefinedId'] or pair['styleNumber']})"
    return f"style color {color} in size {pair['size_id']} ({pair['sizeName']})"


def _outcome(pair: Mapping[str, Any], made: Iterator[Item]) -> dict[str, Any]:
    """Return the outcome of a pair; ``made`` has the items of the missing ones, in their order."""
    is_missing = pair["state"] in ("", "deleted")
    item = next(made) if is_missing else {"id": pair["sku_id"], "sku": pair["sku"]}
    return {
        "outcome": (UPDATED if pair["sku_id"] else CREATED) if is_missing else UNCHANGED,
        "id": item["id"],
        "key": item["sku"],
        "styleColorId": pair["style_color_id"],
        "sizeRangeSizeId": pair["size_id"],
        "barcode": pair["gtin"],
        "details": [],
    }
