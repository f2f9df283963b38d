"""Round trips of writes: statements that share one, with asyncpg's internals and without."""

from collections.abc import AsyncIterator

import asyncpg
import orjson
import pytest
from aiohttp.test_utils import TestClient

from service.database.connection_pool import connect
from service.database.connections import Database
from service.database.pipeline import (
    CACHED_STATEMENTS,
    LONG_STATEMENTS,
    MAX_CACHED_LENGTH,
    PipelinedConnection,
)
from service.resources.registry import MASTER_RECORDS, PARTS
from tests.faults.proxy import Proxy
from tests.support.api import Api, issue_key
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Transactions")

COLORS = "/api/colors"
BOTH_WAYS = pytest.mark.parametrize("pipelines", [True, False])


@pytest.fixture
async def connection(dsn: str) -> AsyncIterator[PipelinedConnection]:
    """Yield a connection of the service."""
    connection = await connect(dsn)
    yield connection
    connection.terminate()


def test_asyncpg_has_the_internals_that_pipelines_use() -> None:
    """If this fails, see whether `service/database/pipeline.py` suits the new asyncpg."""
    assert PipelinedConnection.pipelines


@BOTH_WAYS
async def test_deferred_statements_run_first_and_in_order(
    connection: PipelinedConnection, monkeypatch: pytest.MonkeyPatch, pipelines: bool
) -> None:
    monkeypatch.setattr(PipelinedConnection, "pipelines", pipelines)
    await connection.execute("create temporary table note (id bigint, text text, ids bigint[])")
    insert = "insert into note values ($1::bigint, $2::text, $3::bigint[])"
    rows: list[tuple[int, str | None, list[int]]] = [
        (1, "Größe \\ 'ü'", [1, 2**53]),
        (2, None, []),
        (3, "", [-3]),
    ]
    for row in rows:
        await connection.defer(insert, *row)
    assert [tuple(row) for row in await connection.fetch("select * from note")] == rows
    select = "select $1::bigint as id, $2::text as text"
    selected = await connection.fetch_in_turn([(select, (1, "a")), (select, (2, None))])
    assert [tuple(row) for row in selected] == [(1, "a"), (2, None)]
    await connection.defer("delete from note where id = $1::bigint", 1)
    assert await connection.execute("delete from note where id = $1::bigint", 2) == "DELETE 1"
    await connection.defer("delete from note")
    await connection.execute("insert into note values (4)")
    assert await connection.fetchval("select array_agg(id) from note") == [4]


@BOTH_WAYS
async def test_an_error_skips_what_follows(
    connection: PipelinedConnection, monkeypatch: pytest.MonkeyPatch, pipelines: bool
) -> None:
    monkeypatch.setattr(PipelinedConnection, "pipelines", pipelines)
    await connection.execute("create temporary table note (id bigint primary key)")
    insert = ("insert into note values ($1::bigint) returning id", (1,))
    with pytest.raises(asyncpg.UniqueViolationError):
        await connection.fetch_in_turn([insert, insert, insert])
    assert await connection.fetchval("select count(*) from note") == (0 if pipelines else 1)


@BOTH_WAYS
@pytest.mark.parametrize("length", [0, MAX_CACHED_LENGTH])
async def test_a_statement_of_an_older_schema_is_prepared_again(
    connection: PipelinedConnection, monkeypatch: pytest.MonkeyPatch, pipelines: bool, length: int
) -> None:
    monkeypatch.setattr(PipelinedConnection, "pipelines", pipelines)
    await connection.execute("create temporary table note (id bigint); insert into note values (1)")
    select = "select * from note" + " " * length
    assert tuple(await connection.fetchrow(select)) == (1,)
    await connection.execute("alter table note add text text")
    assert tuple(await connection.fetchrow(select)) == (1, None)
    assert [tuple(row) for row in await connection.fetch(select)] == [(1, None)]
    await connection.execute("begin")
    assert tuple(await connection.fetchrow(select)) == (1, None)
    await connection.execute("alter table note drop text")
    if pipelines or not length:
        with pytest.raises(asyncpg.InvalidCachedStatementError):
            await connection.fetchrow(select)
    await connection.execute("rollback")
    assert tuple(await connection.fetchrow(select)) == (1, None)


@pytest.mark.parametrize(
    ("length", "most"), [(0, CACHED_STATEMENTS), (MAX_CACHED_LENGTH, LONG_STATEMENTS)]
)
async def test_the_last_statements_stay_prepared(
    connection: PipelinedConnection, length: int, most: int
) -> None:
    texts = [f"select {n}{' ' * length}" for n in range(most + 2)]
    for text in (texts[0], *texts[:-1], texts[1], texts[-1]):
        await connection.fetch(text)
    prepared = await connection.fetch("select statement from pg_prepared_statements")
    assert {row["statement"] for row in prepared} & {*texts} == {texts[1], *texts[3:]}


