"""Write set: the items that a write stores and deletes, their locked rows and dependencies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import asyncpg

from service.queries.batch import Batch


@dataclass(frozen=True, slots=True)
class WriteSet:
    """Write set: the items that a batch stores and deletes, with their records locked.

    ``upserts`` and ``deletes`` exclude items that have failed.
    """

    batch: Batch
    """All items, in request order."""
    upserts: Batch
    """Items to insert or update."""
    deletes: Batch
    """Items whose records are to be deleted."""
    live_deletes: list[int]
    """Ids of ``deletes`` whose records are not deleted yet."""
    created_ids: Sequence[int] = ()
    """Ids of the records to insert."""
    restored_ids: Sequence[int] = ()
    """Ids of ``upserts`` whose records are deleted now."""


class LockedRow(asyncpg.Record):  # type: ignore[misc]  # asyncpg has no types
    """Row of a stored record as the locking statement returned it."""

    @property
    def state(self) -> str:
        """The state before the write."""
        return str(self["state"])

    @property
    def key(self) -> Any:
        """The own key before the write, a text or an id, if any."""
        return self["key"]


class Dependency(NamedTuple):
    """Dependency between items: ``id`` fails with this error if ``depends_on`` fails."""

    id: int
    depends_on: int
    type: str
    field: str
    message: str
