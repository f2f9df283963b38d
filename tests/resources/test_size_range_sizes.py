"""Tests of the sizes of a size range, replaced as a set (contract, Sizes; contract, Parts)."""

import asyncio
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.changes import Follower
from tests.support.keyed_references import text
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Sizes", "Parts")

RANGES = "/api/size-ranges"


async def new_range(api: Api, *names: str) -> tuple[str, list[Any]]:
    """Return a new size range: the path of its sizes, and these."""
    made = (await api.post(RANGES, {"name": "Test"})).data["id"]
    path = f"{RANGES}/{made}/sizes"
    return path, (await put(api, path, [{"name": name} for name in names]))


async def put(api: Api, path: str, sizes: list[Any]) -> list[Any]:
    answer = await api.put(path, sizes)
    assert answer.status == 200, answer.raw
    return list(answer.data)


async def shown(api: Api, path: str) -> list[str]:
    """Return the names that the size range itself shows."""
    return [size["name"] for size in (await api.get(path.removesuffix("/sizes"))).data["sizes"]]


async def new_style(api: Api) -> int:
    return int((await api.post("/api/styles", {"number": text(), "name": "T"})).data["id"])


async def request_samples(api: Api, *sizes: int) -> Any:
    body = {"styleId": await new_style(api), "name": "Fit", "sizeRangeSizeIds": [*sizes]}
    answer = await api.post("/api/sample-requests", body)
    assert answer.status == 201, answer.raw
    return answer.data


async def test_all_fields_come_back(api: Api) -> None:
    """Contract, Sizes: each field as it was sent; what is not sent is cleared."""
    path, [small] = await new_range(api, "S")
    entry = {
        "name": "M", "sizeId": "38", "relatedSizeRangeSizeId": small["id"], "gradingGroupId": 7,
        "isDefaultGrading": True,
    }  # fmt: skip
    [_, medium] = await put(api, path, [small, entry])
    assert medium == {"id": medium["id"], "isDeactivated": False, **entry}
    record = (await api.get(path.removesuffix("/sizes"))).data
    assert (record["defaultGradingSizeId"], record["defaultGradingSizeName"]) == (medium["id"], "M")
    assert record["sizes"][1] == {
        name: medium[name] for name in medium if not name.startswith("is")
    }
    cleared = (await put(api, path, [small, {"id": medium["id"], "name": "M"}]))[1]
    assert cleared == {
        "id": medium["id"], "name": "M", "isDefaultGrading": False, "isDeactivated": False,
    }  # fmt: skip
    assert "defaultGradingSizeId" not in (await api.get(path.removesuffix("/sizes"))).data


async def test_new_sizes_get_ids_in_the_order_sent(api: Api) -> None:
    """Contract, Parts: new ones get ids in the order in which they were sent."""
    _, sizes = await new_range(api, "L", "M", "S", "XS")
    assert [size["name"] for size in sizes] == ["L", "M", "S", "XS"]


async def test_sizes_without_ids_are_recognized(api: Api) -> None:
    """Contract, Sizes: by all fields, else by sizeId, else by name; each stored one once."""
    path, before = await new_range(api, "S", "M", "L")
    coded = [size | {"sizeId": code} for size, code in zip(before, "123", strict=True)]
    await put(api, path, coded)
    medium, large = {"name": "M", "sizeId": "2"}, {"name": "Large", "sizeId": "3"}
    sent: list[Any] = [large, {"name": "S"}, {"name": "S"}, medium]
    after = {size["name"]: size["id"] for size in await put(api, path, sent)}
    ids = [size["id"] for size in before]
    assert [after["Large"], after["M"]] == [ids[2], ids[1]]
    everything = await put(api, path, sent)
    assert len(everything) == 4
    assert next(size["id"] for size in everything if size["name"] == "S") == ids[0]


async def test_unused_sizes_are_removed(api: Api) -> None:
    """Contract, Parts: an entry that is not sent is removed."""
    path, [small, medium] = await new_range(api, "S", "M")
    assert [size["id"] for size in await put(api, path, [medium])] == [medium["id"]]
    refused = await api.put(path, [small, medium])
    assert refused.details == [("validation_error.unknown_reference", "[0].id")]


