"""Tests of the audit log: its entries, pages, long polls and retention (contract, Audit)."""

import asyncio
import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from service.organizations import audit
from service.organizations.audit import Actor, AuditEvent
from tests.support import webhooks
from tests.support.api import MERGE_PATCH, Answer, Api, replacing
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Audit")

AUDIT = "/api/audit"
EVENT = AuditEvent("key.created", "key:7", {"name": 'Größe\u2028 "x"\n\x7f', "scopes": ["*:read"]})


def canonical(value: Any) -> str:
    """Return the canonical form (RFC 8785) of objects with ASCII names and small integers."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def assert_chained(entries: list[dict[str, Any]]) -> None:
    previous = entries[0]["previousHash"]
    for number, entry in enumerate(entries, entries[0]["n"]):
        rest = {name: entry[name] for name in entry if name not in ("previousHash", "hash")}
        digest = hashlib.sha256((previous + canonical(rest)).encode()).hexdigest()
        assert (entry["n"], entry["previousHash"], entry["hash"]) == (number, previous, digest)
        previous = entry["hash"]


async def record(dsn: str, count: int, organization_id: int) -> None:
    connection = await asyncpg.connect(dsn)
    for _ in range(count):
        async with connection.transaction():
            await audit.record(connection, organization_id, Actor("operator:test"), EVENT)
    await connection.close()


async def entries_of(api: Api) -> list[dict[str, Any]]:
    return list((await api.get(AUDIT)).data)


async def test_webhooks_and_settings_are_audited(api: Api) -> None:
    """Each write adds one entry, in its transaction; refused and repeated ones add none."""
    key = api.key.split("_")[2]
    forwarded = {"X-Forwarded-For": f"198.51.100.4, {api.key}"}
    once = {"Idempotency-Key": "once"} | forwarded
    created = await api.post(webhooks.PATH, webhooks.BODIES["add"], headers=once)
    await api.post(webhooks.PATH, webhooks.BODIES["add"], headers=once)
    path = created.headers["Location"]
    assert (await api.post(webhooks.PATH, {"url": "nonsense"})).status == 400
    await api.patch(path, {"documents": True}, content_type=MERGE_PATCH)
    for action, body in (("rewind", {"n": 0}), ("rotate", {})):
        assert (await api.post(f"{path}/{action}", body)).status == 200
    await api.delete(path)
    own = f"/api/organizations/{api.organization_id}"
    before = (await api.get(own)).data["city"]
    assert (await api.patch(own, replacing("/city", "Oslo"))).status == 200
    await api.patch(own, replacing("/city", "Oslo"))
    await api.call("PATCH", f"{own}?dryRun=true", replacing("/city", "Bergen"))
    entries = await entries_of(api)
    assert_chained(entries)
    assert {(entry["actor"], entry["address"]) for entry in entries} == {
        (f"key:{key}", "127.0.0.1")
    }
    target = f"webhook:{created.data['id']}"
    actions = ("created", "updated", "rewound", "rotated", "deleted")
    assert [(entry["action"], entry["target"]) for entry in entries] == [
        *((f"webhook.{action}", target) for action in actions),
        ("organization.updated", f"organization:{api.organization_id}"),
    ]
    shown = {"url": webhooks.URL, "collections": [], "state": "paused"}
    assert entries[1]["details"] == shown | {"documents": True}
    shown_key = api.key.rpartition("_")[0]
    assert entries[0]["details"]["forwardedFor"] == f"198.51.100.4, {shown_key}_...…"
    assert entries[-1]["details"] == {"changes": {"city": [before, "Oslo"]}}
    assert created.data["secret"] not in json.dumps(entries)


async def test_pages_and_tenancy(api: Api, other_api: Api, shared_dsn: str) -> None:
    await record(shared_dsn, 5, api.organization_id)
    first = await api.get(AUDIT, {"limit": "2"})
    assert "Link" in first.headers
    pages, page = [first], first
    while page.json["pagination"]["hasMore"]:
        page = await api.get(AUDIT, {"cursor": page.json["pagination"]["cursor"], "limit": "2"})
        pages.append(page)
    assert [len(each.data) for each in pages] == [2, 2, 1]
    entries = [entry for each in pages for entry in each.data]
    assert entries == await entries_of(api)
    assert_chained(entries)
    assert entries[0]["details"] == EVENT.details
    cursor = first.json["pagination"]["cursor"]
    assert (await other_api.get(AUDIT)).data == []
    for reader, query, detail in (
        (other_api, {"cursor": cursor}, ("invalid_cursor", "cursor")),
        (api, {"cursor": "x"}, ("invalid_cursor", "cursor")),
        (api, {"cursor": cursor, "from": "now"}, ("exclusive_parameters", "from")),
        (api, {"limit": "1001"}, ("out_of_range", "limit")),
        (api, {"wait": "31"}, ("out_of_range", "wait")),
    ):
        refused = await reader.get(AUDIT, query)
        assert refused.details == [(f"validation_error.{detail[0]}", detail[1])]


async def test_a_reader_waits_for_entries(api: Api, shared_dsn: str) -> None:
    await record(shared_dsn, 1, api.organization_id)
    now = await api.get(AUDIT, {"from": "now", "wait": "20"})
    assert now.data == []
    following = {"cursor": now.json["pagination"]["cursor"], "wait": "20"}
    waiting: asyncio.Task[Answer] = asyncio.create_task(api.get(AUDIT, following))
    await asyncio.sleep(0.3)
    await record(shared_dsn, 1, api.organization_id)
    async with within(5):
        assert [entry["n"] for entry in (await waiting).data] == [2]


async def test_concurrent_writers_make_one_chain(api: Api, shared_dsn: str) -> None:
    writes = [api.post(webhooks.PATH, webhooks.BODIES["add"]) for _ in range(8)]
    assert {answer.status for answer in await asyncio.gather(*writes)} == {201}
    await asyncio.gather(*(record(shared_dsn, 3, api.organization_id) for _ in range(4)))
    entries = await entries_of(api)
    assert len(entries) == 20
    assert_chained(entries)


async def test_expired_entries_leave_a_chain(
    api: Api, shared_dsn: str, shared_connection: Any
) -> None:
    await record(shared_dsn, 4, api.organization_id)
    from_third = (await entries_of(api))[2]
    begin = await api.get(AUDIT, {"limit": "1"})
    moment = datetime.fromisoformat(from_third["at"])
    for before in (moment, moment - timedelta(days=1)):
        assert not await audit.delete_expired(shared_connection, api.organization_id, before)
    assert [entry["n"] for entry in await entries_of(api)] == [3, 4]
    expired = await api.get(AUDIT, {"cursor": begin.json["pagination"]["cursor"]})
    assert expired.status == 410
    await record(shared_dsn, 1, api.organization_id)
    assert [each async for each in audit.problems(shared_connection, api.organization_id, {})] == []
    await audit.delete_expired(shared_connection, api.organization_id, datetime.now(UTC))
    assert [each async for each in audit.problems(shared_connection, api.organization_id, {})] == []
    assert (await entries_of(api)) == []
    await record(shared_dsn, 1, api.organization_id)
    assert [entry["n"] for entry in await entries_of(api)] == [6]
