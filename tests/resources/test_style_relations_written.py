"""Style relations as callers write them (contract, Style relations)."""

import asyncio
from typing import Any

import pytest

from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Style relations")

RELATIONS, STYLES = "/api/style-relations", "/api/styles"
DUPLICATE = ("conflict.duplicate", "relatedStyleId")


async def styles(api: Api, number: int) -> list[int]:
    made = await api.post(STYLES, [{"number": f"SV-{n}", "name": "Vest"} for n in range(number)])
    return [style["id"] for style in made.data]


def pair(one: int, other: int) -> dict[str, int]:
    return {"styleId": one, "relatedStyleId": other}


async def test_fields(api: Api) -> None:
    """The two styles are written, the related one's number and name shown; there is no state."""
    one, other, third = await styles(api, 3)
    made = await api.post(RELATIONS, pair(one, other))
    shown = {"relatedStyleNumber": "SV-1", "relatedStyleName": "Vest"}
    assert made.data == {"id": made.data["id"], **pair(one, other), **shown}
    place = made.headers["Location"]
    assert (await api.get(place, {"form": "writable"})).data == pair(one, other)
    replaced = await api.put(place, pair(third, one))
    assert replaced.data["relatedStyleNumber"] == "SV-0"
    stated = await api.put(RELATIONS, [{"id": made.data["id"], **pair(one, other), "state": "x"}])
    assert stated.details == [("validation_error.unknown_field", "[0].state")]


async def test_deleted_for_good(api: Api) -> None:
    """The answer is the document; afterwards there is no such record, and its pair is free."""
    one, other = await styles(api, 2)
    made = await api.post(RELATIONS, pair(one, other))
    place = made.headers["Location"]
    assert (await api.delete(place)).data == made.data
    assert (await api.get(place)).status == 404
    assert (await api.delete(place)).status == 404
    assert (await api.post(RELATIONS, pair(one, other))).status == 201


async def test_none_to_itself(api: Api) -> None:
    [one] = await styles(api, 1)
    wrong = [("validation_error.invalid_value", "relatedStyleId")]
    assert (await api.post(RELATIONS, pair(one, one))).details == wrong


async def test_a_pair_once(api: Api) -> None:
    """Stored already: 409; twice in a request: 400; the other way around is another pair."""
    one, other, third = await styles(api, 3)
    first, second = (await api.post(RELATIONS, [pair(one, other), pair(other, one)])).data
    refused = await api.post(RELATIONS, pair(one, other))
    assert (refused.status, refused.details) == (409, [DUPLICATE])
    refused = await api.put(f"{RELATIONS}/{second['id']}", pair(one, other))
    assert (refused.status, refused.details) == (409, [DUPLICATE])
    twice = await api.post(RELATIONS, [pair(one, third), pair(one, third)])
    assert twice.details == [("validation_error.duplicate", "[1].relatedStyleId")]
    again = await api.put(f"{RELATIONS}/{first['id']}", pair(one, other))
    assert again.data == first


async def test_pairs_change_places_within_a_request(api: Api) -> None:
    one, other = await styles(api, 2)
    made = (await api.post(RELATIONS, [pair(one, other), pair(other, one)])).data
    first, second = (relation["id"] for relation in made)
    swapped = [{"id": first, **pair(other, one)}, {"id": second, **pair(one, other)}]
    answer = await api.put(RELATIONS, swapped)
    assert answer.status == 200, answer.raw
    assert [(each["styleId"], each["relatedStyleId"]) for each in answer.data] == [
        (other, one),
        (one, other),
    ]


async def test_unknown_and_deleted_styles(api: Api, other_api: Api) -> None:
    """Of either side, told at its field."""
    one, gone = await styles(api, 2)
    [theirs] = await styles(other_api, 1)
    assert (await api.delete(f"{STYLES}/{gone}")).status == 200
    for unknown in (987654321, gone, theirs):
        for field in ("styleId", "relatedStyleId"):
            sent = {"styleId": one, "relatedStyleId": one, field: unknown}
            refused = await api.post(RELATIONS, sent)
            assert refused.details == [("validation_error.unknown_reference", field)]


async def test_of_two_that_make_one_pair_one_is_refused(api: Api) -> None:
    for _ in range(8):
        one, other = await styles(api, 2)
        answers = await asyncio.gather(*(api.post(RELATIONS, pair(one, other)) for _ in range(3)))
        assert sorted(answer.status for answer in answers) == [201, 409, 409]


@pytest.mark.contract("States")
async def test_a_style_is_related_or_deleted(api: Api) -> None:
    for turn in range(12):
        one, other = await styles(api, 2)
        gone = (one, other)[turn % 2]

        async def delete(gone: int = gone, turn: int = turn) -> Any:
            await asyncio.sleep(turn % 4 * 0.002)
            return await api.delete(f"{STYLES}/{gone}")

        related, deleted = await asyncio.gather(api.post(RELATIONS, pair(one, other)), delete())
        if related.status == 201:
            assert (deleted.status, deleted.details) == (409, [("conflict.in_use", "id")])
        else:
            field = ("styleId", "relatedStyleId")[turn % 2]
            unknown = [("validation_error.unknown_reference", field)]
            assert (deleted.status, related.details) == (200, unknown)


@pytest.mark.contract("Changes")
async def test_a_changed_name_is_shown(api: Api) -> None:
    one, other = await styles(api, 2)
    place = (await api.post(RELATIONS, pair(one, other))).headers["Location"]
    await api.patch(f"{STYLES}/{other}", replacing("/name", "Gilet"))
    assert (await api.get(place)).data["relatedStyleName"] == "Gilet"
