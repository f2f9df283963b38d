"""Own key lookup: finds stored records with the own key of lines that are not in the id map.

Creating such a line would make a second record with the same own key, for example after the id map
was lost. The line is rejected. With ``--match`` there is no lookup: the service finds the record.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from service.client import Client, Detail
from service.error_types import ErrorType
from service.limits import MAX_CURSOR_BYTES, MAX_PAGE_SIZE
from service.transfer.collections import TransferCollection
from service.transfer.files import Line
from service.transfer.id_map import IdMap
from service.transfer.id_translation import Translator
from service.transfer.tasks import cancel_all

_MAX_CONCURRENT: Final = 4
"""Maximum number of concurrent queries."""
_MAX_KEYS: Final = 50
"""Maximum number of keys in one query."""
_MAX_KEY_BYTES: Final = MAX_CURSOR_BYTES // 2
"""Maximum bytes of several keys in one query: a cursor contains the query, as base64."""
_MAX_KEY_LENGTH: Final = 500
"""Maximum characters of an own key; no record has a longer one."""
_Key = tuple[Any, ...]
"""Own key, and the id of the record within which it is one, if any."""


@dataclass(frozen=True)
class OwnKeyLookup:
    """Lookup of the own keys of a file's new lines before any of them is sent.

    Records that lines of this or earlier imports became, by the id map, do not count: a file may
    have several records with the same key, as an export may.
    """

    client: Client
    collection: TransferCollection
    id_map: IdMap
    translator: Translator

    async def conflicts(self, lines: Iterable[Line]) -> dict[int, Detail]:
        """Return the error of each line whose own key a stored live record has, by line number.

        Lines that the id map has, without an own key, or whose key ``_key`` leaves out have none.
        Raise SelvedgeError if a query fails; the others are canceled then.
        """
        conflicts = dict[int, Detail]()
        tasks = set[asyncio.Task[dict[int, Detail]]]()
        try:
            for chunk in _chunks(self._unmapped(lines)):
                if len(tasks) >= _MAX_CONCURRENT:
                    done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    conflicts.update(pair for task in done for pair in task.result().items())
                tasks.add(asyncio.create_task(self._conflicts(chunk)))
            for chunk_conflicts in await asyncio.gather(*tasks):
                conflicts.update(chunk_conflicts)
        finally:
            await cancel_all(tasks)
        return conflicts

    def _unmapped(self, lines: Iterable[Line]) -> Iterator[tuple[int, _Key]]:
        """Yield line number and own key of each line with a key but no record in the id map."""
        key_fields = self.collection.key_fields
        for line in lines:
            if not line.has_key(key_fields):
                continue
            mapped = self.id_map.find(self.collection.name, line.name(key_fields))
            if mapped is None or mapped.id is None:
                key = self._key(line)
                if key is not None:
                    yield line.number, key

    def _key(self, line: Line) -> _Key | None:
        """Return the own key with the service's ids; None if no stored record is to be looked up.

        That is so for a key that is too long, within a record that is not imported yet, or an id,
        as of style relations: the service refuses a pair that is stored already.
        """
        names = self.collection.key_fields
        document = {name: line.document[name] for name in names}
        translated = self.translator.translate(self.collection.fields, document, is_new=True)
        key = tuple(translated.item[name] for name in names)
        if translated.missing or translated.placeholders or not _can_be_stored(key[0]):
            return None
        return key

    async def _conflicts(self, chunk: list[tuple[int, _Key]]) -> dict[int, Detail]:
        name, *scope = self.collection.key_fields
        ids = defaultdict[_Key, list[Any]](list)
        keys = [*dict.fromkeys(key[0] for _, key in chunk)]
        records = self.client.collection(self.collection.name).records
        async for record in records(page_size=MAX_PAGE_SIZE, **{name: keys}):
            if not self.id_map.has_id(self.collection.name, record["id"]):
                ids[record[name], *(record[field] for field in scope)].append(record["id"])
        return {number: self._detail(ids[key][0]) for number, key in chunk if key in ids}

    def _detail(self, record_id: Any) -> Detail:
        name = self.collection.key_fields[0]
        message = (
            f"Record {record_id}, which no earlier import created, has this {name} already. "
            "Use --match to replace it."
        )
        return Detail(ErrorType.CONFLICT_DUPLICATE, name, message)


def _can_be_stored(key: Any) -> bool:
    return isinstance(key, str) and len(key) <= _MAX_KEY_LENGTH and "\0" not in key


def _chunks(keys: Iterable[tuple[int, _Key]]) -> Iterator[list[tuple[int, _Key]]]:
    """Yield the keys in chunks for one query each; a key that is too long is a chunk of its own."""
    chunk, size = list[tuple[int, _Key]](), 0
    for number, key in keys:
        length = len(orjson.dumps(key[0]))
        if chunk and (len(chunk) == _MAX_KEYS or size + length > _MAX_KEY_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append((number, key))
        size += length
    if chunk:
        yield chunk
