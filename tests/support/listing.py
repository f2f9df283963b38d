"""Lists, walked to their end; and what they should hold, worked out from the documents alone."""

from collections.abc import Callable, Mapping
from typing import Any

from service.listing.properties import Properties, Property
from service.queries.resource import Resource
from service.routes import Route
from tests.support.api import Api

Record = dict[str, Any]
STATES = ("active", "inactive", "deleted")
#: No walk of a test is longer: a cursor that leads nowhere ends a test, not the day.
MOST_PAGES = 400


def listed(route: Route) -> Resource:
    """What a list is of."""
    assert route.resource is not None
    return route.resource


def condition(name: str, operator: str, value: str, number: int = 0) -> list[tuple[str, str]]:
    """The parameters of one filter."""
    return [
        (f"filter[{number}].property", name),
        (f"filter[{number}].operator", operator),
        (f"filter[{number}].value", value),
    ]


async def walk(api: Api, path: str, params: list[tuple[str, str]] | None = None) -> list[Record]:
    """All records of a list, by its cursors."""
    answer = await api.get(path, params)
    found: list[Record] = []
    for _ in range(MOST_PAGES):
        assert answer.status == 200, answer.raw
        found += answer.data
        pagination = answer.json["pagination"]
        if not pagination["hasMore"]:
            assert pagination == {"hasMore": False}
            return found
        assert answer.data, "an empty page cannot have more behind it"
        answer = await api.get(path, {"cursor": pagination["cursor"]})
    raise AssertionError("the walk does not end")


async def everything(api: Api, path: str, properties: Properties) -> list[Record]:
    """All records of a collection, by id, deleted ones too."""
    wanted = [("pageSize", "100")]
    if "state" in properties:
        wanted += [("state", state) for state in STATES]
    return await walk(api, path, wanted)


def text(value: Any) -> str:
    """A value of a document as a query has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def sort_key(prop: Property) -> Callable[[Record], tuple[bool, Any]]:
    """Nulls last ascending, as PostgreSQL has them; texts by code point; every id as a number."""

    def key(record: Record) -> tuple[bool, Any]:
        value = record.get(prop.name)
        return (value is None, "" if value is None else int(value) if prop.is_number else value)

    return key


def ordered(records: list[Record], *keys: tuple[Property, bool]) -> list[Record]:
    """The records sorted by property and direction (True is descending), the id breaking ties."""
    found = sorted(records, key=lambda record: int(record["id"]))
    for prop, descending in reversed(keys):
        # Reversed, too, the sort keeps equal records in their order.
        found.sort(key=sort_key(prop), reverse=descending)
    return found


OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: value == wanted,
    "ne": lambda value, wanted: value != wanted,
    "lt": lambda value, wanted: value is not None and value < wanted,
    "le": lambda value, wanted: value is not None and value <= wanted,
    "gt": lambda value, wanted: value is not None and value > wanted,
    "ge": lambda value, wanted: value is not None and value >= wanted,
    "contains": lambda value, wanted: value is not None and wanted.lower() in value.lower(),
    "startsWith": lambda value, wanted: (
        value is not None and value.lower().startswith(wanted.lower())
    ),
}
"""What each operator asks of a record's value."""
