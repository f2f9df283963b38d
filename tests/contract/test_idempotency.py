"""Tests of retries with an Idempotency-Key (contract, Idempotency)."""

import asyncio
from typing import Any

import asyncpg
import pytest

from service.database.connections import Connection
from service.errors import ApiError
from service.handlers.retention import Retention
from service.http.context import DATABASE
from service.idempotency import stored_responses
from service.idempotency.requests import IdempotentRequest, Work, run_once
from service.idempotency.stored_responses import STORED_RESPONSES, StoredResponses
from tests.support.api import Answer, Api, issue_key

pytestmark = pytest.mark.contract("Idempotency")

GROUPS = "/api/groups"
AGE = """update idempotency_key set created_at = now() - interval '25 hours'
    where organization_id = $1"""


@pytest.fixture
async def apis(request: pytest.FixtureRequest, apis: dict[str, Api]) -> dict[str, Api]:
    """Callers whose scopes have a short name: others have Idempotency-Keys of their own."""
    is_alone = "demo_dsn" in request.fixturenames
    dsn = request.getfixturevalue("demo_dsn" if is_alone else "shared_dsn")
    return {
        name: Api(api.client, await issue_key(dsn, api.organization_id, "write"))
        for name, api in apis.items()
    }


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def stored_responses_of(api: Api) -> StoredResponses:
    assert api.client.app is not None
    stored: StoredResponses = api.client.app[STORED_RESPONSES]
    return stored


async def names(api: Api, name: str) -> int:
    return len((await api.get(GROUPS, {"name": name})).data)


async def test_the_first_answer_is_given_again(api: Api) -> None:
    first = await api.post(GROUPS, {"name": "Once"}, headers=keyed("k1"))
    again = await api.post(GROUPS, {"name": "Once"}, headers=keyed("k1"))
    assert (first.status, again.status) == (201, 201)
    assert again.raw == first.raw
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert await names(api, "Once") == 1


async def test_every_bulk_write_takes_a_key(api: Api) -> None:
    made = await api.post(GROUPS, [{"name": "A"}, {"name": "B"}], headers=keyed("create"))
    ids = [group["id"] for group in made.data]
    items = [{"id": id_, "name": "C", "state": "active"} for id_ in ids]
    replaced = await api.put(GROUPS, items, headers=keyed("replace"))
    gone = [("ids", id_) for id_ in ids]
    deleted = await api.delete(GROUPS, gone, headers=keyed("delete"))
    assert (await api.put(GROUPS, items, headers=keyed("replace"))).raw == replaced.raw
    assert (await api.delete(GROUPS, gone, headers=keyed("delete"))).raw == deleted.raw
    assert {
        group["state"] for group in (await api.get(GROUPS, {"name": "C", "state": "deleted"})).data
    }


async def test_a_key_stands_for_one_request(api: Api) -> None:
    await api.post(GROUPS, {"name": "One"}, headers=keyed("k"))
    for answer in (
        await api.post(GROUPS, {"name": "Two"}, headers=keyed("k")),
        await api.post("/api/colors", {"name": "One"}, headers=keyed("k")),
    ):
        assert answer.status == 422
        assert answer.details == [("unprocessable.idempotency_key", None)]
    assert await names(api, "Two") == 0


async def test_keys_belong_to_an_organization(api: Api, other_api: Api) -> None:
    mine = await api.post(GROUPS, {"name": "Mine"}, headers=keyed("shared"))
    theirs = await other_api.post(GROUPS, {"name": "Theirs"}, headers=keyed("shared"))
    assert theirs.status == 201
    assert theirs.data["id"] != mine.data["id"]


async def test_a_failed_request_leaves_the_key_free(api: Api) -> None:
    body = [{"id": 10**15, "name": "Late", "state": "active"}]
    assert (await api.put(GROUPS, body, headers=keyed("k"))).status == 404
    assert (await api.post(GROUPS, {"name": "Late"}, headers=keyed("k"))).status == 201


