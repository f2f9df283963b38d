"""The API keys of the demo organizations, kept so that every start shows the same ones."""

from pathlib import Path
from typing import Final

import asyncpg

from service.files import private
from service.organizations import administration, keys

_ORGANIZATIONS: Final = (1, 2)


async def ensure(connection: asyncpg.Connection, data_dir: Path) -> dict[int, str]:
    """Return a working key of each demo organization there is, and keep them in `demo-keys`."""
    path = data_dir / "demo-keys"
    kept = _read(path)
    found = {}
    for organization_id in _ORGANIZATIONS:
        key = kept.get(organization_id)
        if key is None or not await administration.is_live_key(connection, key):
            key = await administration.issue_key(
                connection, organization_id, name="demo", scope="write"
            )
        if key is not None:
            found[organization_id] = key
    if found != kept:
        _write(path, found)
    return found


def _read(path: Path) -> dict[int, str]:
    """Return the keys in a file by organization; what is no key is passed over."""
    try:
        lines = path.read_text(encoding="ascii").split()
    except (FileNotFoundError, UnicodeDecodeError):
        return {}
    return {parts[0]: line for line in lines if (parts := keys.parse(line)) is not None}


def _write(path: Path, found: dict[int, str]) -> None:
    """Replace the file at once, readable by its owner alone."""
    unfinished = path.with_suffix(".unfinished")
    with private(unfinished) as file:
        file.writelines(f"{key}\n".encode() for key in found.values())
    unfinished.replace(path)
