"""Key changes: each worker polls for keys that were rotated or deleted while it uses them."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, TypeAlias

import asyncpg

from service.database.connections import Connection, Database
from service.database.organization_poller import OrganizationPoller
from service.database.statements import load
from service.limits import STREAM_SECONDS

KeyId: TypeAlias = tuple[int, int]
"""Organization and id of a key."""

_SQL: Final = load("callers")["changes"].text


class KeyChanges:
    """Poller of the organizations whose keys are in use, from ``start`` on.

    ``on_changes`` takes the rows of changes of the last 75 seconds, by key, at each poll.
    """

    def __init__(
        self, database: Database, on_changes: Callable[[Mapping[KeyId, asyncpg.Record]], None]
    ) -> None:
        self._on_changes = on_changes
        self._until: dict[int, float] = {}
        """Time until which an organization is polled, by its id."""
        self._watchers = defaultdict[KeyId, list[Callable[[], object]]](list)
        self._poller = OrganizationPoller(database, self._organizations, _read, self._handle)
        self._is_started = False

    def start(self) -> None:
        """Let polls begin with the next use of a key."""
        self._is_started = True

    def stop(self) -> None:
        """Stop the polls for good."""
        self._is_started = False
        self._poller.stop()

    def poll(self, organization_id: int, seconds: float) -> None:
        """Poll an organization for a time."""
        until = time.monotonic() + seconds
        self._until[organization_id] = max(until, self._until.get(organization_id, until))
        if self._is_started:
            self._poller.start()

    @contextmanager
    def watch(self, key_id: KeyId, callback: Callable[[], object]) -> Iterator[None]:
        """Call a function if the key is deleted while the block runs."""
        self._watchers[key_id].append(callback)
        self.poll(key_id[0], STREAM_SECONDS)
        try:
            yield
        finally:
            self._watchers[key_id].remove(callback)
            if not self._watchers[key_id]:
                del self._watchers[key_id]

    def _organizations(self) -> Collection[int]:
        now = time.monotonic()
        self._until = {id_: until for id_, until in self._until.items() if until > now}
        return self._until

    async def _handle(self, organization_id: int, rows: Sequence[asyncpg.Record]) -> None:
        changes = {(organization_id, row["id"]): row for row in rows}
        self._on_changes(changes)
        for key_id, row in changes.items():
            if row["is_deleted"]:
                for callback in [*self._watchers.get(key_id, ())]:
                    callback()


async def _read(
    connection: Connection, organization_ids: list[int]
) -> Mapping[int, list[asyncpg.Record]]:
    """Return the rows of keys that were rotated or deleted lately, by organization id."""
    rows = defaultdict[int, list[asyncpg.Record]](list)
    for row in await connection.fetch(_SQL, organization_ids):
        rows[row["organization_id"]].append(row)
    return rows
