"""What was measured on the samples of the requested sizes (contract, Measured values)."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

import orjson

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.decimals import decimal_text
from service.queries.parts import RecordPart
from service.resources.sample_requests import SampleRequests, StyleSampleRequests
from service.schemas.extra_checks import duplicate_errors

_VALUES: Final = ("companyMeasurement", "supplierMeasurement", "newMeasurement")


class Measurements(RecordPart):
    """A requested size of a sample request: designers and suppliers write it, and read it all.

    Requested values, names and tolerances are not written here: the first are frozen, the others
    the chart's of today. Lines that are deactivated keep what was measured.
    """

    name = "measurements"
    owner = SampleRequests
    parents: ClassVar[Mapping[str, str]] = {
        **StyleSampleRequests.parents,
        "sampleRequestId": SampleRequests.name,
    }
    key = "sizeRangeSizeId"
    is_patched = True
    own_failures = (ErrorType.UNKNOWN_REFERENCE,)
    own_texts: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the measured values of one requested size",
            "404 where the size was not requested. Discrepancies are for the caller to compute.",
        ),
        "read_all": (
            "Read the measured values of all requested sizes",
            "All of them at once, by the id of the size.",
        ),
        "replace": (
            "Replace the measured values of one requested size",
            "What is left out is cleared; deactivated lines stay as they are.",
        ),
        "patch": (
            "Patch the measured values of one requested size",
            "Edits the writable form, which `?form=writable` shows: all operations or none.",
        ),
    }

    def lock_text(self, strength: str) -> str:  # noqa: ARG002
        """Locks the request and the size: neither goes meanwhile."""
        return self.statements["lock"].text

    def record_id(self, batch: Batch) -> int:
        """The sample request."""
        return batch.parents[-1]

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Lines differ by id."""
        lines = item.get("lines")
        if isinstance(lines, list):
            yield from duplicate_errors(enumerate(lines), "lineId", "lines")

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """What brings the size, and every line that can be written, to what was sent."""
        item, request_id = batch.items[0], self.record_id(batch)
        rows = await self.fetch(connection, batch, "measured_lines", request_id, item["id"])
        stored = {row["id"]: row for row in rows}
        lines = {one: Item(lineId=one) for one in stored}
        for place, line in enumerate(item.get("lines") or ()):
            one = line["lineId"]
            if one in lines:
                lines[one] |= {
                    name: decimal_text(line.get(name), stored[one][name]) for name in _VALUES
                }
            else:
                kind, message = "unknown_reference", "There is no such line that can be written."
                path = ("lines", place, "lineId")
                batch.fail(0, f"validation_error.{kind}", *path, message=message)
        size = {
            "designerComment": item.get("designerComment"),
            "approved": item.get("approved") or False,
            "designerVisibleOnly": item.get("designerVisibleOnly") or False,
        }
        where = (request_id, item["id"])
        return [
            self.step("update", orjson.dumps([size]).decode(), *where),
            self.step("update_lines", orjson.dumps([*lines.values()]).decode(), *where),
        ]
