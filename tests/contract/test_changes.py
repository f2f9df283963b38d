"""Tests of the change feed as callers follow it (contract, Changes)."""

import asyncio
import time
from argparse import Namespace
from contextlib import AsyncExitStack
from typing import Any, cast

import asyncpg
import pytest

from service.extras.commands import administration
from service.feed import change_feed, long_poll
from service.handlers.retention import Retention
from service.http.context import DATABASE
from tests.support.api import Answer, Api, replacing
from tests.support.changes import PATH, Follower
from tests.support.inserted_rows import execute
from tests.support.openapi_validation import is_failure
from tests.support.receivers import make
from tests.support.time_limits import until, within

pytestmark = pytest.mark.contract("Changes")

GROUPS, FIELDS, SUPPLIERS = "/api/groups", "/api/style-custom-fields", "/api/sub-suppliers"


def cursor_of(answer: Answer) -> str:
    assert answer.status == 200, answer.raw
    return str(answer.json["pagination"]["cursor"])


async def now(api: Api, **params: str) -> str:
    return cursor_of(await api.get(PATH, {"from": "now", **params}))


async def test_entries_name_key_request_and_time(api: Api, other_api: Api) -> None:
    [group] = await make(api, 1)
    headers = {"X-Request-Id": "rename-7"}
    await api.patch(f"{GROUPS}/{group}", replacing("/name", "Knit"), headers=headers)
    created, updated = (await api.get(PATH)).data
    assert list(updated) == [
        "n", "at", "collection", "recordId", "operation", "apiKeyId", "requestId",
    ]  # fmt: skip
    assert (updated["n"], updated["collection"], updated["recordId"]) == (2, "groups", group)
    assert (created["operation"], updated["operation"]) == ("created", "updated")
    assert updated["apiKeyId"] == int(api.key.split("_")[2])
    assert updated["requestId"] == "rename-7"
    assert created["at"] < updated["at"]
    assert (await other_api.get(PATH)).data == []


async def test_the_cursor_is_always_there_and_goes_on(api: Api) -> None:
    start = await now(api)
    assert cursor_of(await api.get(PATH, {"cursor": start})) == start
    ids = await make(api, 7)
    for limit in ("1", "3", "7", "8"):
        follower = Follower(api, limit=limit)
        follower.cursor = cursor_of(await api.get(PATH, {"limit": limit}))
        first = (await api.get(PATH, {"limit": limit})).data
        pages = [first, *[page async for page in follower.pages()]]
        assert [entry["recordId"] for page in pages for entry in page] == ids
        assert all(len(page) <= int(limit) for page in pages)


async def test_filters(api: Api) -> None:
    start = {name: await now(api, collection=name) for name in ("groups", "style-custom-fields")}
    first, second = await make(api, 2)
    field = {"name": "Fit", "type": "text", "associatedGroups": [{"id": second}]}
    restricted = (await api.post(FIELDS, field)).data["id"]
    await api.patch(f"{GROUPS}/{second}", replacing("/name", "Knit"))
    await api.delete(f"{GROUPS}/{first}")
    fields = (await api.get(PATH, {"cursor": start["style-custom-fields"]})).data
    assert [(entry["recordId"], entry["operation"]) for entry in fields] == [
        (restricted, "created"),
        (restricted, "updated"),
    ]
    groups = (await api.get(PATH, {"cursor": start["groups"]})).data
    assert [entry["recordId"] for entry in groups] == [first, second, second, first]
    both = [("collection", "groups"), ("collection", "style-custom-fields")]
    assert len((await api.get(PATH, both)).data) == 6
    of_one = {"collection": "groups", "recordId": str(first)}
    assert [entry["operation"] for entry in (await api.get(PATH, of_one)).data] == [
        "created",
        "deleted",
    ]
    of_field = {"collection": "style-custom-fields", "recordId": str(restricted)}
    assert len((await api.get(PATH, of_field)).data) == 2


