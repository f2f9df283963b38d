"""Migration verification: counts and own keys of import files, compared with the service's."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from selvedge_client import Client
from service.extras.transfer.collections import TransferCollection
from service.extras.transfer.errors import TransferError
from service.extras.transfer.files import Source
from service.extras.transfer.reference_keys import ReferenceKeys
from service.records.reference_targets import TARGETS

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


async def verify(client: Client, sources: Sequence[Source]) -> list[Comparison]:
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
