"""The files of an import: NDJSON and CSV, a collection each, line by line."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final

import orjson

from service.transfer import csv_records
from service.transfer.collections import TransferCollection, require
from service.transfer.errors import TransferError

KINDS: Final = (".ndjson", ".csv")
_NOT_READ: Final = "rejects"
"""What such a file's name begins with: an import's own."""


@dataclass(frozen=True, slots=True)
class Line:
    """A record of a file."""

    number: int
    document: dict[str, Any]
    digest: bytes
    size: int
    """In bytes, of the file."""
    row: csv_records.TableRow | None = None
    """Of a CSV file, where the columns of its fields can be told."""

    def name(self, key_fields: Sequence[str]) -> str:
        """What the files call the record: its id, else its own key, else all that it says."""
        if self.document.get("id") is not None:
            return str(self.document["id"])
        if self.has_key(key_fields):
            return f"key:{'/'.join(str(self.document[name]) for name in key_fields)}"
        return f"content:{self.digest.hex()}"

    def column(self, field: str | None) -> str:
        """Return the column of a field that the service names; of NDJSON the field."""
        return self.row.column(field) if self.row else field or ""

    def has_key(self, key_fields: Sequence[str]) -> bool:
        """Whether it says the own key, where records have one."""
        return bool(key_fields) and all(self.document.get(name) for name in key_fields)


@dataclass(frozen=True)
class Source:
    """The file of a collection."""

    path: Path
    collection: TransferCollection
    encoding: str | None = None
    """Of a CSV file that has no byte order mark; None for UTF-8."""

    def require_lines(self) -> None:
        """Raise TransferError unless every line is a record."""
        for _ in self.lines():
            pass

    def lines(self, only: Iterable[int] | None = None) -> Iterator[Line]:
        """Its lines in order, or those of the given numbers; TransferError for one that is none."""
        with self.path.open("rb") as file:
            if self.path.suffix == ".csv":
                yield from _rows(file, self, only)
            else:
                yield from _lines(file, self, only)


def sources(
    place: Path, collections: Mapping[str, TransferCollection], encoding: str | None = None
) -> list[Source]:
    """The files at a place, a folder or one file, in the order of the collections.

    Raises TransferError where there is none, or one that is no collection's.
    """
    if place.is_dir():
        found = [path for path in sorted(place.iterdir()) if path.suffix in KINDS]
    else:
        found = [place]
    by_name = dict[str, Path]()
    for path in found:
        if path.name.startswith(_NOT_READ):
            continue
        if path.suffix not in KINDS or not path.is_file():
            raise TransferError(f"{path} is no folder, and no file of NDJSON or CSV")
        require(path.stem, collections)
        if by_name.setdefault(path.stem, path) is not path:
            raise TransferError(
                f"{by_name[path.stem]} and {path} are of one collection: remove one"
            )
    if not by_name:
        raise TransferError(f"{place} has no files to import: colors.ndjson, groups.csv and so on")
    return [
        Source(by_name[name], collection, encoding)
        for name, collection in collections.items()
        if name in by_name
    ]


def _lines(file: Iterable[bytes], source: Source, only: Iterable[int] | None) -> Iterator[Line]:
    for number, raw in enumerate(file, start=1):
        if (only is not None and number not in only) or not raw.strip():
            continue
        try:
            document = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise _no_line(source, number, f"no JSON: {error.msg} at {error.colno}") from error
        if not isinstance(document, dict):
            raise _no_line(source, number, "no JSON object")
        yield Line(number, document, _digest(raw.strip()), len(raw))


def _rows(file: IO[bytes], source: Source, only: Iterable[int] | None) -> Iterator[Line]:
    try:
        for row in csv_records.rows(file, source.collection.columns, source.encoding):
            if only is None or row.line in only:
                digest = _digest(orjson.dumps(row.document))
                yield Line(row.line, row.document, digest, row.size, row)
    except csv_records.TableError as error:
        raise _no_line(source, error.line, str(error)) from error


def _digest(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()


def _no_line(source: Source, number: int, reason: str) -> TransferError:
    return TransferError(f"{source.path}, line {number}: {reason}")
