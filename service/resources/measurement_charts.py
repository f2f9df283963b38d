"""Measurement chart: part of a style (contract, Measurement charts)."""

from collections.abc import Iterator, Sequence

import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.error_types import ErrorType
from service.records.child_list import ChildList
from service.records.matched_children import MatchedChildren
from service.records.parts import NestedLists, RecordPart
from service.records.references import Reference
from service.resources.size_ranges import IS_LIVE
from service.resources.styles import Styles

_SIZE = "sizeRangeSizeId"
_BY_SIZE = """(
    select (size.size_range_id, size.position)
    from size_range_size size
    where size.organization_id = $1::bigint and size.id = entry.size_range_size_id
), entry.size_range_size_id"""
"""SQL of the order of values by size."""
_VALUES = ChildList(name="requested", noun="value", key=_SIZE, order=_BY_SIZE)
_LINES = ChildList(
    name="lines",
    noun="line",
    key="lineId",
    # Lines without an id match by name; a null name matches a null name.
    own_match_keys=(lambda row: row[:1],),
    nested=(_VALUES,),
    shown=("name", "tolerance"),
    cause="measurement-charts",
    turned="measurement-charts",
    is_ordered=True,
    order_shown=True,
)
_SIZES = Reference(
    f"lines.requested.{_SIZE}",
    "size_range_size",
    "size",
    is_live=f"not record.is_deactivated and {IS_LIVE}",
    within="size_range",
)


class MeasurementCharts(RecordPart):
    """Measurement chart: a unit, and lines with a tolerance and requested values by size.

    A write replaces the whole chart. Lines match stored ones by id, else by name. A line that is
    left out is deactivated and keeps its values if a sample request uses it, else it is deleted.
    Unit and requested values of sample requests are frozen: a write of the chart never changes
    them. Measured values show the current names, and the tolerances of active lines.
    """

    name = "measurement-charts"
    owner = Styles
    scope_field = "id"
    sizes_of = "size_ranges_of_style"
    below = "/measurement-chart"
    children = _LINES
    is_patched = True

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the writes of units, lines and values, which change only what differs.

        Report unknown lines and sizes, and more than ``MAX_CHILDREN`` lines, deactivated ones
        included.
        """
        charts = await self._match(batch)
        plan = await self._list_plan(batch, charts)
        lines = sorted({line_id for chart in charts for line_id in _turned(chart)})
        if lines:
            plan.insert(0, self.bound("tell_measured", lines))
        values = await self._nested_plan(batch, charts)
        await self._note_units(batch, charts)
        units = [{"id": item["id"], "unit": item.get("unit")} for item in batch.items]
        return [self.bound("set_unit", orjson.dumps(units).decode()), *plan, *values]

    async def _note_units(self, batch: Batch, charts: Sequence[MatchedChildren]) -> None:
        """Note in the batch which charts have a unit or lines before and after the write."""
        bare = [chart.owner_id for chart in charts if not chart.stored.all]
        rows = await self._fetch(batch, "units", bare) if bare else ()
        with_unit = {row["id"] for row in rows}
        for chart, item in zip(charts, batch.items, strict=True):
            was_filled = chart.owner_id not in bare or chart.owner_id in with_unit
            is_filled = bool(chart.total) or item.get("unit") is not None
            batch.note_part(self.name, chart.owner_id, was_filled=was_filled, is_filled=is_filled)

    async def check_nested(self, batch: Batch, nested: NestedLists) -> None:
        """Lock the sizes and their size ranges; report sizes that cannot be used.

        These are unknown sizes. They are also deactivated sizes and sizes of deleted size ranges,
        unless the stored line has a value for them.
        """
        size_ids = sorted({size_id for values in nested.lists for size_id in values.all})
        if not size_ids:
            return
        rows = await _SIZES.find(batch, size_ids)
        live = {size_id for size_id, row in rows.items() if row["is_live"]}
        for values in nested.lists:
            for size_id in values.new.keys() - live:
                path, message = (values.request_indexes[size_id], _SIZE), "There is no such size."
                if size_id in rows:
                    message = "The size is deactivated, or its size range is deleted."
                values.fail(batch, ErrorType.UNKNOWN_REFERENCE, *path, message=message)


def _turned(chart: MatchedChildren) -> Iterator[int]:
    """Yield the stored lines that a write deactivates, brings back or moves."""
    yield from chart.deactivated
    yield from chart.existing.keys() & chart.stored.deactivated.keys()
    for line_id, position in chart.positions().items():
        if chart.stored.positions.get(line_id, position) != position:
            yield line_id