async def test_causes_are_unfolded_page_by_page(api: Api) -> None:
    """A record of the transaction itself has its entry once, among those that show the cause."""
    [group] = await make(api, 1)
    field = {"name": "Fit", "type": "text", "associatedGroups": [{"id": group}]}
    fields = [record["id"] for record in (await api.post(FIELDS, [field] * 9)).data]
    follower = Follower(api, limit="2")
    await follower.begin()
    await api.patch(f"{GROUPS}/{group}", replacing("/name", "Knit"))
    await make(api, 1)
    pages = [page async for page in follower.pages()]
    reported = [(entry["collection"], entry["recordId"]) for page in pages for entry in page]
    assert reported[:-1] == [
        ("groups", group),
        *(("style-custom-fields", field_id) for field_id in fields),
    ]
    assert {entry["n"] for page in pages[:-1] for entry in page[:1]} == {pages[0][0]["n"]}


async def test_settings_are_a_cause(api: Api, demo_dsn: str) -> None:
    graded = [
        record["id"]
        for state in ("active", "inactive", "deleted")
        for record in (
            await api.get("/api/size-ranges", {"isAdvancedGrading": "true", "state": state})
        ).data
    ]
    follower = Follower(api)
    await follower.begin()
    arguments: Any = Namespace(id=1, name=None, multiple_language=None, pro=False, unique_keys=None)
    connection = await asyncpg.connect(demo_dsn)
    for _ in range(2):
        assert await administration._set_organization(connection, arguments)
    await connection.close()
    entries = await follower.entries()
    expected = [("organizations", 1), *(("size-ranges", record_id) for record_id in graded)]
    assert sorted((e["collection"], e["recordId"]) for e in entries) == sorted(expected)
    assert {(entry["apiKeyId"], entry["requestId"]) for entry in entries} == {(None, None)}
    assert graded


async def test_a_waiting_reader_is_answered_once_there_is_something(api: Api) -> None:
    start = await now(api, collection="groups")
    params = {"cursor": start, "wait": "20"}
    reading = [asyncio.create_task(api.get(PATH, params)) for _ in range(20)]
    await asyncio.sleep(0.2)
    await api.post("/api/item-categories", {"name": "Zippers"})
    await asyncio.sleep(0.3)
    assert not any(task.done() for task in reading)
    ids = await make(api, 2)
    async with within(10):
        answers = await asyncio.gather(*reading)
    assert all([entry["recordId"] for entry in answer.data] == ids for answer in answers)


async def test_a_long_poll_without_changes_returns_an_empty_page(api: Api) -> None:
    start, began = await now(api), time.monotonic()
    answer = await api.get(PATH, {"cursor": start, "wait": "1"})
    assert (answer.data, cursor_of(answer)) == ([], start)
    assert time.monotonic() - began >= 1


