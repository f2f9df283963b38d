"""Tests of sample requests (contract, Sample requests)."""

import asyncio
from typing import Any

import pytest
from asyncpg import Connection

from tests.resources.test_sample_types import NEW
from tests.support.api import Api, replacing

pytestmark = [
    pytest.mark.contract("Sample requests"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

REQUESTS, STYLES = "/api/sample-requests", "/api/styles"
MATCH, MINIMAL = {"match": "name"}, {"Prefer": "return=minimal"}
VALUES = ("company_measurement", "supplier_measurement", "new_measurement")


async def style(api: Api) -> int:
    return int((await api.post(STYLES, {"number": "SV-1", "name": "Vest"})).data["id"])


async def sizes(api: Api) -> list[int]:
    """Return ids of sizes that are not deactivated."""
    made = (await api.post("/api/size-ranges", {"name": "Test"})).data["id"]
    sent = [{"name": name} for name in "SML"]
    return [size["id"] for size in (await api.put(f"/api/size-ranges/{made}/sizes", sent)).data]


async def chart(connection: Connection, style_id: int, size_ids: list[int]) -> list[int]:
    """Return the ids of a chart's two active lines, which ask for 50 and 60 in every size."""
    line = (
        "insert into measurement_line (organization_id, style_id, name, is_deactivated)"
        " select organization_id, id, $2, $3 from style where id = $1 returning id"
    )
    names = (("Chest", False), ("Waist", False), ("Hood", True))
    lines = [await connection.fetchval(line, style_id, *name) for name in names]
    await connection.execute(
        "insert into measurement_line_value select organization_id, line, size, 40 + 10 * n"
        " from unnest($1::bigint[]) with ordinality as lines (line, n),"
        " unnest($2::bigint[]) as size, style where style.id = $3",
        *(lines, size_ids, style_id),
    )
    await connection.execute("update style set measurement_unit = 'cm' where id = $1", style_id)
    return lines


async def requested(api: Api, request: dict[str, Any], size: int) -> dict[str, Any]:
    """Return the requested values of a size, by the line's name."""
    path = f"{STYLES}/{request['styleId']}/sample-requests/{request['id']}/measurements/{size}"
    lines = (await api.get(path)).data["lines"]
    return {line["name"]: line["requestedMeasurement"] for line in lines}


async def test_fields(api: Api) -> None:
    """A style, a name and sizes are written; the list of the style shows the same."""
    owner, (small, medium, *_) = await style(api), await sizes(api)
    sent = {"styleId": owner, "name": "Proto", "sizeRangeSizeIds": [medium, small]}
    made = await api.post(REQUESTS, sent)
    assert [size["sizeRangeSizeId"] for size in made.data["sizes"]] == sorted([small, medium])
    assert (made.data["styleId"], made.data["name"], made.data["unit"]) == (owner, "Proto", None)
    listed = await api.get(f"{STYLES}/{owner}/sample-requests")
    assert listed.data == [made.data] == (await api.get(REQUESTS, {"styleId": owner})).data
    location = made.headers["Location"]
    writable = (await api.get(location, {"form": "writable"})).data
    assert writable == NEW | sent | {"sizeRangeSizeIds": sorted([small, medium])}
    replaced = await api.put(location, {"name": "Fit"})
    assert (replaced.data["name"], replaced.data["sizes"]) == ("Fit", [])


async def test_the_charts_values_and_unit_are_frozen(
    api: Api, shared_connection: Connection
) -> None:
    """At creation; a size that comes later takes those of then. Deactivated lines have none."""
    owner, (small, medium, *_) = await style(api), await sizes(api)
    lines = await chart(shared_connection, owner, [small, medium])
    sent = {"styleId": owner, "name": "Proto", "sizeRangeSizeIds": [small]}
    made = await api.post(REQUESTS, sent)
    assert made.data["unit"] == "cm"
    text = "update measurement_line_value set value = value + 1 where measurement_line_id = any($1)"
    await shared_connection.execute(text, lines)
    await shared_connection.execute(
        "update style set measurement_unit = 'inch' where id = $1", owner
    )
    location = made.headers["Location"]
    both = await api.patch(location, replacing("/sizeRangeSizeIds", [small, medium]))
    assert both.data["unit"] == "cm"
    assert await requested(api, made.data, small) == {"Chest": 50, "Waist": 60}
    assert await requested(api, made.data, medium) == {"Chest": 51, "Waist": 61}


async def test_values_and_unit_as_they_are_sent(api: Api, shared_connection: Connection) -> None:
    """Instead of the chart's; what is not sent is not requested."""
    owner, (small, *_) = await style(api), await sizes(api)
    chest, *_ = await chart(shared_connection, owner, [small])
    values = [{"lineId": chest, "sizeRangeSizeId": small, "value": 19.75}]
    sent = {"styleId": owner, "name": "Proto", "sizeRangeSizeIds": [small], "unit": "inch"}
    made = await api.post(REQUESTS, sent | {"requested": values})
    assert (made.status, made.data["unit"]) == (201, "inch")
    assert await requested(api, made.data, small) == {"Chest": 19.75, "Waist": None}
    without = await api.post(REQUESTS, sent | {"unit": None, "requested": values})
    assert without.data["unit"] is None
    later = await api.put(made.headers["Location"], {"name": "Proto", "unit": "cm"})
    assert later.details == [("validation_error.read_only_field", "unit")]


@pytest.mark.contract("Own keys")
async def test_sent_again_with_what_was_frozen(api: Api, shared_connection: Connection) -> None:
    """By name, by id, and in part: the same unit and values are good, others are refused."""
    owner, (small, medium, *_) = await style(api), await sizes(api)
    chest, waist, _ = await chart(shared_connection, owner, [small, medium])
    values = [
        {"lineId": chest, "sizeRangeSizeId": size, "value": value}
        for size, value in ((small, "19.50"), (medium, 20))
    ]
    sent = {
        "styleId": owner,
        "name": "Proto",
        "sizeRangeSizeIds": [small, medium],
        "unit": "inch",
        "requested": values,
    }
    made = await api.put(REQUESTS, [sent], params=MATCH)
    assert (made.status, made.data[0]["key"]) == (201, "Proto")
    record_id = made.data[0]["id"]
    by_id = {name: value for name, value in sent.items() if name != "styleId"} | {"id": record_id}
    alike = sent | {"requested": [values[1], values[0] | {"value": 19.5}]}
    fewer = sent | {"sizeRangeSizeIds": [small], "requested": values[:1]}
    for send, item, params in (
        (api.put, alike, MATCH),
        (api.patch, sent, MATCH),
        (api.put, by_id, {}),
        (api.patch, by_id, {}),
    ):
        again = await send(REQUESTS, [item], params=params, headers=MINIMAL)
        assert [row["outcome"] for row in again.data] == ["unchanged"], again.raw
    wrong_ones: list[dict[str, Any]] = [
        {"unit": "cm"},
        {"requested": values[:1]},
        {"requested": []},
        {"requested": [*values, {"lineId": waist, "sizeRangeSizeId": small, "value": 1}]},
        {"requested": [values[0], values[1] | {"value": 20.5}]},
    ]
    for wrong in wrong_ones:
        refused = await api.put(REQUESTS, [sent | wrong], params=MATCH)
        expected = [("validation_error.read_only_field", f"[0].{next(iter(wrong))}")]
        assert (refused.status, refused.details) == (400, expected)
    assert (await api.put(f"{REQUESTS}/{record_id}", sent)).status == 200
    dropped = await api.put(REQUESTS, [fewer], params=MATCH)
    assert dropped.data[0]["outcome"] == "updated"


@pytest.mark.contract("Own keys")
async def test_a_size_that_is_added_takes_the_chart_beside_values_sent_again(
    api: Api, shared_connection: Connection
) -> None:
    owner, (small, medium, *_) = await style(api), await sizes(api)
    chest, *_ = await chart(shared_connection, owner, [small, medium])
    values = [{"lineId": chest, "sizeRangeSizeId": small, "value": 19}]
    sent = {"styleId": owner, "name": "Fit", "sizeRangeSizeIds": [small], "requested": values}
    [row] = (await api.put(REQUESTS, [sent], params=MATCH)).data
    grown = await api.put(REQUESTS, [sent | {"sizeRangeSizeIds": [small, medium]}], params=MATCH)
    assert grown.data[0]["outcome"] == "updated"
    made = (await api.get(f"{REQUESTS}/{row['id']}")).data
    assert await requested(api, made, small) == {"Chest": 19, "Waist": None}
    assert await requested(api, made, medium) == {"Chest": 50, "Waist": 60}


@pytest.mark.contract("Own keys")
async def test_names_are_own_keys_within_their_style(api: Api) -> None:
    """Runs at once make no twins; another style has names of its own."""
    first, second = await style(api), await style(api)
    items = [{"styleId": owner, "name": name} for owner in (first, second) for name in "AB"]
    runs = await asyncio.gather(*(api.put(REQUESTS, items, params=MATCH) for _ in range(3)))
    assert sorted(run.data[0]["outcome"] for run in runs) == ["created", "unchanged", "unchanged"]
    assert len({row["id"] for run in runs for row in run.data}) == len(items)
    twice = await api.put(REQUESTS, [items[0], items[0]], params=MATCH)
    assert twice.details == [("validation_error.duplicate", "[1].name")]


async def test_requested_values_are_of_the_chart_and_of_requested_sizes(
    api: Api, shared_connection: Connection
) -> None:
    owner, (small, medium, *_) = await style(api), await sizes(api)
    chest, _, hood = await chart(shared_connection, owner, [small])
    sent = {"styleId": owner, "name": "Proto", "sizeRangeSizeIds": [small]}
    wrong = [
        {"lineId": chest, "sizeRangeSizeId": medium, "value": 1},
        {"lineId": hood, "sizeRangeSizeId": small, "value": 1},
        {"lineId": 987654321, "sizeRangeSizeId": small, "value": 1},
        *({"lineId": chest, "sizeRangeSizeId": small, "value": value} for value in (1, 2)),
    ]
    refused = await api.post(REQUESTS, sent | {"requested": wrong})
    unknown = "validation_error.unknown_reference"
    assert refused.details == [
        (unknown, "requested[0].sizeRangeSizeId"),
        (unknown, "requested[1].lineId"),
        (unknown, "requested[2].lineId"),
        ("validation_error.duplicate", "requested[4].lineId"),
    ]


async def test_the_style_stays(api: Api) -> None:
    made = await api.post(REQUESTS, {"styleId": await style(api), "name": "Proto"})
    location, other = made.headers["Location"], await style(api)
    read_only = [("validation_error.read_only_field", "styleId")]
    assert (await api.put(location, {"name": "Proto", "styleId": other})).details == read_only
    assert (await api.patch(location, replacing("/styleId", other))).details == read_only
    same = {"name": "Proto", "styleId": made.data["styleId"]}
    assert (await api.put(location, same)).data == made.data


async def test_unknown_styles_and_sizes(api: Api, shared_connection: Connection) -> None:
    """Unknown and deleted styles; unknown sizes, and deactivated ones that are new."""
    gone = await style(api)
    await api.delete(f"{STYLES}/{gone}")
    deactivated, *_ = await sizes(api)
    text = "update size_range_size set is_deactivated = true where id = $1"
    await shared_connection.execute(text, deactivated)
    for unknown in (gone, 987654321):
        refused = await api.post(REQUESTS, {"styleId": unknown, "name": "Proto"})
        assert refused.details == [("validation_error.unknown_reference", "styleId")]
    messages = {deactivated: "S is deactivated.", 987654321: "There is no such size."}
    for unknown, message in messages.items():
        sent = {"styleId": await style(api), "name": "Proto", "sizeRangeSizeIds": [unknown]}
        refused = await api.post(REQUESTS, sent)
        assert refused.details == [("validation_error.unknown_reference", "sizeRangeSizeIds[0]")]
        assert refused.json["error"]["details"][0]["value"] == message


@pytest.mark.parametrize("column", VALUES)
async def test_a_measured_size_is_not_left_out(
    api: Api, shared_connection: Connection, column: str
) -> None:
    """In use; the request itself is deleted all the same, with what was measured."""
    owner, (small, medium, *_) = await style(api), await sizes(api)
    await chart(shared_connection, owner, [small, medium])
    sent = {"styleId": owner, "name": "Proto", "sizeRangeSizeIds": [small, medium]}
    made = await api.post(REQUESTS, sent)
    location = made.headers["Location"]
    counted = "select count(*) from sample_request_measurement where sample_request_id = $1"
    await shared_connection.execute(
        f"update sample_request_measurement set {column} = 1"
        " where sample_request_id = $1 and size_range_size_id = $2",
        *(made.data["id"], small),
    )
    refused = await api.patch(location, replacing("/sizeRangeSizeIds", [medium]))
    in_use = [("conflict.in_use", "sizeRangeSizeIds")]
    assert (refused.status, refused.details) == (409, in_use)
    assert refused.json["error"]["details"][0]["value"] == "Used by measured values: 2."
    assert (await api.patch(location, replacing("/sizeRangeSizeIds", [small]))).status == 200
    assert (await api.delete(location)).data["id"] == made.data["id"]
    assert (await api.get(location)).status == 404
    assert await shared_connection.fetchval(counted, made.data["id"]) == 0


@pytest.mark.contract("States")
async def test_a_style_with_requests_is_not_deleted(api: Api) -> None:
    owner = await style(api)
    made = await api.post(REQUESTS, [{"styleId": owner, "name": name} for name in ("A", "B")])
    refused = await api.delete(f"{STYLES}/{owner}")
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "id")])
    named = ", ".join(f'{record["id"]} "{record["name"]}"' for record in made.data)
    assert refused.json["error"]["details"][0]["value"] == f"Used by sample requests: 2 ({named})."
