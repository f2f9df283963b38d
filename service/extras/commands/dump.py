"""Backup commands: `selvedge dump` and `selvedge restore`."""

from argparse import Namespace
from pathlib import Path

from service.console import say
from service.extras.commands import Parsers, dump_file
from service.extras.commands.command_database import OldSchemaError, database, execute
from service.extras.embedded import programs
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add both commands."""
    dump_parser = parsers.add_parser("dump")
    dump_parser.add_argument("file", type=Path, help="new file to write")
    dump_parser.set_defaults(run=dump)
    restore_parser = parsers.add_parser(
        "restore",
        description="Restore a file of `selvedge dump` into an empty database. All cursors of the "
        "change feed become invalid: callers that use them get 410 and start again.",
    )
    source = restore_parser.add_mutually_exclusive_group(required=True)
    source.add_argument("file", type=Path, nargs="?", help="dump to restore")
    source.add_argument(
        "--recovered",
        action="store_true",
        help="the database was restored by other means, such as a base backup: only invalidate "
        "the cursors",
    )
    restore_parser.add_argument(
        "--copy",
        action="store_true",
        help="the original stays in service too: give the copy its own installation id",
    )
    restore_parser.set_defaults(run=restore)


def dump(settings: Settings, arguments: Namespace) -> None:
    """Write the dump file, also while the service runs, and print its size.

    Raise CommandError if there is no embedded database, and errors as ``dump_file.dump`` does.
    """
    with database(settings) as dsn:
        dump_file.dump(dsn, arguments.file, _programs(settings))
    say(f"{arguments.file}: {arguments.file.stat().st_size / 1e6:,.1f} MB")


def restore(settings: Settings, arguments: Namespace) -> None:
    """Restore a dump, or with ``--recovered`` only invalidate the cursors.

    Restoring creates the embedded database if there is none. With ``--copy`` the database also gets
    its own installation id, and its webhooks are paused. If the schema is older than this release,
    print that it has to be migrated, which is no failure. Raise CommandError if the database is not
    empty or the restore fails. Raise CommandError for ``--recovered`` without an embedded database,
    and if the restored database cannot be reached or is on a worker node of a cluster.
    """
    with database(settings, creates=not arguments.recovered) as dsn:
        if arguments.recovered:
            dump_file.end_cursors(dsn, is_copy=arguments.copy)
        else:
            dump_file.restore(dsn, arguments.file, _programs(settings), is_copy=arguments.copy)
            organizations, tables = dump_file.counts(dsn)
            say(f"Restored {arguments.file}: {organizations} organizations, {tables} tables.")
        if arguments.copy:
            say("The copy has an installation id of its own, and its webhooks are paused.")
        say("All earlier cursors of the change feed are invalid now.")
        try:
            execute(dsn, _do_nothing)
        except OldSchemaError as error:
            say(f"Next: {error}")


async def _do_nothing(_: object) -> None:
    """Do nothing: ``execute`` has checked the schema."""


def _programs(settings: Settings) -> Path | None:
    """Return the folder of the embedded server's programs; None for those on the PATH."""
    return programs() if settings.database_url is None else None
