"""Barcodes (contract, Barcodes)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import asyncpg
import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.entry import IMPORT, Item
from service.batches.write_set import WriteSet
from service.error_types import ErrorType
from service.errors import ApiError
from service.listing.search_columns import SearchColumns
from service.records.references import Reference
from service.resources.plain_records import PlainRecord
from service.schemas.formats import gs1_error

_DIGITS: Final = {"gtin8": 8, "gtin12": 12, "gtin13": 13, "gtin14": 14}
"""Digits of GTINs, by type."""
_ZEROS: Final = {"gtin12": "0000", "gtin13": "0", "gtin14": "0"}
"""Beginning of GTINs that are shorter ones with zeros, by type."""
_RESTRICTED: Final = ("02", "04", "2")
"""Beginning of numbers of 13 digits that are unique in a company or region only (GS1)."""
_OF_SHOPS: Final = "numbers that begin with it are of restricted circulation (GS1)."
_NEW: Final[Mapping[str, Any]] = dict.fromkeys(("style_sku_id", "is_primary", "state", "type"))
"""Stored row of a barcode that is new."""
_BECOMES: Final = 3
_RANGE: Final = "barcodeRangeId"
_UNIQUE: Final = ("barcode_gtin_key", "barcode_internal_key")


class Barcodes(PlainRecord):
    """Numbers that are free or given to an SKU: soft delete.

    A number is in one record of the organization, deleted or not; GTINs are compared with 14
    digits. Unique indexes keep it so, and a writer that they stop finds the other's record.
    """

    name = "barcodes"
    search = SearchColumns("barcode", ("gtin14",), has_gtins=True)
    references = (
        # Of two writers of an SKU's barcodes, the second one sees which is primary.
        Reference("styleSkuId", "style_sku", "SKU", is_live="true", lock="for no key update"),
    )

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Set the types of new barcodes, and which are primary; report what stored data show.

        That are wrong numbers and those of other records, deleted SKUs, and GTINs of published
        styles that would be taken from their SKU.
        """
        write_set.upserts.checked_fields.add(_RANGE)  # of new barcodes alone, below
        plan = await super().check(write_set)
        created_ids = {*write_set.created_ids}
        created = write_set.upserts.subset(lambda item: item["id"] in created_ids)
        for index, item in enumerate(created.items):
            if item.get("type") is None:
                item["type"] = default_type(item["barcode"])
            if item["type"] is None:
                message = _missing_type(item["barcode"])
                created.fail(index, ErrorType.REQUIRED_FIELD, "type", message=message)
            elif error := number_error(item["type"], item["barcode"]):
                created.fail(index, ErrorType.INVALID_VALUE, "barcode", message=error)
        if (valid := created.subset()).items:
            numbers = [{name: item[name] for name in ("barcode", "type")} for item in valid.items]
            parameter = orjson.dumps(numbers).decode()
            valid.fail_all(await self._fetch(valid, "check_numbers", parameter))
            for entry in valid.items:
                # The check of unique keys would report a number again.
                valid.errors.close(entry.index, ("barcode",))
        await self._check_ranges(created.subset())
        await self._check_skus(write_set.upserts.subset())
        return plan + self._item_statements(["ranges_of", "count_numbers"], valid)

    async def _check_ranges(self, batch: Batch) -> None:
        """Report ranges that do not exist, and those that do not have the number."""
        if any(item.get(_RANGE) is not None for item in batch.items):
            names = ("barcode", "type", _RANGE)
            items = [
                {name: item.get(name) for name in names} | {"imports": _is_imported(batch, index)}
                for index, item in enumerate(batch.items)
            ]
            parameter = orjson.dumps(items).decode()
            batch.fail_all(await self._fetch(batch, "check_ranges", parameter))

    async def _check_skus(self, batch: Batch) -> None:
        sku_ids = sorted({item["styleSkuId"] for item in batch.items if item.get("styleSkuId")})
        rows = await self._fetch(batch, "barcodes_of", batch.ids, sku_ids)
        gone = await self._fetch(batch, "deleted_skus", sku_ids)
        deleted = {row["id"] for row in gone}
        stored = {row["id"]: row for row in rows}
        for index, item in enumerate(batch.items):
            row, is_imported = stored.get(item["id"], _NEW), _is_imported(batch, index)
            is_deleted = item.get("styleSkuId") in deleted and not is_imported
            _report_sku(batch, index, row, is_deleted=is_deleted)
        choose_primaries(batch.subset(), stored)

    def constraint_error(
        self,
        batch: Batch,  # noqa: ARG002
        error: asyncpg.IntegrityConstraintViolationError,
    ) -> ApiError | None:
        """Raise SerializationError for a number that another writer has taken after the check.

        The check of the repeated transaction finds its record.
        """
        if any(name in str(error) for name in _UNIQUE):
            raise asyncpg.SerializationError(str(error)) from error
        return None


