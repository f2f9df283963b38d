"""The measurement chart of a style (contract, Measurement charts)."""

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
    # By name, and where there is none by having none.
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
"""The ids of a line and of a size."""


class MeasurementCharts(RecordPart):
    """What samples are measured by: lines with a tolerance, and what they ask for in each size.

    Replaced as a whole. A line that a sample request has is deactivated instead of removed, with
    its values as they were; what was frozen in sample requests stays whatever is written here.
    """

    name = "measurement-charts"
    owner = Styles
    segment = Styles.name
    below = "/measurement-chart"
    own_failures = (ErrorType.UNKNOWN_REFERENCE,)
    own_texts: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the measurement chart of a style",
            "Its unit and all lines with the values that they ask for; of a deactivated line only "
            "that says `isDeactivated`.",
        ),
        "replace": (
            "Replace the measurement chart of a style",
            "The whole chart. A line that sample requests have is deactivated instead of removed, "
            "and comes back when its id is sent. An entry with `isDeactivated` is as good as left "
            "out. Sample requests keep the values and the unit that they were made with.",
        ),
    }

    def load_statements(self) -> Mapping[str, Statement]:
        """The part's own, its two forms being one: values are numbers, to be written texts."""
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
        """Lines differ by id, and their values by size."""
        lines = item.get("lines")
        if not isinstance(lines, list):
            return
        yield from duplicate_errors(enumerate(lines), _LINES.key, "lines")
        for place, line in enumerate(lines):
            requested = line.get("requested") if isinstance(line, dict) else None
            if isinstance(requested, list):
                yield from duplicate_errors(
                    enumerate(requested), _SIZE, "lines", place, "requested"
                )

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """What becomes of the unit, of each line and of each value; the style is locked."""
        style_id, item = self.record_id(batch), batch.items[0]
        stored = await self._stored(connection, batch)
        sent = await _LINES.match(connection, batch, stored)
        needed = await self._needed(connection, batch, sent)
        deactivated, removed = _LINES.remove(batch, stored, sent, needed)
        values = await self._value_steps(connection, batch, sent)
        new, staying = [
            {one: _with_tolerance(line, known.get(one)) for one, line in among.items()}
            for among, known in (
                (sent.new, {}),
                (sent.existing, stored.active | stored.deactivated),
            )
        ]
        return [
            self.step("set_unit", style_id, item.get("unit")),
            *([self.step("insert", sent.json(new), style_id)] if new else ()),
            *([self.step("update", sent.json(staying))] if staying else ()),
            *([self.step("deactivate", deactivated)] if deactivated else ()),
            *([self.step("remove", removed)] if removed else ()),
            *values,
        ]

    async def _stored(self, connection: Connection, batch: Batch) -> StoredChildren:
        rows = await self.fetch(connection, batch, "stored", self.record_id(batch))
        return StoredChildren.of(
            (one, is_deactivated, tuple(row)) for one, is_deactivated, *row in rows
        )

    async def _needed(
        self, connection: Connection, batch: Batch, sent: MatchedChildren
    ) -> set[int]:
        """Which of the lines that were not sent stay: those that sample requests have."""
        if not sent.missing:
            return set()
        missing, style_id = sorted(sent.missing), self.record_id(batch)
        rows = await self.fetch(connection, batch, "needed", missing, style_id)
        return {row["id"] for row in rows}

    async def _value_steps(
        self, connection: Connection, batch: Batch, sent: MatchedChildren
    ) -> WritePlan:
        """What brings the values of the lines that were sent to these; reports unknown sizes."""
        rows = await self.fetch(connection, batch, "stored_values", self.record_id(batch))
        stored = {(row["line_id"], row["size_id"]): row["value"] for row in rows}
        await self._check_sizes(connection, batch, sent, stored)
        wanted = {
            (cell := (one, entry[_SIZE])): decimal_text(entry["value"], stored.get(cell))
            for one, line in sent.all.items()
            for entry in line.get("requested") or ()
        }
        gone = [cell for cell in stored if cell[0] in sent.existing and cell not in wanted]
        saved = [(*cell, value) for cell, value in wanted.items() if stored.get(cell) != value]
        return [
            self.step(name, orjson.dumps(changed).decode())
            for name, changed in (("remove_values", gone), ("save_values", saved))
            if changed
        ]

    async def _check_sizes(
        self,
        connection: Connection,
        batch: Batch,
        sent: MatchedChildren,
        stored: Mapping[_Cell, str],
    ) -> None:
        """Report unknown sizes; deactivated or deleted ones unless the line has a value of them."""
        cells = {
            (one, entry[_SIZE]): (_LINES.name, sent.request_indexes[one], "requested", place, _SIZE)
            for one, line in sent.all.items()
            for place, entry in enumerate(line.get("requested") or ())
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
    """The line with its tolerance as a text, to the digit."""
    return line | {"tolerance": decimal_text(line.get("tolerance"), stored[1] if stored else None)}
