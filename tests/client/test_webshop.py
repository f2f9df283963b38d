"""The program of the guide to webshops keeps a catalog equal (contract, Products)."""

import asyncio
import json
import os
import re
import socket
import sqlite3
import sys
from asyncio import create_subprocess_exec
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.files import GUIDES
from tests.support.api import Api, replacing
from tests.support.listing import walk
from tests.support.receivers import HOOKS, sending_api
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Products")
_MOST_LINES = 40


def program(folder: Path) -> Path:
    """Write the program of the guide, at most forty lines long."""
    text = (GUIDES / "webshop.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= _MOST_LINES
    (folder / "shop.py").write_text(code, encoding="utf-8")
    return folder / "shop.py"


def catalog(path: Path) -> dict[int, Any]:
    with closing(sqlite3.connect(path)) as copy:
        try:
            rows = copy.execute("select id, document from product").fetchall()
        except sqlite3.OperationalError:
            return {}
    return {style: json.loads(document) for style, document in rows}


async def fresh(api: Api, channel: int) -> dict[int, Any]:
    query = [("channelId", str(channel)), ("isComplete", "true"), ("pageSize", "100")]
    return {each["style"]["id"]: each for each in await walk(api, "/api/products", query)}


async def test_the_catalog_stays_equal(demo_dsn: str, tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    path = tmp_path / "catalog.sqlite"
    async with sending_api(demo_dsn) as api:
        hook = await api.post(HOOKS, {"url": f"http://127.0.0.1:{port}/"})
        channel = await api.post("/api/channels", {"name": "Shop", "requirements": ["brand"]})
        environment = {
            **os.environ,
            "SECRET": hook.data["secret"],
            "PORT": str(port),
            "CHANNEL": str(channel.data["id"]),
            "SELVEDGE_URL": str(api.client.server.make_url("/")).rstrip("/"),
            "SELVEDGE_API_KEY": api.key,
        }
        process = await create_subprocess_exec(
            sys.executable, str(program(tmp_path)), str(path), env=environment
        )
        try:
            for round_ in range(3):
                expected = await fresh(api, channel.data["id"])
                assert len(expected) > 20
                async with within(30):
                    while catalog(path) != expected:
                        assert process.returncode is None
                        await asyncio.sleep(0.1)
                first, second, third, *_ = expected
                await api.patch(f"/api/styles/{first}", replacing("/brandId", None))
                await api.patch(f"/api/styles/{second}", replacing("/status", "cancelled"))
                color = expected[third]["colors"][0]["colorId"]
                await api.patch(f"/api/colors/{color}", replacing("/name", f"Name {round_}"))
        finally:
            process.kill()
            await process.wait()
