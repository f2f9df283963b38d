"""Named SQL statements, read from ``sql/`` once at start.

A file holds statements under ``-- name: some_name`` lines. A statement may have slots, written
``{{slot}}``, for the few parts that are composed at run time; filling one that is not there, or
leaving one open, is an error at once and never reaches the database.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from service.files import SQL

_HEADER = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_SLOT = re.compile(r"\{\{(\w+)\}\}")


class StatementError(Exception):
    """A statement is missing, is named twice, or was filled with the wrong slots."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One named statement; ``text`` is complete only when it has no slots."""

    name: str
    pieces: tuple[str, ...]
    """Text, and between every two texts the name of a slot."""

    @classmethod
    def read(cls, name: str, text: str) -> "Statement":
        """The statement of a text with slots in it."""
        return cls(name, tuple(_SLOT.split(text)))

    @property
    def slots(self) -> frozenset[str]:
        """The names of the slots."""
        return frozenset(self.pieces[1::2])

    @property
    def text(self) -> str:
        """The statement as it is sent; raises StatementError while it has open slots."""
        return self.pieces[0] if len(self.pieces) == 1 else self.fill()

    def fill(self, **parts: str) -> str:
        """The text with every slot filled; raises StatementError unless the parts match them."""
        if parts.keys() != self.slots:
            raise StatementError(f"{self.name}: slots {sorted(self.slots)}, given {sorted(parts)}")
        pieces = [*self.pieces]
        pieces[1::2] = [parts[slot] for slot in self.pieces[1::2]]
        return "".join(pieces)

    def bind(self, **parts: str) -> "Statement":
        """The statement with these of its slots filled and its others open."""
        known = {slot: parts.get(slot, f"{{{{{slot}}}}}") for slot in self.slots}
        return Statement.read(self.name, self.fill(**known))


class StatementFile(Mapping[str, Statement]):
    """The statements of one file of ``sql/``, by name."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self._statements: dict[str, Statement] = {}
        _, *rest = _HEADER.split(source)
        for title, template in zip(rest[::2], rest[1::2], strict=True):
            if title in self._statements:
                raise StatementError(f"{name}: {title} stands twice")
            text = template.strip().removesuffix(";")
            self._statements[title] = Statement.read(f"{name}.{title}", text)

    def __getitem__(self, name: str) -> Statement:
        try:
            return self._statements[name]
        except KeyError:
            raise StatementError(f"{self.name}: no statement {name}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._statements

    def __iter__(self) -> Iterator[str]:
        return iter(self._statements)

    def __len__(self) -> int:
        return len(self._statements)


@cache
def load(name: str) -> StatementFile:
    """The statements of ``sql/<name>.sql``."""
    return StatementFile(name, (SQL / f"{name}.sql").read_text(encoding="utf-8"))


def load_bound(name: str, **parts: str) -> dict[str, Statement]:
    """The statements of a file, each with those of the parts that it has slots for."""
    return {
        title: statement.bind(**{slot: parts[slot] for slot in statement.slots & parts.keys()})
        for title, statement in load(name).items()
    }
