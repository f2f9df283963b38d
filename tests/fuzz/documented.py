"""Schemathesis run, as a command, on the OpenAPI document of the service."""

import asyncio
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp.test_utils import TestServer

_ROOT: Final = Path(__file__).parents[2]
_SCHEMATHESIS: Final = Path(sys.executable).with_name("schemathesis")
#: Check that is off: schemas describe neither stored data nor parameters that exclude each other.
UNKNOWABLE: Final = "positive_data_acceptance"
_COUNTS: Final = re.compile(r"(\d+) generated(?:, (\d+) found)?")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a run: its cases, its unexpected responses, and its output."""

    cases: int
    failures: int
    passed: bool
    output: str


async def run(
    server: TestServer,
    key: str,
    folder: Path,
    *,
    seed: int,
    examples: int,
    phases: str,
    operations: str = ".",
) -> Outcome:
    """Send valid and invalid cases to the operations whose path has that pattern.

    The phase ``fuzzing`` makes about as many cases for each as ``examples`` says.
    """
    process = await asyncio.create_subprocess_exec(
        _SCHEMATHESIS,
        "run",
        str(server.make_url("/openapi.json")),
        f"--header=Authorization: Bearer {key}",
        f"--phases={phases}",
        f"--exclude-checks={UNKNOWABLE}",
        f"--max-examples={examples}",
        f"--seed={seed}",
        "--request-timeout=60",  # changes are waited for
        f"--include-path-regex={operations}",
        "--generation-database=none",
        "--generation-codec=latin-1",  # the client can send no other header
        "--no-color",
        cwd=folder,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks", "PYTHONPATH": str(_ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    raw, _ = await process.communicate()
    output = raw.decode()
    counts = _COUNTS.search(output)
    cases, failures = (int(count or 0) for count in counts.groups()) if counts else (0, 0)
    return Outcome(cases, failures, process.returncode == 0, output)
