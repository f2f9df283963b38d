"""Tests of `selvedge audit verify`, and of the entries that commands add (contract, Audit)."""

import asyncio
import json
from pathlib import Path

import asyncpg
import pytest

from tests.contract.test_audit import AUDIT, assert_chained, record
from tests.support import webhooks
from tests.support.api import Api
from tests.support.command_line import CommandResult
from tests.support.processes import selvedge

pytestmark = pytest.mark.contract("Audit", "Command line")

ALTER = "update audit_entry set details = '{}' where organization_id = 1 and n = 2"
REMOVE = "delete from audit_entry where organization_id = 1 and n = 2"
CUT = "delete from audit_entry where organization_id = 1 and n >= 4"
INSERT = (
    "insert into audit_entry select organization_id, 5, at, actor, action, target, address, "
    "details, hash, repeat('0', 64) from audit_entry where organization_id = 1 and n = 4"
)
RENUMBER = "update audit_entry set n = 5 where organization_id = 1 and n = 4"
FORGET = (
    "update audit_chain set last_n = 3, last_hash = (select hash from audit_entry where "
    "organization_id = 1 and n = 3) where organization_id = 1"
)


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        ([ALTER], "organization 1: entry 2 was altered"),
        ([REMOVE], "organization 1: entries 2 to 2 are missing"),
        ([CUT], "organization 1: entries 4 to 4 are missing at the end"),
        ([INSERT], "organization 1: entry 5 was altered"),
        ([RENUMBER], "organization 1: entries 4 to 4 are missing"),
        ([CUT, FORGET], "organization 1: entries 4 to 4 are missing at the end"),
    ],
)
async def test_changed_entries_are_found(
    statements: list[str], problem: str, demo_dsn: str, data_dir: Path, tmp_path: Path
) -> None:
    await record(demo_dsn, 4, 1)
    await record(demo_dsn, 2, 2)
    connection = await asyncpg.connect(demo_dsn)
    head = await connection.fetchval(
        "select hash from audit_entry where organization_id = 1 and n = 4"
    )
    log = tmp_path / "log"
    line = {"event": "audit_head", "organization": 1, "n": 4, "hash": head[:32]}
    sent, cut = '{"organization":1,"service_api":"audit_head"}', '{"event":"audit_head","n":4'
    log.write_text(f'no JSON\n{{"event":"other"}}\n{sent}\n{cut}\n{json.dumps(line)}\n')

    async def run(*arguments: str) -> CommandResult:
        return await asyncio.to_thread(
            selvedge, data_dir, "audit", "verify", *arguments, DATABASE_URL=demo_dsn
        )

    complete = await run("--log", str(log))
    assert complete.returncode == 0, complete.stderr
    assert complete.stdout.splitlines()[1].split() == ["1", "4", "4", head]
    for statement in statements:
        await connection.execute(statement)
    await connection.close()
    changed = await run("--log", str(log))
    assert (changed.returncode, problem in changed.stderr) == (1, True), changed.stderr
    assert "organization 2:" not in changed.stderr
    without_log = await run()
    assert without_log.returncode == (0 if FORGET in statements else 1)
    assert (await run("--organization", "2")).returncode == 0


async def test_commands_are_audited(api: Api, demo_dsn: str, data_dir: Path) -> None:
    webhook = (await api.post(webhooks.PATH, webhooks.BODIES["add"])).data
    for arguments in (
        ("webhook", "resume", str(webhook["id"])),
        ("organization", "set", "1", "--multiple-language", "off"),
        ("organization", "set", "1", "--multiple-language", "off"),
    ):
        result = selvedge(data_dir, *arguments, DATABASE_URL=demo_dsn)
        assert result.returncode == 0, result.stderr
    _, *entries = (await api.get(AUDIT)).data
    assert_chained(entries)
    assert [(entry["action"], entry["target"], entry["details"]) for entry in entries] == [
        ("webhook.updated", f"webhook:{webhook['id']}", {"state": "active"}),
        (
            "organization.updated",
            "organization:1",
            {"changes": {"multipleLanguage": [True, False]}},
        ),
    ]
    assert {entry["address"] for entry in entries} == {None}
    assert all(entry["actor"].startswith("operator:") for entry in entries)


@pytest.mark.contract("Keys")
async def test_key_commands_rotate_and_are_audited(api: Api, demo_dsn: str, data_dir: Path) -> None:
    def run(*arguments: str) -> CommandResult:
        return selvedge(data_dir, "key", *arguments, DATABASE_URL=demo_dsn)

    issued = run("issue", "--organization", "1", "--name", "ERP", "--scope", "brands:read")
    key = issued.stdout.strip()
    key_id = key.split("_")[2]
    rotated = run("rotate", key_id, "--overlap", "0").stdout.strip()
    assert rotated.split("_")[:3] == key.split("_")[:3]
    assert (await Api(api.client, rotated).get("/api/brands")).status == 200
    assert (await Api(api.client, key).get("/api/brands")).status == 401
    assert run("revoke", key_id).returncode == 0
    assert run("revoke", key_id, "--organization", "1").returncode == 0
    refused = run("rotate", key_id)
    assert (refused.returncode, "is revoked" in refused.stderr) == (1, True)
    assert run("rotate", key_id, "--overlap", "604801").returncode == 2
    entries = (await api.get(AUDIT)).data
    assert_chained(entries)
    assert [(entry["action"], entry["target"]) for entry in entries] == [
        (f"key.{action}", f"key:{key_id}") for action in ("created", "rotated", "deleted")
    ]
    assert entries[0]["details"]["scopes"] == ["brands:read"]
    assert {entry["actor"] for entry in entries} == {entries[0]["actor"]}
    assert entries[0]["actor"].startswith("operator:")
