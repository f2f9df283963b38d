"""Tests of wrong list parameters: each is reported by its name (contract, Lists)."""

import pytest

from service.listing.operators import names_of
from service.routes import Route
from tests.support.api import Api
from tests.support.listing import condition, listed
from tests.support.openapi_validation import invalid, is_failure
from tests.support.parametrize import of_each_list

pytestmark = pytest.mark.contract("Lists", "Filters", "Sorts", "Pages")

GROUPS = "/api/groups"


WRONG = {
    "integer": ["abc", "1.0", "", " 1", "01", "+1", "1e3", "9223372036854775808", "٣"],
    "number": ["abc", "", "NaN", "Infinity", "1e999", "0x1"],
    "boolean": ["TRUE", "1", "", "yes"],
    "date": ["2026", "", "2026-02-30", "20260201", "2026-11-20T09:18:00.000000Z", "now"],
    "date-time": ["2026-11-20", "", "2026-13-01T00:00:00Z", "2026-11-20T09:18:00", "now"],
}


@of_each_list
async def test_values_of_a_wrong_form(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = route.path.format(**stored)
    for prop in listed(route).properties.values():
        for wrong in ["nonsense", "Active"] if prop.choices else WRONG.get(prop.kind, []):
            for params, field in (
                ([(prop.name, wrong)], prop.name),
                (condition(prop.name, "eq", wrong), "filter[0].value"),
                (condition(prop.name, "in", f"{wrong},{wrong}"), "filter[0].value"),
            ):
                answer = await shared_api.get(path, params)
                assert set(answer.details) == {(invalid("invalid_value"), field)}, (prop, params)
        answer = await shared_api.get(path, condition(prop.name, "isNull", "maybe"))
        wrong_member = "operator" if prop.within else "value"
        assert answer.details == [(invalid("invalid_value"), f"filter[0].{wrong_member}")]
        for operator in {"contains", "startsWith", "lt", "isNull"} - {*names_of(prop)}:
            answer = await shared_api.get(path, condition(prop.name, operator, "1"))
            assert answer.details[0] == (invalid("invalid_value"), "filter[0].operator")


PARAMETERS: list[tuple[str, list[tuple[str, str]]]] = [
    ("colour=red", [("unknown_parameter", "colour")]),
    ("usedInStyles=1&beginDate.gt=1", [("unknown_parameter", "beginDate.gt")]),
    ("properties=x", [("unknown_parameter", "properties")]),
    ("pageSize=0", [("out_of_range", "pageSize")]),
    ("pageSize=101", [("out_of_range", "pageSize")]),
    ("pageSize=-1", [("out_of_range", "pageSize")]),
    ("pageSize=ten", [("invalid_value", "pageSize")]),
    ("pageSize=1.5", [("invalid_value", "pageSize")]),
    ("pageSize=", [("invalid_value", "pageSize")]),
    ("pageSize=10&pageSize=10", [("duplicate", "pageSize")]),
    ("pageNumber=0", [("out_of_range", "pageNumber")]),
    ("pageNumber=99999999999999999999", [("out_of_range", "pageNumber")]),
    ("pageNumber=1&pageNumber=2", [("duplicate", "pageNumber")]),
    ("filter=name", [("invalid_value", "filter")]),
    ("sort=name", [("invalid_value", "sort")]),
    ("filter[0].property=name", [("required_field", "filter[0].value")]),
    ("filter[0].value=x", [("required_field", "filter[0].property")]),
    ("filter[0].property=nope&filter[0].value=x", [("invalid_value", "filter[0].property")]),
    (
        "filter[0].property=name&filter[0].operator=like&filter[0].value=x",
        [("invalid_value", "filter[0].operator")],
    ),
    (
        "filter[0].property=name&filter[0].value=x&filter[0].colour=x",
        [("unknown_parameter", "filter[0].colour")],
    ),
    ("filter[x].property=name", [("unknown_parameter", "filter[x].property")]),
    (
        "filter[0].property=name&filter[0].property=name&filter[0].value=x",
        [("duplicate", "filter[0].property")],
    ),
    ("sort[0].order=asc", [("required_field", "sort[0].property")]),
    ("sort[0].property=nope", [("invalid_value", "sort[0].property")]),
    ("sort[0].property=name&sort[0].order=up", [("invalid_value", "sort[0].order")]),
    ("sort[0].property=name&sort[0].order=", [("invalid_value", "sort[0].order")]),
    (
        "sort[0].property=name&sort[0].order=asc&sort[0].direction=asc",
        [("exclusive_parameters", "sort[0].direction")],
    ),
    ("sort[0].property=name&sort[1].property=Name", [("duplicate", "sort[1].property")]),
    ("sort[0].property=usedInStyles", [("invalid_value", "sort[0].property")]),
    ("cursor=", [("invalid_cursor", "cursor")]),
    ("cursor=a&cursor=a", [("duplicate", "cursor")]),
    (
        "colour=red&pageSize=0&state=gone&sort[0].order=asc",
        [
            ("unknown_parameter", "colour"),
            ("out_of_range", "pageSize"),
            ("invalid_value", "state"),
            ("required_field", "sort[0].property"),
        ],
    ),
]


@pytest.mark.parametrize(("query", "rows"), PARAMETERS, ids=[query for query, _ in PARAMETERS])
async def test_wrong_parameters(query: str, rows: list[tuple[str, str]], shared_api: Api) -> None:
    answer = await shared_api.get(f"{GROUPS}?{query}")
    assert answer.details == [(invalid(kind), field) for kind, field in rows]
    is_failure(answer, 400, answer.json["code"])


async def test_webhooks_take_no_time(shared_api: Api) -> None:
    """The feed does not have them, so the parameter would have no effect."""
    answer = await shared_api.get("/api/webhooks", {"changedSince": "2999-01-01T00:00:00Z"})
    assert answer.details == [("validation_error.unknown_parameter", "changedSince")]
