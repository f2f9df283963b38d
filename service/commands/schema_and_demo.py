"""`selvedge migrate`, `selvedge demo load` and `selvedge demo files`."""

import asyncio
import shutil
import sys
from argparse import Namespace
from pathlib import Path

from service.commands import CommandError, Parsers
from service.commands.command_database import database, execute, require_data
from service.commands.prompts import add_yes, confirm
from service.console import say
from service.database import migrations
from service.files import DEMO
from service.organizations import administration
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the commands."""
    migrate_parser = parsers.add_parser("migrate", help="bring the schema up to this release")
    migrate_parser.add_argument(
        "--rollback", type=int, metavar="N", help="undo the newest N migrations instead"
    )
    add_yes(migrate_parser)
    migrate_parser.set_defaults(run=migrate)
    demo = parsers.add_parser("demo", help="demo data").add_subparsers(required=True)
    demo.add_parser("load", help="fill an empty database").set_defaults(run=load_demo)
    files = demo.add_parser("files", help="write organization 1's as files to import")
    files.add_argument("folder", type=Path, metavar="DIR", help="a new folder")
    files.set_defaults(run=write_demo)


def migrate(settings: Settings, arguments: Namespace) -> None:
    """Apply migrations, or undo them if the operator agrees, and say how many."""
    if arguments.rollback is not None:
        require_data(settings)
        confirm(arguments, f"What they brought is lost. Undo {arguments.rollback} migrations?")
    with database(settings, creates=arguments.rollback is None) as dsn:
        if arguments.rollback is None:
            say(f"{migrations.migrate(dsn)} migrations applied")
        else:
            say(f"{migrations.roll_back(dsn, arguments.rollback)} migrations undone")


def load_demo(settings: Settings, _: Namespace) -> None:
    """Load the demo data; CommandError when the database is not empty."""
    with database(settings) as dsn:
        if not execute(dsn, administration.is_empty):
            raise CommandError("the database is not empty; demo data goes into an empty one only")
        fill(dsn)


def write_demo(_: Settings, arguments: Namespace) -> None:
    """Write the files into a new folder; CommandError where there is something already."""
    if arguments.folder.exists():
        raise CommandError(f"{arguments.folder} is there already")
    shutil.copytree(DEMO, arguments.folder)


def fill(dsn: str) -> None:
    """Load the demo data into a database that is empty, with a progress bar on a terminal."""
    from service import demo  # its texts are not worth loading for any other command

    asyncio.run(demo.load(dsn, progress=sys.stderr.isatty()))
