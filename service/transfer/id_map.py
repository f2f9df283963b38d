"""What an import knows of the service: the ids that the files' ids became (contract, Files).

It is a SQLite database beside the files, one for each service and organization. With it an import
that was interrupted goes on, and one that is done does nothing.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

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


class MappedRecord(NamedTuple):
    """What became of a line: its record's id, and the digest of the line that made it so."""

    id: Any
    digest: bytes | None


class IdMap:
    """The map, and the requests that were sent and whose answers are not known.

    Objects in records, such as allowed values, are under ``style-custom-fields/allowedValues``. An
    id is None in a rehearsal, where the record would have been made.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.executescript(_TABLES)

    def find(self, collection: str, name: str) -> MappedRecord | None:
        """What the files call so; None where nothing is known of it."""
        query = "select id, digest from record where collection = ? and name = ?"
        row = self._connection.execute(query, (collection, name)).fetchone()
        return MappedRecord(orjson.loads(row[0]), row[1]) if row else None

    def keep(
        self, collection: str, found: Iterable[tuple[str, Any, bytes | None]], key: str = ""
    ) -> None:
        """Keep names, ids and digests; the request of that key is answered."""
        with self._connection:
            self._connection.executemany(
                "insert or replace into record values (?, ?, ?, ?)",
                ((collection, name, orjson.dumps(one), digest) for name, one, digest in found),
            )
            self._connection.execute("delete from pending where key = ?", (key,))

    def begin(self, key: str, request: Any) -> None:
        """Keep a request that is about to be sent."""
        with self._connection:
            self._connection.execute(
                "insert or replace into pending values (?, ?)", (key, orjson.dumps(request))
            )

    def forget(self, key: str) -> None:
        """Drop a request that did nothing."""
        self.keep("", (), key)

    def unanswered(self) -> Iterator[tuple[str, Any]]:
        """The requests whose answers are not known, by key."""
        rows = self._connection.execute("select key, request from pending").fetchall()
        for key, request in rows:
            yield key, orjson.loads(request)

    def has_id(self, collection: str, record_id: Any) -> bool:
        """Return whether a line became the record of that id."""
        query = "select 1 from record where collection = ? and id = ?"
        row = self._connection.execute(query, (collection, orjson.dumps(record_id))).fetchone()
        return row is not None

    def first_seen(self, name: str, line: int) -> int:
        """The line of the file that had the name first in this run: the given one, as a rule."""
        if self._connection.execute(
            "insert or ignore into seen values (?, ?)", (name, line)
        ).rowcount:
            return line
        query = "select line from seen where name = ?"
        return int(self._connection.execute(query, (name,)).fetchone()[0])

    def next_file(self) -> None:
        """Names may come again: they are another file's."""
        self._connection.execute("delete from seen")

    def samples(self) -> list[tuple[str, Any]]:
        """Of each collection a record that should be there: its id."""
        rows = self._connection.execute(
            "select collection, max(id) from record"
            " where collection not like '%/%' and id <> 'null' group by collection"
        )
        return [(name, orjson.loads(one)) for name, one in rows.fetchall()]


@contextmanager
def open_id_map(path: Path, *, rehearsal: bool) -> Iterator[IdMap]:
    """What is known by the file at a path; of a rehearsal nothing is kept there."""
    try:
        with closing(_open(path, rehearsal=rehearsal)) as connection:
            yield IdMap(connection)
    except sqlite3.Error as error:
        raise TransferError(f"the map of ids at {path} cannot be used: {error}") from error


def _open(path: Path, *, rehearsal: bool) -> sqlite3.Connection:
    if not rehearsal:
        # SQLite gives the files that it puts beside the database the database's mode.
        make_private(path)
        connection = sqlite3.connect(path)
        connection.execute("pragma journal_mode = wal")
        # What a crash of the machine takes back is asked again, by the same keys.
        connection.execute("pragma synchronous = normal")
        return connection
    copy = sqlite3.connect("")
    if path.exists():
        with closing(sqlite3.connect(path)) as stored:
            stored.backup(copy)
    return copy
