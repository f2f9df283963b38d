"""Measured values in the line of a sample request: a list of its sizes with what was measured.

What is requested travels beside them, for it is sent when the request is created.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace as replaced
from typing import Any, Final

from service.client import Client, Detail, FailureError, NotFoundError
from service.error_types import ErrorType
from service.schemas import ResolvedSchema
from service.schemas.validation import Validator
from service.transfer.fields import Field, part_fields
from service.transfer.forms import below, by_schema

_SIZE: Final = "sizeRangeSizeId"
_MARKERS: Final = ("approved", "designerVisibleOnly")
_VALUES: Final = ("companyMeasurement", "supplierMeasurement", "newMeasurement")


def fields(schema: ResolvedSchema) -> Field:
    """The fields of the list; each size is named by its id."""
    size = part_fields(schema, "sample-requests/measurements")
    named = Field(frozenset({"integer"}), "size-ranges/sizes")
    fixed = size.set_by_service - {_SIZE}
    members = {_SIZE: named, **size.members}
    required = size.required | {_SIZE}
    items = replaced(size, members=members, set_by_service=fixed, required=required)
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


def faults(document: dict[str, Any], member: str) -> list[Detail]:
    """The places where a size should be named, and is not, or where another one is."""
    sizes, requested = document[member], _requested(document)
    if not isinstance(sizes, list):
        return [Detail(ErrorType.INVALID_TYPE, "", "Use a list of sizes.")]
    ids = [size.get(_SIZE) if isinstance(size, dict) else None for size in sizes]
    return [
        Detail(f"validation_error.{kind}", f"[{place}].{_SIZE}", message)
        for place, one in enumerate(ids)
        for kind, message in _wrong_size(one, requested)
    ]


def _wrong_size(size_id: Any, requested: set[Any] | None) -> Iterator[tuple[str, str]]:
    if not isinstance(size_id, int):
        yield "required_field", "This field is required."
    elif requested is not None and size_id not in requested:
        yield "unknown_reference", "Samples of this size are not requested: see sizeRangeSizeIds."


def _requested(document: dict[str, Any]) -> set[Any] | None:
    """Return the sizes that a line asks for, in either form; None where it does not say."""
    ids = document.get("sizeRangeSizeIds")
    shown = document.get("sizes")
    if ids is None and isinstance(shown, list):
        ids = [size.get(_SIZE) for size in shown if isinstance(size, dict)]
    return {one for one in ids if isinstance(one, int)} if isinstance(ids, list) else None


def failures(form: Validator, sizes: list[dict[str, Any]]) -> list[Detail]:
    """Return what is wrong with the values of any size by the published schema."""
    return [
        below(f"[{place}]", detail)
        for place, size in enumerate(sizes)
        for detail in by_schema(form, _values(size))
    ]


async def replace(client: Client, record_id: Any, sizes: list[dict[str, Any]]) -> None:
    """Replace what was measured in each size."""
    path = await _path_of(client, record_id)
    for place, size in enumerate(sizes):
        with _located(place):
            await client.part(*path, size[_SIZE]).replace(_values(size))


async def rehearse(client: Client, record_id: Any, sizes: list[dict[str, Any]]) -> bool:
    """Let the service check the values of each size; return whether it has all of the sizes."""
    path, is_whole = await _path_of(client, record_id), True
    for place, size in enumerate(sizes):
        try:
            with _located(place):
                await client.part(*path, size[_SIZE]).rehearse(_values(size))
        except NotFoundError:
            is_whole = False
    return is_whole


@contextmanager
def _located(place: int) -> Iterator[None]:
    """Name the size in what the service says of its values."""
    try:
        yield
    except FailureError as error:
        error.details = tuple(below(f"[{place}]", detail) for detail in error.details)
        raise


async def _path_of(client: Client, record_id: Any) -> tuple[Any, ...]:
    style_id = (await client.collection("sample-requests").read(record_id)).data["styleId"]
    return "styles", style_id, "sample-requests", record_id, "measurements"


def _values(size: dict[str, Any]) -> dict[str, Any]:
    """Return what is sent of a size, whose id is in the path."""
    return {name: size[name] for name in size if name != _SIZE}


def _path(document: dict[str, Any]) -> str:
    return f"/api/styles/{document['styleId']}/sample-requests/{document['id']}/measurements"
