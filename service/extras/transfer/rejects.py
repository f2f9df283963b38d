"""Rejects files: rejected lines as NDJSON for programs and as CSV for people (tools, Files)."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Final

import orjson

from selvedge_client import Detail
from service import csv_lines
from service.extras.tables.table_files import TABLE_ENCODING
from service.extras.transfer.files import Line, Source
from service.files import private

_COLUMNS: Final = ("file", "line", "column", "message", "type")


def reject_files(path: Path) -> tuple[Path, Path]:
    """Return the paths of the NDJSON and the CSV file.

    A path with the suffix ``.csv`` is that of the CSV file; any other is that of the NDJSON file.
    """
    if path.suffix == ".csv":
        return path.with_suffix(".ndjson"), path
    return path, path.with_suffix(".csv")


@dataclass
class Rejects(AbstractContextManager["Rejects"]):
    """Writer of the two rejects files of an import; a context manager, which closes them.

    A new one deletes the files of an earlier run. The first rejected line creates new ones, which
    only the owner can read, and each line is flushed. NDJSON has a line for each rejected line:
    ``file``, ``line``, ``details`` and ``record``. CSV has a row for each of its errors.
    """

    path: Path | None
    """Path of either file; None to count only."""
    count: int = 0
    """Number of rejected lines, of all files of the import."""
    first: str = ""
    """File, line and errors of the first rejected line, for people; empty before."""
    _files: list[IO[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for path in reject_files(self.path) if self.path else ():
            path.unlink(missing_ok=True)

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()

    def add(self, source: Source, line: Line, details: Iterable[Detail]) -> None:
        """Count a rejected line, and write it with its errors."""
        rows, name = [*details], source.path.name
        if not self.count:
            texts = (f"{line.column(row.field) or 'record'}: {row.value}" for row in rows)
            self.first = f"{name}, line {line.number}: {'; '.join(texts)}"
        self.count += 1
        if not self.path:
            return
        if not self._files:
            self._files = [private(path) for path in reject_files(self.path)]
            self._files[1].write(csv_lines.line(_COLUMNS).encode(TABLE_ENCODING))
        number, errors = line.number, [asdict(row) for row in rows]
        entry = {"file": name, "line": number, "details": errors, "record": line.record}
        cells = (
            (name, str(number), line.column(row.field), row.value or "", row.type) for row in rows
        )
        self._files[0].write(orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE))
        self._files[1].write("".join(map(csv_lines.line, cells)).encode())
        for file in self._files:
            file.flush()
