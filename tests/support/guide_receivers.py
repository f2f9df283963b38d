"""Receivers that the guide to webhooks shows: run as they stand there, and sent changes."""

import os
import re
import socket
from asyncio import create_subprocess_exec, subprocess
from pathlib import Path

from service.files import GUIDES
from tests.support.receivers import HOOKS, make, sending_api, settled
from tests.support.time_limits import within

_MOST_LINES = 20


def receiver_of_the_guide(language: str) -> str:
    """Return the receiver that the guide shows, at most twenty lines long."""
    text = (GUIDES / "webhooks.md").read_text(encoding="utf-8")
    [code] = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= _MOST_LINES
    return str(code)


async def delivered(dsn: str, folder: Path, *command: str) -> list[bytes]:
    """Return what a receiver prints about two changes that are sent to it."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    async with sending_api(dsn) as api:
        answer = await api.post(HOOKS, {"url": f"http://127.0.0.1:{port}/"})
        environment = {**os.environ, "SECRET": answer.data["secret"], "PORT": str(port)}
        process = await create_subprocess_exec(
            *command, cwd=folder, env=environment, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        try:
            async with within(30):
                ids = [await make(api), await make(api, 2)]
                lines: list[bytes] = []
                while sum(line.count(b",") + 1 for line in lines) < 3:
                    lines.append(await process.stdout.readline())
            await settled(api, dict(answer.data))
        finally:
            process.kill()
            await process.wait()
    assert b"".join(lines).count(str(ids[1][-1]).encode()) == 1
    return lines