def _is_imported(batch: Batch, index: int) -> bool:
    """Return whether an item may refer to a deleted SKU and range."""
    return batch.items[index].operation is IMPORT


def default_type(barcode: str) -> str | None:
    """Return the type of a GTIN by its length; None if digits or check digit do not fit.

    None, too, for 8 digits that may be a UPC-E, and for numbers of restricted circulation.
    """
    if _may_be_upc_e(barcode) or _is_restricted(barcode):
        return None
    fits = (kind for kind, digits in _DIGITS.items() if gs1_error(digits)(barcode) is None)
    return next(fits, None)


def _may_be_upc_e(barcode: str) -> bool:
    is_number = barcode.isdigit() and len(barcode) == _DIGITS["gtin8"]
    return is_number and barcode.startswith("0") and bool(barcode.strip("0"))


def _is_restricted(barcode: str) -> bool:
    """Return whether a number of 12 or 13 digits is one that each shop gives out by itself."""
    is_number = barcode.isdigit() and len(barcode) in (_DIGITS["gtin12"], _DIGITS["gtin13"])
    return is_number and barcode.zfill(_DIGITS["gtin13"]).startswith(_RESTRICTED)


def _missing_type(barcode: str) -> str:
    """Return the message of a barcode without a type, which is no GTIN."""
    if _may_be_upc_e(barcode):
        return "Send the type, or the 12 digits: a number that begins with 0 may be a UPC-E."
    if _is_restricted(barcode):
        return f"Send the type internal: {_OF_SHOPS}"
    error = gs1_error(*_DIGITS.values())(barcode)
    if error and error[1].startswith("The check digit"):
        return f"{error[1]} Correct it, or send the type internal."
    return "Send the type: the barcode is no GTIN with its check digit."


def number_error(kind: str, barcode: str) -> str | None:
    """Return the message of a number that is not of the type; None if it is."""
    if kind == "internal":
        is_printable = barcode.isascii() and barcode.isprintable()
        return None if is_printable else "Use printable characters of ASCII."
    if error := gs1_error(_DIGITS[kind])(barcode):
        return error[1]
    if not barcode.strip("0"):
        return "Use a number other than zero."
    if _is_restricted(barcode):
        return f"Use the type internal: {_OF_SHOPS}"
    if barcode.startswith(_ZEROS.get(kind, "-")):
        return "Send the shorter GTIN, without the zeros before it."
    return (
        "The first digit of a carton is 1 to 8." if kind == "gtin14" and barcode[0] == "9" else None
    )


