"""Schema migrations: applies the SQL files of ``migrations/``, and rolls them back, by yoyo."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
from yoyo import read_migrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import Migration, MigrationList, default_migration_table

from service import files
from service.database import distribution, planner_statistics

_ADVISORY_LOCK: Final = 0x53454C5645444745
"""Key of the advisory lock of migrations, rollbacks and distribution, one lock per database."""


def migrate(dsn: str) -> int:
    """Apply the missing migrations and return their number; prepare the planner statistics.

    First wait, without a timeout, for the advisory lock. Each migration is a transaction of its
    own. Raise psycopg.Error if the database cannot be reached or a migration fails: the failed one
    is rolled back, those before it stay applied, and those after it are not applied.
    """
    with _backend(dsn) as backend:
        missing = backend.to_apply(_migrations(files.MIGRATIONS))
        backend.apply_migrations(missing)
        distribution.validate_constraints(backend.connection)
        # Those of a cluster that an earlier release distributed are still the coordinator's.
        distribution.share_own_tables(backend.connection)
        distributed = distribution.is_distributed(backend.connection)
        planner_statistics.prepare(backend.connection, distributed=distributed)
        return len(missing)


def roll_back(dsn: str, count: int) -> int:
    """Roll back up to ``count`` applied migrations of this release, newest first.

    Return how many were rolled back. Locks, transactions and errors are those of ``migrate``.
    """
    with _backend(dsn) as backend:
        newest = backend.to_rollback(_migrations(files.MIGRATIONS))[:count]
        backend.rollback_migrations(newest)
        distribution.validate_constraints(backend.connection)
        return len(newest)


@contextmanager
def migration_lock(dsn: str) -> Iterator[psycopg.Connection[Any]]:
    """Hold the advisory lock of migrations; yield its connection, in autocommit mode.

    First wait for the lock, without a timeout. The connection closes at the end of the block.
    """
    with _backend(dsn) as backend:
        yield backend.connection


@cache
def _migrations(folder: Path) -> MigrationList:
    """Return the migrations of a folder, of which each is parsed once in a process."""
    return read_migrations(str(folder))


@contextmanager
def _backend(dsn: str) -> Iterator["_Backend"]:
    backend = _Backend(dsn)
    with backend, backend.lock():
        yield backend


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]  # yoyo has no types
    """Backend of yoyo that survives a kill at any moment."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        uri = DatabaseURI("postgresql+psycopg", None, None, None, None, None, {})
        super().__init__(uri, default_migration_table)

    def connect(self, dburi: DatabaseURI) -> psycopg.Connection[Any]:  # noqa: ARG002
        """Connect by the DSN as it is: yoyo's own parser supports fewer of them."""
        return distribution.connect(self._dsn)

    @contextmanager
    def lock(self, timeout: float = 0) -> Iterator[None]:  # noqa: ARG002
        """Hold an advisory lock, which ends with the session; yoyo's lock row outlives a kill."""
        self.execute(f"select pg_advisory_lock({_ADVISORY_LOCK})")
        try:
            yield
        finally:
            self.execute(f"select pg_advisory_unlock({_ADVISORY_LOCK})")

    def apply_one(self, migration: Migration, force: bool = False, mark: bool = True) -> None:
        """Apply and record a migration in one transaction.

        In a distributed database the transaction also distributes the migration's new tables.
        """
        self.ensure_internal_schema_updated()
        with self.transaction():
            migration.process_steps(self, "apply", force=force)
            distribution.distribute_new_tables(self.connection)
            if mark:
                self.mark_one(migration)

    def rollback_one(self, migration: Migration, force: bool = False) -> None:
        """Roll back a migration and delete its record in one transaction."""
        self.ensure_internal_schema_updated()
        with self.transaction():
            migration.process_steps(self, "rollback", force=force)
            self.unmark_one(migration)

    def get_log_data(
        self, migration: Migration | None = None, operation: str = "apply"
    ) -> dict[str, Any]:
        """Return a row for yoyo's log, without yoyo's DNS look-up of the host, which may hang."""
        return {
            "id": str(uuid4()),
            "migration_id": migration and migration.id,
            "migration_hash": migration and migration.hash,
            "username": str(os.geteuid()),
            "hostname": socket.gethostname(),
            "created_at_utc": datetime.now(UTC).replace(tzinfo=None),
            "operation": operation,
        }
