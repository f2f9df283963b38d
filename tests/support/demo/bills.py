"""Demo bills of materials and care labels of styles."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from tests.support.demo.words import Organization, Row, Value

_PLACEMENTS: Final = ("Body", "Front placket", "Cuffs", "Side seam", "Collar", None)
_SHARES: Final = ((100,), (95, 5), (60, 40), (70, 20, 10))
"""Percentages of the materials of a layer."""


def add_bills(organization: Organization, styles: Sequence[int]) -> None:
    """Add bills of 5 to 12 lines; some differ by color, the first one by size and by its item."""
    items, layers = (_live(organization, name) for name in ("item", "care_instruction_layer"))
    colors = _grouped(_live(organization, "style_color"), "style_id")
    sizes = _grouped(
        [row for row in organization.rows.tables["size_range_size"] if not row["is_deactivated"]],
        "size_range_id",
    )
    by_id = {row["id"]: row for row in organization.rows.tables["style"]}
    for index, style in enumerate(styles):
        for number in range(5 + index % 8):
            item = items[(7 * index + 5 * number) % len(items)]
            quantity = Decimal(1 + (index + number) % 8) + Decimal("0.25") * (number % 3)
            line = organization.add(
                "style_item",
                style_id=style,
                item_id=item["id"],
                placement=_PLACEMENTS[number % len(_PLACEMENTS)],
                care_instruction_layer_id=layers[number]["id"] if number < 2 else None,
                quantity=quantity,
                unit=None if item["unit"] else "piece",
                wastage_percent=Decimal("2.50") * (number % 4) if number % 4 else None,
                is_primary=number == 0,
                supplier_id=item["supplier_id"] if number % 2 else None,
                sort_order=10 * number + 10,
                comment="Order with the first delivery." if number % 5 == 4 else None,
            )
            for step, color in enumerate(colors[style] if number % 3 < 2 else ()):
                is_omitted = number % 3 == 1 and step == 1
                is_other = number == 0 and step == 2
                organization.link(
                    "style_item_color",
                    style_item_id=line,
                    style_color_id=color["id"],
                    color_id=None if is_omitted else color["color_id"],
                    item_id=items[(7 * index + 1) % len(items)]["id"] if is_other else None,
                    is_omitted=is_omitted,
                )
            of_range = sizes[by_id[style]["size_range_id"]] if number == 0 else []
            for step, size in enumerate(of_range):
                organization.link(
                    "style_item_size",
                    style_item_id=line,
                    size_range_size_id=size["id"],
                    quantity=quantity + Decimal("0.05") * step,
                )


def add_care_sets(organization: Organization, styles: Sequence[int]) -> None:
    """Add the care labels of most styles; every fifth has one of its own for its first color."""
    icons, by_process = (
        _live(organization, "care_instruction_icon"),
        defaultdict[str, list[Row]](list),
    )
    for icon in icons:
        by_process[str(icon["user_defined_id"]).partition("-")[0]].append(icon)
    texts, layers, materials = (
        _live(organization, f"care_instruction{kind}") for kind in ("", "_layer", "_material")
    )
    colors = _grouped(_live(organization, "style_color"), "style_id")
    for index, style in enumerate(styles):
        of_all: list[Value] = [None] if index % 9 != 8 else []
        own = [color["id"] for color in colors[style][:1] if index % 5 == 0]
        for step, color in enumerate([*of_all, *own]):
            care_set = organization.add("style_care_set", style_id=style, style_color_id=color)
            for of_process in by_process.values():
                organization.link(
                    "style_care_icon",
                    style_care_set_id=care_set,
                    care_instruction_icon_id=of_process[(index + step) % len(of_process)]["id"],
                )
            for text in {(index + 3 * number) % len(texts) for number in range(1 + index % 2)}:
                organization.link(
                    "style_care_instruction",
                    style_care_set_id=care_set,
                    care_instruction_id=texts[text]["id"],
                )
            for number in range(1 + index % 2):
                layer = organization.add(
                    "style_care_layer",
                    style_care_set_id=care_set,
                    care_instruction_layer_id=layers[number]["id"],
                )
                for other, share in enumerate(_SHARES[(index + number) % len(_SHARES)]):
                    material = materials[(index + number + 7 * other) % len(materials)]
                    organization.link(
                        "style_care_material",
                        style_care_layer_id=layer,
                        care_instruction_material_id=material["id"],
                        percentage=Decimal(share),
                        recycled_percentage=Decimal(30) if other == 0 and index % 4 == 1 else None,
                    )


def _live(organization: Organization, table: str) -> list[Row]:
    """Return the organization's active rows of a table."""
    rows = organization.rows.tables[table]
    own = (row for row in rows if row["organization_id"] == organization.id)
    return [row for row in own if row["state"] == "active"]


def _grouped(rows: Iterable[Row], column: str) -> defaultdict[Value, list[Row]]:
    groups = defaultdict[Value, list[Row]](list)
    for row in rows:
        groups[row[column]].append(row)
    return groups
