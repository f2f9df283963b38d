"""Allocation of barcodes: gives out the lowest free GTINs of ranges.

Source: contract, Allocation of barcodes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Any, Final

import asyncpg

from service.batches.batch import Batch, ItemErrors, RequestItems
from service.batches.entry import CREATE, Entry, Item
from service.database.statements import Statement, load, load_bound
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail
from service.records.references import Reference
from service.records.writable_resource import WritableResource
from service.resources.assortment.barcodes import Barcodes
from service.schemas.formats import check_digit
from service.schemas.validation import Validator
from service.writing.collection_writes import CollectionWrite, check, record_changes, store
from service.writing.keyed_references import KeyedReferences
from service.writing.locking import assign_ids
from service.writing.outcomes import WriteOptions

_SKU_REFERENCE: Final = Reference("styleSkuIds", "style_sku", "SKU", lock="for no key update")
_RANGE, _SKU, _SKUS = "barcodeRangeId", "styleSkuId", "styleSkuIds"


class BarcodeAllocations(WritableResource):
    """Allocations of GTINs, which become barcodes.

    The row locks of the ranges make callers wait for each other. A rollback loses no number, for
    the ranges and the barcodes are written in one transaction.
    """

    name = "barcode-allocations"
    collection = Barcodes.name
    segment = "barcodes/allocate"
    is_in_feed = False

    def __init__(self, barcodes: Barcodes) -> None:
        super().__init__()
        self._barcodes = barcodes
        self.validators = {"allocate": Validator(self.name, "allocations", self.item_errors)}

    def _load_statements(self) -> Mapping[str, Statement]:
        return load_bound("barcode_allocations", blocks=load("barcode_ranges")["blocks"].text)

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield the error of an allocation without both or with both of count and SKUs."""
        types = [type(item.get(name)) for name in ("count", _SKUS)]
        if types == [int, list]:
            message = "Leave this out: each SKU takes one number."
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("count",), message)
        if types == [NoneType, NoneType]:
            message = f"Send how many numbers to allocate, or {_SKUS}."
            yield ErrorDetail(ErrorType.REQUIRED_FIELD, ("count",), message)

    async def allocate(self, batch: Batch, options: WriteOptions) -> list[dict[str, Any]]:
        """Store the barcodes of a batch of allocations; return the outcome of each number.

        Raise ApiError with all errors: of ranges and SKUs, and of ranges without enough numbers.
        """
        rows, written = await self.store_barcodes(batch, options)
        if written:
            await record_changes(written)
        return rows

    async def store_barcodes(
        self, batch: Batch, options: WriteOptions
    ) -> tuple[list[dict[str, Any]], list[CollectionWrite]]:
        """Store as ``allocate`` does; leave the change, of the batch if any, to the caller."""
        if references := KeyedReferences.of(self, batch):
            await references.resolve(batch)
        types = await self._lock_ranges(batch)
        primary = await self._find_primary(batch)
        batch.errors.raise_any()
        items = await self._take(batch, types, primary)
        new = [item for item in items if isinstance(item, Entry)]
        written = [await self._store(batch, new, options)] if new else []
        rows = [
            {
                "outcome": "unchanged" if item[_SKU] in primary else "created",
                "id": None if options.dry_run and item[_SKU] not in primary else item["id"],
                "key": item["barcode"],
                _SKU: item[_SKU],
                _RANGE: item[_RANGE],
                "details": [],
            }
            for item in items
        ]
        return rows, written

    async def _store(
        self, batch: Batch, items: list[Entry], options: WriteOptions
    ) -> CollectionWrite:
        """Store new barcodes, and set their ids.

        Raise SerializationError for a number that a writer of barcodes has taken meanwhile: the
        repeated transaction takes another one.
        """
        errors = ItemErrors(RequestItems(items))
        shared = (batch.request_id, (), batch.transaction)
        created = Batch(batch.connection, batch.caller, items, errors, *shared)
        await assign_ids(self._barcodes, created)
        written = CollectionWrite.of(self._barcodes, created)
        try:
            await store(written, await check(written, options), options)
        except ApiError as error:
            if error.code != ErrorType.CONFLICT_DUPLICATE:
                raise
            raise asyncpg.SerializationError(str(error)) from error
        return written

    async def _find_primary(self, batch: Batch) -> dict[int, Item]:
        """Lock the SKUs; return the primary GTINs of those that have one, as items by SKU.

        Add errors to the batch for unknown SKUs, and for those of an earlier item.
        """
        sku_ids = sorted({sku_id for item in batch.items for sku_id in item.get(_SKUS) or ()})
        rows = await _SKU_REFERENCE.find(batch, sku_ids)
        seen = set[int]()
        for index, item in enumerate(batch.items):
            for position, sku_id in enumerate(item.get(_SKUS) or ()):
                path = (_SKUS, position)
                if sku_id in seen:
                    message = "An earlier item has this SKU."
                    batch.fail(index, ErrorType.DUPLICATE, *path, message=message)
                elif sku_id not in rows or not rows[sku_id]["is_live"]:
                    message = "There is no such SKU."
                    batch.fail(index, ErrorType.UNKNOWN_REFERENCE, *path, message=message)
                seen.add(sku_id)
        gtins = await self._fetch(batch, "primary_gtins", sku_ids)
        return {
            sku_id: {"id": record_id, "barcode": barcode, _SKU: sku_id, _RANGE: range_id}
            for sku_id, record_id, barcode, range_id in gtins
        }

    async def _lock_ranges(self, batch: Batch) -> dict[int, str]:
        """Lock the ranges, and set the default range where none is named; return their types.

        Add errors to the batch for ranges that do not exist or are not active.
        """
        ids = {item[_RANGE] for item in batch.items if item.get(_RANGE) is not None}
        needs_default = any(item.get(_RANGE) is None for item in batch.items)
        locked = await self._fetch(batch, "lock_ranges", sorted(ids), needs_default)
        rows = {row["id"]: row for row in locked}
        default = next((row["id"] for row in rows.values() if row["is_default"]), None)
        for index, item in enumerate(batch.items):
            if item.get(_RANGE) is None:
                item[_RANGE] = default
            row = rows.get(item[_RANGE])
            if item[_RANGE] is None:
                message = "Name a range: the organization has no default range."
                batch.fail(index, ErrorType.REQUIRED_FIELD, _RANGE, message=message)
            elif row is None or row["state"] == "deleted":
                message = "There is no such barcode range."
                batch.fail(index, ErrorType.UNKNOWN_REFERENCE, _RANGE, message=message)
            elif row["state"] == "inactive":
                message = "Name an active range: this one is inactive."
                batch.fail(index, ErrorType.INVALID_VALUE, _RANGE, message=message)
        return {range_id: row["type"] for range_id, row in rows.items()}

    async def _take(
        self, batch: Batch, types: Mapping[int, str], primary: Mapping[int, Item]
    ) -> list[Item]:
        """Return the barcodes of the batch in its order, new and ``primary`` ones.

        Advance the ranges. Raise ApiError with ``conflict.exhausted`` at the first item of each
        range that has not enough numbers.
        """
        takers = [
            (item[_RANGE], sku_id)
            for item in batch.items
            for sku_id in item.get(_SKUS) or [None] * item["count"]
        ]
        needed = Counter(range_id for range_id, sku_id in takers if sku_id not in primary)
        digits = await self._free_digits(batch, needed)
        items, new = list[Item](), 0
        for range_id, sku_id in takers:
            if sku_id in primary:
                items.append(primary[sku_id])
                continue
            number = next(digits[range_id])
            fields = {
                "barcode": number + check_digit(number),
                "type": types[range_id],
                _RANGE: range_id,
                _SKU: sku_id,
                "isPrimary": None if sku_id is None else True,
            }
            items.append(Entry(fields, new, CREATE))
            new += 1
        return items

    async def _free_digits(self, batch: Batch, needed: Counter[int]) -> dict[int, Iterator[str]]:
        """Return the digits of free GTINs by range, and advance the ranges past these."""
        free: dict[int, list[Any]] = {range_id: [] for range_id in needed}
        for row in await self._fetch(batch, "free_references", [*needed], [*needed.values()]):
            free[row["id"]].append(row)
        for range_id, rows in free.items():
            if len(rows) < needed[range_id]:
                index = next(i for i, each in enumerate(batch.items) if each[_RANGE] == range_id)
                message = (
                    f"Range {range_id} has {len(rows)} numbers left; {needed[range_id]} are needed."
                )
                batch.fail(index, ErrorType.CONFLICT_EXHAUSTED, _RANGE, message=message)
        batch.errors.raise_any()
        following = [rows[needed[id_] - 1]["reference"] + 1 for id_, rows in free.items()]
        await self._fetch(batch, "advance", [*free], following)
        return {range_id: iter([row["digits"] for row in rows]) for range_id, rows in free.items()}
