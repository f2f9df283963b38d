"""Measured values in the line of a sample request: a list of its sizes with what was measured.

What is requested travels beside them, for it is sent when the request is created.
"""

from dataclasses import replace as replaced
from typing import Any, Final

from service.client import Client, Detail, FailureError
from service.schemas import Located
from service.transfer.fields import Field, part_fields

_SIZE: Final = "sizeRangeSizeId"
_MARKERS: Final = ("approved", "designerVisibleOnly")
_VALUES: Final = ("companyMeasurement", "supplierMeasurement", "newMeasurement")


def fields(schema: Located) -> Field:
    """The fields of the list; each size is named by its id."""
    size = part_fields(schema, "sample-requests/measurements")
    named = Field(frozenset({"integer"}), "size-ranges/sizes")
    fixed = size.set_by_service - {_SIZE}
    items = replaced(size, members=size.members | {_SIZE: named}, set_by_service=fixed)
    return Field(frozenset({"array"}), items=items)


async def read(client: Client, document: dict[str, Any]) -> dict[str, Any]:
    """What the line of a request has of it: every decimal number is a text, to the digit."""
    answer = await client.get(_path(document), exact=True)
    sizes: list[dict[str, Any]] = answer.body["data"]
    if any(line["lineId"] is None for size in sizes for line in size["lines"]):
        chart = await client.part("styles", document["styleId"], "measurement-chart").read()
        for size in sizes:
            _name_deactivated(size["lines"], chart.data["lines"])
    requested = [
        {"lineId": line["lineId"], _SIZE: size[_SIZE], "value": line["requestedMeasurement"]}
        for size in sizes
        for line in size["lines"]
        if line["requestedMeasurement"] is not None
    ]
    return {"requested": requested, "measurements": [*map(_measured, sizes)]}


def _measured(size: dict[str, Any]) -> dict[str, Any]:
    """A size as it is written."""
    return {
        _SIZE: size[_SIZE],
        "designerComment": size["designerComment"],
        **{name: name in size["properties"] for name in _MARKERS},
        "lines": [
            {"lineId": line["lineId"], **{name: line[name] for name in _VALUES}}
            for line in size["lines"]
        ],
    }


def _name_deactivated(lines: list[dict[str, Any]], of_chart: list[dict[str, Any]]) -> None:
    """Give deactivated lines, which a reader sees without an id, that of the style's chart.

    Both are in the order of ids, so one is the next of its name.
    """
    chart = [line for line in of_chart if line["isDeactivated"]]
    last = 0
    for line in lines:
        if line["lineId"] is None:
            same = (one["lineId"] for one in chart if one["name"] == line["name"])
            line["lineId"] = next((one for one in same if one > last), None)
        last = line["lineId"] or last


def faults(sizes: Any) -> list[Detail]:
    """The places where a size should be named, and is not."""
    if not isinstance(sizes, list):
        return [Detail("validation_error.invalid_type", "", "Use a list of sizes.")]
    return [
        Detail("validation_error.required_field", f"[{place}].{_SIZE}", "This field is required.")
        for place, size in enumerate(sizes)
        if not isinstance(size, dict) or not isinstance(size.get(_SIZE), int)
    ]


async def replace(client: Client, record_id: Any, sizes: list[dict[str, Any]]) -> None:
    """Replace what was measured in each size."""
    style_id = (await client.collection("sample-requests").read(record_id)).data["styleId"]
    for place, size in enumerate(sizes):
        values = {name: size[name] for name in size if name != _SIZE}
        try:
            path = ("styles", style_id, "sample-requests", record_id, "measurements", size[_SIZE])
            await client.part(*path).replace(values)
        except FailureError as error:
            rows = (replaced(row, field=f"[{place}].{row.field}") for row in error.details)
            error.details = tuple(rows)
            raise


def _path(document: dict[str, Any]) -> str:
    return f"/api/styles/{document['styleId']}/sample-requests/{document['id']}/measurements"
