"""Import files: NDJSON or CSV, one per collection, read line by line (contract, Files).

A file may be read several times during an import, and must not change meanwhile.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final

import orjson

from service.transfer import csv_records
from service.transfer.collections import (
    TransferCollection,
    TransferPart,
    require_collection,
)
from service.transfer.errors import TransferError

SUFFIXES: Final = (".ndjson", ".csv")
_WORKBOOKS: Final = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
_ID: Final = re.compile(r"[0-9]{1,19}", re.ASCII)
_REJECTS_PREFIX: Final = "rejects"
"""Prefix of files that an import writes itself, and does not read."""


@dataclass(frozen=True, slots=True)
class Line:
    """Record of a file, an NDJSON line or a CSV row; or a part that is a member of that."""

    number: int
    """Number of the line, or of the first line of the row, from 1; of a member, its owner's."""
    document: dict[str, Any]
    """Record as in the file; of a member, the part with its owner's name as owner's id."""
    digest: bytes
    """16 bytes by which later runs see an edit: of the NDJSON line's text, or of the row's values.

    Even another order of members or columns is an edit. A member has that of its owner's line.
    """
    size: int
    """Bytes of the line; for a CSV row see ``TableRow``. A member has that of its owner's line."""
    row: csv_records.TableRow | None = None
    """CSV row with its column names; None for NDJSON."""
    owner_line: "Line | None" = None
    """Line of which this part is a member; None for a record or part with a line of its own."""

    def name(self, key_fields: Sequence[str]) -> str:
        """Return the record's name in the id map: its id, otherwise own key, otherwise digest.

        An id is the same as number and as text. Names of keys begin with ``key:``, those of
        digests with ``content:``.
        """
        if self.document.get("id") is not None:
            return str(self.document["id"])
        if self.has_key(key_fields):
            return f"key:{'/'.join(str(self.document[name]) for name in key_fields)}"
        return f"content:{self.digest.hex()}"

    def part(self, part: TransferPart, owner: TransferCollection) -> "Line":
        """Return the line of a part that is a member of this line, which has that member."""
        document = part.of_owner(self.name(owner.key_fields), self.document[part.member])
        return replace(self, document=document, owner_line=self)

    def column(self, field: str | None) -> str:
        """Return the CSV column of an error's field path; for NDJSON the path itself."""
        return self.row.column(field) if self.row else field or ""

    def has_key(self, key_fields: Sequence[str]) -> bool:
        """Return whether every own key field has a value that is not 0, false or empty.

        Without own key fields it is False.
        """
        return bool(key_fields) and all(self.document.get(name) for name in key_fields)


@dataclass(frozen=True)
class Source:
    """File of a collection, or the members of an owners' file that are a part collection."""

    path: Path
    collection: TransferCollection
    """Collection, or part collection, of the lines."""
    encoding: str | None = None
    """Encoding of a CSV file without a byte order mark; None for UTF-8. NDJSON is UTF-8."""
    owner: TransferCollection | None = None
    """Collection of the file's records, if the lines are members of these; otherwise None."""

    def require_lines(self) -> None:
        """Read the whole file. Raise TransferError unless every line is a record.

        An ``id`` is a number: the map of ids, not the record, would get an own key in its place.
        """
        keys = self.collection.key_fields
        for line in self.lines():
            record_id = line.document.get("id")
            if record_id is not None and not _ID.fullmatch(str(record_id)):
                reason = (
                    f"the id {record_id!r} is no number; ids only link the lines of files: "
                    f"name the column {keys[0]}, if it has own keys"
                )
                raise _line_error(self, line.number, reason)

    def lines(self, only: Iterable[int] | None = None) -> Iterator[Line]:
        """Yield the lines in order; with ``only``, those of the given numbers.

        Blank lines are left out. Of an owners' file these are the members that are not null; then
        ``only`` has no effect. Raise TransferError at a line that is no record.
        """
        if self.owner and isinstance(self.collection, TransferPart):
            for line in Source(self.path, self.owner, self.encoding).lines():
                if line.document.get(self.collection.member) is not None:
                    yield line.part(self.collection, self.owner)
            return
        with self.path.open("rb") as file:
            if self.path.suffix == ".csv":
                yield from _rows(file, self, only)
            else:
                yield from _lines(file, self, only)


def sources(
    root: Path, collections: Mapping[str, TransferCollection], encoding: str | None = None
) -> list[Source]:
    """Return the sources of a folder, or of a single file, in the order of ``collections``.

    Files are named after their collections. Folders within the folder, files with another suffix
    and files whose names begin with ``rejects`` are left out. A part without a file of its own has
    a source in the file of its owners, if there is one, whether or not lines have the member.
    Nothing is read. Raise TransferError if there is no file, if one is named after no collection,
    if two are of the same one, if a workbook stands in place of one, or if ``root`` is neither a
    folder nor a file of a known suffix.
    """
    everything = sorted(root.iterdir()) if root.is_dir() else [root]
    workbooks = [path for path in everything if path.suffix.lower() in _WORKBOOKS]
    paths = [
        path
        for path in everything
        if path.suffix in SUFFIXES or (path is root and path not in workbooks)
    ]
    by_name = dict[str, Path]()
    for path in paths:
        if path.name.startswith(_REJECTS_PREFIX):
            continue
        if path.suffix not in SUFFIXES or not path.is_file():
            raise TransferError(f"{path} is no folder and no file: use a folder, .ndjson or .csv")
        require_collection(path.stem, collections)
        if by_name.setdefault(path.stem, path) is not path:
            raise TransferError(
                f"{by_name[path.stem]} and {path} are of the same collection: remove one"
            )
    for path in workbooks:
        if not by_name or path.stem in collections.keys() - by_name.keys():
            raise TransferError(
                f"{path} is a workbook: save each sheet as CSV UTF-8, in a file that is named "
                "after its collection, such as colors.csv"
            )
    if not by_name:
        raise TransferError(f"{root} has no files to import, such as colors.ndjson or groups.csv")
    return [*_sources(by_name, collections, encoding)]


def _sources(
    paths: Mapping[str, Path], collections: Mapping[str, TransferCollection], encoding: str | None
) -> Iterator[Source]:
    for name, collection in collections.items():
        if name in paths:
            yield Source(paths[name], collection, encoding)
        elif isinstance(collection, TransferPart) and collection.owner in paths:
            owner = collections[collection.owner]
            yield Source(paths[owner.name], collection, encoding, owner)


def _lines(file: Iterable[bytes], source: Source, only: Iterable[int] | None) -> Iterator[Line]:
    for number, raw in enumerate(file, start=1):
        if (only is not None and number not in only) or not raw.strip():
            continue
        try:
            document = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            reason = f"no JSON: {error.msg} at character {error.colno}"
            raise _line_error(source, number, reason) from error
        if not isinstance(document, dict):
            raise _line_error(source, number, "no JSON object: write one record per line")
        yield Line(number, document, _digest(raw.strip()), len(raw))


def _rows(file: IO[bytes], source: Source, only: Iterable[int] | None) -> Iterator[Line]:
    try:
        for row in csv_records.rows(file, source.collection.columns, source.encoding):
            if only is None or row.line in only:
                digest = _digest(orjson.dumps(row.document))
                yield Line(row.line, row.document, digest, row.size, row)
    except csv_records.TableError as error:
        raise _line_error(source, error.line, str(error)) from error


def _digest(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()


def _line_error(source: Source, number: int, reason: str) -> TransferError:
    return TransferError(f"{source.path}, line {number}: {reason}")
