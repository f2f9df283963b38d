"""Tests of exports: equal to the lists, of one moment, at the reader's pace (contract, Exports)."""

import asyncio
import csv
import gzip
import io
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import orjson
import pytest

from service import csv_lines
from service.database.snapshots import SNAPSHOTS, Snapshots
from service.handlers import reads
from service.http import response_sender
from service.records import reads as export
from service.resources.registry import EXPORTED, MASTER_RECORDS
from service.routes import collection_path
from tests.support.api import Answer, Api, replacing
from tests.support.changes import PATH as CHANGES
from tests.support.changes import Follower
from tests.support.listing import walk
from tests.support.openapi_validation import is_failure
from tests.support.sampling import Sample
from tests.support.time_limits import until, within

pytestmark = pytest.mark.contract("Exports")

EXPORT, GROUPS, COLORS = "/api/export", "/api/groups", "/api/colors"


def lines(answer: Answer) -> tuple[list[Any], Any]:
    """Return the records of an export, and its last line."""
    assert answer.status == 200, answer.raw
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    *records, end = map(orjson.loads, answer.raw.splitlines())
    assert end["count"] == len(records)
    assert end["cursor"] == answer.headers["X-Changes-Cursor"]
    return records, end


def snapshots(api: Api) -> Snapshots:
    assert api.client.app is not None
    opened: Snapshots = api.client.app[SNAPSHOTS]
    return opened


async def snapshots_left(connection: asyncpg.Connection) -> list[str]:
    """Return the last statements of connections whose snapshot is still open."""
    rows = await connection.fetch(
        "select query from pg_stat_activity where datname = current_database()"
        " and application_name = 'selvedge' and state like 'idle in transaction%'"
    )
    return [row["query"] for row in rows]


@pytest.mark.demo_data
@pytest.mark.parametrize("batch", [1, 7, 500])
async def test_an_export_equals_the_lists(
    batch: int, api: Api, monkeypatch: pytest.MonkeyPatch, sample: Sample
) -> None:
    monkeypatch.setattr(export, "_BATCH_SIZE", batch)
    export.export_text.cache_clear()
    names = [*EXPORTED] if batch == 500 else ["colors", "sub-suppliers"]
    if batch == 7:
        monkeypatch.setattr(export, "_CHUNK_BYTES", 1000)
    params = [] if batch == 500 else [("collection", name) for name in names]
    records, _ = lines(await api.get(EXPORT, params))
    export.export_text.cache_clear()
    assert [*dict.fromkeys(record["collection"] for record in records)] == names
    for name in sample(names, 8):
        path = collection_path(EXPORTED[name])
        listed = await walk(api, path, [("pageSize", "100")])
        exported = [record["document"] for record in records if record["collection"] == name]
        assert exported == listed, name
    assert all(record["document"].get("state") != "deleted" for record in records)


async def test_organizations_export_their_own_records(shared_api: Api, shared_other: Api) -> None:
    params = {"collection": "groups"}
    mine, theirs = [lines(await api.get(EXPORT, params))[0] for api in (shared_api, shared_other)]
    ids = [{record["document"]["id"] for record in records} for records in (mine, theirs)]
    assert all(ids)
    assert not ids[0] & ids[1]


async def test_parameters(shared_api: Api) -> None:
    for params, details in (
        ([("collection", "colours")], [("invalid_value", "collection")]),
        ([("collection", "groups"), ("limit", "1")], [("unknown_parameter", "limit")]),
        ([("collection", "")], [("invalid_value", "collection")]),
    ):
        answer = await shared_api.get(EXPORT, params)
        assert answer.details == [(f"validation_error.{kind}", name) for kind, name in details]
    twice = await shared_api.get(EXPORT, [("collection", "groups")] * 2)
    assert twice.raw.count(b'"cursor"') == 1
    head = await shared_api.call("HEAD", EXPORT)
    assert (head.status, head.raw) == (200, b"")


