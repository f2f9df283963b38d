"""Installation check: `selvedge check` prints a line for each part, and fails if one is wrong."""

import asyncio
import shutil
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import asyncpg

from service.console import say
from service.database import database_state, distribution, preflight
from service.database.distribution import NodeState
from service.database.incidents import DISK_IS_FULL
from service.extras.commands import CommandError, Parsers
from service.extras.commands.command_database import OldSchemaError, database
from service.organizations import administration as organizations
from service.settings import Settings

_KEY_DAYS: Final = 30
_DISK_SHARE: Final = 0.8
_CLOCK_SECONDS: Final = 5
_Part = tuple[str, bool, str]
"""Name, whether it is right, and text."""


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser("check")
    parser.set_defaults(run=check)


def check(settings: Settings, _: Namespace) -> None:
    """Print a line for each part. Raise CommandError if one is wrong.

    Raise SettingsError if the database cannot be reached, or does not suit the settings.
    """
    with database(settings) as dsn:
        preflight.check(settings, dsn, required=True)
        connections = f"{settings.workers} workers, {settings.pool_size} connections each"
        parts = [("settings", True, connections), *_disk(settings), *asyncio.run(_parts(dsn))]
    for name, is_right, text in parts:
        say(f"{'ok' if is_right else 'WRONG':5}  {name:8}  {text}")
    wrong = [name for name, is_right, _ in parts if not is_right]
    if wrong:
        raise CommandError(f"wrong: {', '.join(wrong)}")


def _disk(settings: Settings) -> Iterator[_Part]:
    """Yield the use of the embedded server's disk. That of another server is not known here."""
    if settings.database_url is None:
        disk = shutil.disk_usage(settings.data_dir)
        share = 1 - disk.free / disk.total
        yield "data", share < _DISK_SHARE, f"{share:.0%} of the disk of {settings.data_dir} in use"


async def _parts(dsn: str) -> list[_Part]:
    """Return the parts that the database shows.

    Without the current schema, or while a node is away, keys are left out.
    """
    connection = await asyncpg.connect(dsn, timeout=10)
    try:
        before = time.time()
        database_time = (await organizations.value(connection, "clock")).timestamp()
        deviation = max(before - database_time, database_time - time.time(), 0)
        is_current = await database_state.schema_is_current(connection)
        has_room = await database_state.has_room(connection)
        nodes = await distribution.node_states(connection)
        all_answer = all(node.answers for node in nodes)
        return [
            ("database", True, f"PostgreSQL {connection.get_server_version().major}"),
            ("schema", is_current, "current" if is_current else str(OldSchemaError())),
            ("disk", has_room, "the database can write" if has_room else DISK_IS_FULL),
            ("clock", deviation < _CLOCK_SECONDS, f"{deviation:.1f} s from the database's"),
            *_nodes(nodes),
            *([await _keys(connection)] if is_current and all_answer else []),
        ]
    finally:
        await connection.close()


def _nodes(nodes: Sequence[NodeState]) -> Iterator[_Part]:
    """Yield whether every node of a cluster answers, with the session settings; none without."""
    wrong = [f"{node.address} does not answer" for node in nodes if not node.answers]
    wrong += [
        f"{node.address} lacks {', '.join(node.missing)}: run `selvedge migrate`"
        for node in nodes
        if node.missing
    ]
    if nodes:
        yield "nodes", not wrong, "; ".join(wrong) or f"{len(nodes)}, with the session settings"


async def _keys(connection: asyncpg.Connection) -> _Part:
    """Return whether no key in use expires soon."""
    now = datetime.now(UTC)
    ending = [
        f"{key['id']} of organization {key['organization_id']}"
        for key in await organizations.rows(connection, "list_keys", None)
        if key["revoked_at"] is None
        and now < (key["expires_at"] or now) < now + timedelta(days=_KEY_DAYS)
    ]
    return "keys", not ending, f"end within {_KEY_DAYS} days: {', '.join(ending) or 'none'}"
