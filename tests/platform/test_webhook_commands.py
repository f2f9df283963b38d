"""Tests of `selvedge webhook` and `selvedge listen`."""

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import ClientSession
from standardwebhooks.webhooks import Webhook

from tests.support.api import Api
from tests.support.command_line import CommandResult
from tests.support.processes import environment, selvedge
from tests.support.receivers import (
    HOOKS,
    make,
    receiving,
    sending_api,
    settled,
    state_of,
    subscribe,
)

pytestmark = pytest.mark.contract("Command line")


async def test_an_operator_lists_pauses_and_resumes(
    api: Api, demo_dsn: str, data_dir: Path
) -> None:
    body = {"url": "https://erp.example.com/selvedge", "state": "paused"}
    webhook = (await api.post(HOOKS, body)).data
    number = str(webhook["id"])

    def run(*arguments: str) -> CommandResult:
        return selvedge(data_dir, "webhook", *arguments, DATABASE_URL=demo_dsn)

    listed = run("list")
    assert listed.returncode == 0, listed.stderr
    titles, row = listed.stdout.splitlines()
    assert titles.split()[:4] == ["ID", "ORGANIZATION", "STATE", "BEHIND"]
    assert row.split()[:4] == [number, "1", "paused", "0"]
    assert webhook["secret"] not in listed.stdout
    assert len(run("list", "--organization", "2").stdout.splitlines()) == 1
    for action, state in (("resume", "active"), ("pause", "paused")):
        assert run(action, number).returncode == 0
        assert (await state_of(api, webhook))["state"] == state
    unknown = run("pause", "999999")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "there is no webhook 999999" in unknown.stderr


async def test_a_copy_sends_nothing(api: Api, demo_dsn: str, data_dir: Path) -> None:
    """Its receivers would take its messages for those of the original."""
    webhook = (await api.post(HOOKS, {"url": "https://erp.example.com/selvedge"})).data
    copied = selvedge(data_dir, "restore", "--recovered", "--copy", DATABASE_URL=demo_dsn)
    assert copied.returncode == 0, copied.stderr
    assert (await state_of(api, webhook))["state"] == "paused"


async def signed_post(url: str, body: bytes, secret: str) -> int:
    """Send a message as a webhook does; return the status."""
    moment = datetime.now(UTC)
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(secret).sign("msg_1", moment, body.decode()),
    }
    async with ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
        return answer.status


@pytest.mark.contract("Commands of callers")
@pytest.mark.parametrize("is_verified", [True, False])
async def test_listen_prints_what_arrives(demo_dsn: str, data_dir: Path, is_verified: bool) -> None:
    async with sending_api(demo_dsn) as api, receiving() as placeholder:
        webhook = await subscribe(api, placeholder, state="paused")
        secret = {"SELVEDGE_WEBHOOK_SECRET": webhook["secret"] if is_verified else ""}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service", "listen", "0"),
            env=environment(data_dir, **secret),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            url = (await process.stderr.readline()).decode().split()[-1]
            path = f"{HOOKS}/{webhook['id']}"
            await api.patch(path, {"url": url, "state": "active"})
            await make(api)
            await settled(api, webhook)
            message = json.loads(await process.stdout.readline())
            assert (message["type"], len(message["entries"])) == ("changes", 1)
            if is_verified:
                await api.post(f"{path}/rotate", {"overlapSeconds": 0})
                tested = await api.post(f"{path}/test", None)
                assert tested.data["status"] == 401
                assert b"refused" in await process.stderr.readline()
            for body in (b"{", b'"\\ud800"'):
                assert await signed_post(url, body, webhook["secret"]) == 401
                assert b"refused" in await process.stderr.readline()
        finally:
            process.kill()
            await process.wait()


def test_a_port_that_is_none_is_wrong_usage(data_dir: Path) -> None:
    assert selvedge(data_dir, "listen", "70000").returncode == 2
