"""Dumps of databases that earlier releases made, and the data of databases, to compare them.

``python -m tests.support.release_dumps DSN`` writes that of this release, once it is released: of a
database with the demo data, keys, a change and a webhook.
"""

import lzma
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import sql

from service import __version__
from service.extras.embedded.postmaster import installation

Columns: TypeAlias = dict[str, list[str]]
"""Columns by table."""
Rows: TypeAlias = dict[str, list[tuple[Any, ...]]]
"""Rows by table."""
DUMPS: Final = Path(__file__).parents[1] / "platform" / "releases"
_COMMAND: Final = ("--inserts", "--rows-per-insert=1000", "--no-owner", "--no-privileges")
_NEWER: Final = re.compile(
    r"^(\\(un)?restrict|SET transaction_timeout|SET default_table_access).*\n", re.MULTILINE
)
"""Lines that only some versions of PostgreSQL or psql know."""
_COLUMNS: Final = """
    select relname, array_agg(attname::text order by attname)
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like '%yoyo%'
        and attgenerated = ''
    group by relname order by relname
"""


def dumped_releases() -> list[str]:
    """Return the releases that have a dump, oldest first."""
    return sorted(path.name.removesuffix(".sql.xz") for path in DUMPS.glob("*.sql.xz"))


def load(dsn: str, release: str) -> None:
    """Load the dump of a release into an empty database."""
    text = lzma.decompress((DUMPS / f"{release}.sql.xz").read_bytes())
    with psycopg.connect(dsn) as connection:
        connection.execute(text)


def columns(dsn: str) -> Columns:
    """Return the columns of each table of the schema, without generated ones."""
    with psycopg.connect(dsn) as connection:
        return dict(connection.execute(_COLUMNS).fetchall())


def data(dsn: str, chosen: Columns) -> Rows:
    """Return the rows of tables, in these columns, as text and sorted."""
    query = sql.SQL("select {} from {}")
    with psycopg.connect(dsn) as connection:
        return {
            table: sorted(connection.execute(query.format(_texts(names), sql.Identifier(table))))
            for table, names in chosen.items()
        }


def _texts(names: list[str]) -> sql.Composable:
    """Return columns as texts, so that rows with null sort."""
    texts = [sql.SQL("coalesce({}::text, '')").format(sql.Identifier(name)) for name in names]
    return sql.SQL(", ").join(texts)


def main() -> None:
    """Write the dump of this release from the database of the argument."""
    program = installation(18) / "bin" / "pg_dump"
    dump = subprocess.run([program, *_COMMAND, sys.argv[1]], check=True, capture_output=True)
    text = _NEWER.sub("", dump.stdout.decode())
    (DUMPS / f"{__version__}.sql.xz").write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
