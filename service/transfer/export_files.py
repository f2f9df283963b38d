"""From the service to files: a line of NDJSON for each live record (contract, Files)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from service.client import Client, NotFoundError, Page, Sort
from service.files import private
from service.transfer.collections import TransferCollection
from service.transfer.table_export import write_table

MANIFEST: Final = "manifest.json"
_PAGE: Final = 100
_AT_ONCE: Final = 4
"""Collections that are read at a time; and records, where they are read one by one."""


@dataclass(frozen=True)
class Export:
    """Writes collections to a folder; files of those names are replaced."""

    client: Client
    folder: Path
    collections: Sequence[TransferCollection]
    tell: Callable[[int], object]
    """Is told how many records were written since it was told last."""
    csv: bool = False
    """Whether the files are CSV instead of NDJSON."""

    async def run(self) -> dict[str, int]:
        """How many records each collection has.

        Who follows the changes from the manifest's cursor misses nothing that came after.
        """
        manifest = {"version": 1, "startedAt": datetime.now(UTC).isoformat(timespec="seconds")}
        manifest["cursor"] = await self.client.changes.now()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MANIFEST).unlink(missing_ok=True)
        turn = asyncio.Semaphore(_AT_ONCE)

        async def in_turn(one: TransferCollection) -> int:
            async with turn:
                return await self._write(one)

        written = await asyncio.gather(*map(in_turn, self.collections))
        counts = dict(zip((one.name for one in self.collections), written, strict=True))
        # It comes last: where there is a manifest, the export is complete.
        whole = orjson.dumps(manifest | {"records": counts}, option=orjson.OPT_INDENT_2)
        with private(self.folder / MANIFEST) as file:
            file.write(whole + b"\n")
        return counts

    async def _write(self, one: TransferCollection) -> int:
        count, unfinished = 0, self.folder / f"{one.name}.ndjson.unfinished"
        with private(unfinished) as file:
            async for page in self._pages(one):
                for line in await self._whole(one, page.records):
                    file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
                    count += 1
                self.tell(len(page.records))
        await asyncio.to_thread(self._finish, one, unfinished)
        return count

    def _finish(self, one: TransferCollection, unfinished: Path) -> None:
        kind = "csv" if self.csv else "ndjson"
        if self.csv:
            table = self.folder / f"{one.name}.csv.unfinished"
            write_table(unfinished, table, one.written)
            unfinished.unlink()
            unfinished = table
        unfinished.replace(self.folder / f"{one.name}.{kind}")

    def _pages(self, one: TransferCollection) -> AsyncIterator[Page]:
        """All records, by their position where they have one: importing gives it by the order."""
        sort = [Sort("position")] if one.has_position else []
        return self.client.collection(one.name).pages(sort=sort, page_size=_PAGE)

    async def _whole(
        self, one: TransferCollection, documents: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """The lines of records; of those that have gone meanwhile there is none."""
        if not one.has_hidden and not one.parts:
            return documents
        turn = asyncio.Semaphore(_AT_ONCE)

        async def in_turn(document: dict[str, Any]) -> dict[str, Any] | None:
            async with turn:
                try:
                    return await self._line(one, document)
                except NotFoundError:
                    return None

        found = await asyncio.gather(*map(in_turn, documents))
        return [line for line in found if line]

    async def _line(self, one: TransferCollection, document: dict[str, Any]) -> dict[str, Any]:
        """The document, with what only the writable form shows, and with the record's parts."""
        line, collection = {**document}, self.client.collection(one.name)
        if one.has_hidden:
            line |= (await collection.read(document["id"], writable=True)).data
        for part in one.parts:
            line |= await part.read(self.client, document)
        return line
