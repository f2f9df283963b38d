"""Tests of the connection queue in the database class: fairness, and canceled waiters."""

import asyncio
import logging

import pytest

from service.database import connection_pool, distribution, incidents
from service.database.connections import Connection, Database
from service.database.session_settings import SESSION_SETTINGS
from service.errors import ApiError
from service.handlers import system
from service.shares.fair_queue import LeaseKind
from tests.support.time_limits import until, within

BULK = LeaseKind(bulk=True)


async def select_one(connection: Connection) -> int:
    return int(await connection.fetchval("select 1"))


@pytest.mark.contract("Search")
async def test_a_session_keeps_the_bitmap_of_a_frequent_word(dsn: str) -> None:
    """PostgreSQL has 72 bytes for each page of a bitmap: 10,000,000 colors are 150,000 pages."""
    served = Database(dsn, 1)
    memory = await served.read(
        lambda on: on.fetchval("select pg_size_bytes(current_setting('work_mem'))"), 1
    )
    assert memory > 150_000 * 72
    await served.close()


async def test_a_session_has_the_settings_that_statements_rely_on(dsn: str) -> None:
    served = Database(dsn, 1)
    query = "select array(select current_setting(name) from unnest($1::text[]) as name)"
    values = await served.read(lambda on: on.fetchval(query, [*SESSION_SETTINGS]), 1)
    assert values == [*SESSION_SETTINGS.values()]
    await served.close()


def test_settings_that_a_node_lacks_are_named() -> None:
    configured = "{citus.shard_count=8,jit=on,TimeZone=UTC,work_mem=16MB}"
    lacking = ["citus.override_table_visibility=off", "jit=off"]
    assert distribution.missing_settings(configured) == lacking
    assert distribution.missing_settings("{}") == [
        f"{name}={value}" for name, value in SESSION_SETTINGS.items()
    ]


@pytest.mark.contract("Shares")
async def test_bulk_writes_leave_connections_to_the_others(dsn: str) -> None:
    """There are as many writes as connections: half of them wait, and a read does not."""
    served, done = Database(dsn, 4), asyncio.Event()
    started = list[Connection]()

    async def slow(connection: Connection) -> None:
        started.append(connection)
        await done.wait()

    bulk = [asyncio.create_task(served.write(slow, 1, BULK)) for _ in range(4)]
    async with within(5):
        await until(lambda: len(started) == 2)
        assert await served.read(select_one, 1) == 1
        assert await served.write(select_one, 1) == 1
        assert await served.read(select_one, 2) == 1
        assert len(started) == 2
        done.set()
        await asyncio.gather(*bulk)
    assert len(started) == 4
    await served.close()


@pytest.mark.contract("Shares")
async def test_organizations_beyond_their_share_are_refused_and_others_served(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_pool, "ACQUIRE_SECONDS", 0.2)
    served, begun, done = Database(dsn, 3), list[Connection](), asyncio.Event()

    async def slow(connection: Connection) -> None:
        begun.append(connection)
        await done.wait()

    running = [asyncio.create_task(served.read(slow, 1)) for _ in range(3)]
    await until(lambda: len(begun) == 2)
    assert await served.read(select_one, 2) == 1
    assert await served.look_up(select_one) == 1
    with pytest.raises(ApiError) as error:
        await served.read(select_one, 1)
    assert (error.value.status, error.value.code) == (429, "too_many_requests")
    assert error.value.headers == {"Retry-After": "1"}
    done.set()
    await asyncio.gather(*running, return_exceptions=True)
    assert await served.read(select_one, 1) == 1
    await served.close()


