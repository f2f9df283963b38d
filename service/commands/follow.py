"""`selvedge follow`: the changes of any Selvedge, a line each."""

import asyncio
import sys
from argparse import Namespace

import orjson

from service.client import Client
from service.commands import Parsers
from service.commands.prompts import service_from_environment
from service.console import say
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser(
        "follow",
        help="print changes as they happen",
        description="Print changes as they happen, one JSON object a line, until it is "
        "interrupted; then say where to go on. SELVEDGE_URL and SELVEDGE_API_KEY name the service.",
    )
    parser.add_argument(
        "--since", default="now", metavar="CURSOR", help="a cursor, `oldest`, or `now` (default)"
    )
    parser.add_argument(
        "--collection", action="append", default=[], help="this one alone; may be repeated"
    )
    parser.add_argument("--documents", action="store_true", help="add each record as it is now")
    parser.set_defaults(run=follow)


def follow(_: Settings, arguments: Namespace) -> None:
    """Print until the interrupt; CommandError where nothing names the service."""
    url, key = service_from_environment()
    place = _ChangePrinter(arguments)
    try:
        asyncio.run(place.print_changes(url, key))
    finally:
        if place.cursor is not None:
            say(f"go on with --since {place.cursor}", file=sys.stderr)


class _ChangePrinter:
    """How far the changes are printed."""

    def __init__(self, arguments: Namespace) -> None:
        self._asked = {"collections": arguments.collection, "documents": arguments.documents}
        self._since = arguments.since
        self.cursor: str | None = None

    async def print_changes(self, url: str, key: str) -> None:
        """Print them as they come."""
        async with Client(url, key) as client:
            if self._since == "now":
                self.cursor = await client.changes.now(**self._asked)
            elif self._since != "oldest":
                self.cursor = self._since
            async for page in client.changes.follow(self.cursor, **self._asked):
                say(*(orjson.dumps(entry).decode() for entry in page.records))
                self.cursor = page.cursor