@pytest.mark.demo_data
@pytest.mark.contract("Shares")
async def test_long_polls_hold_no_connection(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a stop wait for them."""
    monkeypatch.setattr(long_poll, "MAX_WAITING", 70)
    start, app = await now(api), cast(Any, api.client.app)
    watch = app[long_poll.CHANGE_WAITERS]
    params = {"cursor": start, "wait": "30"}
    async with AsyncExitStack() as stack:
        reading = list[asyncio.Task[Answer]]()
        stack.callback(lambda: [task.cancel() for task in reading])
        for readers in (35, 70):
            reading += [asyncio.create_task(api.get(PATH, params)) for _ in range(35)]
            await until(lambda readers=readers: len(watch._waiters[api.organization_id]) == readers)  # type: ignore[misc]
        assert (await api.get(GROUPS)).status == 200
        is_failure(await api.get(PATH, params), 429, "too_many_requests")
        await long_poll.end_change_waits(app)
        async with within(5):
            answers = await asyncio.gather(*reading)
        assert {answer.status for answer in answers} == {200}


@pytest.mark.contract("Connections")
async def test_a_new_wait_ends_the_longest_one(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the maximum of waiting readers the first one gets its empty page."""
    start, app = await now(api), cast(Any, api.client.app)
    change_waiters = app[long_poll.CHANGE_WAITERS]
    monkeypatch.setattr(change_waiters, "_max_waiting", 2)
    parameters, readers = {"cursor": start, "wait": "30"}, list[asyncio.Task[Answer]]()
    oldest_first = change_waiters._oldest_first
    for count in (1, 2, 2):
        readers.append(asyncio.create_task(api.get(PATH, parameters)))
        await until(lambda count=count: len(oldest_first) == count)  # type: ignore[misc]
        await asyncio.sleep(0.05)
    async with within(5):
        answer = await readers[0]
    assert (answer.status, answer.data) == (200, [])
    assert not any(reader.done() for reader in readers[1:])
    ids = await make(api, 1)
    answers = await asyncio.gather(*readers[1:])
    assert [[entry["recordId"] for entry in answer.data] for answer in answers] == [ids] * 2


async def test_cleared_entries_are_gone(api: Api, demo_dsn: str) -> None:
    start = await now(api)
    await make(api, 1)
    middle = await now(api)
    await make(api, 1)
    await execute(demo_dsn, "update change set at = '2025-01-01T00:00:00Z' where n = 1")
    app: Any = api.client.app
    await Retention(app[DATABASE], 30).delete_next()
    is_failure(await api.get(PATH, {"cursor": start}), 410, "gone.changes_expired")
    assert len((await api.get(PATH, {"cursor": middle})).data) == 1
    oldest = await api.get(PATH)
    assert [entry["n"] for entry in oldest.data] == [2]
    assert (await api.get(PATH, {"cursor": cursor_of(oldest)})).data == []


async def test_a_cursor_of_another_epoch_is_gone(api: Api, shared_dsn: str) -> None:
    start = await now(api)
    await make(api, 1)
    later = await now(api)
    set_ = "update change_feed set epoch = epoch {} where organization_id = $1"
    await execute(shared_dsn, set_.format("+ 1"), api.organization_id)
    is_failure(await api.get(PATH, {"cursor": start}), 410, "gone.changes_expired")
    await execute(shared_dsn, set_.format("- 1, last_n = 0"), api.organization_id)
    is_failure(await api.get(PATH, {"cursor": later}), 410, "gone.changes_expired")


async def test_a_backlog_is_numbered_in_steps(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_feed, "NUMBERING_BATCH", 3)
    monkeypatch.setattr(change_feed, "MAX_TRANSACTIONS", 5)
    follower = Follower(api, collection="groups")
    await follower.begin()
    made = []
    for _ in range(20):
        made += await make(api, 1)
        await api.post("/api/item-categories", {"name": "Zippers"})
    assert [entry["recordId"] for entry in await follower.entries()] == made


async def test_changes_of_one_record_keep_their_order(api: Api) -> None:
    [group] = await make(api, 1)
    follower = Follower(api, collection="groups", limit="1000")
    await follower.begin()

    async def rename(number: int) -> str:
        headers = {"X-Request-Id": f"{number}"}
        answer = await api.patch(
            f"{GROUPS}/{group}", replacing("/name", f"{number}"), headers=headers
        )
        assert answer.status == 200
        return str(number)

    entries, names = list[Any](), list[str]()
    for round_ in range(5):
        renaming = [rename(10 * round_ + number) for number in range(10)]
        *_, new_entries = await asyncio.gather(*renaming, follower.entries())
        entries += new_entries
        names.append((await api.get(f"{GROUPS}/{group}")).data["name"])
    entries += await follower.entries()
    numbers = [entry["n"] for entry in entries]
    assert numbers == sorted(set(numbers))
    assert len(entries) == 50
    assert entries[-1]["requestId"] == names[-1]
