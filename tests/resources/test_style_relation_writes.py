"""Tests of writes of style relations (contract, Style relations)."""

import asyncio
from typing import Any

import pytest

from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Style relations")

RELATIONS, STYLES = "/api/style-relations", "/api/styles"
MATCH = {"match": "relatedStyleId"}
DUPLICATE = ("conflict.duplicate", "relatedStyleId")


async def styles(api: Api, number: int) -> list[int]:
    made = await api.post(STYLES, [{"number": f"SV-{n}", "name": "Vest"} for n in range(number)])
    return [style["id"] for style in made.data]


def pair(style_id: int, related_id: int) -> dict[str, int]:
    return {"styleId": style_id, "relatedStyleId": related_id}


async def test_fields(api: Api) -> None:
    """The two styles are written, the related one's number and name shown; there is no state."""
    first, second, third = await styles(api, 3)
    made = await api.post(RELATIONS, pair(first, second))
    shown = {"relatedStyleNumber": "SV-1", "relatedStyleName": "Vest"}
    assert made.data == {"id": made.data["id"], **pair(first, second), **shown}
    location = made.headers["Location"]
    assert (await api.get(location, {"form": "writable"})).data == pair(first, second)
    replaced = await api.put(location, pair(third, first))
    assert replaced.data["relatedStyleNumber"] == "SV-0"
    stated = await api.put(
        RELATIONS, [{"id": made.data["id"], **pair(first, second), "state": "x"}]
    )
    assert stated.details == [("validation_error.unknown_field", "[0].state")]


async def test_deleted_for_good(api: Api) -> None:
    """The answer is the document; afterwards there is no such record, and its pair is free."""
    first, second = await styles(api, 2)
    made = await api.post(RELATIONS, pair(first, second))
    location = made.headers["Location"]
    assert (await api.delete(location)).data == made.data
    assert (await api.get(location)).status == 404
    assert (await api.delete(location)).status == 404
    assert (await api.post(RELATIONS, pair(first, second))).status == 201


async def test_none_to_itself(api: Api) -> None:
    [style_id] = await styles(api, 1)
    wrong = [("validation_error.invalid_value", "relatedStyleId")]
    assert (await api.post(RELATIONS, pair(style_id, style_id))).details == wrong


async def test_a_pair_once(api: Api) -> None:
    """Stored already: 409; twice in a request: 400; the other way around is another pair."""
    first_style, second_style, third = await styles(api, 3)
    first, second = (
        await api.post(
            RELATIONS, [pair(first_style, second_style), pair(second_style, first_style)]
        )
    ).data
    refused = await api.post(RELATIONS, pair(first_style, second_style))
    assert (refused.status, refused.details) == (409, [DUPLICATE])
    refused = await api.put(f"{RELATIONS}/{second['id']}", pair(first_style, second_style))
    assert (refused.status, refused.details) == (409, [DUPLICATE])
    twice = await api.post(RELATIONS, [pair(first_style, third), pair(first_style, third)])
    assert twice.details == [("validation_error.duplicate", "[1].relatedStyleId")]
    again = await api.put(f"{RELATIONS}/{first['id']}", pair(first_style, second_style))
    assert again.data == first


async def test_pairs_change_places_within_a_request(api: Api) -> None:
    first_style, second_style = await styles(api, 2)
    made = (
        await api.post(
            RELATIONS, [pair(first_style, second_style), pair(second_style, first_style)]
        )
    ).data
    first, second = (relation["id"] for relation in made)
    swapped = [
        {"id": first, **pair(second_style, first_style)},
        {"id": second, **pair(first_style, second_style)},
    ]
    answer = await api.put(RELATIONS, swapped)
    assert answer.status == 200, answer.raw
    assert [(each["styleId"], each["relatedStyleId"]) for each in answer.data] == [
        (second_style, first_style),
        (first_style, second_style),
    ]


