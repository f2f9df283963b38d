"""Lookup of records by own key: lines without a map entry whose record is there already.

Creating such a line would make a second record of the same own key, for example after the map of
ids was lost. It is refused; ``--match`` replaces the record instead.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from service.client import Client, Detail
from service.error_types import ErrorType
from service.transfer.collections import TransferCollection
from service.transfer.files import Line
from service.transfer.id_map import IdMap
from service.transfer.id_translation import Translator

_AT_ONCE: Final = 4
_PAGE: Final = 100
_MOST_KEYS: Final = 50
_MOST_BYTES: Final = 2000
"""Of the keys in one query: a cursor, which carries the query, has at most 4 KiB."""
_LONGEST: Final = 500
"""Characters of an own key; longer ones name nothing."""
_Key = tuple[Any, ...]


@dataclass(frozen=True)
class OwnKeyLookup:
    """Looks for the own keys of one file's new lines before any of them is sent.

    Records that other lines of the files became do not count: files may hold several records of
    one key, as an export does.
    """

    client: Client
    collection: TransferCollection
    known: IdMap
    translator: Translator

    async def conflicts(self, lines: Iterable[Line]) -> dict[int, Detail]:
        """Return what is wrong with each line whose record is there, by the line's number."""
        conflicts = dict[int, Detail]()
        under_way = set[asyncio.Task[dict[int, Detail]]]()
        try:
            for chunk in _chunks(self._new(lines)):
                if len(under_way) >= _AT_ONCE:
                    done, under_way = await asyncio.wait(
                        under_way, return_when=asyncio.FIRST_COMPLETED
                    )
                    conflicts.update(pair for task in done for pair in task.result().items())
                under_way.add(asyncio.create_task(self._conflicts(chunk)))
            for found in await asyncio.gather(*under_way):
                conflicts.update(found)
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        return conflicts

    def _new(self, lines: Iterable[Line]) -> Iterator[tuple[int, _Key]]:
        """Yield numbers and own keys of the lines that no record is known of."""
        key_fields = self.collection.key_fields
        for line in lines:
            if not line.has_key(key_fields):
                continue
            stored = self.known.find(self.collection.name, line.name(key_fields))
            if stored is None or stored.id is None:
                key = self._key(line)
                if key is not None:
                    yield line.number, key

    def _key(self, line: Line) -> _Key | None:
        """Return the own key as the service stores it; None for one that no record can have."""
        names = self.collection.key_fields
        document = {name: line.document[name] for name in names}
        translated = self.translator.translate(self.collection.fields, document, is_new=True)
        key = tuple(translated.item[name] for name in names)
        if translated.missing or translated.unmade or not _can_be_stored(key[0]):
            return None
        return key

    async def _conflicts(self, chunk: list[tuple[int, _Key]]) -> dict[int, Detail]:
        name, *within = self.collection.key_fields
        ids = defaultdict[_Key, list[Any]](list)
        keys = [*dict.fromkeys(key[0] for _, key in chunk)]
        records = self.client.collection(self.collection.name).records
        async for record in records(page_size=_PAGE, **{name: keys}):
            if not self.known.has_id(self.collection.name, record["id"]):
                ids[record[name], *(record[each] for each in within)].append(record["id"])
        return {number: self._detail(ids[key][0]) for number, key in chunk if key in ids}

    def _detail(self, record_id: Any) -> Detail:
        name = self.collection.key_fields[0]
        message = (
            f"Record {record_id} has this {name} already, and no earlier import made it. "
            "Use --match to replace it."
        )
        return Detail(ErrorType.CONFLICT_DUPLICATE, name, message)


def _can_be_stored(key: Any) -> bool:
    return isinstance(key, str) and len(key) <= _LONGEST and "\0" not in key


def _chunks(keys: Iterable[tuple[int, _Key]]) -> Iterator[list[tuple[int, _Key]]]:
    """Yield the keys in groups that one query can name."""
    chunk, size = list[tuple[int, _Key]](), 0
    for number, key in keys:
        length = len(orjson.dumps(key[0]))
        if chunk and (len(chunk) == _MOST_KEYS or size + length > _MOST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append((number, key))
        size += length
    if chunk:
        yield chunk
