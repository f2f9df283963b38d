"""Demo price lists, prices, channels and files of styles."""

from datetime import date
from decimal import Decimal
from itertools import product
from typing import Final

from service.extras.demo.words import Organization, Value, state_at

_MARKETS: Final = (
    ("EUR", "Euro area", ["DE", "FR", "PT"]),
    ("SEK", "Sweden", ["SE"]),
    ("DKK", "Denmark", ["DK"]),
    ("GBP", "United Kingdom", ["GB"]),
    ("USD", "United States", ["US"]),
    ("JPY", "Japan", ["JP"]),
    ("CHF", "Switzerland", ["CH"]),
)
_PRICED: Final = 3
"""Number of price lists with prices."""
_CUT: Final = (date(2027, 2, 1), date(2027, 2, 28))
"""Days of a price cut."""


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


def add_style_prices(organization: Organization, price_lists: list[int]) -> None:
    """Add prices of each style with colors, but for every tenth, in the first price lists.

    They have a tier, a price of a color and one of a size, and a cut in February 2027 in the first
    list.
    """
    rows = {
        table: [row for row in rows if row["organization_id"] == organization.id]
        for table, rows in organization.rows.tables.items()
        if table in ("style_color", "style_sku", "price_list")
    }
    currencies = {row["id"]: row["currency_code"] for row in rows["price_list"]}
    colors = {row["style_id"]: row["id"] for row in rows["style_color"] if row["state"] == "active"}
    sizes = {row["style_id"]: row["size_range_size_id"] for row in rows["style_sku"]}
    for index, style in enumerate(colors):
        for number, price_list in enumerate(price_lists[:_PRICED] if index % 10 != 9 else ()):
            rate = 10 if currencies[price_list] in ("SEK", "DKK") else 1
            amount = Decimal((40 + 5 * (index % 24)) * rate) / (number % _PRICED + 1)
            amount = amount.quantize(Decimal(1)) - Decimal("0.10")
            cut = (amount * Decimal("0.8")).quantize(Decimal("0.01"))
            entries: list[tuple[Value, Value, int, Decimal, date | None, date | None]] = [
                (None, None, 10, cut, None, None)
            ]
            if number == 0:
                entries += [
                    (None, None, 1, amount, None, date(2027, 1, 31)),
                    (None, None, 1, cut, *_CUT),
                    (None, None, 1, amount, date(2027, 3, 1), None),
                ]
            else:
                entries.append((None, None, 1, amount, None, None))
            if index % 3 == 0:
                entries.append((colors[style], None, 1, amount + 5, None, None))
            if style in sizes and index % 4 == 0:
                entries.append((None, sizes[style], 1, amount + 3, None, None))
            for color, size, quantity, price, first, last in entries:
                organization.add(
                    "style_price",
                    style_id=style,
                    price_list_id=price_list,
                    style_color_id=color,
                    size_range_size_id=size,
                    minimum_quantity=quantity,
                    amount=price,
                    compare_at_amount=amount if (first, last) == _CUT else None,
                    valid_from=first,
                    valid_to=last,
                )


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
