"""Tests of measured values, written and read (contract, Measured values)."""

import re
from typing import Any

import pytest

from service.records import reads
from tests.support.api import JSON_PATCH, Api, replacing
from tests.support.changes import Follower
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Measured values")

VALUES = ("companyMeasurement", "supplierMeasurement", "newMeasurement")
UNKNOWN = 987654321


@pytest.fixture
async def path(api: Api) -> str:
    """The path of a measured size; the chart has three lines, and one that is deactivated."""
    return await measured(api)


async def measured(api: Api) -> str:
    ranges = (await api.post("/api/size-ranges", {"name": "Women"})).headers["Location"]
    sizes = [
        each["id"]
        for each in (await api.put(f"{ranges}/sizes", [{"name": "S"}, {"name": "M"}])).data
    ]
    style = (await api.post("/api/styles", {"number": "SV-1", "name": "Vest"})).data["id"]
    chart = f"/api/styles/{style}/measurement-chart"
    requested = [{"sizeRangeSizeId": size, "value": "50.5"} for size in sizes]
    lines = [{"name": name, "requested": requested} for name in ("Chest", "Waist", "Hem", "Hood")]
    stored = (await api.put(chart, {"unit": "cm", "lines": lines})).data["lines"]
    body = {"styleId": style, "name": "Proto", "sizeRangeSizeIds": sizes}
    request = (await api.post("/api/sample-requests", body)).data["id"]
    path = f"/api/styles/{style}/sample-requests/{request}/measurements/{sizes[0]}"
    values = [{"lineId": line["lineId"], **dict.fromkeys(VALUES, "51.5")} for line in stored]
    assert (await api.put(path, {"lines": values})).status == 200
    assert (await api.put(chart, {"unit": "cm", "lines": stored[:3]})).status == 200
    return path


def above(path: str, below: str) -> str:
    """Return another path below the style."""
    return "/".join([*path.split("/")[:4], below])


async def written(api: Api, path: str) -> Any:
    return (await api.get(path, {"form": "writable"})).data


async def test_omitted_values_are_cleared(api: Api, path: str) -> None:
    """Contract, Measured values: PUT clears what is left out, lines included."""
    first_line, second_line, *_ = (await written(api, path))["lines"]
    sent = {
        "designerComment": "Good.",
        "approved": True,
        "lines": [{"lineId": first_line["lineId"], "companyMeasurement": "1.50"}],
    }
    answer = await api.put(path, sent)
    assert answer.data["designerComment"] == "Good."
    assert answer.data["properties"] == ["approved"]
    lines = {line["lineId"]: [line[name] for name in VALUES] for line in answer.data["lines"]}
    assert lines[first_line["lineId"]] == [1.5, None, None]
    assert lines[second_line["lineId"]] == [None, None, None]
    emptied = await api.put(path, {})
    assert (emptied.data["designerComment"], emptied.data["properties"]) == (None, [])


async def test_markers_are_switches(api: Api, path: str) -> None:
    """Contract, Measured values: approved and designerVisibleOnly are the markers."""
    for sent, markers in (
        ({"approved": True, "designerVisibleOnly": True}, ["approved", "designerVisibleOnly"]),
        ({"approved": False, "designerVisibleOnly": True}, ["designerVisibleOnly"]),
        ({"approved": None}, []),
    ):
        assert (await api.put(path, sent)).data["properties"] == markers


@pytest.mark.contract("Values")
@in_each("text", ["52.50", "-0.10", "0.0000000001", "123456789012345.1234567890"])
async def test_texts_come_back_to_the_digit(api: Api, path: str, text: str) -> None:
    """Contract, Values: as JSON numbers in the document, as texts in the writable form."""
    line = (await written(api, path))["lines"][0]["lineId"]
    sent = {"lines": [{"lineId": line, **dict.fromkeys(VALUES, text)}]}
    raw = (await api.put(path, sent)).raw.decode()
    for name in VALUES:
        assert re.findall(rf'"{name}":([^,]+),', raw)[0] == text
    form = (await written(api, path))["lines"][0]
    assert [form[name] for name in VALUES] == [text] * 3
    # A patch of something else leaves the digits alone.
    answer = await api.patch(path, replacing("/designerComment", "Other"))
    assert answer.status == 200
    assert (await written(api, path))["lines"][0] == form


