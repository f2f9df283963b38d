"""SQL command: `selvedge sql` prints the statements that the service sends to PostgreSQL."""

from argparse import ArgumentParser, Namespace

from service.commands import CommandError, Parsers
from service.console import say
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser: ArgumentParser = parsers.add_parser(
        "sql",
        help="print the SQL statements that the service sends",
        description="Print every SQL statement that the service sends, with its purpose and its "
        "parameters. No database is needed.",
    )
    parser.add_argument(
        "resource",
        nargs="?",
        metavar="RESOURCE",
        help="resource such as colors, or writes, changes, idempotency, callers (default: all)",
    )
    parser.set_defaults(run=print_statements)


def print_statements(_: Settings, arguments: Namespace) -> None:
    """Print the statements of one name of the catalog, or of all, in the catalog's order.

    A name is that of a resource, or of what resources share, such as ``writes``. Raise CommandError
    for an unknown one.
    """
    # Imported here: it loads every schema and resource, which no other command needs.
    from service.sql_catalog import catalog, render_all

    entries_by_name = catalog()
    name = arguments.resource
    if name is not None and name not in entries_by_name:
        raise CommandError(
            f"there is no resource {name!r}: use one of {', '.join(entries_by_name)}"
        )
    names = entries_by_name if name is None else [name]
    text = "\n".join(render_all(each, entries_by_name[each]) for each in names)
    say(*text.rstrip("\n").split("\n"))
