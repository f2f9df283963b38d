"""`selvedge dump` and `selvedge restore`."""

from argparse import Namespace
from pathlib import Path

from service.commands import CommandError, Parsers
from service.commands.command_database import database, execute
from service.console import say
from service.database import dump_file
from service.embedded import programs
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add both commands."""
    dump_parser = parsers.add_parser("dump", help="write the whole database to a file")
    dump_parser.add_argument("file", type=Path)
    dump_parser.set_defaults(run=dump)
    restore_parser = parsers.add_parser(
        "restore",
        help="fill an empty database from such a file",
        description="Fill an empty database from a file of `selvedge dump`. Cursors of changes "
        "that were given before end: their callers are told to start again (410).",
    )
    what = restore_parser.add_mutually_exclusive_group(required=True)
    what.add_argument("file", type=Path, nargs="?")
    what.add_argument(
        "--recovered",
        action="store_true",
        help="it was restored by other means, as from a base backup: only end the cursors",
    )
    restore_parser.add_argument(
        "--copy",
        action="store_true",
        help="it will serve beside the original: give it an installation id of its own",
    )
    restore_parser.set_defaults(run=restore)


def dump(settings: Settings, arguments: Namespace) -> None:
    """Write the file, and say how large it is."""
    with database(settings) as dsn:
        dump_file.dump(dsn, arguments.file, _programs(settings))
    say(f"{arguments.file}: {arguments.file.stat().st_size / 1e6:,.1f} MB")


def restore(settings: Settings, arguments: Namespace) -> None:
    """Restore, or end the cursors of what was restored, and say what is left to do."""
    with database(settings, creates=not arguments.recovered) as dsn:
        if arguments.recovered:
            dump_file.end_cursors(dsn, is_copy=arguments.copy)
        else:
            dump_file.restore(dsn, arguments.file, _programs(settings), is_copy=arguments.copy)
        say("Cursors of changes that were given before have ended.")
        try:
            execute(dsn, _do_nothing)
        except CommandError as behind:
            say(f"Restored; {behind}")


async def _do_nothing(_: object) -> None:
    """What is done where the schema is this release's."""


def _programs(settings: Settings) -> Path | None:
    """The folder of the embedded server's programs; None for those on the path."""
    return programs() if settings.database_url is None else None
