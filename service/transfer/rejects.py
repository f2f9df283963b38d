"""Lines that did not go in, with the service's own rows of what is wrong (contract, Files)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import orjson

from service.client import Detail
from service.transfer.files import Line, Source


@dataclass
class Rejects:
    """A file of NDJSON, one line for each that was rejected; made when there is the first."""

    path: Path | None
    count: int = 0
    first: str = ""
    """The first one, for people."""
    _file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        if self.path:
            self.path.unlink(missing_ok=True)
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._file:
            self._file.close()

    def add(self, source: Source, line: Line, details: Iterable[Detail]) -> None:
        """Tell of a line what is wrong with it."""
        rows = [asdict(detail) for detail in details]
        if not self.count:
            said = "; ".join(f"{row['field'] or 'record'}: {row['value']}" for row in rows)
            self.first = f"{source.path.name}, line {line.number}: {said}"
        self.count += 1
        if self.path:
            self._file = self._file or self.path.open("wb")
            told = {
                "file": source.path.name,
                "line": line.number,
                "details": rows,
                "record": line.document,
            }
            self._file.write(orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE))
            self._file.flush()
