"""Schema migrations: applies the SQL files of ``migrations/``, and rolls them back, by yoyo."""

import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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

from service import __version__, files
from service.database import distribution, planner_statistics, releases
from service.database.statements import load

_ADVISORY_LOCK: Final = 0x53454C5645444745
"""Key of the advisory lock of migrations, rollbacks and distribution, one lock per database."""
_SQL: Final = load("operators/migrations")
_LOG: Final = PostgresqlPsycopgBackend.log_migration_sql.replace(
    "{quoted.operation}", "{quoted.comment}, {quoted.operation}"
).replace(":operation", ":comment, :operation")
"""Statement of yoyo for a row of its log, with the release of the program as the comment."""


@dataclass(frozen=True, slots=True)
class MigrationState:
    """Migration of this release, or of a later one that the database has."""

    id: str
    file: Path | None
    """File of its SQL; None if this release does not know it."""
    applied_at: datetime | None
    applied_by: str | None
    """Release of the program that applied it, if that was 0.5.0 or later."""

    @property
    def sql(self) -> str:
        """SQL text; empty if this release does not know the migration."""
        return self.file.read_text(encoding="utf-8") if self.file else ""

    @property
    def rollback(self) -> str:
        """SQL text that undoes it; empty if this release does not know it."""
        path = self.file and self.file.with_name(f"{self.id}.rollback.sql")
        return path.read_text(encoding="utf-8") if path else ""


def states(dsn: str) -> list[MigrationState]:
    """Return all migrations, oldest first; change nothing and wait for no lock."""
    with distribution.connect(dsn) as connection:
        applied, authors = dict[str, datetime](), dict[str, str | None]()
        if connection.execute(_SQL["has_migrations"].encoded).fetchone() == (True,):
            applied = dict(connection.execute(_SQL["applied"].encoded).fetchall())
            authors = dict(connection.execute(_SQL["applied_by"].encoded).fetchall())
    own = {migration.id: Path(migration.path) for migration in _migrations(files.MIGRATIONS)}
    return [
        MigrationState(id_, own.get(id_), _utc(applied.get(id_)), authors.get(id_))
        for id_ in sorted(own.keys() | applied.keys())
    ]


def _utc(time: datetime | None) -> datetime | None:
    return time and time.replace(tzinfo=UTC)


def missing(all_states: Iterable[MigrationState], release: str | None = None) -> list[str]:
    """Return the ids of migrations to apply, oldest first: all, or those up to a release."""
    return [
        state.id
        for state in all_states
        if state.applied_at is None and (release is None or releases.is_within(state.id, release))
    ]


def newest(
    all_states: Sequence[MigrationState], *, count: int | None = None, release: str | None = None
) -> list[str]:
    """Return the ids of migrations to roll back, newest first.

    These are the newest ``count``, or those after a release. Migrations that this release does not
    know are not among them.
    """
    applied = [state.id for state in reversed(all_states) if state.applied_at and state.file]
    if release is None:
        return applied[:count]
    return [id_ for id_ in applied if not releases.is_within(id_, release)]


def migrate(dsn: str, release: str | None = None) -> list[str]:
    """Apply the missing migrations and return their ids; prepare the planner statistics.

    With a ``release``, those after it are left out. First wait, without a timeout, for the advisory
    lock. Each migration is a transaction of its own. Raise psycopg.Error if the database cannot be
    reached or a migration fails: the failed one is rolled back, those before it stay applied, and
    those after it are not applied.
    """
    with _backend(dsn) as backend:
        unapplied = backend.to_apply(_migrations(files.MIGRATIONS))
        chosen = [each for each in unapplied if not release or releases.is_within(each.id, release)]
        backend.apply_migrations(MigrationList(chosen))
        distribution.validate_constraints(backend.connection)
        # Those of a cluster that an earlier release distributed are still the coordinator's.
        distribution.share_own_tables(backend.connection)
        distribution.set_session_settings(backend.connection)
        distributed = distribution.is_distributed(backend.connection)
        planner_statistics.prepare(backend.connection, distributed=distributed)
        return [migration.id for migration in chosen]


def roll_back(dsn: str, count: int | None = None, *, release: str | None = None) -> list[str]:
    """Roll back up to ``count`` applied migrations, or those after a release; return their ids.

    The newest is the first. Migrations that this release does not know stay. Locks, transactions
    and errors are those of ``migrate``.
    """
    with _backend(dsn) as backend:
        applied = backend.to_rollback(_migrations(files.MIGRATIONS))
        chosen = [
            each for each in applied if release is None or not releases.is_within(each.id, release)
        ][:count]
        backend.rollback_migrations(MigrationList(chosen))
        distribution.validate_constraints(backend.connection)
        return [migration.id for migration in chosen]


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

    log_migration_sql = _LOG

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
        """Apply and record a migration in one transaction, repeated after deadlocks."""
        self.ensure_internal_schema_updated()

        def apply(again: bool) -> None:
            with self.transaction():
                self._execute_steps(migration, "apply", force, again)
                if mark:
                    self.mark_one(migration)

        distribution.repeat_deadlocks(apply)

    def rollback_one(self, migration: Migration, force: bool = False) -> None:
        """Roll back a migration and delete its record in one transaction, repeated likewise."""
        self.ensure_internal_schema_updated()

        def roll_back(again: bool) -> None:
            with self.transaction():
                self._execute_steps(migration, "rollback", force, again)
                self.unmark_one(migration)

        distribution.repeat_deadlocks(roll_back)

    def _execute_steps(
        self, migration: Migration, direction: str, force: bool, again: bool
    ) -> None:
        """Execute the statements of a migration or of its rollback, maybe after a deadlock.

        In a distributed database one that creates a table also distributes it, as the next may
        refer to it from a distributed one.
        """
        if again:
            distribution.outlive_writers(self.connection)
        migration.load()
        steps = migration.steps if direction == "apply" else reversed(migration.steps)
        for step in steps:
            getattr(step, direction)(self, force)
            distribution.distribute_new_tables(self.connection)

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
            "comment": __version__,
        }
