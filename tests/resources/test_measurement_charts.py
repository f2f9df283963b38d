"""Tests of measurement charts, and of their values frozen in sample requests (contract)."""

import asyncio
import re
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.changes import Follower
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Measurement charts")

EXACT = ("52.50", "-0.10", "0", "0.0000000001", "999999999999999.9999999999", "-999999999999999")


async def new_chart(api: Api, *lines: Any, unit: str | None = None) -> tuple[str, list[Any]]:
    """Return a new style: the path of its chart, and the lines there."""
    made = await api.post("/api/styles", {"number": "T-1", "name": "Test"})
    assert made.status == 201, made.raw
    path = f"/api/styles/{made.data['id']}/measurement-chart"
    return path, (await put(api, path, *lines, unit=unit))["lines"]


async def put(api: Api, path: str, *lines: Any, unit: str | None = None) -> Any:
    answer = await api.put(path, {"unit": unit, "lines": [*lines]})
    assert answer.status == 200, answer.raw
    return answer.data


async def sizes(api: Api) -> list[int]:
    """Return the ids of active sizes."""
    made = (await api.post("/api/size-ranges", {"name": "Test"})).data["id"]
    sent = [{"name": name} for name in "SML"]
    return [size["id"] for size in (await api.put(f"/api/size-ranges/{made}/sizes", sent)).data]


def line(name: str, *values: tuple[int, Any], **fields: Any) -> Any:
    requested = [{"sizeRangeSizeId": size, "value": value} for size, value in values]
    return {"name": name, "requested": requested, **fields}


async def request_samples(api: Api, path: str, *of: int, **fields: Any) -> str:
    """Return the path of the measurements of a new sample request of the chart's style."""
    style = int(path.split("/")[3])
    body = {"styleId": style, "name": "Fit", "sizeRangeSizeIds": [*of], **fields}
    answer = await api.post("/api/sample-requests", body)
    assert answer.status == 201, answer.raw
    return f"/api/styles/{style}/sample-requests/{answer.data['id']}/measurements"


async def test_a_style_begins_with_an_empty_chart(api: Api) -> None:
    """Contract, Measurement charts: unit is null while none is set."""
    path, lines = await new_chart(api)
    assert (await api.get(path)).data == {"unit": None, "lines": []}
    assert lines == []


async def test_all_fields_come_back(api: Api) -> None:
    """Contract, Measurement charts: as they were sent; what is not sent is cleared."""
    small, medium, *_ = await sizes(api)
    path, [chest] = await new_chart(
        api, line("Chest", (medium, "54.50"), (small, 52), tolerance="1.0"), unit="cm"
    )
    assert chest == {
        "lineId": chest["lineId"], "name": "Chest", "tolerance": 1.0, "isDeactivated": False,
        "requested": [
            {"sizeRangeSizeId": small, "value": 52}, {"sizeRangeSizeId": medium, "value": 54.5},
        ],
    }  # fmt: skip
    assert (await api.get(path)).data["unit"] == "cm"
    after = await put(api, path, {"lineId": chest["lineId"]})
    assert after == {
        "unit": None,
        "lines": [chest | {"name": None, "tolerance": None, "requested": []}],
    }


@pytest.mark.contract("Values")
@in_each("sent", EXACT)
async def test_texts_are_kept_to_the_digit(api: Api, sent: str) -> None:
    """Contract, Values: a text is stored to the digit; texts in the writable form."""
    small, *_ = await sizes(api)
    path, _ = await new_chart(api, line("Chest", (small, sent), tolerance=sent))
    raw = (await api.get(path)).raw.decode()
    assert re.findall(r'"(?:tolerance|value)":([^,}]+)', raw) == [sent, sent]
    [written] = (await api.get(path, {"form": "writable"})).data["lines"]
    assert (written["tolerance"], written["requested"][0]["value"]) == (sent, sent)
    # Another digit is another value, and so a change.
    before = (await api.get(path)).headers["ETag"]
    longer = f"{sent}0" if "." in sent and len(sent.partition(".")[2]) < 10 else sent
    await put(api, path, line("Chest", (small, longer), tolerance=sent))
    assert ((await api.get(path)).headers["ETag"] != before) is (longer != sent)


@pytest.mark.contract("Values")
@in_each(("number", "stored"), [(54.5, "54.5"), (1e-7, "0.0000001"), (-0.0, "0.0"), (7, "7")])
async def test_numbers_are_exact_as_doubles(api: Api, number: float, stored: str) -> None:
    """Contract, Values: a number is the shortest text of its double."""
    small, *_ = await sizes(api)
    path, _ = await new_chart(api, line("Chest", (small, number), tolerance=number))
    raw = (await api.get(path)).raw.decode()
    assert re.findall(r'"(?:tolerance|value)":([^,}]+)', raw) == [stored, stored]


