"""Records of CSV files: a field in each column, named in the first line.

Lists of values are separated by semicolons; what lies deeper is named by its path, as the
interface names fields: ``languages[0].text``. An empty cell says nothing.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from service.transfer.fields import Field

_STEP: Final = re.compile(r"(\w+)|\[([0-9]{1,4})\]|\.")
_PATH: Final = re.compile(r"\w+(\[[0-9]{1,4}\]|\.\w+)*", re.ASCII)
_FLAGS: Final = {"true": True, "false": False}
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}", re.ASCII)
_DISAGREE: Final = "the columns disagree whether there is a list, an object or a value"

_Path = tuple[str | int, ...]


class TableError(Exception):
    """The file is no table of records."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def rows(file: Iterable[bytes], fields: Field) -> Iterator[tuple[int, dict[str, Any], int]]:
    """The number of each line, its record, and its size in bytes; raises TableError."""
    reading = _Reading(file)
    found = csv.reader(reading.texts(), strict=True)
    try:
        header = next(found, None)
        if header is None:
            raise TableError(1, "there is no line that names the columns")
        paths = [_path(name.strip()) for name in header]
        if len({*paths}) < len(paths):
            raise TableError(1, "a column stands there twice")
        while (row := next(found, None)) is not None:
            if len(row) not in (0, len(paths)):
                message = f"{len(row)} cells below {len(paths)} columns"
                raise TableError(found.line_num, message)
            if any(row):
                yield found.line_num, _record(paths, row, fields, found.line_num), reading.taken()
    except csv.Error as error:
        raise TableError(found.line_num, f"no CSV: {error}") from error
    except UnicodeDecodeError as error:
        raise TableError(found.line_num + 1, "no UTF-8") from error


class _Reading:
    """Lines as texts, and how many bytes they had."""

    def __init__(self, file: Iterable[bytes]) -> None:
        self._file, self._size = file, 0

    def texts(self) -> Iterator[str]:
        encoding = "utf-8-sig"  # spreadsheets put a mark in front
        for raw in self._file:
            self._size += len(raw)
            yield raw.decode(encoding)
            encoding = "utf-8"

    def taken(self) -> int:
        """Bytes since it was asked last."""
        size, self._size = self._size, 0
        return size


def _path(name: str) -> _Path:
    if not _PATH.fullmatch(name):
        raise TableError(1, f"{name or 'an empty name'} names no field")
    steps = _STEP.finditer(name)
    return tuple(int(step[2]) if step[2] else step[1] for step in steps if step[0] != ".")


def _record(paths: list[_Path], row: list[str], fields: Field, line: int) -> dict[str, Any]:
    record = dict[str | int, Any]()
    for path, text in zip(paths, row, strict=True):
        if text:
            *way, last = path
            here = record
            for step in way:
                here = here.setdefault(step, {})
                if not isinstance(here, dict):
                    raise TableError(line, _DISAGREE)
            here[last] = _value(text, _at(fields, path))
    whole: dict[str, Any] = _whole(record, line)
    return whole


def _whole(found: Any, line: int) -> Any:
    """What was put together by steps: lists of what is not empty, in the order of the numbers."""
    if not isinstance(found, dict):
        return found
    numbers = [step for step in found if isinstance(step, int)]
    if not numbers:
        return {step: _whole(value, line) for step, value in found.items()}
    if len(numbers) < len(found):
        raise TableError(line, _DISAGREE)
    return [_whole(found[number], line) for number in sorted(numbers)]


def _at(fields: Field, path: _Path) -> Field:
    found: Field | None = fields
    for step in path:
        if found is not None:
            found = found.items if isinstance(step, int) else found.members.get(step)
    return found or Field()


def _value(text: str, field: Field) -> Any:
    """What a cell says; a text where it is of no other form, for the service to judge."""
    if "array" in field.types and field.items:
        return [_value(one.strip(), field.items) for one in text.split(";") if one.strip()]
    if "boolean" in field.types and text.lower() in _FLAGS:
        return _FLAGS[text.lower()]
    if field.types & {"integer", "number"} and _WHOLE.fullmatch(text):
        return int(text)
    if "number" in field.types and _DECIMAL.fullmatch(text):
        return float(text)
    return text
