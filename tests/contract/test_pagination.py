"""Pagination tests, by number and by cursor (contract, Pages; contract, Cursors).

Walks go at page size 1, over every mix of two sort directions with nulls, against the order that
the documents themselves have.
"""

from itertools import product

import pytest

from service.listing.properties import Properties, Property
from service.routes import Route
from tests.support.api import Api
from tests.support.listing import Record, everything, ordered, sort_key, text, walk
from tests.support.parametrize import of_each_list

pytestmark = pytest.mark.contract("Pages", "Cursors")

GROUPS = "/api/groups"
WALKED = 9


def two_distinguishing_keys(properties: Properties, records: list[Record]) -> list[Property]:
    """Return two fields to sort by, with nulls and ties among their values if possible."""

    def rank(prop: Property) -> tuple[bool, bool]:
        values = [record.get(prop.name) for record in records]
        has_nulls = None in values and any(value is not None for value in values)
        return has_nulls, len(set(values)) < len(values)

    candidates = [prop for prop in properties.values() if prop.sortable]
    candidates = [prop for prop in candidates if prop.name != properties.key]
    return sorted(candidates, key=rank, reverse=True)[:2]


def mixed(records: list[Record], keys: list[Property]) -> list[Record]:
    """Return a few records, as many without a value in either field as with."""
    halves: dict[tuple[bool, ...], list[Record]] = {}
    for record in records:
        halves.setdefault(tuple(sort_key(key)(record)[0] for key in keys), []).append(record)
    turns = [half[turn] for turn in range(WALKED) for half in halves.values() if turn < len(half)]
    return turns[:WALKED]


@pytest.mark.contract("Sorts")
@of_each_list
async def test_walks_at_page_size_one_in_every_mix_of_directions(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    assert route.resource is not None
    path, properties = route.path.format(**stored), route.resource.properties
    records = await everything(shared_api, path, properties)
    keys = two_distinguishing_keys(properties, records)
    few = mixed(records, keys)
    filters = [(properties.key, text(record[properties.key])) for record in few]
    if "state" in properties:
        filters += [("state", state) for state in ("active", "inactive", "deleted")]
    for directions in product((False, True), repeat=len(keys)):
        expected = ordered(few, *zip(keys, directions, strict=True))
        params = [*filters, ("pageSize", "1")]
        for number, (key, descending) in enumerate(zip(keys, directions, strict=True)):
            params.append((f"sort[{number}].property", key.name))
            params.append((f"sort[{number}].order", "desc" if descending else "asc"))
        assert await walk(shared_api, path, params) == expected, (keys, directions)
        for number, record in enumerate(expected, start=1):
            page = await shared_api.get(path, [*params, ("pageNumber", text(number))])
            assert page.data == [record]
            assert page.json["pagination"]["hasMore"] is (number < len(expected))


async def test_default_pages(shared_api: Api) -> None:
    first = await shared_api.get(GROUPS)
    assert len(first.data) == 30
    assert first.json["pagination"]["hasMore"] is True
    assert (await shared_api.get(GROUPS, {"pageSize": 30, "pageNumber": 1})).data == first.data
    second = await shared_api.get(GROUPS, {"pageNumber": 2})
    assert second.data[0]["id"] > first.data[-1]["id"]
    beyond = await shared_api.get(GROUPS, {"pageNumber": 2**31 - 1, "pageSize": 100})
    assert (beyond.status, beyond.json["data"]) == (200, [])
    assert beyond.json["pagination"] == {"hasMore": False}


async def test_a_cursor_carries_on_from_a_page_by_its_number(shared_api: Api) -> None:
    params = {"pageSize": 7, "pageNumber": 3, "sort[0].property": "name"}
    third = await shared_api.get(GROUPS, params)
    fourth = await shared_api.get(GROUPS, {"cursor": third.json["pagination"]["cursor"]})
    assert fourth.data == (await shared_api.get(GROUPS, params | {"pageNumber": 4})).data


@pytest.mark.contract("Sorts")
async def test_sorting_by_the_id_is_enough(shared_api: Api) -> None:
    """Sort keys after the id change nothing."""
    params = [("sort[0].property", "id"), ("sort[0].order", "desc"), ("sort[1].property", "name")]
    records = await walk(shared_api, GROUPS, [*params, ("pageSize", "5")])
    ids = [record["id"] for record in records]
    assert ids == sorted(ids, reverse=True)


async def test_walking_while_others_write_neither_repeats_nor_skips(shared_api: Api) -> None:
    mark = "~walk"
    made = await shared_api.post(
        GROUPS, [{"name": f"{mark} {number:02}", "userDefinedId": "w"} for number in range(20)]
    )
    standing = {record["id"]: record["name"] for record in made.data}
    gone, changed = made.data[3]["id"], made.data[17]["id"]
    params = [
        ("filter[0].property", "name"),
        ("filter[0].operator", "startsWith"),
        ("filter[0].value", mark),
        ("sort[0].property", "userDefinedId"),
        ("sort[0].order", "desc"),
        ("sort[1].property", "name"),
        ("pageSize", "4"),
    ]
    answer, seen = await shared_api.get(GROUPS, params), list[int]()
    for turn in range(20):
        seen += [record["id"] for record in answer.data]
        if not answer.json["pagination"]["hasMore"]:
            break
        new = [{"name": f"{mark} {suffix}", "userDefinedId": "w"} for suffix in ("!", "05!", "99")]
        await shared_api.post(GROUPS, new if turn < 3 else new[:2])
        if turn == 1:
            await shared_api.delete(f"{GROUPS}/{gone}")
            change = [{"op": "replace", "path": "/state", "value": "inactive"}]
            await shared_api.patch(f"{GROUPS}/{changed}", change)
        answer = await shared_api.get(GROUPS, {"cursor": answer.json["pagination"]["cursor"]})
    else:
        raise AssertionError("the walk does not end")
    assert len(seen) == len(set(seen))
    assert [id_ for id_ in seen if id_ in standing] == list(standing)
    leftover = await walk(shared_api, GROUPS, params[:3])
    await shared_api.delete(GROUPS, [("ids", text(record["id"])) for record in leftover])
