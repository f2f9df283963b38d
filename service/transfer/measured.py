"""Measured values in the line of a sample request: a list of its sizes with what was measured.

What is requested travels beside them, for it is sent when the request is created.
"""

from dataclasses import replace as replaced
from typing import Any, Final

from service.client import Client
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
    answer = await client.get(f"{_path(document)}", exact=True)
    sizes: list[dict[str, Any]] = answer.body["data"]
    return {
        "requested": [
            {"lineId": line["lineId"], _SIZE: size[_SIZE], "value": line["requestedMeasurement"]}
            for size in sizes
            for line in size["lines"]
            if line["requestedMeasurement"] is not None
        ],
        "measurements": [
            {
                _SIZE: size[_SIZE],
                "designerComment": size["designerComment"],
                **{name: name in size["properties"] for name in _MARKERS},
                "lines": [
                    {"lineId": line["lineId"], **{name: line[name] for name in _VALUES}}
                    for line in size["lines"]
                ],
            }
            for size in sizes
        ],
    }


async def replace(client: Client, record_id: Any, sizes: list[dict[str, Any]]) -> None:
    """Replace what was measured in each size."""
    request = (await client.collection("sample-requests").read(record_id)).data
    measurements = client.collection(
        "styles", request["styleId"], "sample-requests", record_id, "measurements"
    )
    for size in sizes:
        await measurements.replace(
            size[_SIZE], {name: size[name] for name in size if name != _SIZE}
        )


def _path(document: dict[str, Any]) -> str:
    return f"/api/styles/{document['styleId']}/sample-requests/{document['id']}/measurements"
