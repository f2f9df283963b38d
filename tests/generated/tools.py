"""Third-party tools: their folders, and commands that run them."""

import asyncio
import os
import shutil
import sys
from pathlib import Path
from typing import Final

from tests.support.time_limits import limit

HOME: Final = Path(__file__).parent
SCRIPTS: Final = HOME / "scripts"
TOOLS: Final = HOME / ".tools"
_MODULES: Final = TOOLS / "node_modules"
_SECONDS: Final = 120


def are_installed() -> bool:
    """Return whether there is Node.js, and what `make generators` installs."""
    return shutil.which("node") is not None and (TOOLS / ".installed").exists()


def node_tool(name: str) -> Path:
    """Return a command of one of the npm packages."""
    return _MODULES / ".bin" / name


def python_tool(name: str) -> Path:
    """Return a command of one of the packages that the tests run on."""
    return Path(sys.executable).with_name(name)


def lend(folder: Path) -> None:
    """Let scripts in the folder import the npm packages."""
    (folder / "node_modules").symlink_to(_MODULES)


async def run(*command: str | Path, folder: Path, **environment: str) -> str:
    """Return what a command prints; raise AssertionError with all of it if the command fails."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        raw, _ = await asyncio.wait_for(process.communicate(), limit(_SECONDS))
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    assert process.returncode == 0, raw.decode()
    return raw.decode()
