"""Measurement chart: part of a style (contract, Measurement charts)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.child_list import (
    ChildList,
    MatchedChildren,
    StoredChildren,
    missing_ids,
    rows_json,
)
from service.queries.decimals import decimal_text
from service.queries.matching import Row
from service.queries.parts import RecordPart
from service.queries.references import Reference
from service.resources.size_ranges import IS_LIVE
from service.resources.styles import Styles
from service.schemas.extra_checks import duplicate_errors

_SIZE = "sizeRangeSizeId"
_LINES = ChildList(
    "lines",
    "lineId",
    "measurement_line",
    "line",
    ("name",),
    # Lines without an id match by name; a null name matches a null name.
    match_keys=(lambda row: row[:1],),
)
_SIZES = Reference(
    f"lines.requested.{_SIZE}",
    "size_range_size",
    "size",
    is_live=f"not record.is_deactivated and {IS_LIVE}",
    within="size_range",
)
_Cell: TypeAlias = tuple[int, int]
"""Line id and size id."""


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
    segment = Styles.name
    below = "/measurement-chart"
    is_patched = True
    own_descriptions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the measurement chart of a style",
            "The unit, and all lines with their requested values. `isDeactivated` marks "
            "deactivated lines.",
        ),
        "replace": (
            "Replace the measurement chart of a style",
            "Replaces the whole chart. A removed line that sample requests use is deactivated; "
            "send its id to reactivate it. An entry with `isDeactivated` counts as left out. "
            "Sample requests keep the values and the unit that they were created with.",
        ),
    }

    def shapes(self) -> Mapping[str, Statement]:
        """Return the statements of both forms: writables have values and tolerances as texts."""
        documents = load(self.name.replace("-", "_"))["documents"]
        shapes = {"documents": "{}::text", "writables": "to_json({}::text)::text"}
        return {
            name: documents.bind(
                value=shape.format("charted.value"), tolerance=shape.format("line.tolerance")
            )
            for name, shape in shapes.items()
        }

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each repeated line id, and each repeated size in a line."""
        lines = item.get("lines")
        if not isinstance(lines, list):
            return
        yield from duplicate_errors(enumerate(lines), _LINES.key, "lines")
        for index, line in enumerate(lines):
            requested = line.get("requested") if isinstance(line, dict) else None
            if isinstance(requested, list):
                yield from duplicate_errors(
                    enumerate(requested), _SIZE, "lines", index, "requested"
                )

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the writes of units, lines and values, which change only what differs.

        Report unknown lines and sizes, and more than ``MAX_CHILDREN`` lines, deactivated ones
        included. The caller holds the locks of the styles.
        """
        rows = await self.fetch(connection, batch, "stored", batch.id_array)
        charts = await _LINES.match(connection, batch, StoredChildren.by_owner(rows))
        needed = await self._needed(connection, batch, charts)
        deactivated, removed = _LINES.remove(batch, charts, needed)
        values = await self._value_writes(connection, batch, charts)
        self._note(batch, charts, {row["owner_id"]: row["unit"] for row in rows})
        new = [(chart, _with_tolerances(chart, chart.new)) for chart in charts if chart.new]
        existing = [
            (chart, _with_tolerances(chart, chart.existing)) for chart in charts if chart.existing
        ]
        units = [{"id": item["id"], "unit": item.get("unit")} for item in batch.items]
        return [
            self.bound("set_unit", orjson.dumps(units).decode()),
            *([self.bound("insert", rows_json(new))] if new else ()),
            *([self.bound("update", rows_json(existing))] if existing else ()),
            *([self.bound("deactivate", deactivated)] if deactivated else ()),
            *([self.bound("remove", removed)] if removed else ()),
            *values,
        ]

    def _note(
        self, batch: Batch, charts: Iterable[MatchedChildren], units: Mapping[int, str | None]
    ) -> None:
        """Note in the batch which charts have a unit or lines before and after the write."""
        for chart, item in zip(charts, batch.items, strict=True):
            was_filled = bool(chart.stored.all) or units[chart.owner_id] is not None
            is_filled = bool(chart.total) or item.get("unit") is not None
            batch.note_part(self.name, chart.owner_id, was_filled=was_filled, is_filled=is_filled)

    async def _needed(
        self, connection: Connection, batch: Batch, charts: Sequence[MatchedChildren]
    ) -> set[int]:
        """Return the ids of active stored lines that the items omit and sample requests use."""
        missing = missing_ids(charts)
        if not missing:
            return set()
        rows = await self.fetch(connection, batch, "needed", missing, batch.ids)
        return {row["id"] for row in rows}

    async def _value_writes(
        self, connection: Connection, batch: Batch, charts: Sequence[MatchedChildren]
    ) -> WritePlan:
        """Return the writes of requested values; report unknown sizes.

        The values of deactivated lines stay.
        """
        rows = await self.fetch(connection, batch, "stored_values", batch.id_array)
        stored = {(row["line_id"], row["size_id"]): row["value"] for row in rows}
        await self._check_sizes(connection, batch, charts, stored)
        owner_ids = {line_id: chart.owner_id for chart in charts for line_id in chart.all}
        requested = {
            (cell := (line_id, entry[_SIZE])): decimal_text(entry["value"], stored.get(cell))
            for chart in charts
            for line_id, line in chart.all.items()
            for entry in line.get("requested") or ()
        }
        removed = [
            (owner_ids[cell[0]], *cell)
            for cell in stored
            if cell[0] in owner_ids and cell not in requested
        ]
        saved = [
            (owner_ids[cell[0]], *cell, value)
            for cell, value in requested.items()
            if stored.get(cell) != value
        ]
        style_ids = sorted({style_id for style_id, *_ in saved})
        return [
            *([self.bound("remove_values", orjson.dumps(removed).decode())] if removed else ()),
            *([self.bound("save_values", orjson.dumps(saved).decode())] if saved else ()),
            *([self.bound("tell_charts", style_ids)] if saved else ()),
        ]

    async def _check_sizes(
        self,
        connection: Connection,
        batch: Batch,
        charts: Sequence[MatchedChildren],
        stored: Mapping[_Cell, str],
    ) -> None:
        """Lock the sizes and their size ranges; report sizes that cannot be used.

        These are unknown sizes. They are also deactivated sizes and sizes of deleted size ranges,
        unless the stored line has a value for them.
        """
        cells = [
            ((line_id, entry[_SIZE]), chart.index, (_LINES.name, line_index, "requested", index))
            for chart in charts
            for line_id, line_index in chart.request_indexes.items()
            for index, entry in enumerate(chart.all[line_id].get("requested") or ())
        ]
        if not cells:
            return
        size_ids = sorted({size_id for (_, size_id), _, _ in cells})
        rows = await _SIZES.find(connection, batch.caller, size_ids)
        live = {size_id for size_id, row in rows.items() if row["is_live"]}
        for cell, chart_index, path in cells:
            if cell[1] not in live and cell not in stored:
                kind, message = ErrorType.UNKNOWN_REFERENCE, "There is no such size."
                batch.fail(chart_index, kind, *path, _SIZE, message=message)


def _with_tolerances(chart: MatchedChildren, lines: Mapping[int, Item]) -> dict[int, Item]:
    """Return the chart's lines with their tolerances as ``decimal_text`` writes them."""
    stored = chart.stored.all
    return {line_id: _with_tolerance(line, stored.get(line_id)) for line_id, line in lines.items()}


def _with_tolerance(line: Item, stored: Row | None) -> Item:
    """Return the line with its tolerance as a decimal text, or None."""
    return line | {"tolerance": decimal_text(line.get("tolerance"), stored[1] if stored else None)}
