"""Loader of the demo data: one transaction, one COPY per table.

It writes no API keys, and nothing to the change feed.
"""

from typing import Final

import asyncpg
from tqdm import tqdm

from service import schemas
from service.extras.demo.assortment import add_style_colors
from service.extras.demo.barcodes import add_barcode_ranges, add_barcodes
from service.extras.demo.bills import add_bills, add_care_sets
from service.extras.demo.care import add_care
from service.extras.demo.colors import add_colors
from service.extras.demo.custom_fields import (
    add_compliance,
    add_custom_field_values,
    add_style_custom_fields,
)
from service.extras.demo.samples import add_samples
from service.extras.demo.shop import (
    add_channels,
    add_price_lists,
    add_style_files,
    add_style_prices,
)
from service.extras.demo.sizes import add_size_ranges
from service.extras.demo.styles import add_items, add_style_translations, add_styles
from service.extras.demo.suppliers import add_sub_suppliers, add_suppliers, add_supply_chains
from service.extras.demo.words import Organization, Row, Rows, Value, moment, profiles, state_at
from service.listing.page_sql import column_of
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from service.schemas.key_forms import REFERS_TO

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
    rows, organizations = Rows(), list[Organization]()
    for profile in profiles():
        organization = Organization(rows.next_id("organization"), profile, rows)
        organizations.append(organization)
        rows.append("organization", _organization_row(organization))
        add_colors(organization, languages)
        add_sub_suppliers(organization)
        style_suppliers, item_suppliers = add_suppliers(organization)
        add_care(organization, languages)
        sizes = add_size_ranges(organization)
        catalog = add_styles(organization, style_suppliers)
        add_style_colors(organization, catalog, sizes[organization.profile.default_size_range])
        add_style_translations(organization, catalog, languages)
        price_lists = add_price_lists(organization, style_suppliers)
        add_style_prices(organization, price_lists)
        add_channels(organization, price_lists, languages)
        add_items(organization, catalog.brands, item_suppliers)
        add_barcode_ranges(organization)
        add_barcodes(organization)
        add_compliance(organization)
        add_style_files(organization)
        add_style_custom_fields(organization, catalog)
        add_custom_field_values(organization, [*catalog.styles[0], *catalog.styles[1]])
        add_samples(organization, catalog, sizes)
        add_bills(organization, [style for garment in catalog.styles[:8] for style in garment])
        add_care_sets(organization, [style for garment in catalog.styles[:18] for style in garment])
        add_supply_chains(organization, [*catalog.styles[0], *catalog.styles[1]])
    for resource in MASTER_RECORDS:
        if resource.table not in rows.tables:
            for organization in organizations:
                _add_examples(organization, resource)
    return rows


def _add_examples(organization: Organization, resource: MasterRecord) -> None:
    """Add forty numbered copies of a collection's example, without its references and lists."""
    create = schemas.definition(resource.name, "create")
    [example] = create.schema["examples"]
    plain: dict[str, Value] = {
        column_of(name): value
        for name, value in example.items()
        if isinstance(value, str | int | float) and REFERS_TO not in create.properties[name].schema
    }
    for number in range(1, 41):
        texts = {c: f"{text} {number}" for c, text in plain.items() if isinstance(text, str)}
        if resource.stored_state == "state":
            texts["state"] = state_at(number, soft="delete" in resource.deletes)
        organization.add(resource.table, **{**plain, **texts})


def _organization_row(organization: Organization) -> Row:
    profile = organization.profile
    return {
        "id": organization.id,
        "name": profile.name,
        "multiple_language": profile.multiple_language,
        "pro": profile.pro,
        "created_at": moment(0),
        "legal_name": f"{profile.name} AS",
        "city": "Bergen",
        "country_code": "NO",
        "email": "office@example.com",
        "default_currency_code": "NOK",
        "passport_base_url": "https://example.com",
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
