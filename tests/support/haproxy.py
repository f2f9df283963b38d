"""HAProxy with the examples of docs/deploy before instances of a test."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiohttp
import pytest
from aiohttp.test_utils import unused_port

from tests.policy.sources import ROOT
from tests.support.time_limits import within

FILE: Final = (ROOT / "docs" / "deploy" / "haproxy.cfg").read_text()
CELLS_FILE: Final = (ROOT / "docs" / "deploy" / "haproxy-cells.cfg").read_text()
PATH: Final = "/api/groups"
"""Path of requests to instances."""
_MAP: Final = re.compile(r"/etc/haproxy/\w+\.map(?=[,)])")
_SERVER: Final = re.compile(r"    server .*\n")

needs_haproxy = pytest.mark.skipif(shutil.which("haproxy") is None, reason="no HAProxy is here")


@asynccontextmanager
async def proxy(
    folder: Path, ports: Mapping[str, int], organizations: str, file_text: str = FILE
) -> AsyncIterator[aiohttp.ClientSession]:
    """Run HAProxy before instances on ports of 127.0.0.1, by their names in the file.

    ``organizations`` is the map of the file, such as `selvedge organization nodes` prints. TLS, the
    account and the servers are all that is changed of the file.
    """
    map_file = folder / "organizations.map"
    map_file.write_text(organizations)
    port = unused_port()
    text = _MAP.sub(str(map_file), file_text)
    text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{port}", text)
    text = re.sub(r"    (user|group) haproxy\n", "", text)
    servers = [f"    server {node} 127.0.0.1:{each}\n" for node, each in ports.items()]
    assert len(_SERVER.findall(text)) == len(servers)
    text = _SERVER.sub(lambda _: servers.pop(0), text)
    file = folder / "haproxy.cfg"
    file.write_text(text)
    process = await asyncio.create_subprocess_exec("haproxy", "-db", "-q", "-f", str(file))
    try:
        # After earlier requests on a connection HAProxy ends the connection instead of a 503.
        connector = aiohttp.TCPConnector(force_close=True)
        base_url = f"http://127.0.0.1:{port}"
        async with aiohttp.ClientSession(base_url, connector=connector) as session:
            async with within(10):
                while not await _listens(session):
                    assert process.returncode is None
                    await asyncio.sleep(0.05)
            yield session
    finally:
        process.terminate()
        await process.wait()


async def _listens(session: aiohttp.ClientSession) -> bool:
    try:
        async with session.get(PATH):
            return True
    except aiohttp.ClientError:
        return False
