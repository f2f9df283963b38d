"""Demo brands, style categories, styles, style groups and style relations."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from tests.support.demo.words import (
    Organization,
    Value,
    moment,
    positions,
    rotated,
    state_at,
    table,
)

_MORE: Final = (
    *(
        "season_id",
        "supplier_id",
        "size_range_id",
        "description",
        "country_of_origin_code",
        "hs_code",
        "net_weight",
        "gender",
    ),
    "age_group",
)
"""Columns of styles that may be null."""
_ITEM_DATA: Final = (
    *("supplier_id", "brand_id", "supplier_item_number", "unit"),
    *("description", "country_of_origin_code", "hs_code", "net_weight"),
)
"""Columns of items that may be null."""
_BRANDED: Final = ("Main labels", "Hangtags", "Price tickets")
"""Item categories whose items carry the brand."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Ids that other parts of the demo data refer to: none of a deleted record."""

    brands: list[int]
    categories: list[int]
    """Ids of the style categories, one for each garment in the order of the profile."""
    seasons: list[int]
    suppliers: list[int]
    groups: list[int] = field(default_factory=list)
    styles: list[list[int]] = field(default_factory=list)
    """Ids of the styles: a list for each garment, with one style for each model."""


def add_styles(organization: Organization, suppliers: list[int]) -> Catalog:
    """Add a style for each garment and model, with brands, categories, groups and relations.

    ``suppliers`` make them, but for those of every seventh model.

    Beside these add a deleted brand, style category and style, to which nothing refers.
    """
    profile = organization.profile
    brands = [
        organization.add(
            "brand",
            name=f"{profile.name.split()[0]} {name}",
            custom_id=organization.reference("B", index),
            state=state_at(index, soft=False),
        )
        for index, name in enumerate(profile.brands, start=1)
    ]
    organization.add("brand", name="Closed label", custom_id=None, state="deleted")
    categories = [
        organization.add(
            "style_category",
            name=name,
            user_defined_id=organization.reference("SC", index),
            state=state_at(index, soft=False),
        )
        for index, name in enumerate(profile.garments, start=1)
    ]
    catalog = Catalog(brands, categories, _add_seasons(organization), suppliers)
    [default] = [
        row["id"]
        for row in organization.rows.tables["size_range"]
        if row["organization_id"] == organization.id and row["is_default"]
    ]
    columns = range(len(profile.models))
    organization.add(
        "style_category", name="Retired category", user_defined_id=None, state="deleted"
    )
    catalog.styles[:] = [
        [
            _add_style(organization, catalog, default if row < 8 else None, row, column)
            for column in columns
        ]
        for row in range(len(profile.garments))
    ]
    _add_deleted_style(organization)
    catalog.groups[:] = _add_groups(organization)
    _group_styles(organization, catalog)
    _relate_styles(organization, catalog.styles)
    return catalog


def add_style_translations(
    organization: Organization, catalog: Catalog, languages: dict[str, int]
) -> None:
    """Add German and French names of the styles of the first two garments."""
    names = {"de": "Jacke", "fr": "Veste"}
    for index, style in enumerate(style for row in catalog.styles[:2] for style in row):
        for code, name in names.items():
            organization.link(
                "style_translation",
                style_id=style,
                language_id=languages[code],
                name=None if index % 5 == 4 else f"{name} {index + 1}",
                description=None if code == "fr" else "Seit Jahren in der Kollektion.",
            )


def _add_seasons(organization: Organization) -> list[int]:
    """Add four seasons of each of ten years, and return the ids of those that are not deleted."""
    parts = (("SP", "Spring", 1), ("SU", "Summer", 4), ("AU", "Autumn", 7), ("HO", "Holiday", 10))
    seasons = [(year, *part) for year in range(2019, 2029) for part in parts]
    states = [state_at(index) for index in range(len(seasons))]
    ids = [
        organization.add(
            "season",
            user_defined_id=f"{code}{year - 2000}",
            name=f"{name} {year}",
            project_name="Core" if code == "SP" else None,
            start_date=date(year, month, 1),
            # Each second year is still open.
            end_date=date(year, month + 2, 28) if year % 2 else None,
            position=position,
            state=state,
        )
        for (year, code, name, month), state, position in zip(
            seasons, states, positions(states), strict=True
        )
    ]
    return [season for season, state in zip(ids, states, strict=True) if state != "deleted"]


def _add_deleted_style(organization: Organization) -> None:
    """Add a deleted style; nothing refers to it."""
    organization.add(
        "style",
        number=f"{organization.profile.prefix}24-99001",
        name="Discontinued jacket",
        brand_id=None,
        style_category_id=None,
        measurement_unit=None,
        state="deleted",
        **dict.fromkeys(_MORE),
        status="cancelled",
        is_ready_for_export=False,
    )


