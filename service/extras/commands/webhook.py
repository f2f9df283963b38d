"""Webhook commands: `selvedge webhook list`, `pause` and `resume`, for operators."""

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Final

import asyncpg

from service.extras.commands import CommandError, Parsers
from service.extras.commands.administration import ONE_NODE, identifier
from service.extras.commands.command_database import run
from service.extras.commands.prompts import print_table, time_text
from service.organizations import administration as organizations
from service.organizations import audit
from service.organizations.audit import AuditEvent
from service.settings import Settings

_STATES: Final = {"pause": "paused", "resume": "active"}


def add(parsers: Parsers) -> None:
    """Add the command with its actions."""
    parser: ArgumentParser = parsers.add_parser("webhook")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="list webhooks, without their secrets")
    listing.add_argument("--organization", type=identifier, metavar="ID")
    listing.set_defaults(run=list_webhooks)
    for action, effect in (("pause", "send nothing"), ("resume", "go on where it stood")):
        command = actions.add_parser(action, help=f"{action} a webhook: {effect}")
        command.add_argument("id", type=identifier)
        command.add_argument("--organization", type=identifier, metavar="ID", help=ONE_NODE)
        command.set_defaults(run=partial(set_state, state=_STATES[action]))


def list_webhooks(settings: Settings, arguments: Namespace) -> None:
    """Print a table of the webhooks, of one organization or all.

    BEHIND counts the transactions of the change feed with a sequence number after its position.
    """
    rows = run(settings, organizations.rows, "list_webhooks", arguments.organization)
    print_table(
        ("ID", "ORGANIZATION", "STATE", "BEHIND", "FAILURES", "LAST SUCCESS", "URL", "LAST ERROR"),
        (
            (
                *(row[name] for name in ("id", "organization_id", "state", "behind", "failures")),
                time_text(row["last_success_at"]),
                row["url"],
                row["last_error"] or "-",
            )
            for row in rows
        ),
    )


def set_state(settings: Settings, arguments: Namespace, state: str) -> None:
    """Set the state of a webhook to ``paused``, or to ``active``, with which it tries at once.

    Reset its count of failures. Raise CommandError if it does not exist.
    """
    if not run(settings, _set_state, arguments, state):
        message = f"there is no webhook {arguments.id}: `selvedge webhook list` shows all webhooks"
        raise CommandError(message)


async def _set_state(connection: asyncpg.Connection, arguments: Namespace, state: str) -> bool:
    """Set the state and add an audit entry; return whether the webhook exists."""
    async with connection.transaction():
        parameters = (arguments.id, state, arguments.organization)
        organization_id = await organizations.value(connection, "set_webhook_state", *parameters)
        if organization_id is not None:
            event = AuditEvent("webhook.updated", f"webhook:{arguments.id}", {"state": state})
            await audit.record(connection, organization_id, audit.operator(), event)
    return organization_id is not None
