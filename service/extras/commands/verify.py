"""Verify command: `selvedge verify`, which compares import files with a service, over HTTP.

Compared are counts and own keys (contract, Migration verification).
"""

import asyncio
import hashlib
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from selvedge_client import Client
from service.console import say
from service.extras.commands import CommandError, Parsers
from service.extras.commands.outages import client_from_environment
from service.extras.commands.prompts import print_table
from service.extras.commands.transfer import add_encoding, text_encoding
from service.extras.transfer.collections import TransferCollection, transfer_collections
from service.extras.transfer.errors import TransferError
from service.extras.transfer.files import Source, sources
from service.extras.transfer.reference_keys import ReferenceKeys
from service.records.reference_targets import TARGETS
from service.settings import Settings

_KINDS: Final = ("missing", "unexpected", "shared")
_TITLES: Final = ("collection", "files", "service", *_KINDS, "result")
_MOST_KEYS: Final = 10
"""Keys of a kind that are printed."""
SEPARATOR: Final = "\x1f"
"""Character between the key of a parent and a key within it."""
MAX_KEYS: Final = 900_000
_MAX_BYTES: Final = 24 * 2**20
"""Bytes of keys in a request, with what JSON adds; both are less than the service takes."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Records of a file, and the service's result."""

    collection: str
    records: int
    result: dict[str, Any]


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
    client = client_from_environment()
    files = sources(arguments.place, transfer_collections(), text_encoding(arguments.encoding))

    async def run() -> list[Comparison]:
        async with client:
            return await compare(client, files)

    comparisons = asyncio.run(run())
    print_table(_TITLES, map(_row, comparisons))
    for comparison in comparisons:
        for line in _keys(comparison):
            say(line)
    if different := [each.collection for each in comparisons if not each.result["isEqual"]]:
        raise CommandError(f"different: {', '.join(different)}")


def _row(comparison: Comparison) -> tuple[object, ...]:
    result = comparison.result
    counts = [result[f"{kind}Count"] for kind in _KINDS]
    return (
        comparison.collection,
        comparison.records,
        result["actualCount"],
        *("?" if count is None else count for count in counts),
        "equal" if result["isEqual"] else "different",
    )


def _keys(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each kind of keys that differ."""
    for kind in _KINDS:
        keys = comparison.result[kind] or ()
        shown = [each.replace(SEPARATOR, " / ") for each in keys[:_MOST_KEYS]]
        if more := (comparison.result[f"{kind}Count"] or 0) - len(shown):
            shown.append(f"{more} more")
        if shown:
            yield f"{comparison.collection}, {kind}: {', '.join(shown)}"


async def compare(client: Client, sources: Sequence[Source]) -> list[Comparison]:
    """Compare the records of files with those of the service, all of one moment.

    Parts are not compared. Keys beyond what a request takes are compared by their checksum alone.
    Raise TransferError for unusable files, and for references by ids of the service in own keys.
    """
    sources = [source for source in sources if not source.collection.owner]
    keys = ReferenceKeys({source.collection.name for source in sources})
    for source in sources:
        for line in source.lines():
            keys.add(source.collection, line.document)
    comparisons, left, left_bytes = list[dict[str, Any]](), MAX_KEYS, _MAX_BYTES
    for source in sources:
        records, own_keys = 0, list[str]()
        for line in source.lines():
            if line.document.get("state") != "deleted":
                records += 1
                own_keys += _own_key(keys, source.collection, line.document)
        comparison: dict[str, Any] = {
            "collection": source.collection.name,
            "count": records,
            "keyChecksum": checksum(own_keys),
        }
        size = sum(len(key.encode()) + 4 for key in own_keys)
        if len(own_keys) <= left and size <= left_bytes:
            comparison["keys"] = own_keys
            left, left_bytes = left - len(own_keys), left_bytes - size
        comparisons.append(comparison)
    results = await client.compare_migration(comparisons) if comparisons else []
    return [
        Comparison(comparison["collection"], comparison["count"], result)
        for comparison, result in zip(comparisons, results, strict=True)
    ]


def checksum(keys: Sequence[str]) -> str:
    """Return the checksum of own keys (contract, Migration verification)."""
    digests = (hashlib.sha256(key.encode()).digest()[:8] for key in keys)
    return f"{sum(int.from_bytes(digest, 'big') for digest in digests) % 2**64:016x}"


def _own_key(
    keys: ReferenceKeys, collection: TransferCollection, document: dict[str, Any]
) -> Iterator[str]:
    """Yield the own key of a line, behind that of its parent, unless one of them is missing."""
    parts = [_text(keys, collection, name, document) for name in reversed(collection.key_fields)]
    if all(parts):
        yield SEPARATOR.join(parts)


def _text(
    keys: ReferenceKeys, collection: TransferCollection, name: str, document: dict[str, Any]
) -> str:
    """Return a field of an own key as text; "" if it is missing or blank."""
    value = document.get(name)
    if target := collection.fields.members[name].refers_to:
        value = keys.find(target, value)
        if isinstance(value, int) or (isinstance(value, str) and target not in keys.imported):
            message = f"a file of {target} is needed: {name} of {collection.name} refers to it"
            raise TransferError(message)
        value = value.get(TARGETS[target].key) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value.strip() else ""
