"""Table placement: kinds of the tables of a distributed database."""

from dataclasses import dataclass
from typing import Any

import psycopg


@dataclass(frozen=True, slots=True)
class TablePlacement:
    """Tables by the placement of their rows; those of neither kind are the coordinator's own."""

    by_organization: frozenset[str]
    everywhere: frozenset[str]
    families: int
    """How many groups of tables there are whose shards stand together."""

    @classmethod
    def of(cls, connection: psycopg.Connection[Any]) -> "TablePlacement":
        """Return the places that Citus knows of."""
        rows = connection.execute(
            "select logicalrelid::text, partmethod, colocationid from pg_dist_partition"
        ).fetchall()
        return cls(
            frozenset(name for name, kind, _ in rows if kind == "h"),
            frozenset(name for name, kind, _ in rows if kind == "n"),
            len({family for _, kind, family in rows if kind == "h"}),
        )
