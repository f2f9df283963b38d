"""Import files: NDJSON or CSV, one per collection, read line by line (contract, Files)."""

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
_REJECTS_PREFIX: Final = "rejects"
"""Prefix of files that an import writes itself, and does not read."""


@dataclass(frozen=True, slots=True)
class Line:
    """Record of a file: an NDJSON line or a CSV row."""

    number: int
    document: dict[str, Any]
    digest: bytes
    size: int
    """Bytes in the file."""
    row: csv_records.TableRow | None = None
    """CSV row with its column names; None for NDJSON."""
    owner_line: "Line | None" = None
    """Line that has this one, the part of a record, as a member."""

    def name(self, key_fields: Sequence[str]) -> str:
        """Return the record's name in the id map: its id, otherwise own key, otherwise digest."""
        if self.document.get("id") is not None:
            return str(self.document["id"])
        if self.has_key(key_fields):
            return f"key:{'/'.join(str(self.document[name]) for name in key_fields)}"
        return f"content:{self.digest.hex()}"

    def part(self, part: TransferPart, owner: TransferCollection) -> "Line":
        """Return the line of a part that is a member of this line."""
        document = part.of_owner(self.name(owner.key_fields), self.document[part.member])
        return replace(self, document=document, owner_line=self)

    def column(self, field: str | None) -> str:
        """Return the CSV column of an error's field path; for NDJSON the path itself."""
        return self.row.column(field) if self.row else field or ""

    def has_key(self, key_fields: Sequence[str]) -> bool:
        """Return whether the record has a value in every own key field, and there are any."""
        return bool(key_fields) and all(self.document.get(name) for name in key_fields)


@dataclass(frozen=True)
class Source:
    """File of a collection."""

    path: Path
    collection: TransferCollection
    encoding: str | None = None
    """Encoding of a CSV file without a byte order mark; None for UTF-8."""
    owner: TransferCollection | None = None
    """Collection of the file's records, if the part that this source is of is their member."""

    def require_lines(self) -> None:
        """Raise TransferError unless every line is a record."""
        for _ in self.lines():
            pass

    def lines(self, only: Iterable[int] | None = None) -> Iterator[Line]:
        """Yield the lines in order, or only those of the given numbers. Raise TransferError."""
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
    """Return the files of a folder, or a single file, in the order of the collections.

    A part without a file of its own is read from the file of its owners, if there is one.

    Raise TransferError if there is none, or if one cannot be assigned to exactly one collection.
    """
    if root.is_dir():
        paths = [path for path in sorted(root.iterdir()) if path.suffix in SUFFIXES]
    else:
        paths = [root]
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
