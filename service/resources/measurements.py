"""Measured values of the samples of a requested size (contract, Measured values)."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

import orjson

from service.database.connections import Connection
from service.database.statements import load
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.decimals import decimal_text
from service.queries.parts import RecordPart
from service.queries.path_keys import KeyLookup
from service.resources.sample_requests import (
    REQUEST_KEYS,
    STYLE_KEYS,
    SampleRequests,
    StyleSampleRequests,
)
from service.schemas.extra_checks import duplicate_errors

_VALUES: Final = ("companyMeasurement", "supplierMeasurement", "newMeasurement")


class Measurements(RecordPart):
    """Measured values of one size of a sample request, written by designers and suppliers.

    Requested values, names and tolerances are read-only: requested values are frozen, names and
    tolerances are the chart's current ones. Deactivated lines keep their measured values.
    """

    name = "measurements"
    owner = SampleRequests
    parents: ClassVar[Mapping[str, str]] = {
        **StyleSampleRequests.parents,
        "sampleRequestId": SampleRequests.name,
    }
    key = "sizeRangeSizeId"
    key_lookups = {  # noqa: RUF012
        "styleId": STYLE_KEYS,
        "sampleRequestId": REQUEST_KEYS,
        "sizeRangeSizeId": KeyLookup("name", load("measurements")["size_by_name"].text),
    }
    is_patched = True
    own_error_types = (ErrorType.UNKNOWN_REFERENCE,)
    own_descriptions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the measured values of one requested size",
            "Requested and measured values of each line. Answers 404 if the size was not "
            "requested. Callers compute discrepancies themselves.",
        ),
        "read_all": (
            "Read the measured values of all requested sizes",
            "All requested sizes in one list, in the order of their ids.",
        ),
        "replace": (
            "Replace the measured values of one requested size",
            "Clears omitted values and lines. Deactivated lines keep their values.",
        ),
        "patch": (
            "Patch the measured values of one requested size",
            "Applies all operations to the writable form, which `?form=writable` shows, or none.",
        ),
    }

    def lock_text(self, strength: str) -> str:  # noqa: ARG002
        """Return the statement that locks the sample request and its size against deletion."""
        return self.statements["lock"].text

    def record_id(self, batch: Batch) -> int:
        """Return the id of the sample request."""
        return batch.parents[-1]

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield an error detail for each duplicate line id."""
        lines = item.get("lines")
        if isinstance(lines, list):
            yield from duplicate_errors(enumerate(lines), "lineId", "lines")

    def reference_scope(self, batch: Batch, item: Item) -> int | None:  # noqa: ARG002
        """Return the id of the style, whose lines are named by their names."""
        return batch.parents[0]

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the writes of the size and of its active lines; report unknown lines."""
        item, request_id = batch.items[0], self.record_id(batch)
        rows = await self.fetch(connection, batch, "measured_lines", request_id, item["id"])
        stored = {row["id"]: row for row in rows}
        lines = {line_id: Item(lineId=line_id) for line_id in stored}
        for index, line in enumerate(item.get("lines") or ()):
            line_id = line["lineId"]
            if line_id in lines:
                lines[line_id] |= {
                    name: decimal_text(line.get(name), stored[line_id][name]) for name in _VALUES
                }
            else:
                path, message = ("lines", index, "lineId"), "There is no such active line."
                batch.fail(0, ErrorType.UNKNOWN_REFERENCE, *path, message=message)
        size = {
            "designerComment": item.get("designerComment"),
            "approved": item.get("approved") or False,
            "designerVisibleOnly": item.get("designerVisibleOnly") or False,
        }
        keys = (request_id, item["id"])
        return [
            self.step("update", orjson.dumps([size]).decode(), *keys),
            self.step("update_lines", orjson.dumps([*lines.values()]).decode(), *keys),
        ]
