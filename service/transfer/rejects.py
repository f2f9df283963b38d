"""Rejects files: rejected lines as NDJSON for programs and as CSV for people (contract, Files)."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

import orjson

from service import csv_lines
from service.client import Detail
from service.files import private
from service.transfer.encodings import TABLE_ENCODING
from service.transfer.files import Line, Source

_COLUMNS: Final = ("file", "line", "column", "message", "type")
_CSV_SUFFIX: Final = ".csv"


def reject_files(path: Path) -> tuple[Path, Path]:
    """Return the paths of the NDJSON and the CSV file.

    A path with the suffix ``.csv`` is that of the CSV file; any other is that of the NDJSON file.
    """
    if path.suffix == _CSV_SUFFIX:
        return path.with_suffix(".ndjson"), path
    return path, path.with_suffix(_CSV_SUFFIX)


@dataclass
class Rejects:
    """Writer of the two rejects files of an import; a context manager, which closes them.

    Entering deletes the files of an earlier run. The first rejected line creates new ones, which
    only the owner can read, and each line is flushed. NDJSON has a line for each rejected line:
    ``file``, ``line``, ``details`` and ``record``. CSV has a row for each of its errors.
    """

    path: Path | None
    """Path of either file; None to count only."""
    count: int = 0
    """Number of rejected lines, of all files of the import."""
    first: str = ""
    """File, line and errors of the first rejected line, for people; empty before."""
    _files: "_Files | None" = None
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        for path in reject_files(self.path) if self.path else ():
            path.unlink(missing_ok=True)
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def add(self, source: Source, line: Line, details: Iterable[Detail]) -> None:
        """Count a rejected line, and write it with its errors."""
        rows = [*details]
        if not self.count:
            errors = "; ".join(f"{line.column(row.field) or 'record'}: {row.value}" for row in rows)
            self.first = f"{source.path.name}, line {line.number}: {errors}"
        self.count += 1
        if self.path:
            self._files = self._files or _Files.create(self.path, self._open)
            self._files.write(source, line, rows)


@dataclass(frozen=True)
class _Files:
    """Pair of open rejects files."""

    lines: IO[bytes]
    table: TextIOWrapper

    @classmethod
    def create(cls, path: Path, stack: ExitStack) -> Self:
        lines, table = map(private, reject_files(path))
        stack.enter_context(lines)
        text = stack.enter_context(TextIOWrapper(table, TABLE_ENCODING, newline=""))
        text.write(csv_lines.line(_COLUMNS))
        return cls(lines, text)

    def write(self, source: Source, line: Line, details: list[Detail]) -> None:
        name, number = source.path.name, line.number
        entry: Mapping[str, Any] = {
            "file": name,
            "line": number,
            "details": [asdict(detail) for detail in details],
            "record": line.document,
        }
        self.lines.write(orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE))
        for row in details:
            cells = (name, str(number), line.column(row.field), row.value or "", row.type)
            self.table.write(csv_lines.line(cells))
        self.lines.flush()
        self.table.flush()
