"""Rows on their way to the database, with ids and times that are the same on every machine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from service.demo.words import Profile

Value = str | int | float | bool | Decimal | datetime | None
Row = dict[str, Value]

_START: Final = datetime(2025, 1, 6, 8, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows by table; a table stands after those it refers to, since ids are needed first."""

    tables: dict[str, list[Row]] = field(default_factory=dict)
    identified: set[str] = field(default_factory=set)
    """The tables with an id of their own."""

    def append(self, table: str, row: Row) -> None:
        """Take one row."""
        self.tables.setdefault(table, []).append(row)

    def next_id(self, table: str) -> int:
        """Return the id of the next row: ids run through all organizations."""
        self.identified.add(table)
        return len(self.tables.get(table, ())) + 1


@dataclass(frozen=True, slots=True)
class Organization:
    """One organization being filled."""

    id: int
    profile: Profile
    rows: Rows

    def add(self, table: str, **values: Value) -> int:
        """Take a row that has an id and return the id."""
        id_ = self.rows.next_id(table)
        self.rows.append(table, {"organization_id": self.id, "id": id_, **values})
        return id_

    def link(self, table: str, **values: Value) -> None:
        """Take a row that is named by what it refers to."""
        self.rows.append(table, {"organization_id": self.id, **values})

    def reference(self, kind: str, number: int) -> str:
        """Return a reference as the organization's own systems write it, such as TH-G007."""
        return f"{self.profile.prefix}-{kind}{number:03}"


def moment(days: int, minutes: int = 0) -> datetime:
    """Return a fixed time, so many days and minutes into the demo's history."""
    return _START + timedelta(days=days, minutes=minutes)


def state_at(index: int, *, soft: bool = True) -> str:
    """Return the state of the record at an index: most active, a few not.

    Nothing is deleted where `soft` is false: there a deleted record leaves no row.
    """
    if soft and index % 20 == 15:
        return "deleted"
    return "inactive" if index % 13 == 11 else "active"


def positions(states: Sequence[str]) -> list[int]:
    """Return the position of each record by its state: the live ones count without a gap.

    So they come out of an import as they went in, which brings no deleted ones.
    """
    places = sorted(range(len(states)), key=lambda place: states[place] == "deleted")
    found = {place: position for position, place in enumerate(places, start=1)}
    return [found[place] for place in range(len(states))]
