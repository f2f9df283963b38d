"""Tests of the default size range: at most one (contract, Size ranges)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.size_ranges import RANGES, create

pytestmark = pytest.mark.contract("Size ranges")


@pytest.fixture(autouse=True)
async def ranges(api: Api) -> list[int]:
    """Size ranges, of which the first is the default and has a size."""
    sent = [{"name": f"Range {n}", "isDefault": n == 0} for n in range(13)]
    ids = [record["id"] for record in (await api.post(RANGES, sent)).data]
    assert (await api.put(f"{RANGES}/{ids[0]}/sizes", [{"name": "M"}])).status == 200
    return ids


async def default_ids(api: Api) -> list[int]:
    return [size_range["id"] for size_range in (await api.get(RANGES, {"isDefault": "true"})).data]


async def test_promoting_demotes_the_previous_default(api: Api, ranges: list[int]) -> None:
    """Contract, Size ranges: promoting isDefault demotes the previous default."""
    first, *others = ranges
    assert await default_ids(api) == [first]
    await api.patch(f"{RANGES}/{others[0]}", replacing("/isDefault", True))
    assert await default_ids(api) == [others[0]]
    body = {"name": "x", "state": "active", "isDefault": True}
    await api.put(f"{RANGES}/{others[1]}", body)
    assert await default_ids(api) == [others[1]]
    created = (await create(api, isDefault=True)).rpartition("/")[2]
    assert await default_ids(api) == [int(created)]
    bulk = [
        {"id": int(created), "name": "Kids", "state": "active"},
        {"id": first, **body},
        {"id": others[0], "name": "y", "state": "active", "isDefault": False},
    ]
    shown = (await api.put(RANGES, bulk)).data
    assert [size_range["isDefault"] for size_range in shown] == [False, True, False]
    assert await default_ids(api) == [first]


@pytest.mark.parametrize("options", [{}, {"onError": "skip"}, {"match": "userDefinedId"}])
async def test_merge_into_the_previous_default_beside_its_successor(
    api: Api, options: dict[str, str]
) -> None:
    """Contract, Merges: the previous default is demoted although its item changes other fields."""
    items: list[dict[str, Any]] = [{"name": "Kids"}, {"isDefault": True}]
    for item, key in zip(items, ("OLD-DEFAULT", "NEW-DEFAULT"), strict=True):
        path = await create(api, userDefinedId=key, isDefault=key == "OLD-DEFAULT")
        by_id = {"id": int(path.rpartition("/")[2])}
        item |= {"userDefinedId": key} if "match" in options else by_id
    assert (await api.patch(RANGES, items, params=options)).status == 200
    [default] = (await api.get(RANGES, {"isDefault": "true"})).data
    assert default["userDefinedId"] == "NEW-DEFAULT"
    [previous] = (await api.get(RANGES, {"userDefinedId": "OLD-DEFAULT"})).data
    assert (previous["name"], previous["isDefault"]) == ("Kids", False)


async def test_failed_promotion_demotes_nothing(api: Api, ranges: list[int]) -> None:
    """Bulk is all or nothing: the previous default stays when another item fails."""
    before = await default_ids(api)
    items = [
        {"id": ranges[1], "name": "x", "state": "active", "isDefault": True},
        {"id": 987654321, "name": "x", "state": "active"},
    ]
    assert (await api.put(RANGES, items)).status == 404
    assert await default_ids(api) == before == ranges[:1]


async def test_two_defaults_in_one_request_are_refused(api: Api, ranges: list[int]) -> None:
    """One request promotes one size range at most (`duplicate`)."""
    duplicate = [("validation_error.duplicate", "[2].isDefault")]
    flags = ({"isDefault": True}, {"isDefault": False}, {"isDefault": True}, {"isDefault": False})
    replaced = [
        {"id": id_, "name": "x", "state": "active", **flag}
        for id_, flag in zip(ranges, flags, strict=False)
    ]
    created = [{"name": "x", **flag} for flag in flags]
    for answer in (await api.put(RANGES, replaced), await api.post(RANGES, created)):
        assert (answer.status, answer.details) == (400, duplicate)


async def test_replace_keeps_an_omitted_default(api: Api) -> None:
    """Full replace: omitted isDefault is kept, other booleans and fields are cleared."""
    [default] = await default_ids(api)
    path = f"{RANGES}/{default}"
    await api.patch(path, replacing("/isAdvancedGrading", True))
    for extra in ({}, {"isDefault": None}):
        shown = (await api.put(path, {"name": "x", "state": "active", **extra})).data
        assert (shown["isDefault"], shown["isAdvancedGrading"]) == (True, False)
        assert shown["userDefinedId"] is None
        assert shown["sizes"]
    missing = await api.put(path, {"isDefault": True})
    assert missing.details == [
        ("validation_error.required_field", "name"),
        ("validation_error.required_field", "state"),
    ]


async def test_default_may_be_inactive_and_may_be_demoted(api: Api) -> None:
    """PUT or PATCH with state inactive is accepted; no default is no failure either."""
    [default] = await default_ids(api)
    path = f"{RANGES}/{default}"
    inactive = (await api.patch(path, replacing("/state", "inactive"))).data
    assert (inactive["state"], inactive["isDefault"]) == ("inactive", True)
    await api.patch(path, replacing("/isDefault", False))
    assert await default_ids(api) == []


async def new_default(api: Api) -> int:
    """Promote a new size range, which nothing else uses; return its id."""
    location = await create(api)
    await api.patch(location, replacing("/isDefault", True))
    return int(location.rpartition("/")[2])


async def test_default_is_not_deleted(api: Api) -> None:
    """Delete-time rules: deleting the default size range is 409 `conflict.in_use`."""
    default = await new_default(api)
    free = int((await create(api)).rpartition("/")[2])
    in_use = [("conflict.in_use", "id")]
    answer = await api.delete(f"{RANGES}/{default}")
    assert (answer.status, answer.details) == (409, in_use)
    bulk = await api.delete(RANGES, [("ids", free), ("ids", default)])
    assert (bulk.status, bulk.details) == (409, [("conflict.in_use", "ids[1]")])
    items = [
        {"id": default, "name": "x", "state": "deleted"},
        {"id": free, "name": "x", "state": "active", "isDefault": False},
    ]
    mixed = await api.put(RANGES, items)
    assert (mixed.status, mixed.details) == (409, [("conflict.in_use", "[0].id")])
    assert (await api.get(f"{RANGES}/{free}")).data["state"] == "active"
    await api.patch(f"{RANGES}/{free}", replacing("/isDefault", True))
    assert (await api.delete(f"{RANGES}/{default}")).data["state"] == "deleted"


async def test_default_is_deleted_along_with_naming_its_successor(api: Api) -> None:
    """Judged by the state after the request, which has one default that is not deleted."""
    default = await new_default(api)
    free = int((await create(api)).rpartition("/")[2])
    items = [
        {"id": default, "name": "x", "state": "deleted"},
        {"id": free, "name": "x", "state": "active", "isDefault": True},
    ]
    gone, promoted = (await api.put(RANGES, items)).data
    assert (gone["state"], gone["isDefault"]) == ("deleted", False)
    assert promoted["isDefault"]
    assert await default_ids(api) == [free]


async def test_deleted_record_is_not_promoted(api: Api) -> None:
    """A deleted size range cannot be the default, unless the same write restores it."""
    path = await create(api)
    await api.delete(path)
    answer = await api.patch(path, replacing("/isDefault", True))
    assert (answer.status, answer.details) == (
        400,
        [("validation_error.invalid_value", "isDefault")],
    )
    both = replacing("/isDefault", True) + replacing("/state", "active")
    assert (await api.patch(path, both)).data["isDefault"]
