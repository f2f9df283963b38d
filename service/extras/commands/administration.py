"""Administration commands: `selvedge organization`.

They use the database directly, also while the service runs. Its workers use changed features within
5 seconds.
"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Final

import asyncpg

from service.batches.change_recorder import record_settings
from service.console import say
from service.database import distribution
from service.extras.commands import CommandError, Parsers, installation_cells
from service.extras.commands.command_database import database, run
from service.extras.commands.prompts import add_yes, confirm, print_table, whole_number
from service.extras.commands.unique_key_setting import require_unique, require_unique_everywhere
from service.organizations import administration as organizations
from service.organizations import audit
from service.settings import Settings

identifier: Final = whole_number(1, 2**63 - 1, "a whole number from 1 as id")
"""Type of the arguments that are ids."""
ONE_NODE = "its organization: on a cluster, no other node is asked"
_FEATURES = ("multiple_language", "pro", "unique_keys")
_AUDITED = ("name", "multipleLanguage", "pro", "uniqueKeys")


def add(parsers: Parsers) -> None:
    """Add `organization` (create, set, delete, list, nodes)."""
    parser = parsers.add_parser("organization")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="create an organization and print its id")
    create.add_argument("name", type=name_of)
    _add_features(create)
    create.set_defaults(run=create_organization)
    change = actions.add_parser("set", help="change the name or the settings")
    change.add_argument("id", type=identifier)
    change.add_argument("--name", type=name_of)
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
        other = await organizations.value(connection, "organization_named", name, own)
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
        raise CommandError(no_organization(arguments.id))


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
    """Change settings; record a change in the change feed and the audit log."""
    before = await organizations.lock_settings(connection, id_)
    row = await organizations.set_organization(connection, id_, settings)
    after = await organizations.lock_settings(connection, id_)
    if row and row["is_changed"] and before and after:
        await record_settings(connection, id_, is_shown=row["is_shown"])
        values = [dict(zip(_AUDITED, each, strict=True)) for each in (before, after)]
        event = audit.settings_event(id_, *values)
        await audit.record(connection, id_, audit.operator(), event)


def delete_organization(settings: Settings, arguments: Namespace) -> None:
    """Delete an organization with all of its rows, and print how many these were.

    Raise CommandError without confirmation, or if it does not exist, and
    psycopg.Error if a writer does not end.
    """
    with database(settings) as dsn, distribution.connect(dsn) as connection:
        confirm(arguments, f"Delete all data of organization {arguments.id} for good?")
        rows = installation_cells.delete(connection, arguments.id)
    say(f"{rows:,} rows of organization {arguments.id} deleted")


def list_organizations(settings: Settings, _: Namespace) -> None:
    """Print a table of all organizations, by id."""
    rows = run(settings, organizations.rows, "list_organizations")
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


def no_organization(organization_id: int) -> str:
    """Return the error of an organization that does not exist."""
    return f"there is no organization {organization_id}: `selvedge organization list` shows all"


def _on_off(value: bool) -> str:
    return "on" if value else "off"


def name_of(text: str) -> str:
    """Parse a name. Raise ArgumentTypeError if it is none."""
    if not text.strip() or len(text) > 1000 or not text.isprintable():
        raise ArgumentTypeError("use a name of 1 to 1,000 printable characters")
    return text


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ArgumentTypeError(f"use on or off, not {text!r}")
    return text == "on"