def _add_style(
    organization: Organization, catalog: Catalog, size_range: Value, row: int, column: int
) -> int:
    """Add a style of a category; those of every sixth model have no brand.

    Only the first 20 brands and seasons have styles; there must be as many. ``row`` is the index of
    the garment, ``column`` that of the model.
    """
    profile = organization.profile
    garment = list(profile.garments.values())[row]
    return organization.add(
        "style",
        number=f"{profile.prefix}{26 - column % 2}-{10 + row}{7 * column + 11:03}",
        name=f"{profile.models[column]} {garment}",
        brand_id=None if column % 6 == 5 else catalog.brands[(row + 3 * column) % 20],
        style_category_id=catalog.categories[row],
        # Only styles of the first garment have sample requests.
        measurement_unit="cm" if row == 0 else None,
        state=state_at(row + 2 * column, soft=False),
        season_id=None if column % 5 == 4 else catalog.seasons[(row + 2 * column) % 20],
        supplier_id=None
        if column % 7 == 6
        else catalog.suppliers[(row + 5 * column) % len(catalog.suppliers)],
        size_range_id=size_range,
        description=f"{profile.models[column]} has been in the collection for years.",
        country_of_origin_code=("PT", "TR", "IN", None)[row % 4],
        hs_code=("620140", "611020", None)[row % 3],
        net_weight=Decimal(180 + 15 * column) + Decimal("0.50") * row,
        gender=("female", "male", "unisex", None)[column % 4],
        age_group="adult" if column % 7 else "kids",
        status=("published", "delivered", "workInProgress")[(row + column) % 3],
        is_ready_for_export=(row + column) % 3 < 2,
    )


def _add_groups(organization: Organization) -> list[int]:
    """Add the groups, and return the ids of those that are not deleted."""
    profile = organization.profile
    names = [f"{season} {name}" for season in profile.seasons for name in profile.collections]
    live = []
    for index, name in enumerate(names):
        state = state_at(index)
        group = organization.add(
            "style_group",
            name=name,
            user_defined_id=organization.reference("G", index + 1),
            state=state,
            begin_date=moment(9 * index, 13 * index),
            end_date=None if state == "active" else moment(9 * index + 200),
        )
        if state != "deleted":
            live.append(group)
    return live


def _group_styles(organization: Organization, catalog: Catalog) -> None:
    """Put each style of ``catalog`` into one or two of its groups; each third group stays empty."""
    groups = [group for index, group in enumerate(catalog.groups) if index % 3 != 2]
    for index, style in enumerate(style for row in catalog.styles for style in row):
        for group in sorted({groups[index % len(groups)], groups[(7 * index + 3) % len(groups)]}):
            organization.link("style_in_group", group_id=group, style_id=style)


def _relate_styles(organization: Organization, styles: list[list[int]]) -> None:
    """Relate each style to the next model's of its garment, and to others of its own model.

    The others are, for the first garment, the styles of all other garments; for any other garment,
    those of the first and the next garment. The first model and garment follow the last.
    """
    for row, garment in enumerate(styles):
        for column, style in enumerate(garment):
            related = {garment[(column + 1) % len(garment)]}
            if row == 0:
                related.update(other_garment[column] for other_garment in styles[1:])
            else:
                related.update((styles[0][column], styles[(row + 1) % len(styles)][column]))
            for related_style in sorted(related):
                organization.add("style_relation", style_id=style, related_style_id=related_style)


def add_items(organization: Organization, brands: list[int], suppliers: list[int]) -> None:
    """Add all categories with their items, and three items without a category, one of them deleted.

    Every fourth item has no supplier; labels and hangtags are of a brand. No category is deleted,
    as their deletes are hard; inactive ones have an end date.
    """
    names: list[tuple[int | None, str, dict[str, str]]] = []
    for index, entry in enumerate(rotated(table("items"), organization.profile.first)):
        state = state_at(index, soft=False)
        category = organization.add(
            "item_category",
            name=entry["category"],
            state=state,
            begin_date=moment(index, 17 * index),
            end_date=None if state == "active" else moment(300 + index),
        )
        names += [(category, name, entry) for name in entry["items"].split("|") if name]
    bare = dict.fromkeys(("category", "unit", "hs_code", "grams"), "")
    names += [(None, "Gift box with magnetic lid", bare), (None, "Spare button bag", bare)]
    for number, (category_id, name, entry) in enumerate(names, start=1):
        has_supplier, is_branded = number % 4 != 0, entry["category"] in _BRANDED
        organization.add(
            "item",
            number=organization.reference("I", 10 * number),
            name=name,
            item_category_id=category_id,
            state=state_at(number, soft=False),
            supplier_id=suppliers[number % len(suppliers)] if has_supplier else None,
            brand_id=brands[number % 20] if is_branded else None,
            supplier_item_number=f"{4100 + 7 * number}-{number % 5}" if has_supplier else None,
            unit=entry["unit"] or None,
            description=f"{name}, dyed to match." if number % 6 == 1 else None,
            country_of_origin_code=(None, "PT", "TR", "CN")[number % 4],
            hs_code=entry["hs_code"] or None,
            net_weight=Decimal(entry["grams"]) if entry["grams"] else None,
        )
    last_number = organization.reference("I", 10 * len(names) + 10)
    organization.add(
        "item",
        number=last_number,
        name="Discontinued snap",
        item_category_id=None,
        state="deleted",
        **dict.fromkeys(_ITEM_DATA),
    )
