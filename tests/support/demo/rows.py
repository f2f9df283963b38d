"""All rows of the demo data, and their files."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.extras.demo.loading import NULL, ROWS
from tests.support.demo.assortment import add_style_colors
from tests.support.demo.barcodes import add_barcode_ranges, add_barcodes
from tests.support.demo.bills import add_bills, add_care_sets
from tests.support.demo.care import add_care
from tests.support.demo.colors import add_colors
from tests.support.demo.custom_fields import (
    add_compliance,
    add_custom_field_values,
    add_style_custom_fields,
)
from tests.support.demo.samples import add_samples
from tests.support.demo.shop import add_channels, add_price_lists, add_style_files, add_style_prices
from tests.support.demo.sizes import add_size_ranges
from tests.support.demo.styles import add_items, add_style_translations, add_styles
from tests.support.demo.suppliers import add_sub_suppliers, add_suppliers, add_supply_chains
from tests.support.demo.words import Organization, Row, Rows, Value, moment, profiles

LANGUAGES: Final = {"de": 8, "es": 10, "fr": 14, "it": 21, "nl": 28}
"""Ids of languages, as migration 0012 gives them."""


def build() -> Rows:
    """Return all rows of the demo data."""
    rows = Rows()
    for profile in profiles():
        organization = Organization(rows.next_id("organization"), profile, rows)
        rows.append("organization", _organization_row(organization))
        add_colors(organization, LANGUAGES)
        add_sub_suppliers(organization)
        style_suppliers, item_suppliers = add_suppliers(organization)
        add_care(organization, LANGUAGES)
        sizes = add_size_ranges(organization)
        catalog = add_styles(organization, style_suppliers)
        add_style_colors(organization, catalog, sizes[organization.profile.default_size_range])
        add_style_translations(organization, catalog, LANGUAGES)
        price_lists = add_price_lists(organization, style_suppliers)
        add_style_prices(organization, price_lists)
        add_channels(organization, price_lists, LANGUAGES)
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
    return rows


def write() -> None:
    """Write the files of rows anew."""
    for path in ROWS.glob("*.csv"):
        path.unlink()
    for name, lines in files(build()):
        with (ROWS / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


def files(rows: Rows) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the name of each file and its lines, the header first.

    The names begin with the order in which the tables are filled.
    """
    for number, (table, records) in enumerate(rows.tables.items(), start=1):
        lines = [[_text(value) for value in record.values()] for record in records]
        yield f"{number:03}.{table}.csv", [list(records[0]), *lines]


def read() -> dict[str, list[list[str]]]:
    """Return the lines of the stored files by name."""
    return {path.name: _lines(path) for path in ROWS.glob("*.csv")}


def _lines(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _text(value: Value) -> str:
    """Return the value as PostgreSQL reads it from CSV."""
    if isinstance(value, list):
        return f"{{{','.join(value)}}}"
    return NULL if value is None else str(value)


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