@pytest.mark.contract("Shares")
async def test_a_read_whose_caller_is_gone_is_canceled_in_the_server(dsn: str) -> None:
    served = Database(dsn, 2)

    async def forever(connection: Connection) -> None:
        await connection.execute("select pg_sleep(60)")

    async def sleeping(connection: Connection) -> int:
        return int(
            await connection.fetchval(
                "select count(*) from pg_stat_activity where query like 'select pg_sleep%'"
                " and state = 'active' and datname = current_database()"
            )
        )

    reading = asyncio.create_task(served.read(forever, 1))
    async with within(5):
        while not await served.look_up(sleeping):  # noqa: ASYNC110 - the server has no event
            await asyncio.sleep(0.01)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        while await served.look_up(sleeping):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert await served.read(select_one, 1) == 1
    await served.close()


@pytest.mark.contract("Shares")
async def test_a_write_that_has_begun_is_brought_to_its_end(dsn: str) -> None:
    served, began = Database(dsn, 2), asyncio.Event()

    async def add(connection: Connection) -> None:
        began.set()
        await connection.execute("select pg_sleep(0.1)")
        await connection.execute("insert into language (name, code) values ('Gone', 'xx')")

    async def count(connection: Connection) -> int:
        return int(await connection.fetchval("select count(*) from language where code = 'xx'"))

    writing = asyncio.create_task(served.write(add, 1))
    await began.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await served.read(count, 1) == 1
    await served.close()


_RAISE = "do $$ begin raise exception 'broken' using errcode = '{}'; end $$"


@pytest.mark.contract("Outages")
@pytest.mark.parametrize("code", ["XX000", "58030"])
async def test_a_statement_that_breaks_the_server_was_not_done(dsn: str, code: str) -> None:
    """Scaling, rule 11: a node that is away shows as either; the caller may try again."""
    served = Database(dsn, 1)

    async def break_it(connection: Connection) -> None:
        await connection.execute(_RAISE.format(code))

    for attempt in (served.read, served.write):
        with pytest.raises(ApiError) as refused:
            await attempt(break_it, 1)
        assert refused.value.code == "server_error.unavailable"
        assert refused.value.headers == {"Retry-After": "1"}
    await served.close()


@pytest.mark.contract("Outages")
@pytest.mark.parametrize("code", ["XX000", "58030", "08006"])
async def test_a_commit_that_breaks_has_an_unknown_outcome(dsn: str, code: str) -> None:
    served = Database(dsn, 1)

    async def break_at_commit(connection: Connection) -> None:
        await connection.execute(
            f"""create function pg_temp.break() returns trigger language plpgsql as
            $$ begin raise exception 'broken' using errcode = '{code}'; end $$"""
        )
        await connection.execute("create temp table late (id bigint)")
        await connection.execute(
            """create constraint trigger late after insert on late
            deferrable initially deferred for each row execute function pg_temp.break()"""
        )
        await connection.execute("insert into late values (1)")

    with pytest.raises(ApiError) as lost:
        await served.write(break_at_commit, 1)
    assert lost.value.code == "server_error.outcome_unknown"
    assert lost.value.headers == {}
    await served.close()


@pytest.mark.contract("Outages")
async def test_a_node_behind_the_server_that_is_away_costs_no_connection(dsn: str) -> None:
    served, pids = Database(dsn, 1), list[int]()

    async def miss_it(connection: Connection) -> None:
        pids.append(connection.get_server_pid())
        await connection.execute(_RAISE.format("08006"))

    for attempt in (served.read, served.write, served.read):
        with pytest.raises(ApiError) as refused:
            await attempt(miss_it, 1)
        assert refused.value.code == "server_error.unavailable"
    assert len(set(pids)) == 1
    await served.close()


async def test_a_recheck_ends_an_outage(dsn: str, caplog: pytest.LogCaptureFixture) -> None:
    """No new connection is opened if the lost server took the next one only."""
    served = Database(dsn, 1)
    await served.look_up(select_one)
    with caplog.at_level(logging.INFO, "service"):
        incidents.report_unreachable(OSError("away"))
        await system._recheck(served)
    assert [record.__dict__["event"] for record in caplog.records] == [
        "database_lost",
        "database_back",
    ]
    await served.close()
