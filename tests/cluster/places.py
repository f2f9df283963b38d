"""Where the tables of a distributed database are."""

from dataclasses import dataclass
from typing import Any

import psycopg


@dataclass(frozen=True, slots=True)
class Places:
    """Tables by where their rows are; those of neither kind are the coordinator's own."""

    by_organization: frozenset[str]
    everywhere: frozenset[str]
    families: int
    """How many groups of tables there are whose shards stand together."""

    @classmethod
    def of(cls, connection: psycopg.Connection[Any]) -> "Places":
        """The places that Citus knows of."""
        found = connection.execute(
            "select logicalrelid::text, partmethod, colocationid from pg_dist_partition"
        ).fetchall()
        return cls(
            frozenset(name for name, kind, _ in found if kind == "h"),
            frozenset(name for name, kind, _ in found if kind == "n"),
            len({family for _, kind, family in found if kind == "h"}),
        )
