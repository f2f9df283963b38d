"""The database that is measured: the demo data, and more of what the scenarios ask for."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg

from service import demo
from service.embedded import EmbeddedServer
from service.migrating import migrate
from tests.support.api import issue_key

ORGANIZATION = 1
COLORS = 1600
LANGUAGES = (8, 10, 14)

_COLORS = """
insert into color (organization_id, name, user_defined_id, color_reference, color_note)
select $1::bigint, 'Heather ' || n, 'B-' || n, '19-' || 4000 + n || ' TCX', 'Lab dip requested.'
from generate_series(1, $2::integer) as n
returning id
"""
_GROUPS = """
insert into color_in_group (organization_id, color_id, color_group_id)
select $1::bigint, color_id, ($3::bigint[])[(color_id + n) % cardinality($3::bigint[]) + 1]
from unnest($2::bigint[]) as color_id, generate_series(0, 2) as n
"""
_LANGUAGES = """
insert into color_language (organization_id, color_id, language_id, color_name)
select $1::bigint, color_id, language_id, 'Meliert ' || color_id
from unnest($2::bigint[]) as color_id, unnest($3::bigint[]) as language_id
"""


@dataclass(frozen=True, slots=True)
class Data:
    """A database, ready to be measured."""

    dsn: str
    key: str
    colors: list[int]
    """Ids of COLORS colors with three groups and three languages each, for the writes."""
    groups: list[int]


@contextmanager
def data() -> Iterator[Data]:
    """A server of the benchmark's own, which syncs nothing to disk: no scenario measures disks."""
    with TemporaryDirectory(prefix="selvedge-benchmarks-") as folder:
        Path(folder).chmod(0o711)
        with EmbeddedServer(Path(folder), durable=False) as server:
            migrate(server.dsn)
            asyncio.run(demo.load(server.dsn, progress=False))
            key = asyncio.run(issue_key(server.dsn, ORGANIZATION))
            yield asyncio.run(_fill(server.dsn, key))


async def _fill(dsn: str, key: str) -> Data:
    connection = await asyncpg.connect(dsn)
    try:
        live = "select id from color_group where organization_id = $1 and state = 'active'"
        groups = [row["id"] for row in await connection.fetch(live, ORGANIZATION)]
        colors = [row["id"] for row in await connection.fetch(_COLORS, ORGANIZATION, COLORS)]
        await connection.execute(_GROUPS, ORGANIZATION, colors, groups)
        await connection.execute(_LANGUAGES, ORGANIZATION, colors, LANGUAGES)
        await connection.execute("vacuum analyze")
        return Data(dsn, key, colors, groups)
    finally:
        await connection.close()
