"""File export: writes a line of NDJSON or a row of CSV for each live record (contract, Files)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from service.client import Client, Document, NotFoundError, Page, Sort
from service.files import private
from service.limits import MAX_PAGE_SIZE
from service.transfer.collections import TransferCollection
from service.transfer.table_export import write_table

MANIFEST: Final = "manifest.json"
_MAX_CONCURRENT: Final = 4
"""Maximum number of collections read at a time, and of single records read for one collection."""


@dataclass(frozen=True)
class Export:
    """Export of collections to a folder. Existing files of the same names are replaced."""

    client: Client
    folder: Path
    collections: Sequence[TransferCollection]
    on_progress: Callable[[int], object]
    """Called with the number of records written since the last call."""
    csv: bool = False
    """Whether the files are CSV instead of NDJSON."""

    async def run(self) -> dict[str, int]:
        """Write all files. Return the number of records by collection.

        The manifest's cursor is taken before the first read, so that following it misses no change.
        """
        manifest = {"version": 1, "startedAt": datetime.now(UTC).isoformat(timespec="seconds")}
        manifest["cursor"] = await self.client.changes.now()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MANIFEST).unlink(missing_ok=True)
        slots = asyncio.Semaphore(_MAX_CONCURRENT)

        async def export(collection: TransferCollection) -> int:
            async with slots:
                return await self._export_collection(collection)

        lengths = await asyncio.gather(*map(export, self.collections))
        names = (collection.name for collection in self.collections)
        counts = dict(zip(names, lengths, strict=True))
        # Written last: a manifest means that the export is complete.
        content = orjson.dumps(manifest | {"records": counts}, option=orjson.OPT_INDENT_2)
        with private(self.folder / MANIFEST) as file:
            file.write(content + b"\n")
        return counts

    async def _export_collection(self, collection: TransferCollection) -> int:
        """Write the file of a collection. Return the number of its records."""
        count, unfinished = 0, self.folder / f"{collection.name}.ndjson.unfinished"
        with private(unfinished) as file:
            async for page in self._pages(collection):
                for line in await self._lines(collection, page.records):
                    file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
                    count += 1
                self.on_progress(len(page.records))
        await asyncio.to_thread(self._finish, collection, unfinished)
        return count

    def _finish(self, collection: TransferCollection, unfinished: Path) -> None:
        """Convert the NDJSON file to CSV if requested, and give it its final name."""
        suffix = "csv" if self.csv else "ndjson"
        if self.csv:
            table = self.folder / f"{collection.name}.csv.unfinished"
            write_table(unfinished, table, collection.all_fields)
            unfinished.unlink()
            unfinished = table
        unfinished.replace(self.folder / f"{collection.name}.{suffix}")

    def _pages(self, collection: TransferCollection) -> AsyncIterator[Page[Document]]:
        """Read all records, sorted by position if any: an import numbers them in file order."""
        sort = [Sort("position")] if collection.has_position else []
        return self.client.collection(collection.name).pages(sort=sort, page_size=MAX_PAGE_SIZE)

    async def _lines(
        self, collection: TransferCollection, documents: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the lines of records, without records that were deleted meanwhile."""
        if not collection.has_writable_only_fields and not collection.parts:
            return documents
        slots = asyncio.Semaphore(_MAX_CONCURRENT)

        async def read_line(document: dict[str, Any]) -> dict[str, Any] | None:
            async with slots:
                try:
                    return await self._line(collection, document)
                except NotFoundError:
                    return None

        lines = await asyncio.gather(*map(read_line, documents))
        return [line for line in lines if line]

    async def _line(
        self, collection: TransferCollection, document: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the document merged with the writable form, if it shows more, and all parts."""
        line, records = {**document}, self.client.collection(collection.name)
        if collection.has_writable_only_fields:
            line |= (await records.read(document["id"], writable=True)).data
        for part in collection.parts:
            line |= await part.read(self.client, document)
        return line
