"""Tests of query strings as list requests: typed, canonical, every error reported."""

from datetime import UTC, datetime
from typing import Any

import pytest

from service.errors import ApiError
from service.limits import MAX_CONDITIONS
from service.listing.list_request import ListRequest, SortKey
from service.listing.parameters import read_query
from service.listing.properties import Properties, Property

pytestmark = pytest.mark.contract("Lists", "Filters", "Sorts")

GROUPS = Properties("groups")
BY_ID = (SortKey(GROUPS["id"], False),)


def conditions(*pairs: tuple[str, str]) -> list[tuple[str, str, tuple[Any, ...]]]:
    """Return field, operator and values of each condition."""
    return [
        (c.property.name, c.operator.name, c.values) for c in read_query(pairs, GROUPS).conditions
    ]


@pytest.mark.contract("Pages")
def test_nothing_is_a_first_page_by_id() -> None:
    assert read_query([], GROUPS) == ListRequest((), BY_ID, 30)


def test_values_are_typed() -> None:
    assert conditions(
        ("beginDate", "2026-11-20T09:18:00.5+01:00"), ("id", "7"), ("STATE", "active")
    ) == [
        ("beginDate", "eq", (datetime(2026, 11, 20, 8, 18, 0, 500_000, tzinfo=UTC),)),
        ("id", "eq", (7,)),
        ("state", "eq", ("active",)),
    ]


def test_repeated_fields_are_one_condition_of_any_of_the_values() -> None:
    assert conditions(("id", "9"), ("state", "active"), ("Id", "7"), ("id", "9")) == [
        ("id", "eq", (7, 9)),
        ("state", "eq", ("active",)),
    ]


def test_conditions_have_one_order_whatever_that_of_the_request() -> None:
    pairs = [
        ("filter[5].property", "name"),
        ("filter[5].operator", "startswith"),
        ("filter[5].value", "A"),
        ("filter[0].property", "id"),
        ("filter[0].operator", "IN"),
        ("filter[0].value", "3,1,2"),
        ("name", "B"),
    ]
    assert conditions(*pairs) == conditions(*reversed(pairs))
    assert conditions(*pairs) == [
        ("id", "in", (1, 2, 3)),
        ("name", "eq", ("B",)),
        ("name", "startsWith", ("A",)),
    ]


def test_sort_keys_by_their_numbers_and_nothing_after_the_id() -> None:
    pairs = [
        ("sort[9].property", "state"),
        ("sort[2].property", "Name"),
        ("sort[2].direction", "DESCENDING"),
        ("sort[4].property", "id"),
        ("sort[4].order", "desc"),
    ]
    assert read_query(pairs, GROUPS).sort == (
        SortKey(GROUPS["name"], True),
        SortKey(GROUPS["id"], True),
    )
    assert read_query(pairs[:3], GROUPS).sort == (
        SortKey(GROUPS["name"], True),
        SortKey(GROUPS["state"], False),
        *BY_ID,
    )


def test_every_fault_in_the_order_of_the_request() -> None:
    with pytest.raises(ApiError) as error:
        read_query([("pageNumber", "0"), ("colour", "x"), ("id", "x"), ("sort", "id")], GROUPS)
    assert [(detail.type.rpartition(".")[2], detail.field) for detail in error.value.details] == [
        ("out_of_range", "pageNumber"),
        ("unknown_parameter", "colour"),
        ("invalid_value", "id"),
        ("invalid_value", "sort"),
    ]


@pytest.mark.contract("Limits")
def test_conditions_are_counted() -> None:
    def pairs(count: int) -> list[tuple[str, str]]:
        return [
            pair
            for n in range(count)
            for pair in ((f"filter[{n}].property", "name"), (f"filter[{n}].value", f"{n}"))
        ]

    assert len(read_query(pairs(MAX_CONDITIONS), GROUPS).conditions) == MAX_CONDITIONS
    with pytest.raises(ApiError) as error:
        read_query(pairs(MAX_CONDITIONS + 1), GROUPS)
    assert error.value.code == "validation_error.too_many_items"


def test_properties_come_from_the_schema() -> None:
    assert {prop.name: (prop.kind, prop.nullable, prop.sortable) for prop in GROUPS.values()} == {
        "id": ("integer", False, True),
        "name": ("string", False, True),
        "userDefinedId": ("string", True, True),
        "state": ("string", False, True),
        "usedInStyles": ("integer", False, False),
        "beginDate": ("date-time", False, True),
        "endDate": ("date-time", True, True),
    }
    assert GROUPS["state"].choices == frozenset({"active", "inactive", "deleted"})
    assert Properties("sub-suppliers")["id"].stored_kind == "integer"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("integer", {"0": 0, "-7": -7, str(2**63 - 1): 2**63 - 1}, ["", "1.0", "07", str(2**63)]),
        ("number", {"0.5": 0.5, "-1e3": -1000.0, "7": 7.0}, ["", ".5", "nan", "1e999", "0x1"]),
        ("boolean", {"true": True, "false": False}, ["True", "1", ""]),
        ("string", {"": "", "é": "é"}, []),
    ],
)
def test_values_in_the_format_of_the_response(
    kind: str, good: dict[str, Any], bad: list[str]
) -> None:
    prop = Property("x", kind, nullable=True, sortable=True)
    assert {text: prop.parse(text) for text in good} == good
    for text in bad:
        with pytest.raises(ValueError, match="Use"):
            prop.parse(text)
