"""Tests of common headers, health and metrics (contract, Envelope; operating, Health)."""

import asyncio
import gzip
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service import __version__
from service.handlers import system
from service.http import metrics
from service.http.context import DATABASE
from tests.support import rows
from tests.support.api import Api
from tests.support.databases import with_database
from tests.support.openapi_validation import form, is_failure

GROUPS = "/api/groups"
#: Ranges by their last number and the next one: the first three of them end soon.
ENDING_RANGES = """
    update barcode_range set state = 'inactive';
    insert into barcode_range (organization_id, name, type, company_prefix, first_reference,
        last_reference, next_unallocated, state)
    select 1, '', 'gtin13', '7300000', 1, last, next, state
    from (values (10000, 9002, 'active'), (10, 11, 'active'), (2000, 1002, 'active'),
        (10000, 9001, 'active'), (10, 10, 'active'), (2000, 1001, 'active'), (10, 11, 'inactive')
    ) as range (last, next, state)
"""
OPEN = ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/", "/guides")


@pytest.mark.contract("Callers")
@pytest.mark.parametrize("path", OPEN)
async def test_operators_and_readers_need_no_key(path: str, shared_api: Api) -> None:
    async with shared_api.client.get(path) as answer:
        assert answer.status == 200
        assert await answer.read()
    assert (await Api(shared_api.client, "nonsense").get(path)).status == 200


@pytest.mark.contract("Precedence")
async def test_unknown_paths_require_keys_as_their_neighbors_do(shared_api: Api) -> None:
    stranger = Api(shared_api.client, "")
    for method, path, status in (
        ("POST", "/healthz", 405),
        ("DELETE", "/docs/start.js", 405),
        ("GET", "/docs/nothing", 404),
        ("GET", "/docs/nothing/there", 404),
        ("GET", "/docsnothing", 401),
        ("POST", "/", 405),
        ("GET", "/guides/nothing", 404),
        ("GET", "/guides/README", 404),
        ("GET", "/healthz/nothing", 401),
        ("GET", "/nothing", 401),
        ("POST", "/api/nothing", 401),
        ("TRACE", "/api/groups", 401),
    ):
        assert (await stranger.call(method, path)).status == status, path


@pytest.mark.contract("Health", "Envelope")
async def test_health_and_readiness_are_answers_like_others(api: Api) -> None:
    for path in ("/healthz", "/readyz"):
        form("common/envelope", "success").validate((await api.get(path)).json)


@pytest.mark.contract("Request headers")
async def test_expect_continue_gets_100(api: Api) -> None:
    """RFC 9110, section 10.1.1."""
    answer = await api.post(GROUPS, {"name": "Knit"}, headers={"Expect": "100-Continue"})
    assert answer.status == 201
    answer = await api.post(GROUPS, {"name": "Woven"}, headers={"Expect": "a-miracle"})
    is_failure(answer, 417, "expectation_failed")
    for expected in ("100-Continue", "a-miracle"):
        nowhere = await api.post("/api/nothing", {}, headers={"Expect": expected})
        is_failure(nowhere, 404, "not_found.route")


@asynccontextmanager
async def gone(dsn: str) -> AsyncIterator[None]:
    """Take a database away, and give it back."""
    name = urlsplit(dsn).path.lstrip("/")
    connection = await asyncpg.connect(with_database(dsn, "postgres"))
    await connection.execute(f"alter database {name} allow_connections false")
    await connection.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name
    )
    try:
        yield
    finally:
        await connection.execute(f"alter database {name} allow_connections true")
        await connection.close()