async def test_a_requested_size_is_deactivated_and_comes_back(api: Api) -> None:
    """Contract, Sizes: needed by a sample request; sending the id again brings it back."""
    path, [small, medium] = await new_range(api, "S", "M")
    request = await request_samples(api, small["id"])
    after = await put(api, path, [medium])
    assert after == [small | {"isDeactivated": True}, medium]
    assert await shown(api, path) == ["M"]
    read = f"/api/styles/{request['styleId']}/sample-requests/{request['id']}/measurements"
    [measured] = (await api.get(read)).data
    assert measured["properties"] == ["sizeDeactivated"]
    assert measured["sizeRangeSizeName"] == "S"
    assert await put(api, path, [small, medium]) == [small, medium]
    assert await shown(api, path) == ["S", "M"]
    assert (await api.get(read)).data[0]["properties"] == []


async def test_a_deactivated_size_stays_when_the_need_is_gone(api: Api) -> None:
    """Contract, Parts: what is deactivated is never lost; a replace done twice is done once."""
    path, [small, medium] = await new_range(api, "S", "M")
    request = await request_samples(api, small["id"])
    after = await put(api, path, [medium])
    assert (await api.delete(f"/api/sample-requests/{request['id']}")).status == 200
    assert await put(api, path, [medium]) == after
    assert await put(api, path, after) == after


async def test_a_charted_size_is_deactivated(api: Api) -> None:
    """Contract, Sizes: needed by a measurement chart that has a value of it."""
    path, [small] = await new_range(api, "S")
    style = await new_style(api)
    line = {"name": "Hem", "requested": [{"sizeRangeSizeId": small["id"], "value": 1}]}
    chart = f"/api/styles/{style}/measurement-chart"
    assert (await api.put(chart, {"lines": [line]})).status == 200
    assert await put(api, path, []) == [small | {"isDeactivated": True}]
    assert (await api.put(chart, {"lines": []})).status == 200


async def test_a_size_that_others_relate_to_is_deactivated(api: Api) -> None:
    """Contract, Sizes: needed by a size that stays, in this size range or another, on and on."""
    path, [small, medium, large] = await new_range(api, "S", "M", "L")
    related = "relatedSizeRangeSizeId"
    medium, large = medium | {related: small["id"]}, large | {related: medium["id"]}
    await put(api, path, [small, medium, large])
    # None of the three stays: nobody needs the others.
    assert await put(api, path, []) == []
    path, [small, medium, large] = await new_range(api, "S", "M", "L")
    medium, large = medium | {related: small["id"]}, large | {related: medium["id"]}
    await put(api, path, [small, medium, large])
    assert [size["isDeactivated"] for size in await put(api, path, [large])] == [True, True, False]
    other, _ = await new_range(api)
    await put(api, other, [{"name": "38", related: large["id"]}])
    assert [size["isDeactivated"] for size in await put(api, path, [])] == [True] * 3


async def test_deactivated_is_as_good_as_left_out(api: Api) -> None:
    """Contract, Parts: an entry with isDeactivated true."""
    path, [small, medium] = await new_range(api, "S", "M")
    await request_samples(api, small["id"])
    gone = [size | {"isDeactivated": True} for size in (small, medium)]
    assert await put(api, path, [*gone, {"name": "Never", "isDeactivated": True}]) == gone[:1]


async def test_a_deactivated_entry_without_an_id_matches_nothing(api: Api) -> None:
    path, [medium] = await new_range(api, "M")
    entries = [{"name": "M", "isDeactivated": True}, {"name": "M"}]
    assert await put(api, path, entries) == [medium]


async def test_the_grading_starts_from_one_size(api: Api) -> None:
    """Contract, Sizes: isDefaultGrading at most once; one that goes is it no longer."""
    path, [small, medium] = await new_range(api, "S", "M")
    marked = [size | {"isDefaultGrading": True} for size in (small, medium)]
    refused = await api.put(path, marked)
    assert refused.details == [("validation_error.duplicate", "[1].isDefaultGrading")]
    await put(api, path, [small, marked[1]])
    await put(api, path, [small])
    assert "defaultGradingSizeId" not in (await api.get(path.removesuffix("/sizes"))).data