def _report_sku(batch: Batch, index: int, row: Mapping[str, Any], *, is_deleted: bool) -> None:
    """Report a deleted SKU that a barcode would get, and a GTIN that its SKU has to keep."""
    item, before = batch.items[index], row["style_sku_id"]
    is_restored = row["state"] == "deleted" and item.get("state") != "deleted"
    is_other = before != item.get("styleSkuId")
    if is_deleted and (is_other or is_restored):
        field = "styleSkuId" if is_other else "state"
        batch.fail(index, ErrorType.UNKNOWN_REFERENCE, field, message="There is no such SKU.")
    is_gtin = row["type"] != "internal"
    if is_other and before is not None and is_gtin and row["status"] != "workInProgress":
        message = f"{row['sku']} keeps the GTIN: its style is no longer in work."
        batch.fail(index, ErrorType.CONFLICT_IN_USE, "styleSkuId", message=message)


def choose_primaries(batch: Batch, stored: Mapping[int, Mapping[str, Any]]) -> None:
    """Set ``isPrimary`` of the items; report it of cartons and without an SKU.

    ``stored`` has the barcodes of the items and of their SKUs, by id. Of an SKU, that is primary
    which becomes so by its item, else the present one, else the first one that the SKU gets.
    """
    of_skus = defaultdict[int, list[int]](list)
    for index, item in enumerate(batch.items):
        sku_id, row = item.get("styleSkuId"), stored.get(item["id"], _NEW)
        if sku_id is not None and item["type"] != "gtin14":
            of_skus[sku_id].append(index)
            continue
        if item.get("isPrimary") and not row["is_primary"]:
            message = "Leave this out: a carton is never primary."
            if sku_id is None:
                message = "Name the SKU whose primary barcode this is."
            batch.fail(index, ErrorType.INVALID_VALUE, "isPrimary", message=message)
        item["isPrimary"] = False
    ids, least = {*batch.ids}, defaultdict[int, int](int)
    for row in stored.values():
        if row["state"] != "deleted" and row["type"] != "gtin14":
            stays = row["is_primary"] and row["id"] not in ids
            least[row["style_sku_id"]] = max(2 if stays else 1, least[row["style_sku_id"]])
    for sku_id, indexes in of_skus.items():
        _choose(batch, indexes, stored, least[sku_id])


def _choose(
    batch: Batch, indexes: Sequence[int], stored: Mapping[int, Mapping[str, Any]], least: int
) -> None:
    """Set ``isPrimary`` of the items of one SKU; ``least`` is the strength that they need.

    It is 0 without other live barcodes, and 2 if one of those is primary.
    """
    strengths = dict[int, int]()
    for index in indexes:
        item, row = batch.items[index], stored.get(batch.items[index]["id"], _NEW)
        if item.get("state") != "deleted":
            strengths[index] = _strength(item, row)
            continue
        item["isPrimary"] = bool(item.get("isPrimary"))
        if item["isPrimary"] and row is not _NEW and not row["is_primary"]:
            message = "A deleted barcode cannot become primary: restore it."
            batch.fail(index, ErrorType.INVALID_VALUE, "isPrimary", message=message)
    claims = [index for index in strengths if strengths[index] >= least]
    chosen = max(claims, key=lambda index: (strengths[index], -index), default=None)
    for index, strength in strengths.items():
        if strength == _BECOMES and index != chosen:
            message = "Another item of this request is the primary barcode of the SKU."
            batch.fail(index, ErrorType.DUPLICATE, "isPrimary", message=message)
        else:
            batch.items[index]["isPrimary"] = index == chosen


def _strength(item: Item, row: Mapping[str, Any]) -> int:
    """Return how strongly an item claims to be primary: 3 if it becomes so, 2 if it stays so.

    It is 1 if a deleted one is restored, 0 if it may be the first of the SKU, and else -1. False is
    the stored value where an item gives a barcode to another SKU.
    """
    moves = item["styleSkuId"] != row["style_sku_id"]
    if item.get("isPrimary"):
        if moves or not row["is_primary"]:
            return _BECOMES
        return 1 if row["state"] == "deleted" else 2
    return 0 if item.get("isPrimary") is None or (row is not _NEW and moves) else -1
