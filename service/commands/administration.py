"""`selvedge organization` and `selvedge key`."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from datetime import UTC, datetime

import asyncpg

from service.commands import CommandError, Parsers
from service.commands.command_database import database, execute
from service.console import say, visible
from service.organizations import administration as queries
from service.queries.change_recorder import record_settings
from service.settings import Settings

_LARGEST_ID = 2**63 - 1


def add(parsers: Parsers) -> None:
    """Add both commands."""
    _add_organization(parsers.add_parser("organization", help="create, change, list organizations"))
    _add_key(parsers.add_parser("key", help="issue, list, revoke API keys"))


def _add_organization(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="create one and print its id")
    create.add_argument("name", type=_name)
    _add_features(create)
    create.set_defaults(run=create_organization)
    change = actions.add_parser("set", help="change its name or its optional features")
    change.add_argument("id", type=_identifier)
    change.add_argument("--name", type=_name)
    _add_features(change)
    change.set_defaults(run=set_organization)
    actions.add_parser("list", help="list all").set_defaults(run=list_organizations)


def _add_features(parser: ArgumentParser) -> None:
    for option in ("--multiple-language", "--pro"):
        parser.add_argument(option, type=_switch, metavar="on|off")


def _add_key(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    issue = actions.add_parser("issue", help="make a key and print it; it is shown only once")
    issue.add_argument("--organization", type=_identifier, required=True, metavar="ID")
    issue.add_argument("--scope", choices=("read", "write"), default="read", help="default: read")
    issue.add_argument("--name", type=_name, default="unnamed", help="what it is for")
    issue.add_argument(
        "--expires", type=_future, metavar="DATE", help="2027-01-31 or 2027-01-31T12:00:00Z"
    )
    issue.set_defaults(run=issue_key)
    listing = actions.add_parser("list", help="list keys, without their secrets")
    listing.add_argument("--organization", type=_identifier, metavar="ID")
    listing.set_defaults(run=list_keys)
    revoke = actions.add_parser("revoke", help="revoke a key, for good")
    revoke.add_argument("id", type=_identifier)
    revoke.set_defaults(run=revoke_key)


def create_organization(settings: Settings, arguments: Namespace) -> None:
    """Print the new organization's id; CommandError when another one has its name."""
    with database(settings) as dsn:
        created = execute(dsn, lambda connection: _create_organization(connection, arguments))
        say(str(created))


async def _create_organization(connection: asyncpg.Connection, arguments: Namespace) -> int:
    await _check_name(connection, arguments.name)
    return await queries.create_organization(
        connection,
        arguments.name,
        multiple_language=arguments.multiple_language or False,
        pro=arguments.pro or False,
    )


async def _check_name(
    connection: asyncpg.Connection, name: str | None, own: int | None = None
) -> None:
    """Raise CommandError where another organization has the name: keys would go astray."""
    if name is not None:
        other = await queries.find_organization(connection, name, except_id=own)
        if other is not None:
            raise CommandError(f"organization {other} has this name")


def set_organization(settings: Settings, arguments: Namespace) -> None:
    """Change an organization.

    CommandError when there is none of that id, nothing to change, or another one has the name.
    """
    if arguments.name is arguments.multiple_language is arguments.pro is None:
        raise CommandError("give --name, --multiple-language or --pro")
    with database(settings) as dsn:
        found = execute(dsn, lambda connection: _set_organization(connection, arguments))
    if not found:
        raise CommandError(f"there is no organization {arguments.id}")


async def _set_organization(connection: asyncpg.Connection, arguments: Namespace) -> bool:
    """Whether there is the organization; what its records show of it is among its changes."""
    async with connection.transaction():
        await _check_name(connection, arguments.name, arguments.id)
        is_shown = await queries.set_organization(
            connection,
            arguments.id,
            name=arguments.name,
            multiple_language=arguments.multiple_language,
            pro=arguments.pro,
        )
        if is_shown:
            await record_settings(connection, arguments.id)
    return is_shown is not None


def list_organizations(settings: Settings, _: Namespace) -> None:
    """Print one line per organization."""
    with database(settings) as dsn:
        rows = execute(dsn, queries.list_organizations)
    _print_table(
        ("ID", "NAME", "MULTIPLE LANGUAGE", "PRO"),
        (
            (row["id"], row["name"], _on_off(row["multiple_language"]), _on_off(row["pro"]))
            for row in rows
        ),
    )


def issue_key(settings: Settings, arguments: Namespace) -> None:
    """Print the key, and only the key; CommandError when there is no such organization."""
    with database(settings) as dsn:
        key = execute(
            dsn,
            lambda connection: queries.issue_key(
                connection,
                arguments.organization,
                name=arguments.name,
                scope=arguments.scope,
                expires_at=arguments.expires,
            ),
        )
    if key is None:
        raise CommandError(f"there is no organization {arguments.organization}")
    say(key)


def list_keys(settings: Settings, arguments: Namespace) -> None:
    """Print one line per key."""
    with database(settings) as dsn:
        rows = execute(
            dsn, lambda connection: queries.list_keys(connection, arguments.organization)
        )
    _print_table(
        ("ID", "ORGANIZATION", "SCOPE", "NAME", "CREATED", "LAST USED", "EXPIRES", "REVOKED"),
        (
            (
                *(row[field] for field in ("id", "organization_id", "scope", "name")),
                *(_time(row[f"{when}_at"]) for when in ("created", "last_used")),
                *(_time(row[f"{when}_at"]) for when in ("expires", "revoked")),
            )
            for row in rows
        ),
    )


def revoke_key(settings: Settings, arguments: Namespace) -> None:
    """Revoke a key; CommandError when there is none of that id."""
    with database(settings) as dsn:
        found = execute(dsn, lambda connection: queries.revoke_key(connection, arguments.id))
    if not found:
        raise CommandError(f"there is no key {arguments.id}")


def _print_table(titles: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    lines = [titles, *(tuple(visible(str(cell)) for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    say(*("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines))


def _on_off(value: bool) -> str:
    return "on" if value else "off"


def _time(value: datetime | None) -> str:
    return "-" if value is None else f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _identifier(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= _LARGEST_ID):
        raise ArgumentTypeError(f"an id is a whole number from 1, not {text!r}")
    return int(text)


def _name(text: str) -> str:
    if not text.strip() or len(text) > 1000 or not text.isprintable():
        raise ArgumentTypeError("a name has 1 to 1,000 printable characters")
    return text


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ArgumentTypeError(f"on or off, not {text!r}")
    return text == "on"


def _future(text: str) -> datetime:
    """Return the moment; a key that has expired already would be of no use."""
    moment = _moment(text)
    if moment <= datetime.now(UTC):
        raise ArgumentTypeError(f"a moment to come, and {text} is past")
    return moment


def _moment(text: str) -> datetime:
    """Return the moment that a date or a date and time names; in UTC when no zone is given."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"a date such as 2027-01-31, not {text!r}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
