"""Effects of migrations: their descriptions, and the data that their rollbacks lose.

Both are read from the SQL files, so that no migration needs a second description.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from service.database.statements import load

_SQL: Final = load("operators/migrations")
_COMMENT: Final = re.compile(r"(?:--[^\n]*\n)+")
_CREATED: Final = re.compile(r"^create table (\w+)", re.MULTILINE)
_TABLE: Final = re.compile(r"^drop table (\w+)", re.MULTILINE)
_ALTERED: Final = re.compile(r"^alter table (\w+)([^;]*);", re.MULTILINE)
_COLUMN: Final = re.compile(r"\bdrop column (\w+)")
_CHANGED: Final = re.compile(r"^(?:delete from|update) (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Loss:
    """Data that a rollback loses: whole tables, columns of others, and changed or deleted rows."""

    tables: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    """Pairs of table and column."""
    changed: tuple[str, ...]
    """Tables with rows that it changes or deletes."""

    def __str__(self) -> str:
        """Return a phrase, such as ``the table season; the column style.season_id``."""
        columns = [f"{table}.{column}" for table, column in self.columns]
        phrases = [
            _phrase("table", self.tables),
            _phrase("column", columns),
            _phrase("rows of table", self.changed, others="rows of tables"),
        ]
        return "; ".join(filter(None, phrases)) or "nothing"


def description(migration: str) -> str:
    """Return what a migration does: the first paragraph above it, or the tables that it creates."""
    comment = _COMMENT.match(migration)
    if comment is None:
        return f"Creates {', '.join(_CREATED.findall(migration))}."
    lines = [line.removeprefix("--").strip() for line in comment[0].splitlines()]
    end = lines.index("") if "" in lines else len(lines)
    return " ".join(lines[:end])


def loss(rollback: str) -> Loss:
    """Return what a rollback loses."""
    tables = _TABLE.findall(rollback)
    columns = [
        (table, column)
        for table, changes in _ALTERED.findall(rollback)
        for column in _COLUMN.findall(changes)
    ]
    return Loss(tuple(tables), tuple(columns), tuple(_CHANGED.findall(rollback)))


def joined(losses: Iterable[Loss]) -> Loss:
    """Return the losses of several rollbacks as one."""
    each = [*losses]
    return Loss(
        tuple(name for loss in each for name in loss.tables),
        tuple(pair for loss in each for pair in loss.columns),
        tuple(name for loss in each for name in loss.changed),
    )


def counts(connection: psycopg.Connection[Any], lost: Loss) -> dict[str, int]:
    """Return the rows of each lost table and the values of each lost column, if it has any.

    A name that a later migration has changed is left out.
    """
    columns = dict(connection.execute(_SQL["columns"].encoded).fetchall())
    expressions = {name: (name, sql.SQL("*")) for name in lost.tables if name in columns} | {
        f"{name}.{column}": (name, sql.Identifier(column))
        for name, column in lost.columns
        if name not in lost.tables and column in columns.get(name, ())
    }
    query = sql.SQL("select count({}) from {}")
    return {
        label: count
        for label, (name, expression) in expressions.items()
        for (count,) in connection.execute(query.format(expression, sql.Identifier(name)))
        if count
    }


def _phrase(noun: str, names: tuple[str, ...] | list[str], others: str = "") -> str:
    if not names:
        return ""
    return f"{noun if len(names) == 1 else others or f'{noun}s'} {', '.join(names)}"
