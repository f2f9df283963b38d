"""Line importer: batches the lines of a file into bulk requests; base of records' and parts'."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from service.client import Detail
from service.client.options import WriteMode
from service.error_types import ErrorType
from service.transfer.files import Line
from service.transfer.id_translation import Translator
from service.transfer.sender import ImportEntry, Sender

_MAX_BATCH_BYTES: Final = 4 * 2**20
"""Bytes of lines in the file at which a batch is sent: half of the service's limit for a body.

The last line and translation add bytes. The sender splits a request that is too large.
"""
WriteKind: TypeAlias = tuple[WriteMode, str | None]
"""Write mode of a line, and the own key field that matches its record; None without ``match``."""


@dataclass
class _LineBatch:
    """Batch of lines for one request, and their bytes in the file."""

    entries: list[ImportEntry] = field(default_factory=list)
    size: int = 0


@dataclass
class LineImporter:
    """Import of the lines of one source, with a batch for each write kind.

    ``sender`` sends the batches; errors of its requests are raised by later calls or ``flush``.
    """

    sender: Sender
    translator: Translator
    max_items: int = field(init=False)
    """Maximum number of items in one request."""
    _batches: dict[WriteKind, _LineBatch] = field(
        init=False, default_factory=lambda: defaultdict(_LineBatch)
    )

    def __post_init__(self) -> None:
        self.max_items = self.sender.source.collection.max_items

    def is_repeated(self, line: Line, name: str) -> bool:
        """Reject a line if an earlier one of the file has the same name. Return whether it did.

        ``name`` is that in the id map. The same line may be checked again in a later pass.
        """
        first = self.sender.id_map.first_line(name, line.number)
        if first == line.number:
            return False
        message = f"Line {first} has the same record: remove one of the two."
        field_path = self.sender.source.collection.id_field
        self.reject(line, [Detail(ErrorType.DUPLICATE, field_path, message)])
        return True

    async def add(self, kind: WriteKind, entry: ImportEntry) -> None:
        """Add an entry to the batch of its kind; if the batch is full, start its request.

        Wait until a request slot is free, not for the response.
        """
        batch = self._batches[kind]
        batch.entries.append(entry)
        batch.size += entry.line.size
        if len(batch.entries) >= self.max_items or batch.size >= _MAX_BATCH_BYTES:
            await self._send(kind)

    async def flush(self) -> None:
        """Send all batches, and wait for the responses of all requests. Raise the error of any.

        After a rejection that ends the import, batches are dropped instead.
        """
        for kind in [*self._batches]:
            await self._send(kind)
        await self.sender.drain()

    async def _send(self, kind: WriteKind) -> None:
        self.sender.raise_failures()
        batch = self._batches.pop(kind)
        if not self.sender.stopped:
            await self.sender.send(*kind, batch.entries)

    def reject_unresolved(self, line: Line, missing: Iterable[tuple[str, str, str]]) -> None:
        """Reject and count a line, with an error for each missing path, target and file's id."""
        self.reject(line, [_unknown_reference(*reference) for reference in missing])

    def reject(self, line: Line, details: Iterable[Detail]) -> None:
        """Reject a line and count it as ``failed``."""
        self.sender.counts["failed"] += 1
        self.sender.reject(line, details)


def _unknown_reference(path: str, target: str, file_id: str) -> Detail:
    message = f"No imported line of {target} has the id {file_id}."
    return Detail(ErrorType.UNKNOWN_REFERENCE, path, message)
