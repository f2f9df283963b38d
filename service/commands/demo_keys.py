"""Demo API keys: stored in a file, so that every start shows the same keys."""

from pathlib import Path

import asyncpg

from service.files import private
from service.organizations import administration, keys


async def ensure(connection: asyncpg.Connection, data_dir: Path) -> dict[int, str]:
    """Return a valid key of each demo organization by its id.

    The valid keys of the file `demo-keys` in the data folder are kept, whatever the name of their
    organization is now. For each other organization with the id and name of a demo organization a
    new key is issued, with the scope `write` and no expiry. If the keys differ from those of the
    file, it is replaced. Return {} if the data are not the demo's and the file has no valid key.
    """
    path = data_dir / "demo-keys"
    stored = _read(path)
    valid = {
        organization_id: key
        for organization_id, key in stored.items()
        if await administration.is_live_key(connection, key)
    }
    for organization_id in sorted(await _demo_organizations(connection) - valid.keys()):
        key = await administration.issue_key(
            connection, organization_id, name="demo", scope="write"
        )
        if key is not None:
            valid[organization_id] = key
    by_organization = dict(sorted(valid.items()))
    if by_organization != stored:
        _write(path, by_organization)
    return by_organization


async def _demo_organizations(connection: asyncpg.Connection) -> set[int]:
    """Return the ids of the organizations that are the demo's by id and name."""
    # Imported here: no other command needs its texts.
    from service.demo.words import profiles

    names = {number: profile.name for number, profile in enumerate(profiles(), start=1)}
    rows = await administration.list_organizations(connection)
    return {row["id"] for row in rows if names.get(row["id"]) == row["name"]}


def _read(path: Path) -> dict[int, str]:
    """Return the keys in a file by organization id; {} without a file, or if it is not ASCII.

    Ignore other words in it.
    """
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
