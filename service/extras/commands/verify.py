"""Verify command: `selvedge verify`, which compares import files with a service, over HTTP."""

import asyncio
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.console import say
from service.extras.client import Client
from service.extras.commands import CommandError, Parsers
from service.extras.commands.outages import OutageRetryPolicy, outage_reporter
from service.extras.commands.prompts import print_table, service_from_environment
from service.extras.commands.transfer import add_encoding, text_encoding
from service.settings import Settings

if TYPE_CHECKING:
    from service.extras.transfer.verify_files import Comparison

_KINDS: Final = ("missing", "unexpected", "shared")
_TITLES: Final = ("collection", "files", "service", *_KINDS, "result")
_MOST_KEYS: Final = 10
"""Keys of a kind that are printed."""


def add(parsers: Parsers) -> None:
    """Add the command."""
    verifying = parsers.add_parser(
        "verify",
        description="Compare numbers and own keys of the records in import files with those of the "
        "service: to prove that a migration lost none. Parts and other fields are not compared; an "
        "import with --dry-run does that. A key that may only read suffices. The exit status is 0 "
        "if all are equal, else 1. Set SELVEDGE_URL and SELVEDGE_API_KEY to the address and an API "
        "key.",
    )
    verifying.add_argument("place", type=Path, metavar="DIR|FILE", help="files to read")
    add_encoding(verifying)
    verifying.set_defaults(run=verify)


def verify(_: Settings, arguments: Namespace) -> None:
    """Print a table with a row for each file, and the first keys that differ.

    Raise CommandError if a collection differs, and TransferError for unusable files.
    """
    # Imported here: it loads every schema and resource, which no other command needs.
    from service.extras.transfer.collections import transfer_collections
    from service.extras.transfer.files import sources
    from service.extras.transfer.verify_files import verify as compare

    url, key = service_from_environment()
    files = sources(arguments.place, transfer_collections(), text_encoding(arguments.encoding))

    async def run() -> "list[Comparison]":
        policy = OutageRetryPolicy(on_outage=outage_reporter(url))
        async with Client(url, key, retry_policy=policy) as client:
            return await compare(client, files)

    comparisons = asyncio.run(run())
    print_table(_TITLES, map(_row, comparisons))
    for comparison in comparisons:
        for line in _keys(comparison):
            say(line)
    if different := [each.collection for each in comparisons if not each.result["isEqual"]]:
        raise CommandError(f"different: {', '.join(different)}")


def _row(comparison: "Comparison") -> tuple[object, ...]:
    result = comparison.result
    counts = [result[f"{kind}Count"] for kind in _KINDS]
    return (
        comparison.collection,
        comparison.records,
        result["actualCount"],
        *("?" if count is None else count for count in counts),
        "equal" if result["isEqual"] else "different",
    )


def _keys(comparison: "Comparison") -> Iterator[str]:
    """Yield a line for each kind of keys that differ."""
    for kind in _KINDS:
        keys = comparison.result[kind] or ()
        shown = [each.replace("\x1f", " / ") for each in keys[:_MOST_KEYS]]
        if more := (comparison.result[f"{kind}Count"] or 0) - len(shown):
            shown.append(f"{more} more")
        if shown:
            yield f"{comparison.collection}, {kind}: {', '.join(shown)}"
