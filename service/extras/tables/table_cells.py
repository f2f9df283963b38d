"""Cells of tables as files have them: texts with their kinds, and problems that refuse them."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

TEXT: Final = "text"
NUMBER: Final = "number"
PERCENT: Final = "percent"
BOOLEAN: Final = "boolean"
DAY: Final = "day"
TIME: Final = "time"
MOMENT: Final = "moment"
"""Kind of a cell with a day and a time."""

MAX_COLUMNS: Final = 2**14


class TableError(Exception):
    """Line of a file that cannot be read as a row of a table, with its number in ``line``."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class TableCell(NamedTuple):
    """Cell: an empty one has an empty text."""

    text: str = ""
    """Value as a text: numbers with a decimal point, days and times as in ISO 8601."""
    kind: str = TEXT
    problem: str = ""
    """Predicate of the sentence that refuses the cell, such as ``shows #N/A``; empty without."""


EMPTY: Final = TableCell()


@dataclass
class SheetRow:
    """Row of a sheet, with its number from 1."""

    number: int
    cells: list[TableCell]


@dataclass
class SheetFacts:
    """Facts about a file that people should know before they use it."""

    name: str = ""
    """Name of the sheet that is read; empty for a text file."""
    sheets: list[str] = field(default_factory=list)
    """Names of all sheets with cells, hidden ones included."""
    encoding: str = ""
    """Encoding of a text file."""
    delimiter: str = ""
    """Delimiter of the cells of a text file."""
    notes: list[str] = field(default_factory=list)
    """Sentences about what is read otherwise than it is shown; complete after the last row."""


def column_name(index: int) -> str:
    """Return the letters of a column, given its index from 0: A, B, …, Z, AA."""
    return (column_name(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


def cell_name(index: int, row: int) -> str:
    """Return the name of a cell such as C7."""
    return f"{column_name(index)}{row}"
