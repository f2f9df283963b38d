"""File export: writes a line of NDJSON or a row of CSV for each live record (tools, Files).

Part collections have one for each live owner whose part is not empty. Deleted records follow the
live ones if these refer to them, or if no later record can have their number.

Records are read in pages while others write: the files are not of one moment. Decimal numbers have
all digits. Requested values are in the lines of the sample requests, which are created with them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

import orjson

from selvedge_client import Client, NotFoundError, Sort
from service.extras.tables.csv_records import write_table
from service.extras.tables.fields import Field
from service.extras.transfer.collections import TransferCollection
from service.extras.transfer.deleted_references import KEPT_NUMBERS, DeletedReferences
from service.files import private
from service.limits import MAX_PAGE_SIZE

MANIFEST: Final = "manifest.json"
_SIZE: Final = "sizeRangeSizeId"
_MARKERS: Final = ("approved", "designerVisibleOnly")
_NEXT: Final = "nextReference"
_IDS: Final = 50
"""Ids of deleted records that are read at once."""
_VALUES: Final = ("companyMeasurement", "supplierMeasurement", "newMeasurement")


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
    suffix: str = ".ndjson"
    """Suffix of the files' form: NDJSON, CSV or a workbook."""

    async def run(self) -> dict[str, int]:
        """Write all files. Return the number of lines by collection, in the order given.

        Parts are written only if they are among the collections. The manifest is removed at first
        and written last, so that only a complete export has one. Its cursor is taken before the
        first read, so that following it misses no change. Raise SelvedgeError.
        """
        started = datetime.now(UTC).isoformat(timespec="seconds")
        cursor = await self.client.changes.now()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MANIFEST).unlink(missing_ok=True)
        referred = DeletedReferences.of(self.collections)
        with ExitStack() as opened:
            files = {
                each: opened.enter_context(private(self._unfinished(each)))
                for each in self.collections
            }
            counts = {
                each.name: await self._export(each, file, referred) for each, file in files.items()
            }
            for collection, documents in (await self._deleted(referred)).items():
                counts[collection.name] += len(documents)
                await self._write_deleted(collection, files[collection], documents)
        for collection in self.collections:
            await asyncio.to_thread(self._finish, collection, self._unfinished(collection))
        manifest = {"version": 1, "startedAt": started, "cursor": cursor, "records": counts}
        with private(self.folder / MANIFEST) as file:
            file.write(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")
        return counts

    def _unfinished(self, collection: TransferCollection) -> Path:
        return self.folder / f"{collection.name}.ndjson.unfinished"

    async def _export(
        self, collection: TransferCollection, file: IO[bytes], referred: DeletedReferences
    ) -> int:
        """Write the live records of a collection. Return the number of its lines."""
        count = 0
        # An import numbers records anew, in the order of the lines.
        sort = [Sort("position")] if "position" in collection.fields.set_by_service else []
        records = self.client.collection(collection.name, exact=True)
        async for page in records.pages(sort=sort, page_size=MAX_PAGE_SIZE):
            async for line in self._lines(collection, page.records):
                file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
                referred.note(collection, line)
                count += 1
            self.on_progress(len(page.records))
        return count

    async def _deleted(
        self, referred: DeletedReferences
    ) -> dict[TransferCollection, list[dict[str, Any]]]:
        """Return the documents of the deleted records to export, by collection."""
        by_name = {collection.name: collection for collection in self.collections}
        deleted = {collection: list[dict[str, Any]]() for collection in self.collections}
        for name in KEPT_NUMBERS & by_name.keys():
            records = self.client.collection(name, exact=True)
            async for document in records.records(state="deleted", page_size=MAX_PAGE_SIZE):
                deleted[by_name[name]].append(document)
                referred.note_deleted(by_name[name], document)
        while ids := referred.take(_IDS):
            records = self.client.collection(ids.collection, exact=True)
            query = {"id": ids.values, "state": "deleted", "page_size": MAX_PAGE_SIZE}
            async for document in records.records(**query):
                deleted[by_name[ids.collection]].append(document)
                referred.note_deleted(by_name[ids.collection], document)
        return deleted

    async def _write_deleted(
        self, collection: TransferCollection, file: IO[bytes], documents: list[dict[str, Any]]
    ) -> None:
        """Write the lines of deleted records, those with the highest ids first.

        The first one counts of those with one own key.
        """
        for document in sorted(documents, key=lambda each: int(each["id"]), reverse=True):
            async for line in self._lines(collection, [document], state="deleted"):
                file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        self.on_progress(len(documents))

    def _finish(self, collection: TransferCollection, unfinished: Path) -> None:
        """Convert the NDJSON file to a table if requested, and give it its final name."""
        final = self.folder / f"{collection.name}{self.suffix}"
        if self.suffix != ".ndjson":
            table = final.with_name(f"{final.name}.unfinished")
            write_table(unfinished, table, collection.exported_fields)
            unfinished.unlink()
            unfinished = table
        unfinished.replace(final)

    async def _lines(
        self, collection: TransferCollection, documents: list[dict[str, Any]], state: str = ""
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the lines of a page's records, which are live unless ``state`` is ``deleted``.

        Members that an import would take for parts, such as sizes, are left out: the parts have
        files of their own. Records with fields that only the writable form has are read one by one;
        those that have been deleted meanwhile are left out.
        """
        if collection.name in _SUPPLEMENTS:
            documents = await _SUPPLEMENTS[collection.name](self.client, documents)
        members = {part.member for part in collection.parts}
        records = self.client.collection(collection.name)
        for document in documents:
            line = {name: value for name, value in document.items() if name not in members}
            if collection.has_writable_only_fields:
                try:
                    line |= (await records.read(document["id"], writable=True)).data
                except NotFoundError:
                    continue
                if line.get("state") == "deleted" != state:
                    continue
            yield _as_requested(collection.fields, line)


def _as_requested(fields: Field, value: Any) -> Any:
    """Return the value with decimal numbers as requests have them: as texts, if these can be sent.

    Exact responses have whole numbers as integers, and all others as texts.
    """
    if isinstance(value, list) and fields.items:
        return [_as_requested(fields.items, entry) for entry in value]
    if isinstance(value, dict):
        members = fields.members
        return {name: _as_requested(members.get(name, Field()), value[name]) for name in value}
    if "number" not in fields.types or value is None:
        return value
    return str(value) if "string" in fields.types else float(value)


async def _with_requested_values(
    client: Client, requests: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return a page of sample requests, in the same order, each with a list ``requested``.

    Its entries are line, size and value; values that were not requested are left out.
    """
    requested = dict[int, list[dict[str, Any]]]()
    if ids := [request["id"] for request in requests]:
        measurements = client.collection("measurements", exact=True)
        async for each in measurements.records(sampleRequestId=ids):
            requested[each["sampleRequestId"]] = _requested(each)
    return [request | {"requested": requested.get(request["id"], [])} for request in requests]


async def _measured_lines(_: Client, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of a page of measured values, in the same order.

    Their sizes have the form of a request: without names, requested values and tolerances.
    """
    return [document | {"sizes": [*map(_measured, document["sizes"])]} for document in documents]


async def _positioned_ranges(_: Client, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of a page of barcode ranges; those without numbers end behind the last."""
    return [
        document
        | ({"nextReference": document["lastReference"] + 1} if document[_NEXT] is None else {})
        for document in documents
    ]


def _requested(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"lineId": _line_id(line), _SIZE: size[_SIZE], "value": line["requestedMeasurement"]}
        for size in document["sizes"]
        for line in size["lines"]
        if line["requestedMeasurement"] is not None
    ]


def _measured(size: dict[str, Any]) -> dict[str, Any]:
    """Return a size in the form of a request: the markers in ``properties`` become booleans."""
    return {
        _SIZE: size[_SIZE],
        "designerComment": size["designerComment"],
        **{name: name in size["properties"] for name in _MARKERS},
        "lines": [
            {"lineId": _line_id(line), **{name: line[name] for name in _VALUES}}
            for line in size["lines"]
        ],
    }


def _line_id(line: dict[str, Any]) -> Any:
    """Return the id of a line; the key of a deactivated one, whose id documents do not show."""
    return {"name": line["name"]} if line["lineId"] is None else line["lineId"]


_SUPPLEMENTS: Final = {
    "barcode-ranges": _positioned_ranges,
    "sample-requests": _with_requested_values,
    "measurements": _measured_lines,
}
"""Functions that complete or reshape the documents of a page, by collection, before other steps."""
