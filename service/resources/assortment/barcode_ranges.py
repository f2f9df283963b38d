"""Barcode ranges (contract, Barcode ranges)."""

from collections.abc import Iterator
from typing import Final

from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.batches.entry import Item
from service.batches.write_set import WriteSet
from service.database.statements import Statement
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.resources.plain_records import PlainRecord

_NEXT: Final = "nextReference"
_DIGITS: Final = {"gtin13": 12, "gtin12": 11}
"""Digits of a GTIN without its check digit, by type."""
_PREFIXES: Final = {"gtin13": (4, 11, "0", 12), "gtin12": (5, 10, "0000", 8)}
"""Least and most digits of a prefix; beginning of shorter GTINs with zeros, and their digits."""
_RESTRICTED: Final = {"gtin13": ("2",), "gtin12": ("2", "4")}
"""Beginning of numbers that are unique in a company or region only (GS1)."""


class BarcodeRanges(PlainRecord):
    """Ranges of numbers from which GTINs are allocated: soft delete.

    Every write locks the organization: the numbers of live ranges do not overlap, and at most one
    range is the default.
    """

    name = "barcode-ranges"
    locks_organization = True
    unique_fields = ("isDefault",)
    updates = ("rewind", "update")
    _written_separately = (_NEXT,)

    def _own_statements(self) -> dict[str, Statement]:
        own = super()._own_statements()
        record = own["record"].bind(blocks=own.pop("blocks").text)
        positions = own["positions"].bind(record=record.text)
        return own | {"positions": positions, "record": record, "writable_record": record}

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield the error of a prefix that does not fit the type."""
        yield from super().item_errors(item)
        kind, prefix = item.get("type"), item.get("companyPrefix")
        if not (isinstance(kind, str) and kind in _DIGITS and isinstance(prefix, str)):
            return
        least, most, zeros, shorter = _PREFIXES[kind]
        if not least <= len(prefix) <= most:
            message = f"Use {least} to {most} digits."
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("companyPrefix",), message)
        elif prefix.startswith(zeros):
            message = f"Its GTINs are those of {shorter} digits, with zeros before them."
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("companyPrefix",), message)

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Set the default references; report numbers of other ranges, and deleted defaults.

        Return the plan that raises the positions of ranges, too.
        """
        upserts, created_ids = write_set.upserts, {*write_set.created_ids}
        for index, item in enumerate(upserts.items):
            if item["id"] in created_ids and item["companyPrefix"].startswith(
                _RESTRICTED[item["type"]]
            ):
                message = "Its numbers are of restricted circulation and no GTINs (GS1)."
                upserts.fail(index, ErrorType.INVALID_VALUE, "companyPrefix", message=message)
            digits = _DIGITS[item["type"]] - len(item["companyPrefix"])
            for name, message in _set_references(item, 10**digits - 1):
                upserts.fail(index, ErrorType.OUT_OF_RANGE, name, message=message)
            if item.get("isDefault") and item.get("state") == "deleted":
                message = "A deleted range cannot be the default."
                upserts.fail(index, ErrorType.INVALID_VALUE, "isDefault", message=message)
        plan = await super().check(write_set)
        if (valid := upserts.subset()).items:
            parameters = (valid.json(), write_set.deletes.ids)
            valid.fail_all(await self._fetch(valid, "check_numbers", *parameters))
        return plan + await self._raises(upserts)

    async def _raises(self, batch: Batch) -> WritePlan:
        """Return the plan for the items whose next reference is higher than the stored one.

        Report those that are higher than the one behind the last.
        """
        sent = {item["id"]: item[_NEXT] for item in batch.items if item.get(_NEXT) is not None}
        if not sent:
            return []
        rows = await self._fetch(batch, "positions", [*sent])
        stored = {row["id"]: row["position"] for row in rows}
        raised = {id_: sent[id_] for id_ in sent if sent[id_] > stored.get(id_, 0)}
        for index, item in enumerate(batch.items):
            if item["id"] in raised and item[_NEXT] > item["lastReference"] + 1:
                message = f"Use {item['lastReference'] + 1} or less."
                batch.fail(index, ErrorType.OUT_OF_RANGE, _NEXT, message=message)
        text = self.statements["raise_positions"].text
        return [BoundStatement(text, ([*raised], [*raised.values()]))] if raised else []


def _set_references(item: Item, highest: int) -> Iterator[tuple[str, str]]:
    """Set the references that are not sent; yield the field of one that is too high or low."""
    defaults = {"firstReference": 0, "lastReference": highest}
    for name, default in defaults.items():
        if item.get(name) is None:
            item[name] = default
        if item[name] > highest:
            yield name, f"Use {highest} or less."
    if item["lastReference"] < item["firstReference"] <= highest:
        yield "lastReference", f"Use {item['firstReference']} or more."
