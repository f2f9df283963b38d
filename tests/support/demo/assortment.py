"""Demo colors and SKUs of styles: a collection of forty styles that can be sold."""

from datetime import date
from decimal import Decimal
from itertools import count
from typing import Final

from tests.support.demo.sizes import Sizes
from tests.support.demo.styles import Catalog
from tests.support.demo.words import Organization, state_at

_GARMENTS: Final = 8
_MODELS: Final = 10
"""Garments and models whose styles have colors."""
_SOLD: Final = 40
"""Number of styles with SKUs; the next ones have colors only."""
_SEASONAL: Final = ("Dawn", "Harbor", "Orchard", "Midnight")
"""First words of names that a style's color is sold under."""


def add_style_colors(organization: Organization, catalog: Catalog, sizes: Sizes) -> None:
    """Add two to four colors to each style of the first garments and models.

    Those of the first half are sold in each of ``sizes``, those of the style's size range, that is
    not deactivated.
    """
    rows = organization.rows.tables
    active = {row["id"] for row in rows["size_range_size"] if not row["is_deactivated"]}
    sold = [(name, size) for name, size in sizes.items() if size in active]
    numbers_by_style = {row["id"]: row["number"] for row in rows["style"]}
    colors = [
        row
        for row in rows["color"]
        if row["organization_id"] == organization.id and row["state"] == "active"
    ]
    styles = [style for garment in catalog.styles[:_GARMENTS] for style in garment[:_MODELS]]
    numbers = count()
    for index, style in enumerate(styles):
        for step in range(2 + index % 3):
            number, color = next(numbers), colors[(5 * index + 11 * step) % len(colors)]
            color_name = str(color["name"]).split()[-1]
            state = state_at(number)
            style_color = organization.add(
                "style_color",
                style_id=style,
                color_id=color["id"],
                name=f"{_SEASONAL[number % 4]} {color_name}" if number % 4 == 3 else None,
                sort_order=10 * step + 10,
                available_from=date(2026, 1 + number % 12, 1) if number % 3 else None,
                available_to=date(2027, 1 + number % 12, 28) if number % 6 == 1 else None,
                comment="Dyed in the piece: order early." if number % 9 == 4 else None,
                state=state,
            )
            code = f"{numbers_by_style[style]}-{color['user_defined_id']}"
            for size_number, (name, size) in enumerate(sold if index < _SOLD else ()):
                organization.add(
                    "style_sku",
                    sku=f"{code}-{name}",
                    style_color_id=style_color,
                    style_id=style,
                    color_id=color["id"],
                    size_range_size_id=size,
                    net_weight=Decimal(395 + 15 * size_number) if number % 5 == 2 else None,
                    state="deleted" if state == "deleted" else state_at(number + size_number),
                )
            season = catalog.seasons[number % 20]
            organization.link("style_color_in_season", style_color_id=style_color, season_id=season)
