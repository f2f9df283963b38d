"""Data of the benchmarks: the demo data, and further records for the scenarios."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asyncpg

from service.database.migrations import migrate
from service.extras import demo
from service.extras.embedded import EmbeddedServer
from service.feed import feed_parameters as changes
from service.feed.feed_parameters import ChangeFilter, FeedPosition
from service.listing.cursor import scope
from tests.support.api import issue_key
from tests.support.reports import server_version

ORGANIZATION = 1
RECORDS = 1600
KEYED = 200
LANGUAGES = (8, 10, 14)

_COLORS = """
insert into color (organization_id, name, user_defined_id, color_reference, color_note)
select $1::bigint, 'Heather ' || n, 'B-' || n, '19-' || 4000 + n || ' TCX', 'Lab dip requested.'
from generate_series(1, $2::integer) as n
returning id
"""
_KEYS = """
update color set user_defined_id = 'K-' || id
where organization_id = $1::bigint and id = any($2::bigint[])
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
STYLE_CUSTOM_FIELDS = """
insert into style_custom_field (organization_id, name, type, position)
select $1::bigint, 'Trim detail ' || n, 'allowedValue', 1000 + n
from generate_series(1, $2::integer) as n
returning id
"""
_VALUES = """
insert into style_allowed_value (organization_id, custom_field_id, value, user_defined_id)
select $1::bigint, field_id, 'Option ' || n, 'O-' || n
from unnest($2::bigint[]) as field_id, generate_series(1, 5) as n
returning custom_field_id, id
"""
#: A reduction that has ended, for every second style; that of the others is to come.
_PRICES = """
update style_price
set
    valid_from = current_date - 14 - (date '2027-03-01' - valid_from),
    valid_to = current_date - 14 - (date '2027-03-01' - valid_to)
where organization_id = $1::bigint and style_id % 2 = 0 and num_nonnulls(valid_from, valid_to) > 0
"""
#: Five transactions that changed 200 colors each, of an organization that nobody writes to.
_CHANGES = """
insert into change (organization_id, clock, n, api_key_id, request_id, entries, records)
select $1::bigint, n, n, 1, 'benchmark', 200, jsonb_build_object(
    'colors', jsonb_build_object('updated', to_jsonb($2::bigint[]))
)
from generate_series(1, 5) as n
"""
_COLORS_AT_REST = """
select array_agg(id) from (
    select id from color where organization_id = $1::bigint and state <> 'deleted' limit 200
) as color
"""
#: A feed in use: statements planned while it was almost empty would read all of it.
_HISTORY = """
insert into change (organization_id, clock, n, entries, records)
select $1::bigint, n, n, 1, jsonb_build_object('colors', jsonb_build_object('updated', array[n]))
from generate_series(1, $2::bigint) as n
"""
_FEED = "insert into change_feed (organization_id, last_n, epoch) values ($1::bigint, $2, $3)"
AT_REST = 2
"""Id of the organization that nobody writes to."""
_EPOCH, _LAST = 1, 5
_MEASURED = """
select
    '/api/styles/' || r.style_id || '/sample-requests/' || r.id
    || '/measurements/' || m.size_range_size_id
from sample_request_measurement m
join sample_request r on r.organization_id = $1::bigint and r.id = m.sample_request_id
where m.organization_id = $1::bigint
group by r.style_id, r.id, m.size_range_size_id
order by count(*) desc, 1
limit 1
"""


@dataclass(frozen=True, slots=True)
class Data:
    """Database, ready to be measured."""

    dsn: str
    key: str
    colors: list[int]
    """Ids of RECORDS colors with three groups and three languages each, for the writes."""
    keyed: list[int]
    """Ids of KEYED more colors, whose keys `K-<id>` no other scenario changes."""
    groups: list[int]
    """Ids of color groups."""
    fields: dict[int, list[int]]
    """Ids of RECORDS style custom fields with those of their five allowed values."""
    brands: list[int]
    style_groups: list[int]
    measurement: str
    """Path of a measurement read with many lines."""
    resting_key: str
    """Key of an organization that nobody writes to."""
    now: str
    """Cursor of its changes after the last one."""
    postgres: str
    """Version of the server."""


@contextmanager
def data() -> Iterator[Data]:
    """Run a server that syncs nothing to disk: no scenario measures disks."""
    with TemporaryDirectory(prefix="selvedge-benchmarks-") as folder:
        Path(folder).chmod(0o711)
        with EmbeddedServer(Path(folder), durable=False) as server:
            migrate(server.dsn)
            asyncio.run(demo.load(server.dsn, progress=False))
            key = asyncio.run(issue_key(server.dsn, ORGANIZATION))
            yield asyncio.run(fill(server.dsn, key))


async def fill(dsn: str, key: str) -> Data:
    """Add the records of the scenarios to a database with the demo data."""
    connection = await asyncpg.connect(dsn)

    async def column(statement: str, *parameters: Any) -> list[Any]:
        return [row[0] for row in await connection.fetch(statement, ORGANIZATION, *parameters)]

    try:
        live = "select id from {} where organization_id = $1 and state = 'active' order by id"
        groups = await column(live.format("color_group"))
        colors = await column(_COLORS, RECORDS + KEYED)
        await connection.execute(_KEYS, ORGANIZATION, colors[RECORDS:])
        await connection.execute(_GROUPS, ORGANIZATION, colors, groups)
        await connection.execute(_LANGUAGES, ORGANIZATION, colors, LANGUAGES)
        fields: dict[int, list[int]] = {
            field: [] for field in await column(STYLE_CUSTOM_FIELDS, RECORDS)
        }
        for field, value in await connection.fetch(_VALUES, ORGANIZATION, [*fields]):
            fields[field].append(value)
        brands = await column("select id from brand where organization_id = $1 order by id")
        style_groups = await column(live.format("style_group"))
        (measurement,) = await column(_MEASURED)
        await connection.execute(_PRICES, ORGANIZATION)
        resting = await connection.fetchval(_COLORS_AT_REST, AT_REST)
        await connection.execute(_CHANGES, AT_REST, resting)
        await connection.execute(_HISTORY, ORGANIZATION, RECORDS)
        for organization_id, last in ((AT_REST, _LAST), (ORGANIZATION, RECORDS)):
            await connection.execute(_FEED, organization_id, last, _EPOCH)
        await connection.execute("vacuum analyze")
        now = changes.encode(
            ChangeFilter(), FeedPosition(_LAST), _EPOCH, scope("/api/changes", AT_REST)
        )
        resting_key = await issue_key(dsn, AT_REST)
        return Data(
            *(dsn, key, colors[:RECORDS], colors[RECORDS:], groups, fields, brands, style_groups),
            *(measurement, resting_key, now, server_version(dsn)),
        )
    finally:
        await connection.close()
