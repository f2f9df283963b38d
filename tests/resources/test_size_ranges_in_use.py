"""Tests of size ranges in use, and of sizes of deleted ranges (contract, States, Sizes)."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest

from tests.support.api import Answer, Api

pytestmark = pytest.mark.contract("States", "Sizes", "Size ranges")

RANGES = "/api/size-ranges"
ROUNDS = 6
_numbers = count(1)


async def new_range(api: Api, related: int | None = None) -> tuple[str, int]:
    """Create a size range of one size; return its path and the size's id."""
    location: str = (await api.post(RANGES, {"name": "Run"})).headers["Location"]
    body = [{"name": "M", "relatedSizeRangeSizeId": related}]
    [size] = (await api.put(f"{location}/sizes", body)).data
    return location, size["id"]


async def new_style(api: Api) -> str:
    body = {"number": f"IN-{next(_numbers)}", "name": "Vest"}
    return str((await api.post("/api/styles", body)).headers["Location"])


async def request_sample(api: Api, size: int) -> Answer:
    style = int((await new_style(api)).rpartition("/")[2])
    body = {"name": "Proto", "styleId": style, "sizeRangeSizeIds": [size]}
    return await api.post("/api/sample-requests", body)


async def chart(api: Api, size: int) -> Answer:
    lines = [{"name": "Chest", "requested": [{"sizeRangeSizeId": size, "value": "1"}]}]
    return await api.put(f"{await new_style(api)}/measurement-chart", {"lines": lines})


async def relate(api: Api, size: int) -> Answer:
    location, _ = await new_range(api)
    return await api.put(f"{location}/sizes", [{"name": "M", "relatedSizeRangeSizeId": size}])


Use = Callable[[Api, int], Awaitable[Answer]]
#: By what a size is used: how, what the message calls it, and the field that names the size.
USES: dict[str, tuple[Use, str]] = {
    "sample requests": (request_sample, "sizeRangeSizeIds[0]"),
    "measurement charts": (chart, "lines[0].requested[0].sizeRangeSizeId"),
    "size ranges": (relate, "sizes[0].relatedSizeRangeSizeId"),
}
of_each_use = pytest.mark.parametrize("users", USES)


def field(users: str) -> str:
    return USES[users][1].removeprefix("sizes")


@of_each_use
async def test_a_size_range_in_use_is_not_deleted(users: str, api: Api) -> None:
    location, size = await new_range(api)
    for _ in range(2):
        assert (await USES[users][0](api, size)).status < 300
    item = {"id": int(location.rpartition("/")[2]), "name": "Run", "state": "deleted"}
    for answer, name in (
        (await api.delete(location), "id"),
        (await api.delete(RANGES, {"ids": item["id"]}), "ids[0]"),
        (await api.put(RANGES, [item]), "[0].id"),
    ):
        assert (answer.status, answer.details) == (409, [("conflict.in_use", name)])
        [row] = answer.json["error"]["details"]
        assert re.fullmatch(rf"Used by {users}: 2 \(\d+[^,]*, \d+[^,]*\)\.", row["value"])
    assert (await api.get(location)).data["state"] == "active"


@of_each_use
async def test_sizes_of_a_deleted_range_are_unknown(users: str, api: Api) -> None:
    location, size = await new_range(api)
    assert (await api.delete(location)).status == 200
    refused = await USES[users][0](api, size)
    unknown = ("validation_error.unknown_reference", field(users))
    assert (refused.status, refused.details) == (400, [unknown])


@of_each_use
async def test_a_range_is_used_or_deleted(users: str, api: Api) -> None:
    for turn in range(ROUNDS):
        location, size = await new_range(api)

        async def delete(location: str = location, turn: int = turn) -> Answer:
            await asyncio.sleep(turn % 4 * 0.002)
            return await api.delete(location)

        used, deleted = await asyncio.gather(USES[users][0](api, size), delete())
        if used.status < 300:
            assert (deleted.status, deleted.details) == (409, [("conflict.in_use", "id")])
        else:
            unknown = [("validation_error.unknown_reference", field(users))]
            assert (deleted.status, used.details) == (200, unknown)


