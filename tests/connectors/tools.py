"""Data-integration tools: their folders, and runs of their commands."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.time_limits import limit

HOME: Final = Path(__file__).parent
TOOLS: Final = HOME / ".tools"
NAMES: Final = ("dlt", "singer", "airbyte")
CONFIGURATIONS: Final = HOME.parents[1] / "docs" / "connectors"
_SECONDS: Final = 60


def are_installed() -> bool:
    """Return whether there is what `make connectors` installs."""
    return all((TOOLS / name / ".installed").exists() for name in NAMES)


@dataclass(frozen=True)
class Run:
    """Result of a tool's run; an interrupted one has no status of its own."""

    status: int
    output: str
    errors: str


async def run(
    folder: Path,
    *command: str | Path,
    environment: Mapping[str, str],
    interruption: asyncio.Event | None = None,
) -> Run:
    """Run a command to its end, or kill it at the interruption; return what it has written."""
    output, errors = folder / "output", folder / "errors"
    # Modules are compiled once: they were not when they were installed.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment}
    with output.open("wb") as out, errors.open("wb") as err:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, env=environment, stdout=out, stderr=err
        )
        ending = asyncio.ensure_future(process.wait())
        events = [asyncio.ensure_future(interruption.wait())] if interruption else []
        try:
            await asyncio.wait(
                [ending, *events], timeout=limit(_SECONDS), return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for event in events:
                event.cancel()
            is_late = process.returncode is None
            if is_late:
                process.kill()
            await ending
    assert not is_late or (interruption and interruption.is_set()), errors.read_text()
    return Run(ending.result(), output.read_text(), errors.read_text())
