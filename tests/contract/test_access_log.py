"""Tests of the access log: a line per request, and one per outage (operating, Log)."""

import asyncio
import io
import logging
from collections.abc import AsyncIterator
from typing import Any, cast

import asyncpg
import orjson
import pytest
from aiohttp.test_utils import TestClient
from yarl import URL

from service.batches import change_recorder
from service.database import database_state, incidents
from service.handlers import system
from service.http.access_log import ACCESS_LOG
from tests.support.api import Api
from tests.support.openapi_validation import is_failure
from tests.support.raw_http import exchange, head
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Log")

GROUPS = "/api/groups"


@pytest.fixture
async def logged(api: Api, shared_dsn: str) -> AsyncIterator[Api]:
    """A caller of a service that logs requests."""
    async with serving(shared_dsn, LOG_LEVEL="info") as server, TestClient(server) as client:
        yield Api(client, api.key)


async def test_one_line_of_access_log_per_request(
    monkeypatch: pytest.MonkeyPatch, logged: Api
) -> None:
    log, written = logged.client.app[ACCESS_LOG], io.StringIO()
    monkeypatch.setattr(log, "_stream", written)
    assert logging.getLogger("service").isEnabledFor(logging.INFO)
    headers = {"X-Service-Api": "erp-7", "X-Request-Id": "first", "User-Agent": "erp/7"}
    headers["X-Forwarded-For"] = "192.0.2.7"
    for probe in ("/healthz", "/readyz", "/metrics"):
        assert (await logged.get(probe)).status == 200
    await logged.get(f"{GROUPS}?name=Knit%20wear&pageSize=3", headers=headers)
    await Api(logged.client, "wrong").get(GROUPS, headers={"X-Request-Id": "second"})
    await logged.get(f"{GROUPS}?name={logged.key}")
    log.flush()
    assert logged.key.split("_")[3] not in written.getvalue()
    first, second, _ = map(orjson.loads, written.getvalue().splitlines())
    assert first == {
        "time": first["time"],
        "request_id": "first",
        "organization": logged.organization_id,
        "key": int(logged.key.split("_")[2]),
        "method": "GET",
        "path": GROUPS,
        "query": "name=Knit%20wear&pageSize=3",
        "status": 200,
        "bytes": first["bytes"],
        "milliseconds": first["milliseconds"],
        "client": "127.0.0.1",
        "forwarded_for": "192.0.2.7",
        "user_agent": "erp/7",
        "service_api": "erp-7",
    }
    assert 0 < first["milliseconds"] < 60_000
    assert (second["request_id"], second["status"], second["key"]) == ("second", 401, None)


async def test_no_line_of_access_log_is_long(monkeypatch: pytest.MonkeyPatch, logged: Api) -> None:
    client, written = cast(Any, logged.client), io.StringIO()
    monkeypatch.setattr(client.app[ACCESS_LOG], "_stream", written)
    for path in ("/" + "z" * 8000, "/" + "%00" * 2500, "/" + '"' * 2000, "/?" + "\\" * 2000):
        for name in ("\\" * 8000, "🧵" * 2000, '\t"' * 4000):
            headers = {"X-Service-Api": name, "User-Agent": name, "X-Forwarded-For": name}
            headers["X-Request-Id"] = "\\" * 128
            async with client.get(URL(path, encoded=True), headers=headers) as answer:
                assert answer.status in (200, 401)
    client.app[ACCESS_LOG].flush()
    lines = written.getvalue().splitlines()
    assert len(lines) == 12
    assert max(len(line.encode()) for line in lines) <= 2000
    assert orjson.loads(lines[0])["path"] == "/" + "z" * 139 + "…"


async def test_no_control_character_reaches_the_log(
    monkeypatch: pytest.MonkeyPatch, logged: Api
) -> None:
    """JSON escapes C0 only; a terminal obeys C1 as well, and what turns text around misleads."""
    log, written = logged.client.app[ACCESS_LOG], io.StringIO()
    monkeypatch.setattr(log, "_stream", written)
    name = "a\x9b31m\x9d0;b\x9c\u2028\u202ec\u2066é\x80d"
    fields = (f"{field}: {name}" for field in ("X-Service-Api", "User-Agent", "X-Forwarded-For"))
    assert (await exchange(logged, head(logged, "GET", GROUPS, *fields))).status == 200
    log.flush()
    [line] = written.getvalue().splitlines()
    assert orjson.loads(line)["user_agent"] == "a?31m?0;b???c?é?d"
    assert not {*map(chr, range(0x7F, 0xA0)), "\u2028", "\u202e", "\u2066"} & {*line}


async def test_database_outages_are_not_logged_as_defects(
    api: Api, demo_dsn: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older schema, a right that was not granted, a full disk: 503, and a line that says why."""
    monkeypatch.setattr(system, "SECONDS", 0)
    monkeypatch.setattr(incidents, "_RECENT", {})
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute("alter table brand rename to earlier")
    await connection.execute("alter table _yoyo_migration rename to _earlier")
    behind = await api.get("/api/brands")
    is_failure(behind, 503, "server_error.unavailable")
    assert "selvedge migrate" in behind.json["error"]["details"][0]["value"]
    await connection.execute("alter table _earlier rename to _yoyo_migration")
    is_failure(await api.get("/api/brands"), 500, "server_error")
    assert (await api.get("/readyz")).status == 200

    def refuse(*_: object) -> None:
        raise asyncpg.InsufficientPrivilegeError("permission denied for table style_group")

    monkeypatch.setattr(change_recorder, "change_statement", refuse)
    is_failure(await api.post(GROUPS, {"name": "Refused"}), 503, "server_error.unavailable")
    is_failure(await api.post(GROUPS, {"name": "Refused"}), 503, "server_error.unavailable")
    monkeypatch.setattr(
        database_state, "_SPILL", "begin; do $$ begin raise sqlstate '53100'; end $$"
    )
    is_failure(await api.get("/readyz"), 503, "server_error.unavailable")
    monkeypatch.undo()
    monkeypatch.setattr(system, "SECONDS", 0)
    await asyncio.sleep(0)
    assert (await api.get("/readyz")).status == 200
    await connection.close()
    events = [vars(record).get("event") for record in caplog.records]
    for event in ("schema_behind", "schema_current", "write_failed", "disk_full", "disk_has_room"):
        assert events.count(event) == 1, event
    [refused] = [each for each in caplog.records if vars(each).get("event") == "write_failed"]
    assert "permission denied for table style_group; grant" in refused.getMessage()
