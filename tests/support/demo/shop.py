"""Demo price lists, channels and files of styles."""

from datetime import date
from itertools import product
from typing import Final

from tests.support.demo.words import Organization, state_at

_MARKETS: Final = (
    ("EUR", "Euro area", ["DE", "FR", "PT"]),
    ("SEK", "Sweden", ["SE"]),
    ("DKK", "Denmark", ["DK"]),
    ("GBP", "United Kingdom", ["GB"]),
    ("USD", "United States", ["US"]),
    ("JPY", "Japan", ["JP"]),
    ("CHF", "Switzerland", ["CH"]),
)


def add_price_lists(organization: Organization, suppliers: list[int]) -> list[int]:
    """Add a list of each type for each market, and return the ids of those not deleted."""
    live = []
    types = ("retail", "wholesale", "cost", "target", "other")
    for index, ((currency, market, countries), type_) in enumerate(product(_MARKETS, types)):
        price_list = organization.add(
            "price_list",
            user_defined_id=f"{type_.upper()}-{currency}",
            name=f"{market}, {type_}",
            type=type_,
            currency_code=currency,
            includes_tax=type_ == "retail",
            country_codes=countries,
            supplier_id=suppliers[index % len(suppliers)] if type_ in ("cost", "target") else None,
            valid_from=date(2026, 1, 1) if type_ == "target" else None,
            valid_to=date(2027, 12, 31) if type_ == "target" else None,
            state=state_at(index),
        )
        if state_at(index) != "deleted":
            live.append(price_list)
    return live


def add_channels(
    organization: Organization, price_lists: list[int], languages: dict[str, int]
) -> None:
    """Add a channel of each kind in each market, each with a price list and two languages."""
    kinds: tuple[tuple[str, list[str]], ...] = (
        ("Web shop", ["description", "image", "prices", "translations"]),
        ("Wholesale", ["barcodes", "prices", "skus"]),
        ("Marketplace", ["barcodes", "brand", "countryOfOrigin", "imagePerColor", "prices"]),
        ("Stores", ["barcodes", "care", "composition", "prices"]),
        ("Outlet", []),
    )
    for index, ((currency, market, _), (kind, requirements)) in enumerate(product(_MARKETS, kinds)):
        channel = organization.add(
            "channel",
            user_defined_id=f"{kind.split()[0].upper()}-{currency}",
            name=f"{kind}, {market}",
            requirements=requirements,
            state=state_at(index),
        )
        for code in ("de", "fr") if index % 2 else ("es", "it"):
            organization.link("channel_language", channel_id=channel, language_id=languages[code])
        price_list = price_lists[index % len(price_lists)]
        organization.link("channel_price_list", channel_id=channel, price_list_id=price_list)


def add_style_files(organization: Organization) -> None:
    """Add an image for each style color, and a tech pack for each style that has colors."""
    colors = [
        row
        for row in organization.rows.tables["style_color"]
        if row["organization_id"] == organization.id
    ]
    of_styles = [
        {"style_id": style, "id": None} for style in {row["style_id"]: 0 for row in colors}
    ]
    for index, row in enumerate([*colors, *of_styles]):
        is_image = row["id"] is not None
        name = f"{row['style_id']}-{row['id'] or 'pack'}.{'jpg' if is_image else 'pdf'}"
        state = row.get("state", "active")
        organization.add(
            "style_file",
            style_id=row["style_id"],
            style_color_id=row["id"],
            file_name=name,
            category="image" if is_image else "techPack",
            url=f"https://example.com/files/{name}",
            mime_type="image/jpeg" if is_image else "application/pdf",
            size_bytes=180_000 + 1_001 * index,
            width=1600 if is_image else None,
            height=2000 if is_image else None,
            alt_text="From the front" if index % 3 == 0 and is_image else None,
            sha256=None,
            is_main=is_image and state != "deleted",
            sort_order=10 if is_image else None,
            state="inactive" if state == "active" and index % 17 == 9 else state,
        )
