"""Source words of the demo data, read from CSV and JSON files beside the code."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

_DATA: Final = Path(__file__).parent / "data"
_Word = TypeVar("_Word")


@dataclass(frozen=True, slots=True)
class Profile:
    """Properties of a demo organization, in which it differs from the other one."""

    name: str
    prefix: str
    """Prefix of the organization's own references, such as style numbers."""
    multiple_language: bool
    """Whether the organization has the feature of several languages."""
    pro: bool
    """Whether the organization has the feature ``pro``."""
    first: int
    """Index at which shared lists begin for this organization: see ``rotated``."""
    color_skip: int
    """Index, in each run of four base colors, of the one that the organization does not have."""
    default_size_range: str
    """Code of a size range."""
    supplier_name: str
    """Format of sub-suppliers' names, with columns of ``places.csv`` in braces."""
    supplier_from: int
    """Index of the first sub-supplier's town in ``places.csv``."""
    color_modifiers: list[list[str]]
    """Words put beside a color's name, each in English, German, French and Spanish.

    The English word comes before the name, the others after it; all are "" for the plain color.
    """
    brands: list[str]
    seasons: list[str]
    collections: list[str]
    palettes: list[str]
    models: list[str]
    garments: dict[str, str]
    """Garment's name in style names, by name of the style category."""


def profiles() -> list[Profile]:
    """Return the profiles of the organizations in the order of their ids."""
    text = (_DATA / "organizations.json").read_text(encoding="utf-8")
    return [Profile(**entry) for entry in json.loads(text)]


@cache
def table(name: str) -> list[dict[str, str]]:
    """Return the rows of ``data/<name>.csv``, each by column name, without the header line.

    The list is cached and shared: do not change it.
    """
    with (_DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rotated(words: list[_Word], first: int) -> list[_Word]:
    """Return the words rotated, so that the one at index ``first`` comes first."""
    return words[first:] + words[:first]


def capitalized(text: str) -> str:
    """Return the text with its first letter in upper case and the others unchanged."""
    return text[:1].upper() + text[1:]


Value = str | int | float | bool | Decimal | date | datetime | list[str] | None
Row = dict[str, Value]
"""Values by column."""

_START: Final = datetime(2025, 1, 6, 8, 30, tzinfo=UTC)
"""Beginning of the demo's history."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows by table, each table after those that its foreign keys refer to.

    The order of tables is that of their first rows, so ``loading.build`` must add rows in an order
    that keeps this.
    """

    tables: dict[str, list[Row]] = field(default_factory=dict)
    identified: set[str] = field(default_factory=set)
    """Names of the tables that have an id column."""

    def append(self, table: str, row: Row) -> None:
        """Add a row; the caller gives all rows of a table the same columns."""
        self.tables.setdefault(table, []).append(row)

    def next_id(self, table: str) -> int:
        """Return the id of the next row, from 1 on; organizations share the sequence of ids.

        It is not reserved: the next ``append`` to the table must use it.
        """
        self.identified.add(table)
        return len(self.tables.get(table, ())) + 1


@dataclass(frozen=True, slots=True)
class Organization:
    """Builder of one organization's rows."""

    id: int
    profile: Profile
    rows: Rows

    def add(self, table: str, **values: Value) -> int:
        """Add a row with the organization's id and the table's next id; return the latter."""
        id_ = self.rows.next_id(table)
        self.rows.append(table, {"organization_id": self.id, "id": id_, **values})
        return id_

    def link(self, table: str, **values: Value) -> None:
        """Add a row of a table without an id, with the organization's id."""
        self.rows.append(table, {"organization_id": self.id, **values})

    def reference(self, kind: str, number: int) -> str:
        """Return a reference in the style of the organization's own systems, such as TH-G007.

        The number has at least three digits.
        """
        return f"{self.profile.prefix}-{kind}{number:03}"


def moment(days: int, minutes: int = 0) -> datetime:
    """Return the fixed beginning of the demo's history plus days and minutes, in UTC."""
    return _START + timedelta(days=days, minutes=minutes)


def state_at(index: int, *, soft: bool = True) -> str:
    """Return the state of the record at an index: every 20th is deleted, about every 13th inactive.

    The others are active. Without `soft` none is deleted. That is for records whose delete is hard,
    so that it leaves no row, and for collections to which the caller adds a deleted record of its
    own.
    """
    if soft and index % 20 == 15:
        return "deleted"
    return "inactive" if index % 13 == 11 else "active"


def positions(states: Sequence[str]) -> list[int]:
    """Return the position of each record, from 1 on, by its state: deleted records come last.

    Live records thus have positions without gaps. An import, which has no deleted records, assigns
    the same positions again.
    """
    live_first = sorted(range(len(states)), key=lambda index: states[index] == "deleted")
    position_of = {index: position for position, index in enumerate(live_first, start=1)}
    return [position_of[index] for index in range(len(states))]