async def test_unknown_and_deleted_styles(api: Api, other_api: Api) -> None:
    """Of either side, told at its field."""
    style_id, gone = await styles(api, 2)
    [theirs] = await styles(other_api, 1)
    assert (await api.delete(f"{STYLES}/{gone}")).status == 200
    for unknown in (987654321, gone, theirs):
        for field in ("styleId", "relatedStyleId"):
            sent = {"styleId": style_id, "relatedStyleId": style_id, field: unknown}
            refused = await api.post(RELATIONS, sent)
            assert refused.details == [("validation_error.unknown_reference", field)]


async def test_concurrent_creations_of_a_pair_make_one_relation(api: Api) -> None:
    for _ in range(8):
        first, second = await styles(api, 2)
        answers = await asyncio.gather(
            *(api.post(RELATIONS, pair(first, second)) for _ in range(3))
        )
        assert sorted(answer.status for answer in answers) == [201, 409, 409]


@pytest.mark.contract("States")
async def test_a_style_is_related_or_deleted(api: Api) -> None:
    for turn in range(12):
        first, second = await styles(api, 2)
        gone = (first, second)[turn % 2]

        async def delete(gone: int = gone, turn: int = turn) -> Any:
            await asyncio.sleep(turn % 4 * 0.002)
            return await api.delete(f"{STYLES}/{gone}")

        related, deleted = await asyncio.gather(api.post(RELATIONS, pair(first, second)), delete())
        if related.status == 201:
            assert (deleted.status, deleted.details) == (409, [("conflict.in_use", "id")])
        else:
            field = ("styleId", "relatedStyleId")[turn % 2]
            unknown = [("validation_error.unknown_reference", field)]
            assert (deleted.status, related.details) == (200, unknown)


@pytest.mark.contract("Changes")
async def test_a_changed_name_is_shown(api: Api) -> None:
    first, second = await styles(api, 2)
    location = (await api.post(RELATIONS, pair(first, second))).headers["Location"]
    await api.patch(f"{STYLES}/{second}", replacing("/name", "Gilet"))
    assert (await api.get(location)).data["relatedStyleName"] == "Gilet"


@pytest.mark.contract("Own keys")
async def test_a_pair_is_an_own_key(api: Api) -> None:
    """Outcomes show the number of the related style, by key and by id."""
    first, second, third = await styles(api, 3)
    pairs = [pair(first, second), pair(third, second)]
    runs = await asyncio.gather(*(api.put(RELATIONS, pairs, params=MATCH) for _ in range(3)))
    assert sorted(run.data[0]["outcome"] for run in runs) == ["created", "unchanged", "unchanged"]
    assert all([row["key"] for row in run.data] == ["SV-1", "SV-1"] for run in runs)
    ids = [row["id"] for row in runs[0].data]
    merged = await api.patch(RELATIONS, [pairs[0], pair(second, third)], params=MATCH)
    assert [(row["outcome"], row["key"]) for row in merged.data] == [
        ("unchanged", "SV-1"),
        ("created", "SV-2"),
    ]
    gone = [item | {"state": "deleted"} for item in (pairs[0], pair(first, third))]
    deleted = await api.put(RELATIONS, gone, params=MATCH)
    assert [(row["outcome"], row["id"], row["key"]) for row in deleted.data] == [
        ("deleted", ids[0], "SV-1"),
        ("absent", None, "SV-2"),
    ]
    by_id = await api.delete(RELATIONS, {"ids": ids[1], "dryRun": "true"})
    assert by_id.data[0]["key"] == "SV-1"


@pytest.mark.contract("Own keys")
async def test_wrong_pairs_fail_by_key_as_by_id(api: Api) -> None:
    first, second, _ = await styles(api, 3)
    items = [pair(first, second), pair(first, second), pair(first, first), pair(first, 10**15)]
    params = {**MATCH, "onError": "skip"}
    failed = await api.put(RELATIONS, items, params=params)
    types = [row["details"][0]["type"] for row in failed.data]
    wrong = ("duplicate", "duplicate", "invalid_value", "unknown_reference")
    assert types == [f"validation_error.{name}" for name in wrong]
    text = await api.put(RELATIONS, [pair(first, second) | {"relatedStyleId": "x"}], params=MATCH)
    assert text.details == [("validation_error.invalid_type", "[0].relatedStyleId")]