async def test_a_statement_that_is_not_prepared_drops_the_deferred_ones(
    connection: PipelinedConnection,
) -> None:
    """They would run ahead of the next organization's statement."""
    await connection.execute("create temporary table note (id bigint)")
    await connection.defer("insert into note values (1)")
    with pytest.raises(asyncpg.UndefinedTableError):
        await connection.fetch("select from missing")
    assert await connection.fetchval("select count(*) from note") == 0


async def test_what_was_not_sent_is_dropped_with_the_transaction(dsn: str) -> None:
    database = Database(dsn, 1)

    async def fail(connection: PipelinedConnection) -> None:
        await connection.defer("insert into language (name, code) values ('Volapük', 'vo')")
        raise KeyError("no reason")

    async def misuse(connection: PipelinedConnection) -> None:
        await connection.defer("insert into language (name, code) values ('Volapük', 'vo')")
        await connection.fetch("select $1::bigint", "no integer")

    async def count(connection: PipelinedConnection) -> int:
        return int(await connection.fetchval("select count(*) from language where code = 'vo'"))

    with pytest.raises(KeyError):
        await database.write(fail, 1)
    assert await database.write(count, 1) == 0
    with pytest.raises(asyncpg.DataError):
        await database.write(misuse, 1)
    assert await database.write(count, 1) == 0
    await database.close()


async def test_write_statements_return_columns_of_different_names(
    connection: PipelinedConnection,
) -> None:
    """Their rows become JSON objects."""
    texts = {
        statement.text
        for resource in (*MASTER_RECORDS, *PARTS)
        for statement in resource.statements.values()
        if not statement.slots and "\nreturning " in statement.text
    }
    assert len(texts) > 50
    for text in texts:
        statement = await connection.prepare(text)
        names = [attribute.name for attribute in statement.get_attributes()]
        assert len({*names}) == len(names), text


@pytest.fixture
async def proxy(demo_dsn: str) -> AsyncIterator[Proxy]:
    """Yield a proxy that records the requests to PostgreSQL."""
    proxy = Proxy(demo_dsn)
    yield proxy
    await proxy.close()


@BOTH_WAYS
async def test_round_trips_of_writes(
    demo_dsn: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, pipelines: bool
) -> None:
    """The responses are the same; a PATCH takes three round trips."""
    monkeypatch.setattr(PipelinedConnection, "pipelines", pipelines)
    patch = [{"op": "replace", "path": "/colorNote", "value": "Lab dip 2"}]
    first, later = ["begin", "set", "set", "lock", "read"], ["update", "read"]
    expected = [first, later, ["commit"], first, later, ["change", "versions", "commit"]]
    if not pipelines:
        expected = [[text] for texts in expected for text in texts]
    retried = {"Idempotency-Key": f"retried-{pipelines}"}
    async with serving(await proxy.open(), POOL_SIZE="1") as server, TestClient(server) as client:
        api = Api(client, await issue_key(demo_dsn, 1))
        created = await api.post(COLORS, {"name": "Ecru"}, headers=retried)
        again = await api.post(COLORS, {"name": "Ecru"}, headers=retried)
        assert (created.status, again.status) == (201, 201)
        assert again.data == created.data
        path = created.headers["Location"]
        dry = await api.patch(path, patch, params={"dryRun": "true"})
        assert dry.data["outcome"] == "updated", dry.raw
        assert (await api.get(path)).data.get("colorNote") is None
        patched = await api.patch(path, patch, headers={"If-Match": created.headers["ETag"]})
        assert patched.data["colorNote"] == "Lab dip 2"
        requests: list[list[str]] = []
        for attempt in range(3, 9):  # until no background task sends statements in between
            proxy.requests.clear()
            assert (await api.patch(path, patch)).data == patched.data
            patch[0]["value"] = f"Lab dip {attempt}"
            patched = await api.patch(path, patch)
            assert patched.data["colorNote"] == f"Lab dip {attempt}"
            requests = [[_word(text) for text in texts] for texts in proxy.requests]
            if requests == expected:
                break
        assert requests == expected
        stale = {"If-Match": created.headers["ETag"]}
        assert (await api.patch(path, patch, headers=stale)).status == 412
        assert (await api.patch(f"{COLORS}/999999999", patch)).status == 404
        assert (await api.delete(path)).data["state"] == "deleted"
    outbox = await asyncpg.connect(demo_dsn)
    rows = await outbox.fetch("select records from change where records ? 'colors' order by id")
    await outbox.close()
    (created_by,), *updates, (deleted_by,) = (
        [*orjson.loads(row["records"])["colors"]] for row in rows
    )
    assert (created_by, deleted_by) == ("created", "deleted")
    assert updates == [["updated"]] * (attempt - 1)


def _word(text: str) -> str:
    """Return the purpose of a statement, a word."""
    [*_, word] = (
        word
        for part, word in (
            ("", text.split()[0]),
            ("array_agg(page_order)", "read"),
            ("for no key update", "lock"),
            ("update color", "update"),
            ("insert into change", "change"),
            ("insert into record_version", "versions"),
        )
        if part in text
    )
    return word
