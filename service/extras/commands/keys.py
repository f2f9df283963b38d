"""Key commands: `selvedge key`.

They use the database directly, also while the service runs. Its workers refuse revoked keys within
a second.
"""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final, Unpack

import asyncpg

from service import schemas
from service.console import say
from service.extras.commands import CommandError, Parsers
from service.extras.commands.administration import ONE_NODE, identifier, name_of, no_organization
from service.extras.commands.command_database import run
from service.extras.commands.prompts import SCOPES, print_table, scope, time_text, whole_number
from service.limits import OVERLAP_SECONDS
from service.organizations import administration as organizations
from service.organizations import audit, keys
from service.organizations.audit import AuditEvent
from service.settings import Settings

_OVERLAP = schemas.definition("keys", "rotate").properties["overlapSeconds"].schema
_MAX_OVERLAP: Final[int] = _OVERLAP["maximum"]


def add(parsers: Parsers) -> None:
    """Add `key` (issue, list, rotate, revoke)."""
    parser = parsers.add_parser("key")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    issue = actions.add_parser("issue", help="create a key and print it; it is shown only once")
    issue.add_argument("--organization", type=identifier, required=True, metavar="ID")
    issue.add_argument("--scope", type=scope, action="append", metavar="SCOPE", help=SCOPES)
    issue.add_argument("--name", type=name_of, default="unnamed", help="purpose of the key")
    issue.add_argument(
        "--expires",
        type=_future,
        metavar="DATE",
        help="expiry, such as 2027-01-31 or 2027-01-31T12:00:00Z, by default in UTC",
    )
    issue.add_argument(
        "--source",
        type=name_of,
        help="system that uses it, such as erp (default: the id of the key)",
    )
    issue.set_defaults(run=issue_key)
    listing = actions.add_parser("list", help="list keys, without their secrets")
    listing.add_argument("--organization", type=identifier, metavar="ID")
    listing.set_defaults(run=list_keys)
    rotate = actions.add_parser("rotate", help="print a new secret of a key; it is shown only once")
    rotate.add_argument("id", type=identifier)
    rotate.add_argument("--organization", type=identifier, metavar="ID", help=ONE_NODE)
    rotate.add_argument(
        "--overlap",
        type=whole_number(0, _MAX_OVERLAP, f"a number of seconds from 0 to {_MAX_OVERLAP}"),
        default=OVERLAP_SECONDS,
        metavar="SECONDS",
        help="for which the former one is valid, too (default: a day)",
    )
    rotate.set_defaults(run=rotate_key)
    revoke = actions.add_parser("revoke", help="revoke a key permanently; pause its webhooks")
    revoke.add_argument("id", type=identifier)
    revoke.add_argument("--organization", type=identifier, metavar="ID", help=ONE_NODE)
    revoke.set_defaults(run=revoke_key)


def issue_key(settings: Settings, arguments: Namespace) -> None:
    """Issue a key and print only the key. Raise CommandError if the organization does not exist.

    The key cannot be shown again, as the database stores only the hash of its secret.
    """
    key = run(
        settings,
        issue,
        arguments.organization,
        name=arguments.name,
        scopes=arguments.scope or ["read"],
        expires_at=arguments.expires,
        source=arguments.source,
    )
    if key is None:
        raise CommandError(no_organization(arguments.organization))
    say(key)


async def issue(
    connection: asyncpg.Connection, organization_id: int, **grant: Unpack[organizations.KeyGrant]
) -> str | None:
    """Create a key, add an audit entry and return the key; None for an unknown organization."""
    operator = audit.operator()
    async with connection.transaction():
        created = await keys.create(connection, organization_id, operator, **grant)
        if created is None:
            return None
        await audit.record(connection, organization_id, operator, created[2])
    return created[0]


def list_keys(settings: Settings, arguments: Namespace) -> None:
    """Print a table of the keys, of one organization or all, revoked and expired ones included."""
    rows = run(settings, organizations.rows, "list_keys", arguments.organization)
    print_table(
        (
            *("ID", "ORGANIZATION", "SCOPES", "NAME", "SOURCE"),
            *("CREATED", "LAST USED", "EXPIRES", "REVOKED"),
        ),
        (
            (
                *(row["id"], row["organization_id"], " ".join(row["scopes"])),
                *(row["name"], row["source"]),
                *(time_text(row[f"{event}_at"]) for event in ("created", "last_used")),
                *(time_text(row[f"{event}_at"]) for event in ("expires", "revoked")),
            )
            for row in rows
        ),
    )


def rotate_key(settings: Settings, arguments: Namespace) -> None:
    """Give a key a new secret, and print only the key. Raise CommandError if it does not exist."""

    async def rotate(connection: asyncpg.Connection, organization_id: int) -> AuditEvent:
        key, event = await keys.rotate(connection, organization_id, arguments.id, arguments.overlap)
        issued.append(key)
        return event

    issued = list[str]()
    if not run(settings, _change_key, arguments, rotate):
        raise CommandError(f"key {arguments.id} is revoked: issue a new one")
    say(*issued)


def revoke_key(settings: Settings, arguments: Namespace) -> None:
    """Revoke a key for good. Raise CommandError if it does not exist.

    A key that is revoked already keeps its time.
    """
    run(settings, _change_key, arguments, partial(keys.delete, key_id=arguments.id))


async def _change_key(
    connection: asyncpg.Connection,
    arguments: Namespace,
    change: Callable[[asyncpg.Connection, int], Awaitable[AuditEvent]],
) -> bool:
    """Change a key and add the event to the audit log; return whether the key is not revoked."""
    parameters = (arguments.id, arguments.organization)
    of_key = await organizations.value(connection, "organization_of_key", *parameters)
    if of_key is None:
        raise CommandError(f"there is no key {arguments.id}: `selvedge key list` shows all keys")
    async with connection.transaction():
        is_live = await keys.lock(connection, of_key, arguments.id) is not None
        if is_live:
            event = await change(connection, of_key)
            await audit.record(connection, of_key, audit.operator(), event)
    return is_live


def _future(text: str) -> datetime:
    """Parse a time. Raise ArgumentTypeError if it is not in the future."""
    time = _parse_time(text)
    if time <= datetime.now(UTC):
        raise ArgumentTypeError(f"use a time in the future: {text} is past")
    return time


def _parse_time(text: str) -> datetime:
    """Parse a date, which means its midnight, or a date and time, in ISO 8601; by default in UTC.

    Raise ArgumentTypeError for another text.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"use a date such as 2027-01-31, not {text!r}") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
