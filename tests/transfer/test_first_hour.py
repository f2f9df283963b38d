"""Tests of docs/first-hour.md: every line, starting from an empty database."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from aiohttp.test_utils import unused_port

from tests.policy.sources import ROOT
from tests.support.databases import fresh_database
from tests.support.temporary_folders import temporary_folder
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Files")

SECONDS: Final = 180
_BLOCK: Final = re.compile(r"```(sh|text)\n(.*?)```", re.DOTALL)
_ERROR: Final = re.compile(r"```text error\n(.*?)```", re.DOTALL)
_END: Final = "=== the end of a block ==="


def blocks() -> tuple[list[str], dict[int, str]]:
    """Return the commands, and the shown output by number."""
    pasted, printed = list[str](), dict[int, str]()
    for kind, text in _BLOCK.findall((ROOT / "docs" / "first-hour.md").read_text("utf-8")):
        if kind == "sh":
            pasted.append(text)
        else:
            printed[len(pasted) - 1] = text
    return pasted, printed


def script(pasted: list[str], port: int) -> str:
    """Return the blocks as one script, which stops at a line that fails."""
    text = f"echo '{_END}'\n".join([*pasted, ""])
    for said, meant in (
        ("make migrate\n", "selvedge migrate\n"),
        ('export PATH="$PWD/.venv/bin:$PATH"\n', ""),
        (":8080", f":{port}"),
    ):
        assert said in text
        text = text.replace(said, meant)
    return f"set -e\ntrap 'kill %1' EXIT\n{text}"


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that the account that serves may enter."""
    with temporary_folder() as folder:
        yield folder


@pytest.mark.thorough
async def test_every_line_does_what_it_says(server_dsn: str, worker_id: str, home: Path) -> None:
    dsn, port = fresh_database(server_dsn, f"first_hour_{worker_id}", "template0"), unused_port()
    command = home / "bin" / "selvedge"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m service "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    named = {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "DATABASE_URL": dsn,
        "PORT": str(port),
        "WORKERS": "1",
        "LOG_LEVEL": "error",
    }
    pasted, expected = blocks()
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", script(pasted, port), cwd=home, env=os.environ | named,
        stdout=PIPE, stderr=(home / "told").open("wb"), start_new_session=True,
    )  # fmt: skip
    try:
        async with within(SECONDS):
            printed, _ = await process.communicate()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    errors = (home / "told").read_text("utf-8")
    assert process.returncode == 0, errors
    [shown] = _ERROR.findall((ROOT / "docs" / "first-hour.md").read_text("utf-8"))
    assert " ".join(shown.split()) in errors
    outputs = printed.decode().split(f"{_END}\n")
    assert len(outputs) == len(pasted) + 1
    for number, text in expected.items():
        lines = [line.split() for line in outputs[number].splitlines()]
        assert lines == [line.split() for line in text.splitlines()]