@pytest.mark.contract("Outages", "Health")
async def test_without_the_database_nothing_but_life_and_then_all_again(
    api: Api, demo_dsn: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(system, "SECONDS", 0)
    assert (await api.get("/readyz")).status == 200
    async with gone(demo_dsn):
        for answer in (
            await api.get("/readyz"),
            await api.get(GROUPS),
            await api.post(GROUPS, {"name": "Lost"}),
            await api.get("/api/styles"),
        ):
            is_failure(answer, 503, "server_error.unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
        assert (await api.get("/healthz")).data == {"alive": True, "version": __version__}
        assert (await api.get("/metrics")).status == 200
    assert (await api.get("/readyz")).status == 200
    assert (await api.post(GROUPS, {"name": "Found"})).status == 201
    assert (await api.get(GROUPS, {"name": "Lost"})).data == []
    events = [vars(record).get("event") for record in caplog.records]
    # A connection that was still open may have answered in between.
    assert 1 <= events.count("database_lost") == events.count("database_back") < 4


@pytest.mark.contract("Outages")
async def test_a_key_that_is_not_cached_while_the_database_is_away(api: Api, demo_dsn: str) -> None:
    async with gone(demo_dsn):
        is_failure(await api.get(GROUPS), 503, "server_error.unavailable")
    assert (await api.get(GROUPS)).status == 200


@pytest.mark.contract("Health")
async def test_readiness_while_the_schema_is_behind(
    api: Api, demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "SECONDS", 0)
    connection = await asyncpg.connect(demo_dsn)
    async with connection.transaction():
        last = await connection.fetchrow(
            "select * from _yoyo_migration order by migration_id desc limit 1"
        )
        await connection.execute(
            "delete from _yoyo_migration where migration_id = $1", last["migration_id"]
        )
    behind = await api.get("/readyz")
    is_failure(behind, 503, "server_error.unavailable")
    assert "migrate" in behind.json["error"]["details"][0]["value"]
    await connection.copy_records_to_table(
        "_yoyo_migration", records=[tuple(last)], columns=list(last.keys())
    )
    await connection.close()
    assert (await api.get("/readyz")).status == 200


@pytest.mark.contract("Request headers")
async def test_request_ids(shared_api: Api) -> None:
    for path in (GROUPS, "/api/nothing", "/healthz", f"{GROUPS}?colour=1"):
        for sane in ("abc-123", "x" * 128, "~!@#$%^&*()"):
            answer = await shared_api.get(path, headers={"X-Request-Id": sane})
            assert answer.headers["X-Request-Id"] == sane
        generated = {
            (await shared_api.get(path, headers={"X-Request-Id": insane})).headers["X-Request-Id"]
            for insane in ("", "x" * 129, "two words", "é")
        }
        generated.add((await shared_api.get(path)).headers["X-Request-Id"])
        assert len(generated) == 5
        assert all(len(name) == 32 for name in generated)


@pytest.mark.contract("Request headers")
async def test_x_service_api_changes_nothing(shared_api: Api) -> None:
    plain = await shared_api.get(GROUPS)
    named = await shared_api.get(GROUPS, headers={"X-Service-Api": "anything at all"})
    assert named.raw == plain.raw


@pytest.mark.contract("Envelope")
async def test_answers_are_compressed_when_asked_for(shared_api: Api) -> None:
    long = "/api/colors?pageSize=100"
    plain = await shared_api.call("GET", long, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.headers["Vary"] == "Accept, Prefer, Accept-Encoding"
    request = shared_api.client.get(
        long,
        headers={"Authorization": f"Bearer {shared_api.key}", "Accept-Encoding": "gzip"},
        auto_decompress=False,
    )
    async with request as compressed:
        assert compressed.headers["Content-Encoding"] == "gzip"
        raw = await compressed.read()
    assert len(raw) < len(plain.raw) / 3
    assert gzip.decompress(raw) == plain.raw
    for refused in ("gzip;q=0", "gzip; q=0.000, deflate;q=0", "br", "x-gzip"):
        answer = await shared_api.call("GET", long, headers={"Accept-Encoding": refused})
        assert "Content-Encoding" not in answer.headers
        assert answer.raw == plain.raw
    for accepted, coding in (("br, deflate, gzip", "gzip"), ("gzip;q=0, Deflate;q=0.5", "deflate")):
        answer = await shared_api.call("GET", long, headers={"Accept-Encoding": accepted})
        assert answer.headers["Content-Encoding"] == coding
        assert answer.raw == plain.raw
    short = await shared_api.call("GET", "/healthz", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in short.headers


@pytest.mark.contract("Health")
@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
async def test_open_responses_are_computed_once(
    path: str, client: TestClient[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "SECONDS", 3600)
    made = []
    key = system.READINESS if path == "/readyz" else system.EXPOSITION
    make = client.app[key]._compute

    async def watched(work: Any) -> Any:
        made.append(work)
        return await make(work)

    monkeypatch.setattr(client.app[key], "_compute", watched)

    async def ask() -> int:
        async with client.get(path) as answer:
            await answer.read()
            return answer.status

    assert await asyncio.gather(*(ask() for _ in range(16))) == [200] * 16
    assert await ask() == 200
    assert len(made) == 1


@pytest.mark.contract("Open pages")
@pytest.mark.parametrize("path", ["/metrics", "/openapi.json"])
async def test_shared_responses_are_compressed(path: str, shared_api: Api) -> None:
    async def ask(coding: str) -> tuple[str | None, bytes]:
        headers = {"Accept-Encoding": coding}
        async with shared_api.client.get(path, headers=headers) as answer:
            assert answer.headers["Vary"] == "Accept-Encoding"
            return answer.headers.get("Content-Encoding"), await answer.read()

    _, plain = await ask("identity")
    assert [await ask(coding) for coding in ("gzip", "deflate")] == [
        ("gzip", plain),
        ("deflate", plain),
    ]


@pytest.mark.contract("Health")
async def test_metrics_count_by_route_not_by_path(
    shared_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_api.client.app[system.EXPOSITION], "_expires_at", 0)
    for number in (1, 2, 2**62):
        await shared_api.get(f"{GROUPS}/{number}")
    await shared_api.get("/api/nothing/at/all")
    text = (await shared_api.get("/metrics")).raw.decode()
    assert 'selvedge_requests_total{method="GET",route="/api/groups/{id}",status="404"}' in text
    assert 'selvedge_request_seconds_bucket{le="0.1",method="GET",route="/api/groups/{id}"}' in text
    assert 'route="unmatched"' in text
    assert "at/all" not in text


@pytest.mark.contract("Health")
async def test_metrics_count_ending_keys_and_rows_of_growing_tables(
    api: Api, demo_dsn: str
) -> None:
    """Of keys not those that end later, have ended or are revoked."""
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute(
        "insert into api_key (organization_id, name, scope, secret_sha256, expires_at, revoked_at)"
        " select 1 + abs(days) % 2, '', 'read', '', now() + make_interval(days => days), revoked_at"
        " from (values (1, null), (29, null), (31, null), (-1, null), (2, now()))"
        " as key (days, revoked_at)"
    )
    await connection.execute(ENDING_RANGES)
    assert (await api.post(GROUPS, {"name": "Counted"})).status == 201
    await connection.execute("analyze change")
    # When the service started, it counted, before these keys.
    await connection.execute("update installation set counted_at = null")
    await api.client.app[DATABASE].poll(system.measure)
    text = (await api.get("/metrics")).raw.decode()
    assert "selvedge_keys_ending 2.0\n" in text
    assert "selvedge_barcode_ranges_ending 3.0\n" in text
    for name in ("connections", "connections_limit", "transaction_id_age"):
        assert float(re.findall(rf"^selvedge_postgresql_{name} (\S+)", text, re.MULTILINE)[0]) > 0
    assert 'selvedge_table_rows{table="change"} 1.0\n' in text
    for table in ("change", "idempotency_key"):
        (size,) = re.findall(rf'selvedge_table_bytes{{table="{table}"}} (\S+)', text)
        assert float(size) > 8192
    await connection.execute("update api_key set revoked_at = now()")
    await api.client.app[DATABASE].poll(system.measure)
    text = (await api.get("/metrics")).raw.decode()
    assert "selvedge_keys_ending 2.0\n" in text  # counted less than a minute ago
    await connection.close()


@pytest.mark.contract("Health")
async def test_counts_for_the_metrics_look_like_no_write(shared_api: Api, shared_dsn: str) -> None:
    """Else a batch looks torn if they were taken while it was sent (``tests/faults``)."""
    connection = await asyncpg.connect(shared_dsn)
    await connection.execute("update installation set counted_at = null")
    before = [await rows.dump(shared_dsn, versions=versions) for versions in (False, True)]
    await shared_api.client.app[DATABASE].poll(system.measure)
    assert await connection.fetchval("select counted_at from installation")
    after = [await rows.dump(shared_dsn, versions=versions) for versions in (False, True)]
    assert after == before
    await connection.close()


@pytest.mark.contract("Health")
async def test_readers_behind_by_half_of_the_retention_are_counted(api: Api, demo_dsn: str) -> None:
    for name in ("First", "Second"):
        assert (await api.post(GROUPS, {"name": name})).status == 201
    assert len((await api.get("/api/changes?after=1")).data) == 1
    before = metrics.CHANGES_READ_LATE._value.get()
    connection = await asyncpg.connect(demo_dsn)
    for days, count in ((44, 0), (46, 1)):
        await connection.execute("update change set at = now() - make_interval(days => $1)", days)
        assert len((await api.get("/api/changes?after=1")).data) == 1
        assert metrics.CHANGES_READ_LATE._value.get() - before == count
    await connection.close()


@pytest.mark.contract("Shares")
async def test_many_callers_at_once_are_all_answered(shared_api: Api) -> None:
    """More than the pool has connections: they queue, and none is turned away."""
    answers = await asyncio.gather(*(shared_api.get(GROUPS) for _ in range(60)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.raw for answer in answers}) == 1
