"""Demo brands, style categories, styles, style groups and style relations."""

from dataclasses import dataclass

from service.demo.rows import Organization, moment, state_at


@dataclass(frozen=True, slots=True)
class Catalog:
    """Ids that other parts of the demo data refer to: none of a deleted record."""

    brands: list[int]
    categories: list[int]
    """Ids of the style categories, one for each garment in the order of the profile."""
    groups: list[int]
    styles: list[list[int]]
    """Ids of the styles: a list for each garment, with one style for each model."""


def add_styles(organization: Organization) -> Catalog:
    """Add a style for each garment and model, with brands, categories, groups and relations.

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
    columns = range(len(profile.models))
    organization.add(
        "style_category", name="Retired category", user_defined_id=None, state="deleted"
    )
    styles = [
        [_add_style(organization, brands, categories[row], row, column) for column in columns]
        for row in range(len(profile.garments))
    ]
    _add_deleted_style(organization)
    catalog = Catalog(brands, categories, _add_groups(organization), styles)
    _group_styles(organization, catalog)
    _relate_styles(organization, styles)
    return catalog


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
    )


def _add_style(
    organization: Organization, brands: list[int], category: int, row: int, column: int
) -> int:
    """Add a style of a category; those of every sixth model have no brand.

    Only the first 20 brands have styles; there must be as many. ``row`` is the index of the
    garment, ``column`` that of the model.
    """
    profile = organization.profile
    garment = list(profile.garments.values())[row]
    return organization.add(
        "style",
        number=f"{profile.prefix}{26 - column % 2}-{10 + row}{7 * column + 11:03}",
        name=f"{profile.models[column]} {garment}",
        brand_id=None if column % 6 == 5 else brands[(row + 3 * column) % 20],
        style_category_id=category,
        # Only styles of the first garment have sample requests.
        measurement_unit="cm" if row == 0 else None,
        state=state_at(row + 2 * column, soft=False),
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
            user_defined_id=None if index % 8 == 5 else organization.reference("G", index + 1),
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
