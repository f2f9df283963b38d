"""Demo barcode ranges and barcodes."""

from typing import Final

from service.schemas.formats import check_digit
from tests.support.demo.words import Organization, Row, moment, state_at

_FREE: Final = 40
"""Number of GTINs without an SKU, and of internal numbers."""
_ASSIGNED: Final[Row] = {"is_primary": True, "assigned_at": moment(120)}
_UNASSIGNED: Final[Row] = {"is_primary": False, "assigned_at": None}


def add_barcode_ranges(organization: Organization) -> None:
    """Add a range for each brand; the first one is the default, the second one is small.

    Their prefixes begin with 952, which GS1 has reserved for demonstrations.
    """
    brands = [
        row
        for row in organization.rows.tables["brand"]
        if row["organization_id"] == organization.id and row["state"] != "deleted"
    ]
    for index, brand in enumerate(brands):
        organization.add(
            "barcode_range",
            user_defined_id=organization.reference("EAN", index + 1),
            name=f"GTINs of {brand['name']}",
            type="gtin13",
            company_prefix=f"9523{index:03}",
            first_reference=0,
            last_reference=11 if index == 1 else 99_999,
            brand_id=brand["id"],
            is_default=index == 0,
            state=state_at(index),
            next_unallocated=0,
        )


def add_barcodes(organization: Organization) -> None:
    """Add a GTIN of the first range to each live SKU, free GTINs, and internal numbers."""
    rows = organization.rows.tables
    skus = [
        row["id"]
        for row in rows["style_sku"]
        if row["organization_id"] == organization.id and row["state"] != "deleted"
    ]
    [first] = (
        row
        for row in rows["barcode_range"]
        if row["organization_id"] == organization.id and row["is_default"]
    )
    for index, sku in enumerate([*skus, *[None] * _FREE]):
        digits = f"{first['company_prefix']}{index:05}"
        barcode = digits + check_digit(digits)
        organization.add(
            "barcode",
            **_ASSIGNED if sku else _UNASSIGNED,
            barcode=barcode,
            type="gtin13",
            gtin14=f"0{barcode}",
            barcode_range_id=first["id"],
            style_sku_id=sku,
            state="active" if sku else state_at(index),
        )
    first["next_unallocated"] = len(skus) + _FREE
    for index, sku in enumerate(skus[:_FREE]):
        organization.add(
            "barcode",
            **_ASSIGNED | {"is_primary": False},
            barcode=organization.reference("BC", index),
            type="internal",
            gtin14=None,
            barcode_range_id=None,
            style_sku_id=sku,
            state=state_at(index),
        )
