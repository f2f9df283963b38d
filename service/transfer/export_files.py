"""File export: writes a line of NDJSON or a row of CSV for each live record (contract, Files).

Part collections have one for each live owner whose part is not empty.

Records are read in pages while others write: the files are not of one moment.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from service.client import Client, NotFoundError, Sort
from service.files import private
from service.limits import MAX_PAGE_SIZE
from service.transfer.collections import TransferCollection, TransferPart
from service.transfer.exact_pages import exact_pages
from service.transfer.fields import Field
from service.transfer.measured_values import measured_lines, with_requested_values
from service.transfer.table_export import write_table
from service.transfer.tasks import gather_all

MANIFEST: Final = "manifest.json"
_MAX_CONCURRENT: Final = 4
"""Maximum number of collections read at a time, and of single records read for one collection."""
_SUPPLEMENTS: Final = {
    "sample-requests": with_requested_values,
    "measurements": measured_lines,
}
"""Functions that complete or reshape the documents of a page, by collection, before other steps."""


@dataclass(frozen=True)
class Export:
    """Export of collections to a folder, for one run.

    Existing files of the same names are replaced. Others stay, also the NDJSON file of a collection
    that is now written as CSV. The name of a file ends in ``.unfinished`` until it is complete,
    also after an export that failed.
    """

    client: Client
    folder: Path
    collections: Sequence[TransferCollection]
    on_progress: Callable[[int], object]
    """Called after each page of a collection with the number of records read on it."""
    csv: bool = False
    """Whether the files are CSV instead of NDJSON."""

    async def run(self) -> dict[str, int]:
        """Write all files. Return the number of lines by collection, in the order given.

        Parts are written only if they are among the collections. The manifest is removed at first
        and written last, so that only a complete export has one. Its cursor is taken before the
        first read, so that following it misses no change. Raise SelvedgeError.
        """
        manifest = {"version": 1, "startedAt": datetime.now(UTC).isoformat(timespec="seconds")}
        manifest["cursor"] = await self.client.changes.now()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MANIFEST).unlink(missing_ok=True)
        slots = asyncio.Semaphore(_MAX_CONCURRENT)

        async def export(collection: TransferCollection) -> int:
            async with slots:
                return await self._export_collection(collection)

        lengths = await gather_all(map(export, self.collections))
        names = (collection.name for collection in self.collections)
        counts = dict(zip(names, lengths, strict=True))
        # Written last: a manifest means that the export is complete.
        content = orjson.dumps(manifest | {"records": counts}, option=orjson.OPT_INDENT_2)
        with private(self.folder / MANIFEST) as file:
            file.write(content + b"\n")
        return counts

    async def _export_collection(self, collection: TransferCollection) -> int:
        """Write the file of a collection. Return the number of its lines."""
        count, unfinished = 0, self.folder / f"{collection.name}.ndjson.unfinished"
        with private(unfinished) as file:
            async for documents in self._pages(collection):
                for line in await self._lines(collection, documents):
                    file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
                    count += 1
                self.on_progress(len(documents))
        await asyncio.to_thread(self._finish, collection, unfinished)
        return count

    def _finish(self, collection: TransferCollection, unfinished: Path) -> None:
        """Convert the NDJSON file to CSV if requested, and give it its final name."""
        suffix = "csv" if self.csv else "ndjson"
        if self.csv:
            table = self.folder / f"{collection.name}.csv.unfinished"
            write_table(unfinished, table, collection.exported_fields)
            unfinished.unlink()
            unfinished = table
        unfinished.replace(self.folder / f"{collection.name}.{suffix}")

    async def _pages(self, collection: TransferCollection) -> AsyncIterator[list[dict[str, Any]]]:
        """Yield pages of the live records, by position if any: an import numbers in file order."""
        if isinstance(collection, TransferPart):
            async for documents in exact_pages(self.client, collection.name):
                yield documents
            return
        sort = [Sort("position")] if collection.has_position else []
        records = self.client.collection(collection.name)
        async for page in records.pages(sort=sort, page_size=MAX_PAGE_SIZE):
            yield page.records

    async def _lines(
        self, collection: TransferCollection, documents: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the lines of a page's records.

        Members that an import would take for parts, such as sizes, are left out: the parts have
        files of their own. Records with fields that only the writable form has are read one by one.
        """
        if collection.name in _SUPPLEMENTS:
            documents = await _SUPPLEMENTS[collection.name](self.client, documents)
        if isinstance(collection, TransferPart):
            return [_as_requested(collection.fields, document) for document in documents]
        if collection.has_writable_only_fields:
            return await self._with_writable_forms(collection, documents)
        members = {part.member for part in collection.parts}
        return [
            {name: document[name] for name in document if name not in members}
            for document in documents
        ]

    async def _with_writable_forms(
        self, collection: TransferCollection, documents: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the documents merged with their writable forms, which have more fields.

        Records that have been deleted meanwhile are left out: an import cannot create them.
        """
        records, slots = self.client.collection(collection.name), asyncio.Semaphore(_MAX_CONCURRENT)

        async def read_line(document: dict[str, Any]) -> dict[str, Any] | None:
            async with slots:
                try:
                    return document | (await records.read(document["id"], writable=True)).data
                except NotFoundError:
                    return None

        lines = await gather_all(map(read_line, documents))
        return [line for line in lines if line and line.get("state") != "deleted"]


def _as_requested(fields: Field, value: Any) -> Any:
    """Return the value with whole numbers of decimal fields as strings, as the others are already.

    A decimal field is one that requests may state as a number or a string.
    """
    if isinstance(value, list) and fields.items:
        return [_as_requested(fields.items, entry) for entry in value]
    if isinstance(value, dict):
        members = fields.members
        return {
            name: _as_requested(members.get(name, Field()), member)
            for name, member in value.items()
        }
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_whole and {"number", "string"} <= fields.types else value
