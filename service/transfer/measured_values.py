"""Measured values of a sample request: a list with the measured values of each size.

Requested values are exported in a list of their own, ``requested``: they are sent when the request
is created.
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
from service.transfer.forms import check_schema, prefixed

_SIZE: Final = "sizeRangeSizeId"
_MARKERS: Final = ("approved", "designerVisibleOnly")
_VALUES: Final = ("companyMeasurement", "supplierMeasurement", "newMeasurement")


def fields(schema: ResolvedSchema) -> Field:
    """Return the field tree of the list; each size has its id in ``sizeRangeSizeId``."""
    size = part_fields(schema, "sample-requests/measurements")
    size_id = Field(frozenset({"integer"}), "size-ranges/sizes")
    set_by_service = size.set_by_service - {_SIZE}
    members = {_SIZE: size_id, **size.members}
    required = size.required | {_SIZE}
    items = replaced(size, members=members, set_by_service=set_by_service, required=required)
    return Field(frozenset({"array"}), items=items)


async def read(client: Client, document: dict[str, Any]) -> dict[str, Any]:
    """Return ``requested`` and ``measurements`` of a request's line, with decimals as strings."""
    response = await client.get(_path(document), exact=True)
    sizes: list[dict[str, Any]] = response.body["data"]
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
    """Return a size in the form of the export file."""
    return {
        _SIZE: size[_SIZE],
        "designerComment": size["designerComment"],
        **{name: name in size["properties"] for name in _MARKERS},
        "lines": [
            {"lineId": line["lineId"], **{name: line[name] for name in _VALUES}}
            for line in size["lines"]
        ],
    }


def _name_deactivated(lines: list[dict[str, Any]], chart_lines: list[dict[str, Any]]) -> None:
    """Set the missing ids of deactivated lines from the style's measurement chart.

    Both lists are sorted by id: the id is the next one of the same name.
    """
    deactivated = [line for line in chart_lines if line["isDeactivated"]]
    last = 0
    for line in lines:
        if line["lineId"] is None:
            same_name = (row["lineId"] for row in deactivated if row["name"] == line["name"])
            line["lineId"] = next((line_id for line_id in same_name if line_id > last), None)
        last = line["lineId"] or last


def structure_errors(document: dict[str, Any], member: str) -> list[Detail]:
    """Return an error for each entry that does not name a requested size."""
    sizes, requested = document[member], _requested(document)
    if not isinstance(sizes, list):
        return [Detail(ErrorType.INVALID_TYPE, "", "Use a list of sizes.")]
    ids = [size.get(_SIZE) if isinstance(size, dict) else None for size in sizes]
    return [
        Detail(error_type, f"[{index}].{_SIZE}", message)
        for index, size_id in enumerate(ids)
        for error_type, message in _size_errors(size_id, requested)
    ]


def _size_errors(size_id: Any, requested: set[Any] | None) -> Iterator[tuple[ErrorType, str]]:
    if not isinstance(size_id, int):
        yield ErrorType.REQUIRED_FIELD, ErrorType.REQUIRED_FIELD.message
    elif requested is not None and size_id not in requested:
        message = "Use a size for which samples are requested (sizeRangeSizeIds)."
        yield ErrorType.UNKNOWN_REFERENCE, message


def _requested(document: dict[str, Any]) -> set[Any] | None:
    """Return the ids of the sizes that a line requests, in either form; None without any."""
    ids = document.get("sizeRangeSizeIds")
    shown = document.get("sizes")
    if ids is None and isinstance(shown, list):
        ids = [size.get(_SIZE) for size in shown if isinstance(size, dict)]
    if not isinstance(ids, list):
        return None
    return {size_id for size_id in ids if isinstance(size_id, int)}


def schema_errors(form: Validator, sizes: list[dict[str, Any]]) -> list[Detail]:
    """Return the errors in the values of all sizes by the published schema."""
    return [
        prefixed(f"[{index}]", detail)
        for index, size in enumerate(sizes)
        for detail in check_schema(form, _values(size))
    ]


async def replace(client: Client, record_id: Any, sizes: list[dict[str, Any]]) -> None:
    """Replace the measured values of each size."""
    path = await _path_of(client, record_id)
    for index, size in enumerate(sizes):
        with _prefixed_errors(index):
            await client.part(*path, size[_SIZE]).replace(_values(size))


async def dry_run(client: Client, record_id: Any, sizes: list[dict[str, Any]]) -> bool:
    """Dry-run the replacement of each size. Return whether the service has all of the sizes."""
    path, has_all = await _path_of(client, record_id), True
    for index, size in enumerate(sizes):
        try:
            with _prefixed_errors(index):
                await client.part(*path, size[_SIZE]).dry_run(_values(size))
        except NotFoundError:
            has_all = False
    return has_all


@contextmanager
def _prefixed_errors(index: int) -> Iterator[None]:
    """Prepend the index of the size to the fields of the service's errors."""
    try:
        yield
    except FailureError as error:
        error.details = tuple(prefixed(f"[{index}]", detail) for detail in error.details)
        raise


async def _path_of(client: Client, record_id: Any) -> tuple[Any, ...]:
    style_id = (await client.collection("sample-requests").read(record_id)).data["styleId"]
    return "styles", style_id, "sample-requests", record_id, "measurements"


def _values(size: dict[str, Any]) -> dict[str, Any]:
    """Return the request body of a size; its id is in the request path."""
    return {name: size[name] for name in size if name != _SIZE}


def _path(document: dict[str, Any]) -> str:
    return f"/api/styles/{document['styleId']}/sample-requests/{document['id']}/measurements"