@pytest.mark.contract("Values")
async def test_an_equal_number_leaves_the_digits(api: Api) -> None:
    """Contract, Values: a number that equals what is stored leaves that as it is."""
    small, *_ = await sizes(api)
    path, [chest] = await new_chart(api, line("Chest", (small, "52.50"), tolerance="1.00"))
    before = (await api.get(path)).raw
    assert (await api.put(path, {"lines": [chest]})).raw == before


@pytest.mark.contract("Values")
@in_each(
    ("value", "kind"),
    [
        *((text, "invalid_value") for text in ("01", "1.", ".5", "+1", "1e3", "", " 1", "1,5")),
        ("1234567890123456", "invalid_value"),
        ("0.12345678901", "invalid_value"),
        (1e-11, "invalid_value"),
        (10**15, "out_of_range"),
        (-1e300, "out_of_range"),
        (True, "invalid_type"),
        ([], "invalid_type"),
        (None, "required_field"),
        ("1" * 40, "too_long"),
    ],
)  # fmt: skip
async def test_values_have_one_form(api: Api, value: Any, kind: str) -> None:
    """Contract, Values: a minus sign, no leading zeros, 15 digits before the point and 10 after."""
    small, *_ = await sizes(api)
    path, _ = await new_chart(api)
    refused = await api.put(path, {"lines": [line("Chest", (small, value))]})
    field = "lines[0].requested[0].value"
    assert refused.details == [(f"validation_error.{kind}", field)]


async def test_ids_and_sizes_are_looked_at(api: Api, other_api: Api) -> None:
    """Contract, Measurement charts: unknown lines and sizes, at their places."""
    small, *_ = await sizes(api)
    foreign, *_ = await sizes(other_api)
    path, [chest] = await new_chart(api, line("Chest", (small, 1)))
    _, [other] = await new_chart(api, line("Chest"))
    refused = await api.put(
        path, {"lines": [chest, line("A", (small, 1), (foreign, 1)), {"lineId": other["lineId"]}]}
    )
    assert refused.details == [
        ("validation_error.unknown_reference", "lines[1].requested[1].sizeRangeSizeId"),
        ("validation_error.unknown_reference", "lines[2].lineId"),
    ]
    twice = await api.put(path, {"lines": [chest, chest, line("A", (small, 1), (small, 2))]})
    assert twice.details == [
        ("validation_error.duplicate", "lines[1].lineId"),
        ("validation_error.duplicate", "lines[2].requested[1].sizeRangeSizeId"),
    ]
    assert (await api.put(path, {"unit": "cm"})).details == [
        ("validation_error.required_field", "lines")
    ]


async def test_a_deactivated_size_stays_where_it_is(api: Api) -> None:
    """Contract, Measurement charts: a deactivated size only where the line has a value of it."""
    made = (await api.post("/api/size-ranges", {"name": "Test"})).data["id"]
    [size] = (await api.put(f"/api/size-ranges/{made}/sizes", [{"name": "S"}])).data
    path, [chest] = await new_chart(api, line("Chest", (size["id"], "1.0")))
    assert (await api.put(f"/api/size-ranges/{made}/sizes", [])).data[0]["isDeactivated"]
    await put(api, path, line("Chest", (size["id"], "2.0"), lineId=chest["lineId"]))
    refused = await api.put(path, {"lines": [chest, line("Hem", (size["id"], 1))]})
    field = "lines[1].requested[0].sizeRangeSizeId"
    assert refused.details == [("validation_error.unknown_reference", field)]
    message = "The size is deactivated, or its size range is deleted."
    assert refused.json["error"]["details"][0]["value"] == message


@pytest.mark.contract("Parts")
async def test_lines_without_ids_are_recognized(api: Api) -> None:
    """Contract, Measurement charts: a line is recognized by its name, an active one first."""
    path, [chest, hem] = await new_chart(api, line("Chest"), line("Hem"))
    after = (await put(api, path, line("Hem", tolerance="1"), line("Waist")))["lines"]
    assert [(line["lineId"] == hem["lineId"], line["name"]) for line in after] == [
        (True, "Hem"),
        (False, "Waist"),
    ]
    assert chest["lineId"] not in [line["lineId"] for line in after]


@pytest.mark.contract("Parts")
async def test_a_requested_line_is_deactivated_and_comes_back(api: Api) -> None:
    """Contract, Parts: removed lines are shown deactivated, never lost."""
    small, *_ = await sizes(api)
    path, [chest, hem] = await new_chart(
        api, line("Chest", (small, "52.50"), tolerance="1.0"), line("Hem")
    )
    measured = await request_samples(api, path, small)
    after = (await put(api, path, hem, line("New")))["lines"]
    assert after[:2] == [chest | {"isDeactivated": True}, hem]
    [first, _] = (await api.get(measured)).data[0]["lines"]
    assert (first["lineId"], first["name"], first["tolerance"]) == (None, "Chest", None)
    assert first["requestedMeasurement"] == 52.5
    # The new line came after the request, which keeps its own two.
    assert [line["name"] for line in (await put(api, path, hem))["lines"]] == ["Chest", "Hem"]
    back = (await put(api, path, chest, hem))["lines"]
    assert back == [chest, hem]
    assert (await api.get(measured)).data[0]["lines"][0]["lineId"] == chest["lineId"]


