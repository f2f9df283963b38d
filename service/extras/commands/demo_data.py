"""Demo commands: `selvedge demo load` and `selvedge demo files`."""

import asyncio
import shutil
import sys
from argparse import Namespace
from pathlib import Path

import asyncpg

from service.extras.commands import CommandError, Parsers
from service.extras.commands.command_database import database
from service.extras.commands.keys import issue
from service.files import DEMO, private
from service.organizations import administration, caller
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the commands."""
    demo = parsers.add_parser("demo").add_subparsers(required=True)
    demo.add_parser("load", help="load demo data into an empty database").set_defaults(
        run=load_demo
    )
    files = demo.add_parser("files", help="write the data of organization 1 as files to import")
    files.add_argument("folder", type=Path, metavar="DIR", help="a new folder")
    files.set_defaults(run=write_demo)


def load_demo(settings: Settings, _: Namespace) -> None:
    """Load the demo data into a migrated database. Raise CommandError if it has an organization."""
    with database(settings) as dsn:
        fill(dsn)


def write_demo(_: Settings, arguments: Namespace) -> None:
    """Write the demo files of organization 1 into a new folder. Raise CommandError if it exists.

    No database is needed.
    """
    if arguments.folder.exists():
        raise CommandError(f"{arguments.folder} exists already: use a new folder")
    shutil.copytree(DEMO, arguments.folder)


def fill(dsn: str) -> None:
    """Load the demo data, with a progress bar on a terminal.

    The schema must be current, which is not checked here. Raise errors as ``demo.load`` does.
    """
    # Imported here: no other command needs its texts.
    from service.extras import demo

    asyncio.run(demo.load(dsn, progress=sys.stderr.isatty()))


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
        key = await issue(connection, organization_id, name="demo", scopes=["write"])
        valid |= {} if key is None else {organization_id: key}
    by_organization = dict(sorted(valid.items()))
    if by_organization != stored:
        _write(path, by_organization)
    return by_organization


async def _demo_organizations(connection: asyncpg.Connection) -> set[int]:
    """Return the ids of the organizations that are the demo's by id and name."""
    # Imported here: no other command needs its texts.
    from service.extras.demo.loading import organizations

    names = organizations()
    rows = await administration.rows(connection, "list_organizations")
    return {row["id"] for row in rows if names.get(row["id"]) == row["name"]}


def _read(path: Path) -> dict[int, str]:
    """Return the keys in a file by organization id; {} without a file, or if it is not ASCII.

    Ignore other words in it.
    """
    try:
        lines = path.read_text(encoding="ascii").split()
    except (FileNotFoundError, UnicodeDecodeError):
        return {}
    return {parts[0]: line for line in lines if (parts := caller.parse(line)) is not None}


def _write(path: Path, by_organization: dict[int, str]) -> None:
    """Replace the file atomically, readable only by its owner."""
    unfinished = path.with_suffix(".unfinished")
    with private(unfinished) as file:
        file.writelines(f"{key}\n".encode() for key in by_organization.values())
    unfinished.replace(path)
