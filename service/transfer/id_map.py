"""Id map: SQLite database that maps ids in files to ids in the service (contract, Files).

The database is beside the files, one for each installation and organization. It makes an import
resumable and repeatable: lines that were imported and have not changed are not sent again. With
``--match`` a temporary one serves references between files alone. Calls block the event loop.
"""

import fcntl
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from service.files import make_private
from service.transfer.errors import TransferError

_TABLES = """
create table if not exists record (
    collection text, name text, id text, digest blob, primary key (collection, name)
) without rowid;
create index if not exists record_id on record (collection, id);
create table if not exists pending (key text primary key, request blob) without rowid;
create temp table seen (name text primary key, line int) without rowid;
"""
INACTIVE_ENTRY: Final = b"inactive"
"""Digest, in a dry run, of an entry of a part that is deactivated in the service."""


class MappedRecord(NamedTuple):
    """Entry of the map: id of the record in the service, and digest of its last imported line.

    The id is None for a record that a dry run would create. The digest is None for nested objects,
    but for ``INACTIVE_ENTRY``, and after a resent request for records with lists. Of a part the
    digest begins with its stage.
    """

    id: Any
    digest: bytes | None


class IdMap:
    """Id map, and the pending requests: those that were sent and whose outcomes are not stored.

    Entries are by collection and by name, which is ``Line.name`` for records. Nested objects, such
    as allowed values, are under ``style-custom-fields/allowedValues`` by their id in the file;
    stages of parts are under ``size-ranges/sizes/sent``.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.executescript(_TABLES)

    def find(self, collection: str, name: str) -> MappedRecord | None:
        """Return the entry of a name in the files, or None."""
        query = "select id, digest from record where collection = ? and name = ?"
        row = self._connection.execute(query, (collection, name)).fetchone()
        return MappedRecord(orjson.loads(row[0]), row[1]) if row else None

    def store(
        self, collection: str, entries: Iterable[tuple[str, Any, bytes | None]], key: str = ""
    ) -> None:
        """Store names, ids and digests, and remove the pending request of the key, atomically.

        An entry replaces an earlier one of its name.
        """
        with self._connection:
            self._connection.executemany(
                "insert or replace into record values (?, ?, ?, ?)",
                (
                    (collection, name, orjson.dumps(record_id), digest)
                    for name, record_id, digest in entries
                ),
            )
            self._connection.execute("delete from pending where key = ?", (key,))

    def add_pending(self, key: str, request: Any) -> None:
        """Store a request that is about to be sent, in place of any with its idempotency key."""
        with self._connection:
            self._connection.execute(
                "insert or replace into pending values (?, ?)", (key, orjson.dumps(request))
            )

    def remove_pending(self, key: str) -> None:
        """Remove a request that has no outcomes to store: it was refused or is too old."""
        self.store("", (), key)

    def pending_requests(self) -> Iterator[tuple[str, Any]]:
        """Yield idempotency key and content of each pending request."""
        rows = self._connection.execute("select key, request from pending").fetchall()
        for key, request in rows:
            yield key, orjson.loads(request)

    def has_id(self, collection: str, record_id: Any) -> bool:
        """Return whether a line of this or an earlier run was imported as the record of that id."""
        query = "select 1 from record where collection = ? and id = ?"
        row = self._connection.execute(query, (collection, orjson.dumps(record_id))).fetchone()
        return row is not None

    def first_line(self, name: str, line: int) -> int:
        """Return the number of the first line of the current file with the name.

        That is ``line`` itself if there was none; it is recorded then. The file of the map does not
        keep these names.
        """
        if self._connection.execute(
            "insert or ignore into seen values (?, ?)", (name, line)
        ).rowcount:
            return line
        query = "select line from seen where name = ?"
        return int(self._connection.execute(query, (name,)).fetchone()[0])

    def start_file(self) -> None:
        """Forget the names of ``first_line``: another file begins."""
        self._connection.execute("delete from seen")

    def sample_ids(self) -> list[tuple[str, Any]]:
        """Return collection and id of one imported record of each collection."""
        rows = self._connection.execute(
            "select collection, max(id) from record"
            " where collection not like '%/%' and id <> 'null' group by collection"
        )
        return [(name, orjson.loads(record_id)) for name, record_id in rows.fetchall()]


@contextmanager
def open_id_map(path: Path, *, dry_run: bool) -> Iterator[IdMap]:
    """Open the id map at a path, a new one if there is no file; only its owner can read the file.

    The map is locked. A dry run works on a temporary copy, without a lock, and creates no file.
    Raise TransferError for an error of SQLite, also for one within the context, and as
    ``locked_map`` does.
    """
    try:
        with (
            nullcontext() if dry_run else locked_map(path),
            closing(_open(path, dry_run=dry_run)) as connection,
        ):
            yield IdMap(connection)
    except sqlite3.Error as error:
        raise TransferError(f"the id map {path} cannot be used: {error}") from error


@contextmanager
def locked_map(path: Path) -> Iterator[None]:
    """Lock the map at a path by a file beside it: two imports at once would create records twice.

    Raise TransferError, without waiting, if another import has locked it.
    """
    with make_private(path.with_suffix(".lock")) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TransferError(
                f"another import of {path.parent} is running: wait for its end"
            ) from error
        yield


@contextmanager
def temporary_id_map() -> Iterator[IdMap]:
    """Open an empty id map for one run, which leaves no file: own keys identify the records."""
    with closing(sqlite3.connect("")) as connection:
        yield IdMap(connection)


def _open(path: Path, *, dry_run: bool) -> sqlite3.Connection:
    if not dry_run:
        # SQLite creates its log files with the mode of the database.
        make_private(path).close()
        connection = sqlite3.connect(path)
        connection.execute("pragma journal_mode = wal")
        # Commits lost in a crash of the machine are harmless: their requests are sent again, with
        # the same idempotency keys.
        connection.execute("pragma synchronous = normal")
        return connection
    copy = sqlite3.connect("")
    if path.exists():
        with closing(sqlite3.connect(path)) as stored:
            stored.backup(copy)
    return copy