@pytest.mark.contract("Patches")
async def test_a_patch_edits_the_writable_form(api: Api, path: str) -> None:
    """Contract, Patches: all operations or none; Accept-Patch tells of it."""
    assert JSON_PATCH in (await api.get(path)).headers["Accept-Patch"]
    before = await written(api, path)
    changes = [
        {"op": "test", "path": "/lines/0/companyMeasurement",
         "value": before["lines"][0]["companyMeasurement"]},
        {"op": "replace", "path": "/lines/0/companyMeasurement", "value": "1.250"},
        {"op": "remove", "path": "/lines/1"},
        {"op": "replace", "path": "/approved", "value": True},
    ]  # fmt: skip
    assert (await api.patch(path, changes)).status == 200
    after = await written(api, path)
    assert after["lines"][0] == before["lines"][0] | {"companyMeasurement": "1.250"}
    assert [after["lines"][1][name] for name in VALUES] == [None] * 3
    assert after["lines"][2:] == before["lines"][2:]
    refused = await api.patch(path, changes)
    assert refused.details == [("conflict.test_failed", "[0].path")]
    inapplicable = await api.patch(path, replacing("/lines/999/newMeasurement", 1))
    assert inapplicable.json["code"] == "unprocessable.patch"
    wrong = await api.patch(path, replacing("/lines/0/newMeasurement", "1."))
    assert wrong.details == [("validation_error.invalid_value", "lines[0].newMeasurement")]
    assert await written(api, path) == after


@in_each(
    "pointer",
    [
        "/unit", "/sizeRangeSizeId", "/sizeRangeSizeName", "/properties", "/lines/0/name",
        "/lines/0/requestedMeasurement", "/lines/0/tolerance",
    ],
)  # fmt: skip
async def test_read_only_fields_are_not_written(api: Api, path: str, pointer: str) -> None:
    """Contract, Measured values: requested values, tolerances, names and the unit."""
    refused = await api.patch(path, replacing(pointer, 1))
    assert refused.details == [("validation_error.read_only_field", "[0].path")]
    line = (await written(api, path))["lines"][0]["lineId"]
    *_, name = pointer.split("/")
    in_line = pointer.startswith("/lines")
    body = {"lines": [{"lineId": line, name: "x"}]} if in_line else {name: "x"}
    answer = await api.put(path, body)
    field = f"lines[0].{name}" if in_line else name
    assert answer.details == [("validation_error.read_only_field", field)]


async def test_lines_are_those_that_can_be_written(api: Api, path: str) -> None:
    """Contract, Measured values: unknown, another style's or deactivated lines; each once."""
    chart = (await api.get(above(path, "measurement-chart"))).data["lines"]
    gone = next(line["lineId"] for line in chart if line["isDeactivated"])
    others = await api.get(above(await measured(api), "measurement-chart"))
    other = others.data["lines"][0]["lineId"]
    existing = (await written(api, path))["lines"][0]["lineId"]
    before = (await api.get(path)).raw
    refused = await api.put(
        path, {"lines": [{"lineId": line_id} for line_id in (gone, existing, other, UNKNOWN)]}
    )
    indexes = [0, 2, 3]
    kind = "validation_error.unknown_reference"
    assert refused.details == [(kind, f"lines[{index}].lineId") for index in indexes]
    twice = await api.put(path, {"lines": [{"lineId": existing}, {"lineId": existing}]})
    assert twice.details == [("validation_error.duplicate", "lines[1].lineId")]
    assert (await api.get(path)).raw == before


async def test_deactivated_lines_keep_what_was_measured(api: Api, path: str) -> None:
    """Contract, Measured values: they are for display, and no write clears them."""
    chart = above(path, "measurement-chart")
    lines = (await api.get(chart, {"form": "writable"})).data["lines"]
    before = (await api.get(path)).data["lines"][0]
    assert before["lineId"] is not None
    assert (await api.put(chart, {"lines": lines[1:]})).status == 200
    assert (await api.put(path, {})).status == 200
    after = (await api.get(path)).data["lines"][0]
    assert after == before | {"lineId": None, "tolerance": None}
    names = ("lineId", "companyMeasurement", "supplierMeasurement", "newMeasurement")
    repeated = {name: before[name] for name in names}
    assert (await api.put(path, {"lines": [repeated]})).status == 200
    changed = await api.put(path, {"lines": [repeated | {"newMeasurement": "7.77"}]})
    assert changed.details == [("validation_error.unknown_reference", "lines[0].lineId")]


