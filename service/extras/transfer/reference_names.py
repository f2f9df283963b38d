"""Names of an import: cells that name records by their names, in place of own keys (Files)."""

import unicodedata
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from selvedge_client import Client, Detail, FailureError
from service.error_types import ErrorType
from service.extras.tables.columns import path_text
from service.extras.tables.csv_records import NamedReference
from service.extras.transfer.collections import TransferCollection
from service.extras.transfer.files import Line
from service.limits import MAX_PAGE_SIZE
from service.records.reference_targets import TARGETS

_QUERY_BYTES: Final = 4000
"""Bytes of names in one request for a list."""


@dataclass
class ReferenceNames:
    """Records of the service that cells name, by collection and text; own keys take precedence."""

    client: Client
    _texts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _own_keys: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _records: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, collection: TransferCollection, line: Line) -> None:
        """Add the texts of a line, and its own key, which other lines may name."""
        if line.row and not collection.owner:
            self._own_keys[collection.name].add(str(line.document.get(collection.key_fields[0])))
        for reference in line.row.references if line.row else ():
            self._texts[reference.collection].add(reference.text)

    async def look_up(self) -> None:
        """Look up the texts that were added, in lists of their collections.

        A key that may not read a collection knows no names there.
        """
        for collection, texts in self._texts.items():
            try:
                await self._look_up(collection, texts - self._own_keys[collection])
            except FailureError as error:
                if error.type != ErrorType.FORBIDDEN_SCOPE:
                    raise

    async def _look_up(self, collection: str, texts: set[str]) -> None:
        key, by_name = TARGETS[collection].key, defaultdict[str, list[dict[str, Any]]](list)
        keys = {record[key] async for record in self._listed(collection, key, texts)}
        forms = {form for text in texts - keys for form in _forms(text)}
        async for record in self._listed(collection, "name", forms):
            by_name[_normal(record["name"])].append(record)
        for text in texts - keys:
            self._records[collection, text] = by_name[_normal(text)]

    async def _listed(
        self, collection: str, name: str, texts: Iterable[str]
    ) -> AsyncIterator[dict[str, Any]]:
        for chunk in _chunks(sorted(texts)):
            query: dict[str, Any] = {name: chunk, "page_size": MAX_PAGE_SIZE}
            async for record in self.client.collection(collection).records(**query):
                yield record

    def resolve(self, collection: TransferCollection, line: Line) -> list[Detail]:
        """Put records in place of their names in a line; return the errors of names of several.

        Of a line with parts, each part is a line of its own.
        """
        details = list[Detail]()
        for reference in line.row.references if line.row else ():
            member = reference.path[0]
            path = reference.path
            if collection.owner and member not in collection.fields.members:
                if member != collection.member:
                    continue
                path = (*filter(None, [collection.list_field]), *path[1:])
            elif member not in collection.fields.members:
                continue
            details += self._resolve(reference, line, path_text(path))
        return details

    def _resolve(self, reference: NamedReference, line: Line, field_path: str) -> Iterator[Detail]:
        records = self._records.get((reference.collection, reference.text), [])
        if len(records) > 1:
            noun = reference.collection.replace("-", " ")
            message = f"{len(records)} {noun} are named {reference.text}: use the reference."
            yield Detail(ErrorType.CONFLICT_AMBIGUOUS_KEY, field_path, message)
        elif records and not _replace(reference, line.record, records[0]):
            message = f"Another column has the price of {reference.text}: remove one of the two."
            yield Detail(ErrorType.CONFLICT_DUPLICATE, field_path, message)


def is_keyed(collection: TransferCollection, item: dict[str, Any]) -> bool:
    """Return whether an item has changes by the keys of entries, as columns of prices are."""
    lists = (name for name, each in collection.fields.members.items() if each.items)
    return any(item.get(name) and isinstance(item[name], dict) for name in lists)


def _replace(reference: NamedReference, document: Any, record: dict[str, Any]) -> bool:
    """Put a record in place of its name; return False if an entry of it is there already."""
    *parents, last = reference.path
    for step in parents:
        document = document[step]
    member = TARGETS[reference.collection].key
    key = record.get(member)
    if isinstance(last, str) and last == reference.text:
        entry = str(key or record["id"])
        if entry in document:
            return False
        document[entry] = document.pop(last)
    else:
        document[last] = {member: key} if key else record["id"]
    return True


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip())


def _forms(text: str) -> set[str]:
    return {unicodedata.normalize(form, text.strip()) for form in ("NFC", "NFD")} | {text}


def _chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists that fit into a request."""
    chunk, size = list[str](), 0
    for text in texts:
        size += len(quote(text)) + 40
        if chunk and size > _QUERY_BYTES:
            yield chunk
            chunk, size = [], len(quote(text))
        chunk.append(text)
    if chunk:
        yield chunk
