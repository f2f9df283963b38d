"""Import files: NDJSON or CSV, one per collection, read line by line (tools, Files).

A file is read twice during an import, and must not change meanwhile.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from service.errors import ApiError, ErrorDetail
from service.extras.tables import csv_records
from service.extras.tables.csv_records import CellProblem
from service.extras.tables.table_cells import TableError
from service.extras.tables.table_files import mark_encoding
from service.extras.transfer.collections import TransferCollection, require_collection
from service.extras.transfer.errors import TransferError
from service.limits import MAX_TRANSACTION_VALUES
from service.schemas import parsing

SUFFIXES: Final = (".ndjson", ".csv", ".xlsx")
_WORKBOOKS: Final = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
_REJECTS_PREFIX: Final = "rejects"
"""Prefix of files that an import writes itself, and does not read."""


class Line(NamedTuple):
    """Record of a file, an NDJSON line or a CSV row; or a part that is a member of that."""

    number: int
    """Number of the line, or of the first line of the row, from 1."""
    record: dict[str, Any]
    """Record as in the file."""
    document: dict[str, Any]
    """The record; of a member, the part without owner's id."""
    row: csv_records.TableRow | None = None
    """CSV row with its column names; None for NDJSON."""

    @property
    def problems(self) -> Sequence[CellProblem]:
        """Return the cells that reject the line."""
        return self.row.problems if self.row else ()

    def column(self, field: str | None) -> str:
        """Return the CSV column of an error's field path; for NDJSON the path itself."""
        return self.row.column(field) if self.row else field or ""


@dataclass(frozen=True)
class Source:
    """File of a collection, or the members of an owners' file that are a part collection."""

    path: Path
    collection: TransferCollection
    """Collection, or part collection, of the lines."""
    encoding: str | None = None
    """Encoding of a text file without a byte order mark; None for UTF-8."""
    owner: TransferCollection | None = None
    """Collection of the file's records, if the lines are members of these; otherwise None."""

    def lines(self) -> Iterator[Line]:
        """Yield the lines in order, without blank ones; of members those that are not null.

        Raise TransferError at a line that is no record.
        """
        member = self.collection.member if self.owner else ""
        for line in self._lines() if self.path.suffix == ".ndjson" else self._rows():
            content = line.record.get(member)
            if not member:
                yield line
            elif content is not None:
                yield line._replace(document=self.collection.of_owner(content))

    def _lines(self) -> Iterator[Line]:
        for number, raw in enumerate(self._encoded_lines(), start=1):
            if not raw.strip():
                continue
            try:
                document = parsing.parse(raw, MAX_TRANSACTION_VALUES)
            except ApiError as error:
                raise self._error(number, _reason(raw, error.details[0])) from None
            if not isinstance(document, dict):
                raise self._error(number, "no JSON object: write one record per line")
            yield Line(number, document, document)

    def _encoded_lines(self) -> Iterator[bytes]:
        """Yield the lines in UTF-8, without a byte order mark."""
        with self.path.open("rb") as file:
            encoding = mark_encoding(file.read(4)) or self.encoding or "utf-8"
            file.seek(0)
            if encoding == "utf-8":
                yield from file
                return
            text, count = io.TextIOWrapper(file, encoding, newline="\n"), 0
            try:
                for line in text:
                    count += 1
                    yield line.encode()
            except UnicodeError as error:
                raise self._error(count + 1, f"no {encoding.upper()}: save it as UTF-8") from error

    def _rows(self) -> Iterator[Line]:
        headings = (self.owner or self.collection).headings
        try:
            for row in csv_records.rows(self.path.read_bytes(), headings, self.encoding):
                yield Line(row.line, row.document, row.document, row)
        except TableError as error:
            raise self._error(error.line, str(error)) from error

    def _error(self, number: int, reason: str) -> TransferError:
        return TransferError(f"{self.path}, line {number}: {reason}")


def _reason(raw: bytes, detail: ErrorDetail) -> str:
    """Return why a line is no JSON."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return "no UTF-8: save the file as UTF-8, or name its encoding: --encoding cp1252"
    message = (detail.message or "").removeprefix("Send valid JSON: ")
    return f"no JSON: {detail.field + ': ' if detail.field else ''}{message}"


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
    others = [path for path in everything if path.suffix not in SUFFIXES]
    workbooks = [path for path in others if path.suffix.lower() in _WORKBOOKS]
    by_name = dict[str, Path]()
    for path in everything:
        is_file = path.suffix in SUFFIXES and path.is_file()
        if path in workbooks or path.name.startswith(_REJECTS_PREFIX):
            continue
        if not is_file and (path is root or path.suffix in SUFFIXES):
            raise TransferError(f"{path} is no folder and no file (.ndjson, .csv, .xlsx)")
        if is_file:
            require_collection(path.stem, collections)
            if (other := by_name.setdefault(path.stem, path)) is not path:
                raise TransferError(f"{other} and {path} are of the same collection: remove one")
    for path in workbooks:
        if not by_name or path.stem in collections.keys() - by_name.keys():
            raise TransferError(
                f"{path} is a workbook: save each sheet as CSV UTF-8, or alone as XLSX, in a file "
                "that is named after its collection, such as colors.csv or colors.xlsx"
            )
    if not by_name:
        raise TransferError(f"{root} has no files to import, such as colors.ndjson or groups.csv")
    return [
        Source(by_name[name], collection, encoding)
        if name in by_name
        else Source(by_name[collection.owner], collection, encoding, collections[collection.owner])
        for name, collection in collections.items()
        if {name, collection.owner} & by_name.keys()
    ]
