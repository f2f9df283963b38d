"""Export of measured values: lines of sample requests and of measured values, with all digits.

Requested values are in the lines of the sample requests, which are created with them. Fractional
values are strings, whole ones integers.
"""

from typing import Any, Final

from service.client import Client
from service.transfer.exact_pages import exact_records

_SIZE: Final = "sizeRangeSizeId"
_MARKERS: Final = ("approved", "designerVisibleOnly")
_VALUES: Final = ("companyMeasurement", "supplierMeasurement", "newMeasurement")


async def with_requested_values(
    client: Client, requests: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return a page of sample requests, in the same order, each with a list ``requested``.

    Its entries are line, size and value; values that were not requested are left out.
    """
    ids = [request["id"] for request in requests]
    documents = await exact_records(client, "measurements", sampleRequestId=ids)
    await _name_deactivated_lines(client, documents)
    requested = {document["sampleRequestId"]: _requested(document) for document in documents}
    return [request | {"requested": requested.get(request["id"], [])} for request in requests]


async def measured_lines(client: Client, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of a page of measured values, read exactly, in the same order.

    Their sizes have the form of a request: without names, requested values and tolerances. The
    missing ids of deactivated lines are set in ``documents`` itself.
    """
    await _name_deactivated_lines(client, documents)
    return [document | {"sizes": [*map(_measured, document["sizes"])]} for document in documents]


def _requested(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"lineId": line["lineId"], _SIZE: size[_SIZE], "value": line["requestedMeasurement"]}
        for size in document["sizes"]
        for line in size["lines"]
        if line["requestedMeasurement"] is not None
    ]


def _measured(size: dict[str, Any]) -> dict[str, Any]:
    """Return a size in the form of a request: the markers in ``properties`` become booleans."""
    return {
        _SIZE: size[_SIZE],
        "designerComment": size["designerComment"],
        **{name: name in size["properties"] for name in _MARKERS},
        "lines": [
            {"lineId": line["lineId"], **{name: line[name] for name in _VALUES}}
            for line in size["lines"]
        ],
    }


async def _name_deactivated_lines(client: Client, documents: list[dict[str, Any]]) -> None:
    """Set the missing ids of deactivated lines from the measurement charts of the styles.

    Documents of measured values show null as the id of such a line; an import needs it. It stays
    null if the request or the chart is gone.
    """
    ids = [document["sampleRequestId"] for document in documents if _has_unnamed_line(document)]
    if not ids:
        return
    requests = await exact_records(client, "sample-requests", id=ids)
    style_ids = {request["id"]: request["styleId"] for request in requests}
    charts = await exact_records(client, "measurement-charts", styleId=[*{*style_ids.values()}])
    lines = {chart["styleId"]: chart["lines"] for chart in charts}
    for document in documents:
        chart_lines = lines.get(style_ids.get(document["sampleRequestId"]), [])
        for size in document["sizes"]:
            _name_deactivated(size["lines"], chart_lines)


def _has_unnamed_line(document: dict[str, Any]) -> bool:
    return any(line["lineId"] is None for size in document["sizes"] for line in size["lines"])


def _name_deactivated(lines: list[dict[str, Any]], chart_lines: list[dict[str, Any]]) -> None:
    """Set the missing ids of deactivated lines from the style's measurement chart.

    Both lists are sorted by id: the id is that of the next deactivated chart line of the same name
    after the line before. It stays null without one.
    """
    deactivated = [line for line in chart_lines if line["isDeactivated"]]
    last = 0
    for line in lines:
        if line["lineId"] is None:
            same_name = (row["lineId"] for row in deactivated if row["name"] == line["name"])
            line["lineId"] = next((line_id for line_id in same_name if line_id > last), None)
        last = line["lineId"] or last
