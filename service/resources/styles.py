"""Styles (contract, Styles)."""

from typing import Final

import orjson

from service.batches.change_recorder import WritePlan
from service.batches.entry import Entry
from service.batches.write_set import WriteSet
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.listing.properties import Property, stored_id
from service.records.relation_statements import IS_SHOWN
from service.records.restored_references import restored_references
from service.resources.plain_records import PlainRecord

_READY: Final = "isReadyForExport"
_RANGE: Final = "sizeRangeId"
_FILTERS: Final = load("custom_field_filters")
PRICED: Final = (
    "(select distinct organization_id, style_id, price_list_id from style_price"
    f" where organization_id = $1::bigint and {IS_SHOWN})"
)
"""SQL of the pairs of a style and a price list in which prices are shown."""


class Styles(PlainRecord):
    """Styles: soft delete, refused while relations, SKUs or sample requests refer to them.

    Relations count in both directions. Style colors and files are deleted and restored with their
    style. A deleted style keeps its parts, prices included, and its links to groups. Documents of
    groups count live styles; those of style relations and style colors show the number.
    """

    name = "styles"
    _defined = Property(
        "customFields.",
        "string",
        nullable=True,
        sortable=False,
        column=_FILTERS["filtered"].text,
        within=_FILTERS["filter"].bind(is_shown=IS_SHOWN),
        keys=(),
    )

    def _own_statements(self) -> dict[str, Statement]:
        own = super()._own_statements()
        return own | {"check": restored_references(self.name, own.pop("restored"))}

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the writes of links to groups that differ.

        Report restored styles whose charts refer to deleted records, too.
        """
        plan = await super().check(write_set)
        if write_set.restored_ids:
            await self._check_charts(write_set)
        return plan

    async def check_result(self, write_set: WriteSet) -> None:
        """Report styles that cannot have what they become.

        They become ready for export, which needs a value in each mandatory custom field, or of
        another size range, in whose sizes their SKUs and prices have to be. SKUs, values, colors
        and sizes are those that are stored, all else that of the items.
        """
        await self._check_size_ranges(write_set)

        def becomes_ready(item: Entry) -> bool:
            if item.is_new and item.get("state") == "deleted":
                return False
            row = item.stored
            return bool(item.get(_READY)) and not (row and orjson.loads(row["fields"])[_READY])

        batch = write_set.upserts.subset(becomes_ready)
        if not batch.items:
            return
        styles = [
            {
                "n": number,
                "id": item["id"],
                "brand_id": item.get("brandId"),
                "group_ids": [*map(stored_id, item.get("groupIds") or ())],
                "category_id": item.get("styleCategoryId"),
                "size_range_id": item.get("sizeRangeId"),
            }
            for number, item in enumerate(batch.items, start=1)
        ]
        parameter = orjson.dumps(styles).decode()
        batch.fail_all(await self._fetch(batch, "incomplete", parameter))

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether styles are restored."""
        return bool(write_set.restored_ids)

    async def _check_size_ranges(self, write_set: WriteSet) -> None:
        """Report changed size ranges of styles with SKUs or prices in sizes of others."""

        def is_changed(item: Entry) -> bool:
            row = item.stored
            return bool(row and orjson.loads(row["fields"])[_RANGE] != item.get(_RANGE))

        batch = write_set.upserts.subset(is_changed)
        if batch.items:
            ranges = [item.get(_RANGE) for item in batch.items]
            rows = await self._fetch(batch, "of_other_sizes", batch.ids, ranges)
            message = "The style has SKUs or prices in its sizes: remove these first."
            messages = dict.fromkeys((row["id"] for row in rows), message)
            batch.fail_records(messages, ErrorType.CONFLICT_IN_USE, _RANGE)

    async def _check_charts(self, write_set: WriteSet) -> None:
        """Report restored styles whose measurement charts have values of deleted size ranges.

        Lock the size ranges of these charts. The error is ``unknown_reference`` at ``state``.
        """
        upserts, ids = write_set.upserts, [*write_set.restored_ids]
        ranges = await self._fetch(upserts, "hold_size_ranges", ids)
        deleted = [row["id"] for row in ranges if row["state"] == "deleted"]
        if deleted:
            rows = await self._fetch(upserts, "charted_in", ids, deleted)
            message = "Its measurement chart has values of a deleted size range."
            messages = dict.fromkeys((row["id"] for row in rows), message)
            upserts.fail_records(messages, ErrorType.UNKNOWN_REFERENCE, "state")
