"""Demo compliance and style custom fields, with their allowed values, nested ones included.

Rows of the CSV files may name a parent, which is above them. ``options`` are words and
``name=value`` pairs with spaces between, ``values`` texts with vertical bars between. A value of a
nested style field is ``parent value>value``.
"""

from collections.abc import Iterator

from service.demo.rows import Organization, Value, positions
from service.demo.styles import Catalog
from service.demo.words import table


def add_compliance_custom_fields(organization: Organization) -> None:
    """Add the fields with their values, in the order of the file: parents before children."""
    fields: dict[str, int] = {}
    for position, entry in _in_order(table("compliance_fields")):
        field = organization.add(
            "compliance_custom_field",
            **_common(organization, entry, position),
            parent_custom_field_id=fields.get(entry["parent"]),
        )
        fields[entry["name"]] = field
        for index, value in enumerate(_values(entry), start=1):
            organization.add(
                "compliance_allowed_value", **_allowed_value(entry, field, index, value)
            )


def add_style_custom_fields(organization: Organization, catalog: Catalog) -> None:
    """Add the fields with their values; values of a nested field refer to values of its parent.

    Some fields are restricted to records of ``catalog``.
    """
    fields: dict[str, int] = {}
    values: dict[tuple[str, str], int] = {}
    for position, entry in _in_order(table("style_fields")):
        fields[entry["name"]] = field = organization.add(
            "style_custom_field",
            **_common(organization, entry, position),
            **_style_options(entry),
            parent_custom_field_id=fields.get(entry["parent"]),
        )
        for index, text in enumerate(_values(entry), start=1):
            parent, _, value = text.rpartition(">")
            values[entry["name"], value] = organization.add(
                "style_allowed_value",
                **_allowed_value(entry, field, index, value),
                parent_allowed_value_id=values[entry["parent"], parent] if parent else None,
            )
        _restrict(organization, field, position, catalog)


def _in_order(entries: list[dict[str, str]]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (position, entry) in the order of the entries; positions of deleted ones come last."""
    yield from zip(positions([*map(_state, entries)]), entries, strict=True)


def _state(entry: dict[str, str]) -> str:
    options = _options(entry)
    return next((name for name in ("inactive", "deleted") if name in options), "active")


def _options(entry: dict[str, str]) -> dict[str, str]:
    """Return the options by name, such as max to "40"; a flag has an empty value."""
    pairs = (option.partition("=") for option in entry["options"].split())
    return {name: value for name, _, value in pairs}


def _values(entry: dict[str, str]) -> list[str]:
    return entry["values"].split("|") if entry["values"] else []


def _common(organization: Organization, entry: dict[str, str], position: int) -> dict[str, Value]:
    options = _options(entry)
    return {
        "name": entry["name"],
        "user_defined_id": f"{organization.profile.prefix}-{entry['code']}",
        "type": entry["type"],
        "state": _state(entry),
        "position": position,
        "internal_only": "internal" in options,
        "is_mandatory": "mandatory" in options,
        "is_multi_line": "multiline" in options,
        "is_sort_by_allowed_value_id": "by_id" in options,
        "max_char": int(options["max"]) if "max" in options else None,
        "allowed_decimals": int(options["decimals"]) if "decimals" in options else None,
    }


def _style_options(entry: dict[str, str]) -> dict[str, Value]:
    options = _options(entry)
    formula = next((name for name in ("average", "sum") if name in options), "none")
    return {
        "is_supplier_editable": "supplier" in options,
        "diff_per_color": "diff_color" in options,
        "diff_per_size": "diff_size" in options,
        "use_in_thumbnail_view_group_by": "thumbnail" in options,
        "numeric_variant_calculation_formula": formula,
    }


def _allowed_value(entry: dict[str, str], field: int, index: int, value: str) -> dict[str, Value]:
    # The first value is the default of a mandatory field.
    return {
        "custom_field_id": field,
        "value": value,
        "user_defined_id": f"{entry['code']}-{index:02}",
        "is_default_value": index == 1 and "mandatory" in _options(entry),
    }


def _restrict(organization: Organization, field: int, position: int, catalog: Catalog) -> None:
    """Restrict some fields to brands, groups or style categories, some to two of these kinds."""
    restrictions = {
        "brand": (catalog.brands, position % 4 == 1),
        "group": (catalog.groups, position % 5 == 2),
        "style_category": (catalog.categories, position % 3 == 1),
    }
    for name, (ids, is_restricted) in restrictions.items():
        for id_ in ids[position % 7 :: 9] if is_restricted else ():
            organization.link(
                f"custom_field_{name}", **{"custom_field_id": field, f"{name}_id": id_}
            )