async def test_equal_requests_at_once_are_done_once(api: Api) -> None:
    async def send() -> Answer:
        return await api.post(GROUPS, {"name": "Race"}, headers=keyed("race"))

    answers = await asyncio.gather(*(send() for _ in range(8)))
    assert {answer.status for answer in answers} <= {201, 409}
    assert len({answer.raw for answer in answers if answer.status == 201}) == 1
    assert await names(api, "Race") == 1


async def test_while_the_first_still_runs(api: Api, shared_connection: asyncpg.Connection) -> None:
    """409 `conflict.in_progress`, as long as the first transaction is open."""
    transaction = shared_connection.transaction()
    await transaction.start()
    await shared_connection.execute(
        "insert into idempotency_key (organization_id, key, request_sha256) values ($1, 'k', '')",
        api.organization_id,
    )
    answer = await api.post(GROUPS, {"name": "Second"}, headers=keyed("k"))
    await transaction.rollback()
    assert (answer.status, answer.details) == (409, [("conflict.in_progress", None)])
    assert (await api.post(GROUPS, {"name": "Second"}, headers=keyed("k"))).status == 201


async def test_a_wait_for_a_move_is_no_first_request(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    async with shared_connection.transaction():
        moved = "select 1 from organization where id = $1 for update"
        await shared_connection.execute(moved, api.organization_id)
        answer = await api.post(GROUPS, {"name": "Moving"}, headers=keyed("new"))
        assert (answer.status, answer.details) == (503, [("server_error.unavailable", None)])
        assert answer.headers["Retry-After"] == "1"
    assert (await api.post(GROUPS, {"name": "Moved"}, headers=keyed("new"))).status == 201


async def test_after_a_day_the_key_is_new_again(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    await api.post(GROUPS, {"name": "Yesterday"}, headers=keyed("old"))
    await api.post(GROUPS, {"name": "Yesterday"}, headers=keyed("older"))
    await shared_connection.execute(AGE, api.organization_id)
    answer = await api.post(GROUPS, {"name": "Today"}, headers=keyed("old"))
    assert answer.status == 201
    assert "Idempotent-Replayed" not in answer.headers
    stored = "select key from idempotency_key where organization_id = $1"
    rows = await shared_connection.fetch(stored, api.organization_id)
    assert [row["key"] for row in rows] == ["old"]


async def test_stored_responses_have_a_bound(
    api: Api, other_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond it new keys are refused; stored answers are given again, and others write on."""
    stored = stored_responses_of(api)
    monkeypatch.setattr(stored, "_max_bytes", 4000)
    first = await api.post(GROUPS, {"name": "First"}, headers=keyed("0"))
    answers = [await api.post(GROUPS, {"name": "Next"}, headers=keyed(f"k{n}")) for n in range(9)]
    statuses = [answer.status for answer in answers]
    assert statuses == sorted(statuses)
    assert set(statuses) == {201, 429}
    assert answers[-1].details == [("too_many_requests", None)]
    assert 24 * 3600 - 60 < int(answers[-1].headers["Retry-After"]) <= 24 * 3600
    assert await names(api, "Next") == statuses.count(201)
    again = await api.post(GROUPS, {"name": "First"}, headers=keyed("0"))
    assert (again.raw, again.headers["Idempotent-Replayed"]) == (first.raw, "true")
    assert (await api.post(GROUPS, {"name": "Next"})).status == 201
    assert (await other_api.post(GROUPS, {"name": "Next"}, headers=keyed("k"))).status == 201


async def test_other_workers_responses_are_replayed(
    api: Api, shared_connection: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is weighed in the database; what is a day old is not counted any more."""
    stored = stored_responses_of(api)
    monkeypatch.setattr(stored, "_max_bytes", 4000)
    await shared_connection.execute(
        "insert into idempotency_key (organization_id, key, request_sha256, body)"
        " values ($1, 'theirs', '', $2)",
        api.organization_id,
        bytes(4000),
    )
    refused = await api.post(GROUPS, {"name": "X"}, headers=keyed("k"))
    assert refused.status == 429
    await shared_connection.execute(AGE, api.organization_id)
    del stored._sizes[api.organization_id]
    assert (await api.post(GROUPS, {"name": "X"}, headers=keyed("k"))).status == 201


async def test_old_keys_go_though_their_organization_never_comes_back(
    api: Api, other_api: Api, demo_dsn: str
) -> None:
    for caller in (api, other_api):
        for number in range(2):
            await caller.post(GROUPS, {"name": "A group"}, headers=keyed(f"k{number}"))
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute(
        "insert into idempotency_key (organization_id, key, request_sha256)"
        " select 1, 'old' || n, '' from generate_series(1, 250) n"
    )
    await connection.execute(
        "update idempotency_key set created_at = now() - interval '25 hours' where key <> 'k1'"
    )
    assert api.client.app is not None
    await Retention(api.client.app[DATABASE], 30).delete_next()
    rows = await connection.fetch("select organization_id, key from idempotency_key order by 1")
    assert [tuple(row) for row in rows] == [(1, "k1"), (2, "k1")]
    await connection.close()


async def test_an_error_of_one_organization_keeps_no_keys_of_others(
    api: Api, other_api: Api, demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail_for_first(connection: Connection, organization_id: int) -> bool:
        if organization_id == 1:
            raise asyncpg.InternalServerError("index is corrupt")
        return await delete_expired(connection, organization_id)

    delete_expired = stored_responses.delete_expired
    monkeypatch.setattr(stored_responses, "delete_expired", fail_for_first)
    for caller in (api, other_api):
        await caller.post(GROUPS, {"name": "A group"}, headers=keyed("k"))
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute("update idempotency_key set created_at = now() - interval '25 hours'")
    assert api.client.app is not None
    retention = Retention(api.client.app[DATABASE], 30)
    for _ in range(2):
        with pytest.raises(ApiError):
            await retention.delete_next()
        rows = await connection.fetch("select organization_id from idempotency_key")
        assert [*map(tuple, rows)] == [(1,)]
        await retention.delete_next()
    await connection.close()


async def test_keys_of_known_organizations_expire_while_not_all_can_be_listed(
    api: Api, demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> list[int]:
        raise asyncpg.InternalServerError("a node of the cluster is away")

    assert api.client.app is not None
    retention = Retention(api.client.app[DATABASE], 30)
    for name in ("listed", "known"):
        await api.post(GROUPS, {"name": "A group"}, headers=keyed(name))
    connection = await asyncpg.connect(demo_dsn)
    await retention.delete_next()
    await connection.execute(
        "update idempotency_key set created_at = now() - interval '25 hours' where key = 'known'"
    )
    monkeypatch.setattr(stored_responses, "organizations", fail)
    for _ in range(2):
        await retention.delete_next()
    rows = await connection.fetch("select key from idempotency_key")
    assert [*map(tuple, rows)] == [("listed",)]
    await connection.close()


async def test_a_transaction_that_is_retried_counts_once(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes of stored responses grow by those of each key alone."""
    stored = stored_responses_of(api)
    await api.post(GROUPS, {"name": "First"}, headers=keyed("first"))
    before = stored._sizes[api.organization_id].bytes

    async def fail_twice(connection: Connection, request: IdempotentRequest, work: Work) -> Any:
        attempts.append(1)
        if len(attempts) < 3:
            await work(connection)
            raise asyncpg.SerializationError
        return await run_once(connection, request, work)

    attempts = list[int]()
    monkeypatch.setattr(stored_responses, "run_once", fail_twice)
    answer = await api.post(GROUPS, {"name": "First"}, headers=keyed("again"))
    assert (answer.status, len(attempts)) == (201, 3)
    assert stored._sizes[api.organization_id].bytes - before == stored_responses._KEY_BYTES + len(
        answer.raw
    )


async def test_a_key_of_another_form_is_refused(api: Api) -> None:
    for key in ("", "x" * 256, "två"):
        answer = await api.post(GROUPS, {"name": "X"}, headers=keyed(key))
        assert answer.details == [("validation_error.invalid_value", "Idempotency-Key")]
