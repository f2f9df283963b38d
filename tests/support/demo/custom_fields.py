"""Demo compliance categories, and custom fields with their allowed values, nested ones included.

Rows of the CSV files may name a parent, which is above them. ``options`` are words and
``name=value`` pairs with spaces between, ``values`` texts with vertical bars between. A value of a
nested style field is ``parent value>value``.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from tests.support.demo.styles import Catalog
from tests.support.demo.words import Organization, Row, Value, positions, state_at, table

_KINDS: Final = ("brand", "group", "style_category")
"""Kinds of records to which fields are restricted."""


def add_compliance(organization: Organization) -> None:
    """Add categories, and fields with their values in the order of the file: parents first."""
    categories = table("compliance_categories")
    states = [state_at(index) for index in range(len(categories))]
    for entry, state, position in zip(categories, states, positions(states), strict=True):
        organization.add(
            "compliance_category",
            user_defined_id=entry["code"],
            name=entry["name"],
            description=entry["description"] or None,
            state=state,
            position=position,
        )
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


def add_custom_field_values(organization: Organization, styles: Sequence[int]) -> None:
    """Add values of styles in the active fields that are for them.

    Every fifth style lacks some of them. Styles of the organization that lack a value of a
    mandatory field are not ready for export.
    """
    tables, applying = organization.rows.tables, _applying(organization)
    choices = defaultdict[Value, list[Row]](list)
    for row in tables["style_allowed_value"]:
        choices[row["custom_field_id"]].append(row)
    for index, style in enumerate(styles):
        fields, chosen = applying[style], dict[Value, Value]()
        colors = [
            row["id"]
            for row in tables["style_color"]
            if row["style_id"] == style and row["state"] == "active"
        ]
        for number, field in enumerate(fields):
            options = [
                row
                for row in choices[field["id"]]
                if row["parent_allowed_value_id"] in (None, *chosen.values())
            ]
            has_choices = field["type"] not in ("text", "numeric")
            is_left_out = index % 5 == 4 and number % 4 == 3
            if field["diff_per_size"] or is_left_out or (has_choices and not options):
                continue
            for step, color in enumerate(colors if field["diff_per_color"] else (None,)):
                choice = options[(index + number + step) % len(options)]["id"] if options else None
                if color is None:
                    chosen[field["id"]] = choice
                organization.add(
                    "custom_field_value",
                    style_id=style,
                    custom_field_id=field["id"],
                    style_color_id=color,
                    size_range_size_id=None,
                    text=f"{field['name']} {index + 1}"[: _most(field)]
                    if field["type"] == "text"
                    else None,
                    number=Decimal(120 + 10 * (index % 9) + step)
                    if field["type"] == "numeric"
                    else None,
                    allowed_value_id=choice,
                )
    valued = {(row["style_id"], row["custom_field_id"]) for row in tables["custom_field_value"]}
    for row in tables["style"]:
        needed = (field["id"] for field in applying.get(row["id"], ()) if field["is_mandatory"])
        if not all((row["id"], field) in valued for field in needed):
            row["is_ready_for_export"] = False


def _applying(organization: Organization) -> dict[Value, list[Row]]:
    """Return the active fields that are for each style of the organization, by its id."""
    tables, own = organization.rows.tables, organization.id
    restrictions = defaultdict[tuple[Value, str], set[Value]](set)
    for kind in _KINDS:
        for row in tables[f"custom_field_{kind}"]:
            restrictions[row["custom_field_id"], kind].add(row[f"{kind}_id"])
    groups = defaultdict[Value, set[Value]](set)
    for row in tables["style_in_group"]:
        groups[row["style_id"]].add(row["group_id"])
    fields = [
        row
        for row in tables["style_custom_field"]
        if row["organization_id"] == own and row["state"] == "active"
    ]
    applying = dict[Value, list[Row]]()
    for style in tables["style"]:
        if style["organization_id"] == own:
            linked: dict[str, set[Value]] = {
                "brand": {style["brand_id"]},
                "group": groups[style["id"]],
                "style_category": {style["style_category_id"]},
            }
            applying[style["id"]] = [
                field
                for field in fields
                if all(
                    not (ids := restrictions.get((field["id"], kind))) or ids & linked[kind]
                    for kind in _KINDS
                )
            ]
    return applying


def _most(field: Row) -> int:
    """Return the maximum length of a field's texts."""
    most = field["max_char"]
    return most if isinstance(most, int) else 100
