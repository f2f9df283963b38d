"""List walks, and the expected records computed from the documents alone."""

from collections.abc import Callable, Mapping
from typing import Any

from service.listing.properties import SOURCE, Properties, Property
from service.records.resource import Resource
from service.routes import Route
from tests.support.api import Api

Record = dict[str, Any]
STATES = ("active", "inactive", "deleted")
#: No walk of a test is longer: a cursor that leads nowhere ends a test, not the day.
MOST_PAGES = 400


def listed(route: Route) -> Resource:
    """Return the resource or reference list of a path."""
    assert route.resource is not None
    return route.resource


def scalars(resource: Resource) -> list[Property]:
    """Return the properties that are fields of the documents themselves."""
    return [prop for prop in resource.properties.values() if not prop.within and prop is not SOURCE]


def condition(name: str, operator: str, value: str, number: int = 0) -> list[tuple[str, str]]:
    """Return the parameters of one filter."""
    return [
        (f"filter[{number}].property", name),
        (f"filter[{number}].operator", operator),
        (f"filter[{number}].value", value),
    ]


async def walk(api: Api, path: str, params: list[tuple[str, str]] | None = None) -> list[Record]:
    """Return all records of a list, by its cursors."""
    answer = await api.get(path, params)
    records: list[Record] = []
    for _ in range(MOST_PAGES):
        assert answer.status == 200, answer.raw
        records += answer.data
        pagination = answer.json["pagination"]
        if not pagination["hasMore"]:
            assert pagination == {"hasMore": False}
            return records
        assert answer.data, "an empty page cannot have more behind it"
        answer = await api.get(path, {"cursor": pagination["cursor"]})
    raise AssertionError("the walk does not end")


async def everything(api: Api, path: str, properties: Properties) -> list[Record]:
    """Return all records of a collection, by id, deleted ones too."""
    params = [("pageSize", "100")]
    if "state" in properties:
        params += [("state", state) for state in STATES]
    return await walk(api, path, params)


def text(value: Any) -> str:
    """Return a value of a document as a query has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def sort_key(prop: Property) -> Callable[[Record], tuple[bool, Any]]:
    """Return the sort key of a property: nulls last, texts by code point, ids as numbers."""

    def key(record: Record) -> tuple[bool, Any]:
        value = record.get(prop.name)
        return (
            value is None,
            "" if value is None else int(value) if prop.stored_as_integer else value,
        )

    return key


def ordered(records: list[Record], *keys: tuple[Property, bool]) -> list[Record]:
    """Return the records sorted by (property, is_descending) pairs; the id breaks ties.

    The id is the first member of each document.
    """
    in_order = sorted(records, key=lambda record: int(next(iter(record.values()))))
    for prop, descending in reversed(keys):
        # Reversed, too, the sort keeps equal records in their order.
        in_order.sort(key=sort_key(prop), reverse=descending)
    return in_order


OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, operand: value == operand,
    "ne": lambda value, operand: value != operand,
    "lt": lambda value, operand: value is not None and value < operand,
    "le": lambda value, operand: value is not None and value <= operand,
    "gt": lambda value, operand: value is not None and value > operand,
    "ge": lambda value, operand: value is not None and value >= operand,
    "contains": lambda value, operand: value is not None and operand.lower() in value.lower(),
    "startsWith": lambda value, operand: (
        value is not None and value.lower().startswith(operand.lower())
    ),
    "in": lambda value, operands: value in operands,
    "notIn": lambda value, operands: value not in operands,
    "isNull": lambda value, operand: (value is None) is operand,
}
"""What each operator asks of a record's value."""


def operands(operator: str, values: list[Any]) -> list[tuple[str, Any]]:
    """Return what to compare with by an operator: texts for the query, and their values.

    ``values`` are stored ones; without any, nothing but null is compared.
    """
    if operator == "isNull":
        return [("true", True), ("false", False)]
    if not values:
        return []
    if operator in ("in", "notIn"):
        return [(",".join(map(text, values)), values)]
    if operator in ("contains", "startsWith"):
        part = text(values[0])[operator == "contains" : 6].swapcase()
        return [(part, part)]
    return [(text(values[0]), values[0])]
