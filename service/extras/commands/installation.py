"""Installation commands: `selvedge cell` and `selvedge move`.

They use the databases directly. The service of each cell may run meanwhile.
"""

import os
import time
from argparse import Namespace
from typing import Final
from uuid import UUID

from service.console import say
from service.database import distribution
from service.extras.commands import CommandError, Parsers, installation_cells
from service.extras.commands.administration import identifier
from service.extras.commands.command_database import database
from service.extras.commands.prompts import add_yes, confirm, whole_number
from service.settings import Settings

_TARGET: Final = "TARGET_DATABASE_URL"


def add(parsers: Parsers) -> None:
    """Add both commands."""
    cell = parsers.add_parser("cell")
    most = installation_cells.MAX_CELLS - 1
    number = whole_number(1, most, f"a number from 1 to {most}")
    cell.add_argument("number", type=number, help=f"1 to {most}, not used before")
    cell.add_argument(
        "--installation", type=UUID, required=True, metavar="ID", help="id that GET /api/me returns"
    )
    cell.set_defaults(run=make_cell)
    move = parsers.add_parser("move")
    move.add_argument("organization", type=identifier)
    add_yes(move)
    move.set_defaults(run=move_organization)


def make_cell(settings: Settings, arguments: Namespace) -> None:
    """Make the database a cell of an installation.

    Raise CommandError if it has organizations.
    """
    with database(settings) as dsn, distribution.connect(dsn) as connection:
        installation_cells.make_cell(connection, arguments.number, arguments.installation)
    say(f"cell {arguments.number}")


def move_organization(settings: Settings, arguments: Namespace) -> None:
    """Move an organization to another cell, and print how many rows and how long it took.

    Raise CommandError without TARGET_DATABASE_URL or confirmation, or if the
    cells do not fit, and psycopg.Error if the move fails, such as for a writer that does not end.
    """
    target_dsn = os.environ.get(_TARGET)
    if not target_dsn:
        raise CommandError(f"set {_TARGET} to the database of the other cell")
    organization_id = arguments.organization
    with (
        database(settings) as source_dsn,
        distribution.connect(source_dsn) as source,
        distribution.connect(target_dsn) as target,
    ):
        confirm(
            arguments,
            "Does the proxy answer all requests of the organization by 503 until the end? Move?",
        )
        began = time.monotonic()
        rows = installation_cells.move(source, target, organization_id)
    say(f"{rows:,} rows of organization {organization_id} in {time.monotonic() - began:.1f} s")