async def test_charts_of_deleted_styles_are_no_users(api: Api) -> None:
    """But the style comes back only while the sizes of its chart are there."""
    location, size = await new_range(api)
    style = await new_style(api)
    lines = [{"name": "Chest", "requested": [{"sizeRangeSizeId": size, "value": "1"}]}]
    assert (await api.put(f"{style}/measurement-chart", {"lines": lines})).status == 200
    body = (await api.get(style, {"form": "writable"})).data
    assert (await api.delete(style)).status == 200
    assert (await api.delete(location)).status == 200
    refused = await api.put(style, body)
    unknown = [("validation_error.unknown_reference", "state")]
    assert (refused.status, refused.details) == (400, unknown)
    assert (await api.put(location, {"name": "Run", "state": "active"})).status == 200
    assert (await api.put(style, body)).status == 200


async def test_a_style_is_restored_or_its_range_is_deleted(api: Api) -> None:
    for turn in range(ROUNDS):
        location, size = await new_range(api)
        style = await new_style(api)
        lines = [{"name": "Chest", "requested": [{"sizeRangeSizeId": size, "value": "1"}]}]
        await api.put(f"{style}/measurement-chart", {"lines": lines})
        body = (await api.get(style, {"form": "writable"})).data
        await api.delete(style)

        async def delete(location: str = location, turn: int = turn) -> Answer:
            await asyncio.sleep(turn % 4 * 0.002)
            return await api.delete(location)

        restored, deleted = await asyncio.gather(api.put(style, body), delete())
        assert sorted((restored.status, deleted.status)) in ([200, 400], [200, 409])


async def chain(api: Api, length: int) -> list[dict[str, Any]]:
    """Create size ranges that relate each to the one before; return items that delete them."""
    items, size = [], None
    for _ in range(length):
        location, size = await new_range(api, size)
        items.append({"id": int(location.rpartition("/")[2]), "name": "Run", "state": "deleted"})
    return items


async def test_users_that_go_along_do_not_count(api: Api) -> None:
    """Nor do they count when they come back along; alone they do not."""
    items = await chain(api, 3)
    first, second, _ = items
    refused = await api.put(RANGES, items[:2])
    assert refused.details == [("conflict.in_use", "[1].id")]
    assert (await api.put(RANGES, items)).status == 200
    live = [item | {"state": "active"} for item in items]
    refused = await api.put(RANGES, live[1:])
    assert refused.details == [("validation_error.unknown_reference", "[0].state")]
    assert (await api.put(RANGES, live)).status == 200
    assert (await api.put(RANGES, items)).status == 200
    # What one of them relates to goes while it comes back.
    assert (await api.put(RANGES, live[:1])).status == 200
    refused = await api.put(RANGES, [first, second | {"state": "active"}])
    assert refused.details == [("conflict.in_use", "[0].id")]


async def test_a_skipped_deletion_keeps_what_it_relates_to(api: Api) -> None:
    """However long the chain is: the last size range is in use by a sample request."""
    items = await chain(api, 6)
    [size] = (await api.get(f"{RANGES}/{items[-1]['id']}")).data["sizes"]
    assert (await request_sample(api, size["id"])).status == 201
    skipped = await api.put(RANGES, items, params={"onError": "skip"})
    assert [row["outcome"] for row in skipped.data] == ["failed"] * 6
    read = [(await api.get(f"{RANGES}/{item['id']}")).data["state"] for item in items]
    assert read == ["active"] * 6


async def test_a_skipped_restoration_leaves_what_relates_to_it(api: Api) -> None:
    items = await chain(api, 6)
    assert (await api.put(RANGES, items)).status == 200
    live = [item | {"state": "active"} for item in items]
    live[0]["name"] = ""
    skipped = await api.put(RANGES, live, params={"onError": "skip"})
    assert [row["outcome"] for row in skipped.data] == ["failed"] * 6


async def test_the_sizes_of_a_deleted_range_can_be_sent_back(api: Api) -> None:
    """With relations within it, and to sizes of another range that was deleted later."""
    other, size = await new_range(api)
    location, _ = await new_range(api, size)
    [stored_size] = (await api.get(f"{location}/sizes")).data
    both = [stored_size, {"name": "L", "relatedSizeRangeSizeId": stored_size["id"]}]
    stored = (await api.put(f"{location}/sizes", both)).data
    assert len(stored) == 2
    for path in (location, other):
        assert (await api.delete(path)).status == 200
    assert (await api.put(f"{location}/sizes", stored)).data == stored