async def test_ids_and_relations_are_looked_at(api: Api, other_api: Api) -> None:
    """Contract, Parts: ids of other size ranges are unknown; all is told at once, at its place."""
    path, [small] = await new_range(api, "S")
    _, [other] = await new_range(api, "M")
    _, [foreign] = await new_range(other_api, "M")
    related = "relatedSizeRangeSizeId"
    refused = await api.put(
        path,
        [{"name": "A", "id": other["id"]}, {"name": "B", related: foreign["id"]}, small,
         {"name": "C", related: 10**12}, {"name": "D", "id": foreign["id"]}],
    )  # fmt: skip
    kind = "validation_error.unknown_reference"
    fields = ("[0].id", f"[1].{related}", f"[3].{related}", "[4].id")
    assert refused.details == [(kind, field) for field in fields]
    twice = await api.put(path, [small, small])
    assert twice.details == [("validation_error.duplicate", "[1].id")]


@in_each(
    ("entry", "kind", "field"),
    [
        ({}, "required_field", "[0].name"),
        ({"name": None}, "required_field", "[0].name"),
        ({"name": " "}, "invalid_value", "[0].name"),
        ({"name": "M", "position": 1}, "unknown_field", "[0].position"),
        ({"name": "M", "id": 0}, "out_of_range", "[0].id"),
        ("M", "invalid_type", "[0]"),
    ],
)
async def test_entries_are_closed_and_typed(api: Api, entry: Any, kind: str, field: str) -> None:
    """Contract, Parts: fields are told as in a bulk body."""
    path, _ = await new_range(api)
    refused = await api.put(path, [entry])
    assert refused.details == [(f"validation_error.{kind}", field)]
    for body in (b"{}", b"7", b'"x"'):
        assert (await api.put(path, body)).details == [("validation_error.invalid_type", None)]


@pytest.mark.contract("Limits")
async def test_a_set_is_bounded_with_what_is_deactivated(api: Api) -> None:
    """Contract, Parts: at most 1,000 entries with those that are deactivated."""
    path, sizes = await new_range(api, *(str(number) for number in range(1000)))
    await request_samples(api, sizes[0]["id"])
    refused = await api.put(path, [*sizes[1:], {"name": "one more"}])
    assert refused.details == [("validation_error.too_many_items", None)]
    assert len(await put(api, path, sizes[1:])) == 1000
    assert len(await put(api, path, [{"name": f"new {number}"} for number in range(999)])) == 1000


@pytest.mark.contract("Changes")
async def test_a_renamed_size_is_a_change_of_its_requests(api: Api) -> None:
    """Contract, Parts: what others show of a part is a change of theirs."""
    path, [small, medium] = await new_range(api, "S", "M")
    requests = [await request_samples(api, size["id"]) for size in (small, small, medium)]
    first, second, third = (request["id"] for request in requests)
    size_range = int(path.split("/")[3])
    own = [("size-range-sizes", size_range), ("size-ranges", size_range)]
    follower = Follower(api)
    for sizes, expected in (
        (
            [small | {"name": "Small"}, medium | {"sizeId": "9"}],
            [
                (name, id_)
                for name in ("measurements", "sample-requests")
                for id_ in (first, second)
            ],
        ),
        # Only measured values show whether a size is deactivated.
        ([small | {"name": "Small"}], [("measurements", third)]),
        ([small | {"name": "Small"}, medium], [("measurements", third)]),
    ):
        await follower.begin()
        await put(api, path, sizes)
        entries = await follower.entries()
        reported = [(entry["collection"], entry["recordId"]) for entry in entries]
        assert reported == expected + own


@pytest.mark.contract("Tenancy")
async def test_a_foreign_size_range_is_forbidden(api: Api, other_api: Api) -> None:
    """Contract, Tenancy: size ranges alone are told apart, and so are their sizes."""
    path, _ = await new_range(other_api, "S")
    for answer in (await api.get(path), await api.put(path, [])):
        assert answer.details == [("forbidden.organization", "id")]


async def test_requests_and_removals_at_once(api: Api) -> None:
    """A size is requested while it goes: either it stays, deactivated, or nobody has it."""
    style = await new_style(api)
    for _ in range(8):
        path, [small] = await new_range(api, "S")
        body = {"styleId": style, "name": "Fit", "sizeRangeSizeIds": [small["id"]]}
        removed, requested = await asyncio.gather(
            api.put(path, []), api.post("/api/sample-requests", body)
        )
        assert removed.status == 200, removed.raw
        left = (await api.get(path)).data
        if requested.status == 201:
            assert left == [small | {"isDeactivated": True}]
        else:
            assert requested.details == [
                ("validation_error.unknown_reference", "sizeRangeSizeIds[0]")
            ]
            assert left == []
