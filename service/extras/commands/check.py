"""Installation check: `selvedge check` prints a line for each part, and fails if one is wrong."""

import asyncio
import os
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
from service.database.statements import load
from service.extras.commands import CommandError, Parsers
from service.extras.commands.command_database import OldSchemaError, database
from service.limits import MAX_STORED_BYTES
from service.organizations import administration as organizations
from service.settings import Settings, nearly_settings

_SQL: Final = load("system")
_KEY_DAYS: Final = 30
_SERVER_SHARE: Final = 0.85
_TRANSACTION_AGE: Final = 1_000_000_000
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
        parts = [
            _settings(connections),
            *_disk(settings),
            *asyncio.run(_parts(dsn, settings.kept_days)),
        ]
    for name, is_right, text in parts:
        say(f"{'ok' if is_right else 'WRONG':5}  {name:12}  {text}")
    wrong = [name for name, is_right, _ in parts if not is_right]
    if wrong:
        raise CommandError(f"wrong: {', '.join(wrong)}")


def _settings(text: str) -> _Part:
    """Return whether no variable is nearly named as a setting."""
    near = [f"{name} is no setting: {nearest}?" for name, nearest in nearly_settings(os.environ)]
    return "settings", not near, ", ".join([text, *near])


def _disk(settings: Settings) -> Iterator[_Part]:
    """Yield the use of the embedded server's disk. That of another server is not known here."""
    if settings.database_url is None:
        disk = shutil.disk_usage(settings.data_dir)
        share = 1 - disk.free / disk.total
        yield "data", share < _DISK_SHARE, f"{share:.0%} of the disk of {settings.data_dir} in use"


async def _parts(dsn: str, changes_days: int) -> list[_Part]:
    """Return the parts that the database shows.

    Without the current schema, or while a node is away, what ends or runs out is left out.
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
            *(await _limits(connection, changes_days) if is_current and all_answer else []),
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


async def _limits(connection: asyncpg.Connection, changes_days: int) -> list[_Part]:
    """Return the parts that end or run out soon, as the alerts of docs/deploy/alerts.yaml say."""
    server = await connection.fetchrow(_SQL["server"].text)
    used, allowed, age = server.values()
    return [
        await _keys(connection),
        await _ranges(connection),
        await _stored(connection),
        await _webhooks(connection, changes_days),
        ("connections", used <= _SERVER_SHARE * allowed, f"{used} of {allowed} in use"),
        ("transactions", age <= _TRANSACTION_AGE, f"the oldest id is {age:,} old"),
    ]


async def _ranges(connection: asyncpg.Connection) -> _Part:
    """Return whether each GTIN range in use has numbers for a while."""
    ending = [
        f"{row['id']} of organization {row['organization_id']} ({row['numbers_left']:,} numbers)"
        for row in await connection.fetch(_SQL["ending_ranges"].text)
    ]
    return "ranges", not ending, f"GTIN ranges that end: {', '.join(ending) or 'none'}"


async def _stored(connection: asyncpg.Connection) -> _Part:
    """Return whether every organization has space for responses of repeated requests."""
    row = await connection.fetchrow(_SQL["most_stored"].text)
    share = row["bytes"] / MAX_STORED_BYTES if row and row["bytes"] else 0
    owner = f" (organization {row['organization_id']})" if row else ""
    return "responses", share < _DISK_SHARE, f"{share:.0%} of the space in use at most{owner}"


async def _webhooks(connection: asyncpg.Connection, changes_days: int) -> _Part:
    """Return whether no active webhook is behind by half of the retention."""
    latest = datetime.now(UTC) - timedelta(days=changes_days / 2)
    behind = [
        f"{row['id']} of organization {row['organization_id']}"
        for row in await connection.fetch(_SQL["late_webhooks"].text, latest)
    ]
    return (
        "webhooks",
        not behind,
        f"behind by {changes_days / 2:g} days: {', '.join(behind) or 'none'}",
    )


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
