"""Administration commands: `selvedge organization` and `selvedge key`.

They use the database directly, also while the service runs. Its workers use changed features and
refuse revoked keys within 5 seconds.
"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import UTC, datetime

import asyncpg

from service.batches.change_recorder import record_settings
from service.console import say
from service.database import distribution
from service.extras.commands import CommandError, Parsers, installation_cells
from service.extras.commands.command_database import database, run
from service.extras.commands.prompts import add_yes, confirm, print_table, time_text
from service.extras.commands.unique_key_setting import require_unique, require_unique_everywhere
from service.organizations import administration as organizations
from service.settings import Settings

_LARGEST_ID = 2**63 - 1
ONE_NODE = "its organization: on a cluster, no other node is asked"
_FEATURES = ("multiple_language", "pro", "unique_keys")


def add(parsers: Parsers) -> None:
    """Add `organization` (create, set, delete, list, nodes) and `key` (issue, list, revoke)."""
    _add_organization(parsers.add_parser("organization"))
    _add_key(parsers.add_parser("key"))


def _add_organization(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="create an organization and print its id")
    create.add_argument("name", type=_name)
    _add_features(create)
    create.set_defaults(run=create_organization)
    change = actions.add_parser("set", help="change the name or the settings")
    change.add_argument("id", type=identifier)
    change.add_argument("--name", type=_name)
    _add_features(change)
    change.set_defaults(run=set_organization)
    delete = actions.add_parser("delete", help="delete an organization with all of its data")
    delete.add_argument("id", type=identifier)
    add_yes(delete)
    delete.set_defaults(run=delete_organization)
    actions.add_parser("list", help="list all organizations").set_defaults(run=list_organizations)
    nodes = actions.add_parser("nodes", help="print each id and its node of a cluster, for proxies")
    nodes.set_defaults(run=list_nodes)


def _add_features(parser: ArgumentParser) -> None:
    for option in ("--multiple-language", "--pro", "--unique-keys"):
        parser.add_argument(option, type=_switch, metavar="on|off")


def _add_key(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    issue = actions.add_parser("issue", help="create a key and print it; it is shown only once")
    issue.add_argument("--organization", type=identifier, required=True, metavar="ID")
    issue.add_argument("--scope", choices=("read", "write"), default="read", help="default: read")
    issue.add_argument("--name", type=_name, default="unnamed", help="purpose of the key")
    issue.add_argument(
        "--expires",
        type=_future,
        metavar="DATE",
        help="expiry, such as 2027-01-31 or 2027-01-31T12:00:00Z, by default in UTC",
    )
    issue.add_argument(
        "--source", type=_name, help="system that uses it, such as erp (default: the id of the key)"
    )
    issue.set_defaults(run=issue_key)
    listing = actions.add_parser("list", help="list keys, without their secrets")
    listing.add_argument("--organization", type=identifier, metavar="ID")
    listing.set_defaults(run=list_keys)
    revoke = actions.add_parser("revoke", help="revoke a key permanently")
    revoke.add_argument("id", type=identifier)
    revoke.add_argument("--organization", type=identifier, metavar="ID", help=ONE_NODE)
    revoke.set_defaults(run=revoke_key)


def create_organization(settings: Settings, arguments: Namespace) -> None:
    """Create an organization and print its id. Raise CommandError if the name is taken.

    Features are off unless an option switches them on.
    """
    say(str(run(settings, _create_organization, arguments)))


async def _create_organization(connection: asyncpg.Connection, arguments: Namespace) -> int:
    await _check_name(connection, arguments.name)
    return await organizations.create_organization(
        connection,
        arguments.name,
        multiple_language=arguments.multiple_language or False,
        pro=arguments.pro or False,
        unique_keys=arguments.unique_keys or False,
    )


async def _check_name(
    connection: asyncpg.Connection, name: str | None, own: int | None = None
) -> None:
    """Raise CommandError if an organization other than ``own`` has the name, in any letter case.

    With two of one name, keys could be issued to the wrong one. None is no name and passes.
    """
    if name is not None:
        other = await organizations.find_organization(connection, name, except_id=own)
        if other is not None:
            raise CommandError(f"organization {other} has this name: use another name")


def set_organization(settings: Settings, arguments: Namespace) -> None:
    """Change the settings that are given, and keep the others; ``--unique-keys on`` takes 5 s more.

    Raise CommandError if the organization does not exist, no change is given, the name is taken, or
    own keys that shall be unique are not.
    """
    settings_sent = (arguments.multiple_language, arguments.pro, arguments.unique_keys)
    if arguments.name is None and settings_sent == (None, None, None):
        options = "--name, --multiple-language, --pro or --unique-keys"
        raise CommandError(f"nothing to change: use {options}")
    if not run(settings, _set_organization, arguments):
        raise CommandError(_no_organization(arguments.id))


async def _set_organization(connection: asyncpg.Connection, arguments: Namespace) -> bool:
    """Change all settings in one transaction; return whether the organization exists.

    If own keys turn out not to be unique, or an interrupt comes, another one sets all of them back.
    """
    changes = organizations.OrganizationSettings(
        arguments.name, arguments.multiple_language, arguments.pro, arguments.unique_keys
    )
    async with connection.transaction():
        await _check_name(connection, arguments.name, arguments.id)
        if changes.unique_keys:
            await require_unique(connection, arguments.id)
        before = await organizations.lock_settings(connection, arguments.id)
        if before is None:
            return False
        await _set_all(connection, arguments.id, changes)
    if changes.unique_keys:
        try:
            await require_unique_everywhere(connection, arguments.id)
        except BaseException:
            if not connection.is_closed():
                async with connection.transaction():
                    await _set_all(connection, arguments.id, before)
            raise
    return True


async def _set_all(
    connection: asyncpg.Connection, id_: int, settings: organizations.OrganizationSettings
) -> None:
    """Change settings; record a change in the change feed."""
    row = await organizations.set_organization(connection, id_, settings)
    if row and row["is_changed"]:
        await record_settings(connection, id_, is_shown=row["is_shown"])


def delete_organization(settings: Settings, arguments: Namespace) -> None:
    """Delete an organization with all of its rows, and print how many these were.

    Raise CommandError without confirmation, InstallationCellError if it does not exist, and
    psycopg.Error if a writer does not end.
    """
    with database(settings) as dsn, distribution.connect(dsn) as connection:
        confirm(arguments, f"Delete all data of organization {arguments.id} for good?")
        rows = installation_cells.delete(connection, arguments.id)
    say(f"{rows:,} rows of organization {arguments.id} deleted")


def list_organizations(settings: Settings, _: Namespace) -> None:
    """Print a table of all organizations, by id."""
    rows = run(settings, organizations.list_organizations)
    print_table(
        ("ID", "NAME", "MULTIPLE LANGUAGE", "PRO", "UNIQUE KEYS"),
        ((row["id"], row["name"], *(_on_off(row[name]) for name in _FEATURES)) for row in rows),
    )


def list_nodes(settings: Settings, _: Namespace) -> None:
    """Print a line for each organization id: the id, and the address of its node of the cluster.

    Raise DistributionError if the tables are not distributed.
    """
    for organization_id, node in run(settings, distribution.nodes_of_organizations):
        say(f"{organization_id} {node}")


def issue_key(settings: Settings, arguments: Namespace) -> None:
    """Issue a key and print only the key. Raise CommandError if the organization does not exist.

    The key cannot be shown again, as the database stores only the hash of its secret.
    """
    key = run(
        settings,
        organizations.issue_key,
        arguments.organization,
        name=arguments.name,
        scope=arguments.scope,
        expires_at=arguments.expires,
        source=arguments.source,
    )
    if key is None:
        raise CommandError(_no_organization(arguments.organization))
    say(key)


def list_keys(settings: Settings, arguments: Namespace) -> None:
    """Print a table of the keys, of one organization or all, revoked and expired ones included."""
    rows = run(settings, organizations.list_keys, arguments.organization)
    print_table(
        (
            "ID",
            "ORGANIZATION",
            "SCOPE",
            "NAME",
            "SOURCE",
            "CREATED",
            "LAST USED",
            "EXPIRES",
            "REVOKED",
        ),
        (
            (
                *(row[field] for field in ("id", "organization_id", "scope", "name", "source")),
                *(time_text(row[f"{event}_at"]) for event in ("created", "last_used")),
                *(time_text(row[f"{event}_at"]) for event in ("expires", "revoked")),
            )
            for row in rows
        ),
    )


def revoke_key(settings: Settings, arguments: Namespace) -> None:
    """Revoke a key for good. Raise CommandError if it does not exist.

    A key that is revoked already keeps its time.
    """
    if not run(settings, organizations.revoke_key, arguments.id, arguments.organization):
        raise CommandError(f"there is no key {arguments.id}: `selvedge key list` shows all keys")


def _no_organization(organization_id: int) -> str:
    return f"there is no organization {organization_id}: `selvedge organization list` shows all"


def _on_off(value: bool) -> str:
    return "on" if value else "off"


def identifier(text: str) -> int:
    """Parse an id from 1 to 2**63 - 1. Raise ArgumentTypeError if it is none."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= _LARGEST_ID):
        raise ArgumentTypeError(f"use a whole number from 1 as id, not {text!r}")
    return int(text)


def _name(text: str) -> str:
    if not text.strip() or len(text) > 1000 or not text.isprintable():
        raise ArgumentTypeError("use a name of 1 to 1,000 printable characters")
    return text


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ArgumentTypeError(f"use on or off, not {text!r}")
    return text == "on"


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