async def test_all_is_of_one_moment(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written during the export is in the changes after its cursor."""
    for path in ("/api/brands", COLORS, GROUPS):
        assert (await api.post(path, [{"name": "One"}, {"name": "Two"}])).status == 201
    before = {record["id"]: record for record in await walk(api, GROUPS)}
    changed = min(before)

    async def batches(*arguments: Any, is_bare: bool) -> AsyncIterator[export.ExportBatch]:
        async for batch in read(*arguments, is_bare=is_bare):
            yield batch
            name = f"Renamed {asyncio.get_running_loop().time()}"
            await api.patch(f"{GROUPS}/{changed}", replacing("/name", name))

    read = export.batches
    monkeypatch.setattr(export, "batches", batches)
    params = [("collection", name) for name in ("brands", "colors", "groups")]
    records, end = lines(await api.get(EXPORT, params))
    groups = [record["document"] for record in records if record["collection"] == "groups"]
    assert groups == [*before.values()]
    follower = Follower(api)
    follower.cursor = end["cursor"]
    assert {entry["recordId"] for entry in await follower.entries()} >= {changed}


async def test_an_export_is_compressed_when_asked_for(shared_api: Api) -> None:
    some = {"collection": "groups"}
    plain = await shared_api.get(EXPORT, some, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    url = shared_api.client.make_url(EXPORT)
    headers = {"Authorization": f"Bearer {shared_api.key}", "Accept-Encoding": "gzip"}
    async with shared_api.client.session.get(
        url, params=some, headers=headers, auto_decompress=False
    ) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        packed = await response.read()
    assert len(packed) * 4 < len(plain.raw)
    assert gzip.decompress(packed).splitlines()[:-1] == plain.raw.splitlines()[:-1]


@pytest.mark.contract("Shares")
async def test_one_at_a_time(shared_api: Api, shared_other: Api) -> None:
    params = {"collection": "brands"}
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(snapshots(shared_api).open(1))
        second = await shared_api.get(EXPORT, params)
        is_failure(second, 429, "too_many_requests")
        assert int(second.headers["Retry-After"]) > 0
        assert (await shared_other.get(EXPORT, params)).status == 200
        assert (await shared_api.get(GROUPS)).status == 200
        await stack.enter_async_context(snapshots(shared_api).open(3))
        third = await shared_other.get(EXPORT, params)
        is_failure(third, 503, "server_error.unavailable")
        assert "Retry-After" in third.headers
    assert (await shared_api.get(EXPORT, params)).status == 200


async def endless(*_: Any, **_options: Any) -> AsyncIterator[export.ExportBatch]:
    while True:
        yield export.ExportBatch(bytes(2**20), 1)


async def hold(api: Api) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Begin an export without reading it; return once it has begun."""
    server = api.client.server
    reader, writer = await asyncio.open_connection(server.host, server.port, limit=2**16)
    head = f"GET {EXPORT} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {api.key}\r\n\r\n"
    writer.write(head.encode())
    assert b"200" in await reader.readline()
    return reader, writer


@pytest.mark.contract("Shares")
@pytest.mark.parametrize("ends", ["idle", "disconnected"])
async def test_a_reader_that_takes_nothing_leaves_nothing_behind(
    ends: str, api: Api, shared_connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "batches", endless)
    monkeypatch.setattr(response_sender, "RESPONSE_IDLE_SECONDS", 0.1 if ends == "idle" else 60)
    _, writer = await hold(api)
    if ends == "disconnected":  # nothing ends it by itself
        assert snapshots(api)._organizations == {api.organization_id}
        assert await snapshots_left(shared_connection)
        writer.transport.abort()
    await until(lambda: not snapshots(api)._organizations)
    async with within(5):
        while await snapshots_left(shared_connection):  # noqa: ASYNC110 - the server notices late
            await asyncio.sleep(0.05)
    writer.close()
    assert (await api.get(GROUPS)).status == 200


async def test_a_failure_breaks_the_export_off(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any, **_options: Any) -> AsyncIterator[export.ExportBatch]:
        yield export.ExportBatch(b'{"a":1}\n', 1)
        raise asyncpg.QueryCanceledError("too long")

    monkeypatch.setattr(export, "batches", broken)
    with pytest.raises(Exception, match=r"(?i)payload|disconnect|closed|reset"):
        await api.get(EXPORT)
    assert not snapshots(api)._organizations
    monkeypatch.undo()
    assert (await api.get(EXPORT)).status == 200


@pytest.mark.contract("CSV")
@pytest.mark.parametrize("resource", MASTER_RECORDS, ids=lambda resource: resource.name)
async def test_flat_records_are_tables(resource: Any, shared_api: Api) -> None:
    accept = {"Accept": "text/csv"}
    path = collection_path(resource)
    names = reads.columns(resource, ())
    plain = json.loads((await shared_api.get(path)).raw, parse_float=str)["data"]
    for _ in range(2):
        listed = await shared_api.get(path, headers=accept)
        assert listed.status == 200
        if not names:
            assert json.loads(listed.raw, parse_float=str)["data"] == plain
            continue
        assert listed.headers["Content-Type"] == "text/csv; charset=utf-8"
        rows = [
            {name: csv_lines.unguard(text) for name, text in row.items()}
            for row in csv.DictReader(io.StringIO(listed.raw.decode(), newline=""))
        ]
        assert [*map(list, rows)] == [[*names]] * len(plain)
        for row, record in zip(rows, plain, strict=True):
            assert row == {name: shown(record.get(name)) for name in names}
    exported = await shared_api.get(EXPORT, {"collection": resource.name}, headers=accept)
    if names:
        every = await walk(shared_api, path, [("pageSize", "100")])
        assert exported.raw.count(b"\r\n") >= len(every) + 1
        assert exported.raw.startswith(",".join(names).encode())
    else:
        assert lines(exported)


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ";".join(map(shown, value))
    return "" if value is None else str(value)


@pytest.mark.contract("CSV")
async def test_selected_fields_make_a_table(shared_api: Api) -> None:
    params = {"fields": "id,name", "pageSize": "2"}
    table = await shared_api.get(COLORS, params, headers={"Accept": "text/csv, */*;q=0.1"})
    assert table.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert table.raw.splitlines()[0] == b"id,name"
    assert "next" in table.headers["Link"]
    tag = {"Accept": "text/csv", "If-None-Match": table.headers["ETag"]}
    assert (await shared_api.get(COLORS, params, headers=tag)).status == 304
    both = await shared_api.get(COLORS, params, headers={"Accept": "text/csv, application/json"})
    assert both.data
    name = 'Quoted, "name"\nover lines;=1+1'
    made = await shared_api.post(GROUPS, {"name": name})
    quoted = await shared_api.get(
        GROUPS, {"id": made.data["id"], "fields": "name"}, headers={"Accept": "text/csv"}
    )
    assert [*csv.reader(io.StringIO(quoted.raw.decode(), newline=""))] == [
        ["name"],
        [name.replace("=", "'=")],
    ]


@pytest.mark.contract("Changes")
async def test_the_cursor_follows_all_changes(api: Api) -> None:
    _, end = lines(await api.get(EXPORT, {"collection": "brands"}))
    await api.post(GROUPS, {"name": "After"})
    answer = await api.get(CHANGES, {"cursor": end["cursor"]})
    assert [entry["collection"] for entry in answer.data] == ["groups"]
