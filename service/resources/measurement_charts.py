"""Measurement chart of a style (contract, Measurement charts)."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import Statement
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.child_list import ChildList, MatchedChildren, StoredChildren
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
    """Measurement chart: lines with a tolerance and a requested value for each size.

    A write replaces the whole chart. A removed line that a sample request uses is deactivated and
    keeps its values. Values frozen in sample requests never change.
    """

    name = "measurement-charts"
    owner = Styles
    segment = Styles.name
    below = "/measurement-chart"
    is_patched = True
    own_error_types = (ErrorType.UNKNOWN_REFERENCE,)
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

    def load_statements(self) -> Mapping[str, Statement]:
        """Return the part's statements: documents have values as numbers, writables as texts."""
        loaded = super().load_statements()
        forms = {"documents": "{}::text", "writables": "to_json({}::text)::text"}
        return {
            **loaded,
            **{
                name: loaded["documents"].bind(
                    value=shape.format("charted.value"), tolerance=shape.format("line.tolerance")
                )
                for name, shape in forms.items()
            },
        }

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield an error detail for each duplicate line id, and each duplicate size in a line."""
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

    def reference_scope(self, batch: Batch, item: Item) -> int | None:  # noqa: ARG002
        """Return the id of the style, whose lines are named by their names."""
        style_id: int = item["id"]
        return style_id

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the writes of the unit, the lines and the values; the style is locked."""
        style_id, item = self.record_id(batch), batch.items[0]
        stored = await self._stored(connection, batch)
        matched = await _LINES.match(connection, batch, stored)
        needed = await self._needed(connection, batch, matched)
        deactivated, removed = _LINES.remove(batch, stored, matched, needed)
        values = await self._value_writes(connection, batch, matched)
        rows = stored.active | stored.deactivated
        new, existing = [
            {line_id: _with_tolerance(line, rows.get(line_id)) for line_id, line in lines.items()}
            for lines in (matched.new, matched.existing)
        ]
        return [
            self.step("set_unit", style_id, item.get("unit")),
            *([self.step("insert", matched.json(new), style_id)] if new else ()),
            *([self.step("update", matched.json(existing))] if existing else ()),
            *([self.step("deactivate", deactivated)] if deactivated else ()),
            *([self.step("remove", removed)] if removed else ()),
            *values,
        ]

    async def _stored(self, connection: Connection, batch: Batch) -> StoredChildren:
        rows = await self.fetch(connection, batch, "stored", self.record_id(batch))
        return StoredChildren.of(
            (line_id, is_deactivated, tuple(row)) for line_id, is_deactivated, *row in rows
        )

    async def _needed(
        self, connection: Connection, batch: Batch, matched: MatchedChildren
    ) -> set[int]:
        """Return the ids of missing lines that sample requests use."""
        if not matched.missing:
            return set()
        missing, style_id = sorted(matched.missing), self.record_id(batch)
        rows = await self.fetch(connection, batch, "needed", missing, style_id)
        return {row["id"] for row in rows}

    async def _value_writes(
        self, connection: Connection, batch: Batch, matched: MatchedChildren
    ) -> WritePlan:
        """Return the writes of requested values; report unknown sizes."""
        rows = await self.fetch(connection, batch, "stored_values", self.record_id(batch))
        stored = {(row["line_id"], row["size_id"]): row["value"] for row in rows}
        await self._check_sizes(connection, batch, matched, stored)
        requested = {
            (cell := (line_id, entry[_SIZE])): decimal_text(entry["value"], stored.get(cell))
            for line_id, line in matched.all.items()
            for entry in line.get("requested") or ()
        }
        deletes = [cell for cell in stored if cell[0] in matched.existing and cell not in requested]
        upserts = [(*cell, value) for cell, value in requested.items() if stored.get(cell) != value]
        return [
            self.step(name, orjson.dumps(rows).decode())
            for name, rows in (("remove_values", deletes), ("save_values", upserts))
            if rows
        ]

    async def _check_sizes(
        self,
        connection: Connection,
        batch: Batch,
        matched: MatchedChildren,
        stored: Mapping[_Cell, str],
    ) -> None:
        """Report unknown sizes, and deactivated or deleted ones that are new in their line."""
        paths = {
            line_id: (_LINES.name, index) for line_id, index in matched.request_indexes.items()
        }
        cells = {
            (line_id, entry[_SIZE]): (*paths[line_id], "requested", index, _SIZE)
            for line_id, line in matched.all.items()
            for index, entry in enumerate(line.get("requested") or ())
        }
        if not cells:
            return
        rows = await _SIZES.find(connection, batch.caller, sorted({size for _, size in cells}))
        live = {size for size, row in rows.items() if row["is_live"]}
        for cell, path in cells.items():
            if cell[1] not in live and cell not in stored:
                kind = ErrorType.UNKNOWN_REFERENCE
                batch.fail(0, kind, *path, message="There is no such size.")


def _with_tolerance(line: Item, stored: Row | None) -> Item:
    """Return the line with its tolerance as an exact decimal text."""
    return line | {"tolerance": decimal_text(line.get("tolerance"), stored[1] if stored else None)}
