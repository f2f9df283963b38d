"""Loader of the demo data: one transaction, one COPY per table.

It writes no API keys, and nothing to the change feed.
"""

from typing import Final

import asyncpg
from tqdm import tqdm

from service.demo.care import add_care
from service.demo.colors import add_colors
from service.demo.custom_fields import add_compliance_custom_fields, add_style_custom_fields
from service.demo.items import add_items
from service.demo.rows import Organization, Row, Rows, moment
from service.demo.samples import add_samples
from service.demo.sizes import add_size_ranges
from service.demo.styles import add_styles
from service.demo.suppliers import add_sub_suppliers
from service.demo.words import profiles

_EMPTY: Final = "select not exists (select 1 from organization)"


class DemoDataError(Exception):
    """Error of demo data that cannot be loaded; its message is one line for operators."""


async def load(dsn: str, *, progress: bool) -> None:
    """Load the demo data into a migrated database without organizations, in one transaction.

    After its commit analyze the loaded tables. `progress` shows a bar if standard error is a
    terminal. Raise DemoDataError if the database has an organization already, and an error of
    asyncpg or OSError if it cannot be reached or is not migrated.
    """
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction():
            # Locked so that two loaders at once cannot both see an empty table.
            await connection.execute("lock table organization in share row exclusive mode")
            if not await connection.fetchval(_EMPTY):
                raise DemoDataError("the database is not empty: load demo data into an empty one")
            languages = await connection.fetch("select code, id from language")
            rows = build({language["code"]: language["id"] for language in languages})
            await _copy(connection, rows, progress=progress)
            await _move_sequences(connection, rows)
        # Without statistics the first requests would be slow.
        await connection.execute(f"analyze {', '.join(rows.tables)}")
    finally:
        await connection.close()


def build(languages: dict[str, int]) -> Rows:
    """Return all rows of the demo data; `languages` maps ISO 639-1 codes to ids.

    Equal `languages` give equal rows. Raise KeyError if one of de, fr, es, it and nl is missing.
    """
    rows = Rows()
    for profile in profiles():
        organization = Organization(rows.next_id("organization"), profile, rows)
        rows.append("organization", _organization_row(organization))
        add_colors(organization, languages)
        add_items(organization)
        add_care(organization, languages)
        catalog = add_styles(organization)
        add_compliance_custom_fields(organization)
        add_style_custom_fields(organization, catalog)
        sizes = add_size_ranges(organization)
        add_sub_suppliers(organization)
        add_samples(organization, catalog, sizes)
    return rows


def _organization_row(organization: Organization) -> Row:
    profile = organization.profile
    return {
        "id": organization.id,
        "name": profile.name,
        "multiple_language": profile.multiple_language,
        "pro": profile.pro,
        "created_at": moment(0),
    }


async def _copy(connection: asyncpg.Connection, rows: Rows, *, progress: bool) -> None:
    total = sum(map(len, rows.tables.values()))
    # tqdm takes None for "only on a terminal".
    disable = None if progress else True
    with tqdm(total=total, desc="demo data", unit=" rows", disable=disable) as bar:
        for table, records in rows.tables.items():
            columns = list(records[0])
            await connection.copy_records_to_table(
                table,
                columns=columns,
                records=[[record[column] for column in columns] for record in records],
            )
            bar.update(len(records))


async def _move_sequences(connection: asyncpg.Connection, rows: Rows) -> None:
    """Set the sequence of every loaded table with ids to its last id: the number of its rows."""
    tables = sorted(rows.identified)
    await connection.execute(
        """select setval(pg_get_serial_sequence(name, 'id'), last)
        from unnest($1::text[], $2::bigint[]) as loaded (name, last)""",
        tables,
        [len(rows.tables[table]) for table in tables],
    )
