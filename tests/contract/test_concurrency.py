"""Concurrency tests: no deadlock reaches a caller, batches stay whole (contract, Transactions)."""

import asyncio
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from tests.support import generate
from tests.support.api import Answer, Api, replacing

pytestmark = pytest.mark.contract("Transactions")

COLORS, GROUPS = "/api/colors", "/api/groups"
ROUNDS = 4


@pytest.mark.parametrize(
    "resource", MASTER_RECORDS, ids=[resource.name for resource in MASTER_RECORDS]
)
async def test_crossed_batches_both_succeed_and_the_outcome_is_one_of_them(
    resource: MasterRecord, shared_api: Api
) -> None:
    path, references = f"/api/{resource.name}", await generate.references(shared_api)
    bodies = [generate.body(resource, "create", references, Random(5)) for _ in range(30)]
    made = await shared_api.post(path, bodies)
    ids = [record["id"] for record in made.data]
    label = next((name for name in ("text", "name") if name in made.data[0]), None)

    def batch(caller: str, turn: int) -> list[dict[str, Any]]:
        seed = Random(f"{caller}{turn}")
        items = [generate.body(resource, "replace", references, seed) for _ in ids]
        own = {label: f"{caller} {turn}"} if label else {}
        return [
            generate.with_state(resource, item | {"id": id_} | own, "active")
            for item, id_ in zip(items, ids, strict=True)
        ]

    for turn in range(ROUNDS):
        first, second = batch("one", turn), batch("other", turn)[::-1]
        answers = await asyncio.gather(shared_api.put(path, first), shared_api.put(path, second))
        assert [answer.status for answer in answers] == [200, 200], answers
        params = [("id", str(id_)) for id_ in ids] + [("pageSize", "100")]
        stored = (await shared_api.get(path, params)).data
        sent = first[0] if label else min(first, key=lambda item: item["id"])
        apart = next((name for name in ("sku", "fileName") if name in sent), None)
        names = [label] if label else [apart] if apart else [*sent]
        winners = [{tuple(map(item.get, names)) for item in batch} for batch in (first, second)]
        assert {tuple(map(record.get, names)) for record in stored} in winners
    gone = [("ids", str(id_)) for id_ in ids]
    at_once = await asyncio.gather(
        shared_api.delete(path, gone), shared_api.delete(path, gone[::-1])
    )
    statuses = sorted(answer.status for answer in at_once)
    assert statuses == ([200, 404] if "purge" in resource.statements else [200, 200])


async def test_patches_at_once_lose_no_update(shared_api: Api) -> None:
    location = (await shared_api.post(COLORS, {"name": "Contested"})).headers["Location"]
    fields = ("userDefinedId", "userDefinedId2", "colorReference", "colorNote", "name")
    for turn in range(ROUNDS):
        answers = await asyncio.gather(
            *(shared_api.patch(location, replacing(f"/{n}", f"{n} {turn}")) for n in fields)
        )
        assert {answer.status for answer in answers} == {200}
        stored = (await shared_api.get(location)).data
        assert [stored[name] for name in fields] == [f"{name} {turn}" for name in fields]
    await shared_api.delete(location)


@pytest.mark.contract("Preconditions")
async def test_one_of_several_conditional_writers_wins(shared_api: Api) -> None:
    made = await shared_api.post(GROUPS, {"name": "Contested"})
    location, expected = made.headers["Location"], {"If-Match": made.headers["ETag"]}
    answers = await asyncio.gather(
        *(
            shared_api.put(location, {"name": f"{n}", "state": "active"}, headers=expected)
            for n in range(8)
        )
    )
    won = [answer for answer in answers if answer.status == 200]
    assert sorted(answer.status for answer in answers) == [200, *[412] * 7]
    assert (await shared_api.get(location)).data == won[0].data
    await shared_api.delete(location)


async def test_readers_see_a_batch_whole(shared_api: Api) -> None:
    made = await shared_api.post(GROUPS, [{"name": "~whole 0"} for _ in range(50)])
    ids = [record["id"] for record in made.data]
    query = [
        ("filter[0].property", "name"),
        ("filter[0].operator", "startsWith"),
        ("filter[0].value", "~whole"),
        ("pageSize", "100"),
    ]

    async def write() -> list[Answer]:
        return [
            await shared_api.put(
                GROUPS, [{"id": id_, "name": f"~whole {turn}", "state": "active"} for id_ in ids]
            )
            for turn in range(1, 16)
        ]

    writing = asyncio.create_task(write())
    while not writing.done():
        seen = (await shared_api.get(GROUPS, query)).data
        assert len(seen) == 50
        assert len({record["name"] for record in seen}) == 1
    assert {answer.status for answer in await writing} == {200}
    await shared_api.delete(GROUPS, [("ids", str(id_)) for id_ in ids])


@pytest.mark.contract("Shares")
async def test_a_caller_that_hangs_up_leaves_nothing_behind(shared_api: Api) -> None:
    """More of them than there are connections, and the next caller is served all the same."""
    items = [{"name": "~hung up", "colorGroupIds": [1, 2, 3]} for _ in range(300)]
    for number in range(10):
        task = asyncio.create_task(shared_api.post(COLORS, items))
        await asyncio.sleep(0.002 * number)
        task.cancel()
        with suppress(asyncio.CancelledError):  # a fast service may have answered
            await task
    answer = await shared_api.get(GROUPS)
    assert answer.status == 200
    third = {"name": "~hung up", "pageSize": "100", "pageNumber": "3"}
    left = await shared_api.get(COLORS, third)
    assert len(left.data) in (0, 100)
