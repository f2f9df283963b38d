"""Demo API keys: stored in a file, so that every start shows the same keys."""

from pathlib import Path
from typing import Final

import asyncpg

from service.files import private
from service.organizations import administration, keys

_ORGANIZATIONS: Final = (1, 2)


async def ensure(connection: asyncpg.Connection, data_dir: Path) -> dict[int, str]:
    """Return a valid key of organizations 1 and 2, if they exist, by organization id.

    The keys come from the file `demo-keys` in the data folder. For an organization whose key is
    absent, expired or revoked, a new one is issued, with the scope `write` and no expiry. If the
    keys differ from those of the file, it is replaced. The organizations need not have demo data.
    """
    path = data_dir / "demo-keys"
    stored = _read(path)
    valid = {}
    for organization_id in _ORGANIZATIONS:
        key = stored.get(organization_id)
        if key is None or not await administration.is_live_key(connection, key):
            key = await administration.issue_key(
                connection, organization_id, name="demo", scope="write"
            )
        if key is not None:
            valid[organization_id] = key
    if valid != stored:
        _write(path, valid)
    return valid


def _read(path: Path) -> dict[int, str]:
    """Return the keys in a file by organization id; {} without a file. Ignore other words in it."""
    try:
        lines = path.read_text(encoding="ascii").split()
    except (FileNotFoundError, UnicodeDecodeError):
        return {}
    return {parts[0]: line for line in lines if (parts := keys.parse(line)) is not None}


def _write(path: Path, by_organization: dict[int, str]) -> None:
    """Replace the file atomically, readable only by its owner."""
    unfinished = path.with_suffix(".unfinished")
    with private(unfinished) as file:
        file.writelines(f"{key}\n".encode() for key in by_organization.values())
    unfinished.replace(path)
