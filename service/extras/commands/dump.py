"""Backup commands: `selvedge dump`, `selvedge restore` and `selvedge copy`."""

from argparse import ArgumentTypeError, Namespace
from dataclasses import replace
from pathlib import Path

from service.console import say
from service.database import distribution, migrations
from service.extras.commands import Parsers, database_copy, dump_file
from service.extras.commands.command_database import OldSchemaError, database, execute
from service.extras.commands.prompts import print_table
from service.extras.embedded import programs
from service.settings import Settings, SettingsError


def add(parsers: Parsers) -> None:
    """Add the commands."""
    copy_parser = parsers.add_parser(
        "copy",
        description="Copy a whole installation into an empty database of PostgreSQL 15 or newer, "
        "with ids, keys, positions of the change feed, audit log and deleted records. Counts and "
        "checksums of all tables are compared. Stop the service first; then serve only the copy.",
    )
    copy_parser.add_argument(
        "--from",
        dest="source",
        type=_url,
        metavar="URL",
        help="default: DATABASE_URL, else the embedded database",
    )
    copy_parser.add_argument(
        "--to", dest="target", type=_url, required=True, metavar="URL", help="an empty database"
    )
    copy_parser.set_defaults(run=copy)
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


def _url(text: str) -> str:
    """Return the URL of a database. Raise ArgumentTypeError, which does not repeat it, if wrong."""
    try:
        return Settings.from_environment({"DATABASE_URL": text}).database_url or ""
    except SettingsError as error:
        raise ArgumentTypeError(str(error).replace("DATABASE_URL", "the URL")) from None


def copy(settings: Settings, arguments: Namespace) -> None:
    """Migrate the target, copy all rows and print their number by table.

    Raise CommandError if the databases do not fit, and psycopg.Error if one cannot be reached.
    """
    source_settings = replace(settings, database_url=arguments.source or settings.database_url)
    with database(source_settings) as dsn, distribution.connect(dsn) as source:
        migrations.migrate(arguments.target)
        with distribution.connect(arguments.target) as target:
            sums = database_copy.copy(source, target)
    filled = {table: each for table, each in sums.items() if each.rows}
    rows = [(table, f"{each.rows:,}", f"{each.checksum:x}") for table, each in filled.items()]
    print_table(("TABLE", "ROWS", "CHECKSUM"), rows)
    say(f"{sum(each.rows for each in sums.values()):,} rows are the same in both databases.")


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
