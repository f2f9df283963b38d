"""Verify command: `selvedge verify`, which compares import files with a service, over HTTP.

Compared are counts and own keys (contract, Migration verification), and contents.
"""

import asyncio
import hashlib
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from selvedge_client import Client
from service.console import say
from service.extras.commands import CommandError, Parsers
from service.extras.commands.outages import client_from_environment
from service.extras.commands.prompts import print_table
from service.extras.commands.transfer import add_encoding, text_encoding
from service.extras.transfer.collections import (
    TransferCollection,
    transfer_collections,
    with_targets,
)
from service.extras.transfer.contents import Contents, Differences, lines_of
from service.extras.transfer.errors import TransferError
from service.extras.transfer.export_files import Export
from service.extras.transfer.files import Source, sources
from service.extras.transfer.reference_keys import ReferenceKeys
from service.extras.transfer.reference_names import ReferenceNames
from service.records.reference_targets import TARGETS
from service.schemas.visible_text import is_blank
from service.settings import Settings

_KINDS: Final = ("missing", "unexpected", "shared")
_TITLES: Final = ("collection", "files", "service", *_KINDS, "different", "result")
LANGUAGES: Final = "languages"
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
        description="Compare the records and parts in import files with those of the service, by "
        "number, own key and content: to prove that a migration lost none. References are compared "
        "by the own keys of their records, and of a line the fields that it has. A key that may "
        "only read suffices. The exit status is 0 if all are equal, else 1. Set SELVEDGE_URL and "
        "SELVEDGE_API_KEY to the address and an API key.",
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

    async def run() -> tuple[list[Comparison], dict[str, Differences]]:
        async with client:
            return await compare(client, files), await compare_contents(client, files)

    comparisons, contents = asyncio.run(run())
    counted = {each.collection: each.result for each in comparisons}
    rows = [_Row(each, counted.get(name)) for name, each in contents.items()]
    print_table(_TITLES, [row.cells for row in rows])
    for row in rows:
        for line in row.keys:
            say(line)
    if different := [row.content.collection.name for row in rows if not row.is_equal]:
        raise CommandError(f"different: {', '.join(different)}")


@dataclass(frozen=True, slots=True)
class _Row:
    """Results of a file: its content, and of records their numbers and own keys."""

    content: Differences
    counted: dict[str, Any] | None

    @property
    def is_equal(self) -> bool:
        is_same = self.counted is None or self.counted["isEqual"]
        return is_same and not self.content.different and not self._parts_missing

    @property
    def _parts_missing(self) -> list[str]:
        """Owners without the part; of records, the service has counted what is missing."""
        return self.content.missing if self.counted is None else []

    @property
    def cells(self) -> tuple[object, ...]:
        content, name = self.content, self.content.collection.name
        result = "equal" if self.is_equal else "different"
        if self.counted is None:
            counts: list[object] = ["-", len(content.missing), "-", "-"]
            return (name, content.lines, *counts, len(content.different), result)
        numbers = [self.counted["actualCount"], *(self.counted[f"{kind}Count"] for kind in _KINDS)]
        shown = ("?" if number is None else number for number in numbers)
        return (name, self.counted["expectedCount"], *shown, len(content.different), result)

    @property
    def keys(self) -> Iterator[str]:
        """Lines for the kinds of keys that differ."""
        counted = self.counted or {}
        for kind in _KINDS:
            keys, count = counted.get(kind) or (), counted.get(f"{kind}Count") or 0
            yield from self._listed(kind, [key.replace(SEPARATOR, " / ") for key in keys], count)
        for kind, keys in (("missing", self._parts_missing), ("different", self.content.different)):
            yield from self._listed(kind, keys, len(keys))

    def _listed(self, kind: str, keys: Sequence[str], count: int) -> Iterator[str]:
        """Yield the line of the first keys, and how many more there are."""
        first = [*keys[:_MOST_KEYS]]
        if more := count - len(first):
            first.append(f"{more} more")
        if first:
            yield f"{self.content.collection.name}, {kind}: {', '.join(first)}"


async def compare_contents(client: Client, files: Sequence[Source]) -> dict[str, Differences]:
    """Compare the lines of files with an export of the service, while others write.

    Return the differences by collection, parts included. Raise TransferError for unusable files.
    """
    names = [source.collection.name for source in files]
    keys, named = _keys_of(files, names), ReferenceNames(client)
    for source in files:
        for line in source.lines():
            named.add(source.collection, line)
    await named.look_up()
    with TemporaryDirectory() as folder:
        path, collections = Path(folder), with_targets(names)
        await Export(client, path, collections, lambda _: None).run()
        exported = sources(path, transfer_collections())
        service_keys = _keys_of(exported, [*(each.name for each in collections), LANGUAGES])
        async for language in client.collection(LANGUAGES).records():
            service_keys.add_shared(LANGUAGES, language["id"], {"code": language["code"]})
        compared = [each for each in exported if each.collection.name in names]
        return Contents(keys, service_keys, named).compare(files, compared)


def _keys_of(files: Sequence[Source], names: Iterable[str]) -> ReferenceKeys:
    """Return the keys of the lines of files; ids of other collections are the service's."""
    keys = ReferenceKeys({*names})
    for source in files:
        for line in lines_of(source, keys):
            keys.add(source.collection, line.document)
    return keys


async def compare(client: Client, sources: Sequence[Source]) -> list[Comparison]:
    """Compare the numbers and own keys of records with those of the service, all of one moment.

    Keys beyond what a request takes are compared by their checksum alone.
    Raise TransferError for unusable files, and for references by ids of the service in own keys.
    """
    sources = [source for source in sources if not source.collection.owner]
    keys = _keys_of(sources, [source.collection.name for source in sources])
    comparisons, left, left_bytes = list[dict[str, Any]](), MAX_KEYS, _MAX_BYTES
    for source in sources:
        records, own_keys = _own_keys(keys, source)
        comparison: dict[str, Any] = {
            "collection": source.collection.name,
            "count": records,
            "keyChecksum": checksum(own_keys),
        }
        size = _size(own_keys)
        if len(own_keys) <= left and size <= left_bytes:
            comparison["keys"] = own_keys
            left, left_bytes = left - len(own_keys), left_bytes - size
        comparisons.append(comparison)
    results = await client.compare_migration(comparisons) if comparisons else []
    return [
        Comparison(comparison["collection"], comparison["count"], result)
        for comparison, result in zip(comparisons, results, strict=True)
    ]


def _own_keys(keys: ReferenceKeys, source: Source) -> tuple[int, list[str]]:
    """Return the number of live records of a file, and their own keys."""
    records, own_keys = 0, list[str]()
    for line in source.lines():
        if line.document.get("state") != "deleted":
            records += 1
            own_keys += _own_key(keys, source.collection, line.document)
    return records, own_keys


def _size(keys: Iterable[str]) -> int:
    """Return the bytes of own keys in a request, with their quotes and commas."""
    return sum(len(key.encode()) + 4 for key in keys)


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
    return value if isinstance(value, str) and not is_blank(value) else ""