@pytest.mark.contract("Sample requests")
async def test_requests_keep_what_the_chart_said(api: Api) -> None:
    """Contract, Measurement charts: values and unit are those of the time of the request."""
    small, medium, *_ = await sizes(api)
    cells = ((small, "52.50"), (medium, "54.50"))
    path, [chest] = await new_chart(api, line("Chest", *cells, tolerance="1.0"), unit="cm")
    measured = await request_samples(api, path, small)
    frozen = (await api.get(measured)).raw
    changed = line("Chest", (small, "1"), (medium, "2"), lineId=chest["lineId"], tolerance="1.0")
    await put(api, path, changed, unit="inch")
    assert (await api.get(measured)).raw == frozen
    assert b'"requestedMeasurement":52.50' in frozen
    renamed = changed | {"name": "Bust", "tolerance": "0.5"}
    await put(api, path, renamed, unit="inch")
    [size] = (await api.get(measured)).data
    assert size["unit"] == "cm"
    [shown] = size["lines"]
    assert (shown["name"], shown["tolerance"]) == ("Bust", 0.5)
    assert shown["requestedMeasurement"] == 52.5


@pytest.mark.contract("Sample requests")
async def test_a_size_that_comes_later_freezes_then(api: Api) -> None:
    """Contract, Sample requests: it takes the chart's values of that time."""
    small, medium, *_ = await sizes(api)
    path, [chest] = await new_chart(api, line("Chest", (small, "1.0"), (medium, "2.0")))
    measured = await request_samples(api, path, small)
    await put(api, path, line("Chest", (small, "3.0"), (medium, "4.0"), lineId=chest["lineId"]))
    request = f"/api/sample-requests/{measured.split('/')[5]}"
    body = {"name": "Fit", "sizeRangeSizeIds": [small, medium]}
    assert (await api.put(request, body)).status == 200
    values = [
        measurement["lines"][0]["requestedMeasurement"]
        for measurement in (await api.get(measured)).data
    ]
    assert values == [1.0, 4.0]


@pytest.mark.contract("Values", "Sample requests")
async def test_requested_values_may_be_sent_as_texts(api: Api) -> None:
    """Contract, Values; contract, Sample requests: as they are sent, to the digit."""
    small, *_ = await sizes(api)
    path, [chest] = await new_chart(api, line("Chest", (small, "1.0")))
    cell = {"lineId": chest["lineId"], "sizeRangeSizeId": small}
    measured = await request_samples(
        api, path, small, unit="inch", requested=[cell | {"value": "20.250"}]
    )
    raw = (await api.get(measured)).raw
    assert b'"unit":"inch"' in raw
    assert b'"requestedMeasurement":20.250' in raw
    wrong = {"styleId": 1, "name": "x", "requested": [cell | {"value": "020"}]}
    refused = await api.post("/api/sample-requests", wrong)
    assert refused.details == [("validation_error.invalid_value", "requested[0].value")]


@pytest.mark.contract("Changes")
async def test_a_renamed_line_is_a_change_of_measured_values(api: Api) -> None:
    """Contract, Parts: of those that have the line; values and the unit are the chart's alone."""
    small, *_ = await sizes(api)
    path, [chest] = await new_chart(api, line("Chest", (small, "1.0")))
    measured = await request_samples(api, path, small)
    style, request = int(path.split("/")[3]), int(measured.split("/")[5])
    _, hem = (await put(api, path, chest, line("Hem")))["lines"]
    follower = Follower(api)
    chart, values = ("measurement-charts", style), ("measurements", request)
    for changed, expected in (
        ([chest, hem | {"name": "Bottom"}], [chart]),
        ([line("Chest", (small, "2.0"), lineId=chest["lineId"]), hem], [chart]),
        ([chest | {"name": "Bust"}, hem], [chart, values]),
        ([hem], [chart, values]),
    ):
        await follower.begin()
        await put(api, path, *changed)
        assert [(e["collection"], e["recordId"]) for e in await follower.entries()] == expected


async def test_requests_and_charts_at_once(api: Api) -> None:
    """A request freezes one state of the chart, unit and values, and no line is lost to it."""
    small, *_ = await sizes(api)
    states = (("cm", "1.0"), ("inch", "2.0"))
    path, [chest] = await new_chart(api, line("Chest", (small, "1.0")), unit="cm")
    for turn in range(8):
        unit, value = states[turn % 2]
        lines = [line("Chest", (small, value), lineId=chest["lineId"])] * (turn < 6)
        answer, measured = await asyncio.gather(
            api.put(path, {"unit": unit, "lines": lines}), request_samples(api, path, small)
        )
        assert answer.status == 200, answer.raw
        [size] = (await api.get(measured)).data
        for measured_line in size["lines"]:
            assert (size["unit"], f"{measured_line['requestedMeasurement']}") in states
