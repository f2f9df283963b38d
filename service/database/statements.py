"""Statement loader: reads named SQL statements and fragments from ``sql/``, once per process.

A file has statements under ``-- name: some_name(organization_id, ids)`` lines, which name the
parameters ``$1``, ``$2`` for its readers. A name without parentheses is a fragment of other
statements. Either may have slots, written ``{{slot}}``, for SQL that the code fills in at run time,
such as a fragment. These texts (parts) are inserted as they are, neither quoted nor renumbered, and
never hold values of requests. ``{{name from style by entry.style_id}}`` looks up a row by its id
(``sql/look_ups.sql``).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import orjson

from service.files import SQL

_HEADER = re.compile(r"^-- name: (\w+)(?:\([\w, ]*\))?\s*$", re.MULTILINE)
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_LOOK_UP = re.compile(r"\{\{([\w*, ]+) from (\{\{\w+\}\}|\w+) by ((?:\{\{\w+\}\}|[^{}])+)\}\}")


class StatementError(Exception):
    """Error of a statement that is missing, is defined twice, or got the wrong slots."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Named statement, with or without slots; equal to itself only, as caches hash it."""

    name: str
    """Name of the file, a dot, and the name in the file."""
    pieces: tuple[str, ...]
    """Texts and slot names by turns, texts first and last."""

    @classmethod
    def read(cls, name: str, text: str) -> "Statement":
        """Parse a text that may have slots."""
        return cls(name, tuple(_SLOT.split(text)))

    @property
    def slots(self) -> frozenset[str]:
        """Names of the slots."""
        return frozenset(self.pieces[1::2])

    @property
    def text(self) -> str:
        """SQL text as it is sent; raises StatementError if there are slots."""
        return self.pieces[0] if len(self.pieces) == 1 else self.fill()

    @property
    def encoded(self) -> bytes:
        """Text for psycopg, which takes no other text that is not a literal."""
        return self.text.encode()

    def fill(self, **parts: str) -> str:
        """Return the text with every slot filled; a slot that occurs twice gets its part twice.

        Raise StatementError for a slot without a part, and for a part without a slot. Slots within
        a part stay in the text as they are.
        """
        if parts.keys() != self.slots:
            raise StatementError(f"{self.name}: slots {sorted(self.slots)}, given {sorted(parts)}")
        pieces = [*self.pieces]
        pieces[1::2] = [parts[slot] for slot in self.pieces[1::2]]
        return "".join(pieces)

    def bind(self, **parts: str) -> "Statement":
        """Return the statement with some slots filled; the others stay open.

        Parts without a slot are ignored. Slots within a part are slots of the result.
        """
        all_parts = {slot: parts.get(slot, f"{{{{{slot}}}}}") for slot in self.slots}
        return Statement.read(self.name, self.fill(**all_parts))


class StatementFile(Mapping[str, Statement]):
    """Mapping from name to statement, in the order of one file of ``sql/``.

    Names are those of the file. A missing name raises StatementError instead of KeyError, also from
    ``get``. Text before the first name is ignored, and so is a semicolon at the end of a statement.
    """

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self._statements: dict[str, Statement] = {}
        _, *rest = _HEADER.split(_LOOK_UP.sub(_looked_up, source))
        for statement_name, template in zip(rest[::2], rest[1::2], strict=True):
            if statement_name in self._statements:
                raise StatementError(f"{name}: {statement_name} is defined twice")
            text = template.strip().removesuffix(";")
            self._statements[statement_name] = Statement.read(f"{name}.{statement_name}", text)

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


def _looked_up(match: re.Match[str]) -> str:
    """Return the look-up that a text of SQL files stands for."""
    names, table, id_ = match.groups()
    columns = ", ".join(f"one.{name}" for name in names.split(", "))
    return load("look_ups")["row_by_id"].fill(columns=columns, table=table, id=id_)


@cache
def load(name: str) -> StatementFile:
    """Return the statements of ``sql/<name>.sql``, cached.

    Raise OSError if there is no file, and StatementError if it defines a name twice.
    """
    return StatementFile(name, (SQL / f"{name}.sql").read_text(encoding="utf-8"))


def load_bound(name: str, **parts: str) -> dict[str, Statement]:
    """Return the statements of a file by name, each bound to the parts for which it has slots.

    A part that no statement has a slot for is ignored.
    """
    return {
        statement_name: statement.bind(
            **{slot: parts[slot] for slot in statement.slots & parts.keys()}
        )
        for statement_name, statement in load(name).items()
    }


SHARED: Final = load("shared")
"""Statements of all resources."""


def id_array(ids: Iterable[int]) -> str:
    """Return the text of a PostgreSQL array, which asyncpg encodes 10 times as fast as a list.

    Statements read it as ``(select $2::text::bigint[])::bigint[]``, which is evaluated once instead
    of once per row.
    """
    return "{" + orjson.dumps([*ids])[1:-1].decode() + "}"