@pytest.mark.contract("Sample requests")
async def test_a_size_with_measured_values_is_not_left_out(api: Api, path: str) -> None:
    """Contract, Sample requests: 409 until its values are cleared."""
    request = f"/api/sample-requests/{path.split('/')[5]}"
    size = int(path.rpartition("/")[2])
    body = (await api.get(request, {"form": "writable"})).data
    body["sizeRangeSizeIds"] = [size_id for size_id in body["sizeRangeSizeIds"] if size_id != size]
    # The deactivated line keeps its values, and so does the size.
    assert (await api.put(path, {})).status == 200
    assert (await api.put(request, body)).json["code"] == "conflict.in_use"
    chart = above(path, "measurement-chart")
    lines = (await api.get(chart, {"form": "writable"})).data["lines"]
    back = [line | {"isDeactivated": False} for line in lines]
    assert (await api.put(chart, {"lines": back})).status == 200
    assert (await api.put(path, {})).status == 200
    assert (await api.put(request, body)).status == 200
    assert (await api.get(path)).details == [("not_found", "sizeRangeSizeId")]


@pytest.mark.contract("Measurement read")
async def test_all_sizes_are_read_at_once(api: Api, path: str) -> None:
    """Contract, Measurement read: all requested sizes at once, by id, with a tag."""
    requests = above(path, "sample-requests")
    [request] = (await api.get(requests)).data
    path = f"{requests}/{request['id']}/measurements"
    answer = await api.get(path)
    assert "pagination" not in answer.json
    sizes = [size["sizeRangeSizeId"] for size in request["sizes"]]
    assert len(sizes) > 1
    assert answer.data == [(await api.get(f"{path}/{size}")).data for size in sizes]
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert (await api.get(path, headers=tag)).status == 304
    body = {"styleId": request["styleId"], "name": "None yet"}
    made = await api.post("/api/sample-requests", body)
    path = f"{requests}/{made.data['id']}/measurements"
    assert (await api.get(path)).data == []
    assert (await api.get(f"{requests}/{UNKNOWN}/measurements")).details == [
        ("not_found", "sampleRequestId")
    ]
    assert (await api.get(path, {"pageSize": "1"})).status == 400


@pytest.mark.contract("Measurement read")
async def test_all_sizes_at_once_are_bounded(
    api: Api, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract, Measurement read: beyond the bound it is refused, and one by one they are read."""
    monkeypatch.setattr(reads, "MAX_BATCH_BYTES", 1000)
    refused = await api.get(path.rpartition("/")[0])
    assert refused.details == [("validation_error.out_of_range", None)]
    assert (await api.get(path)).status == 200


@pytest.mark.contract("Changes")
async def test_a_write_has_an_entry_of_its_own(api: Api, path: str) -> None:
    """Contract, Parts: under the sample request's id, and none where nothing changed."""
    follower = Follower(api)
    await follower.begin()
    sent = await written(api, path)
    for body in (sent, sent | {"designerComment": "Anew"}, sent | {"designerComment": "Anew"}):
        assert (await api.put(path, body)).status == 200
    reported = [(entry["collection"], entry["recordId"]) for entry in await follower.entries()]
    assert reported == [("measurements", int(path.split("/")[5]))]


async def test_the_first_unknown_id_of_the_path_is_named(api: Api, path: str) -> None:
    """Contract, Errors: the first id of the path that leads nowhere, whatever the method."""
    *_, request, _, size = path.split("/")
    requests, other = above(path, "sample-requests"), above(await measured(api), "sample-requests")
    for wrong, field in (
        (f"{requests}/{request}/measurements/{UNKNOWN}", "sizeRangeSizeId"),
        (f"{requests}/{UNKNOWN}/measurements/{size}", "sampleRequestId"),
        (f"{other}/{request}/measurements/{size}", "sampleRequestId"),
        (f"/api/styles/{UNKNOWN}/sample-requests/{request}/measurements/{size}", "styleId"),
    ):
        for answer in (await api.put(wrong, {}), await api.patch(wrong, [])):
            assert answer.details == [("not_found", field)]
