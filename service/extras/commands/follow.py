"""Follow command: `selvedge follow` prints the change feed of any Selvedge as NDJSON.

It uses the HTTP interface, and no database.
"""

import asyncio
import sys
from argparse import Namespace

import orjson

from selvedge_client import Client
from service.console import say
from service.extras.commands import CommandError, Parsers
from service.extras.commands.outages import client_from_environment
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser(
        "follow",
        description="Print changes as they happen, one JSON object a line, until interrupted; then "
        "print the cursor to continue with. Set SELVEDGE_URL and SELVEDGE_API_KEY to the address "
        "and an API key of the service.",
    )
    parser.add_argument(
        "--since",
        default="now",
        metavar="CURSOR",
        help="`oldest`, `now` (default), or a cursor, which carries the filter it was made with",
    )
    parser.add_argument(
        "--collection", action="append", default=[], help="only this collection; may be repeated"
    )
    parser.add_argument("--documents", action="store_true", help="include each record's document")
    parser.set_defaults(run=follow)


def follow(_: Settings, arguments: Namespace) -> None:
    """Print changes until interrupted, then on standard error the cursor to continue with, if any.

    Raise CommandError if the environment names no service, or a filter is given beside a cursor,
    which carries its own. An outage is waited for without end, also at the start, and printed on
    standard error. Another SelvedgeError, such as an expired cursor, ends the command; the cursor
    is printed then, too. With ``--since now`` that includes 500 before the first cursor.
    """
    client = client_from_environment()
    has_cursor = arguments.since not in ("now", "oldest")
    if has_cursor and (arguments.collection or arguments.documents):
        raise CommandError(
            "a cursor carries the --collection and --documents that it was made with: leave them "
            "out, or use --since now or --since oldest"
        )
    printer = _ChangePrinter(arguments)
    try:
        asyncio.run(printer.print_changes(client))
    finally:
        if printer.cursor is not None:
            say(f"continue with --since {printer.cursor}", file=sys.stderr)


class _ChangePrinter:
    """Printer of changes, with the cursor after the last printed page.

    Before the first page ``cursor`` is that of the start; for ``--since oldest`` it is None.
    """

    def __init__(self, arguments: Namespace) -> None:
        self._filter = {"collections": arguments.collection, "documents": arguments.documents}
        self._since = arguments.since
        self.cursor: str | None = None

    async def print_changes(self, client: Client) -> None:
        """Print changes without end, one JSON object a line; raise SelvedgeError (``follow``)."""
        async with client:
            if self._since == "now":
                self.cursor = await client.changes.now(**self._filter)
            elif self._since != "oldest":
                self.cursor = self._since
            async for page in client.changes.follow(self.cursor, **self._filter):
                say(*(orjson.dumps(entry).decode() for entry in page.records))
                self.cursor = page.cursor
