"""Tests of filters and sorts of every list (contract, Lists)."""

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import pytest

from service import schemas
from service.handlers.reads import columns
from service.listing import operators
from service.listing.properties import Property
from service.records.resource import Resource
from service.routes import Route
from tests.support.api import Api
from tests.support.contract_index import section
from tests.support.listing import (
    OPERATORS,
    STATES,
    Record,
    condition,
    everything,
    listed,
    operands,
    ordered,
    scalars,
    text,
    walk,
)
from tests.support.openapi_validation import invalid, is_failure
from tests.support.parametrize import of_each_list

pytestmark = pytest.mark.contract("Lists")

GROUPS = "/api/groups"


def shown(resource: Resource, records: list[Record], name: str = "") -> list[Record]:
    """Return the records without deleted ones, unless the state is filtered."""
    if not resource.listed or name == "state" or "state" not in resource.properties:
        return records
    return [record for record in records if record["state"] != "deleted"]


def chosen(records: list[Record], prop: Property) -> list[Any]:
    """Return up to three of the values, starting from the middle.

    None has a comma, nor is so long, as those that other tests made up may be, that a request line
    could not hold three.
    """
    values = {record[prop.name] for record in records if record.get(prop.name) is not None}
    plain = sorted(value for value in values if "," not in text(value) and len(text(value)) <= 200)
    return plain[len(plain) // 2 :][:3]


@pytest.mark.contract("Filters", "CSV")
@of_each_list
def test_every_list_of_values_filters_and_is_a_cell(route: Route) -> None:
    """``test_reference_filters.py`` has what they find; ``properties`` of documents are empty."""
    members = schemas.definition(listed(route).name, "document").properties
    for name, member in members.items():
        if "array" in member.types and not member.items.properties and name != "properties":
            assert operators.names_of(listed(route).properties[name]) == ["eq", "in"]
            assert columns(listed(route), [name]) == (name,)


@pytest.mark.contract("CSV")
async def test_lists_of_ids_are_cells(shared_api: Api) -> None:
    cells = list[str]()
    lists = {"styles": "groupIds", "style-colors": "seasonIds", "channels": "languageIds"}
    for path, name in lists.items():
        params = {"pageSize": "100"}
        records = (await shared_api.get(f"/api/{path}", params)).data
        table = await shared_api.get(f"/api/{path}", params, headers={"Accept": "text/csv"})
        rows = [*csv.DictReader(io.StringIO(table.raw.decode(), newline=""))]
        assert [row[name] for row in rows] == [";".join(map(str, r[name])) for r in records]
        cells += [row[name] for row in rows]
    assert any(";" in cell for cell in cells)


@pytest.mark.contract("Filters")
@of_each_list
async def test_every_scalar_field_filters_in_the_format_of_the_response(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    resource, path = listed(route), route.path.format(**stored)
    records = await everything(shared_api, path, resource.properties)
    for prop in scalars(resource):
        values = chosen(records, prop)
        for selected in (values[:1], values[:2]) if values else ():
            params = [(prop.name, text(value)) for value in selected] + [("pageSize", "100")]
            assert await walk(shared_api, path, params) == [
                record
                for record in shown(resource, records, prop.name)
                if record.get(prop.name) in selected
            ], (prop, selected)


@pytest.mark.contract("Filters")
@of_each_list
async def test_every_operator_of_every_field(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    resource, path = listed(route), route.path.format(**stored)
    records = await everything(shared_api, path, resource.properties)
    for prop in scalars(resource):
        candidates, values = shown(resource, records, prop.name), chosen(records, prop)
        for operator in operators.names_of(prop):
            # What comes before and after is as it sorts: every id a number.
            is_ordered = prop.stored_as_integer and operator in ("lt", "le", "gt", "ge")
            kind: Callable[[Any], Any] = int if is_ordered else lambda value: value
            for sent, operand in operands(operator, values):
                params = [*condition(prop.name, operator, sent), ("pageSize", "100")]
                compare = OPERATORS[operator]
                assert await walk(shared_api, path, params) == [
                    record
                    for record in candidates
                    if compare(kind(record.get(prop.name)), kind(operand))
                ], (prop, operator, operand)


def test_every_operator_is_tried_and_documented() -> None:
    page = section("Filters")
    documented = re.findall(r"`(\w+)`", "".join(re.findall(r"(?m)^\| (`[^|]+) \|", page)))
    assert sorted(OPERATORS) == operators.NAMES == sorted(documented)


@pytest.mark.contract("Sorts")
@of_each_list
async def test_every_stored_field_sorts_both_ways(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    resource, path = listed(route), route.path.format(**stored)
    records = shown(resource, await everything(shared_api, path, resource.properties))
    for prop in scalars(resource):
        if not prop.sortable:
            answer = await shared_api.get(path, {"sort[0].property": prop.name})
            is_failure(answer, 400, invalid("invalid_value"))
            continue
        for member, word, descending in (
            ("order", "ASC", False),
            ("direction", "Descending", True),
        ):
            params = [
                ("sort[3].property", prop.name.upper()),
                (f"sort[3].{member}", word),
                ("pageSize", "100"),
            ]
            in_order = await walk(shared_api, path, params)
            assert in_order == ordered(records, (prop, descending)), (prop, descending)


@pytest.mark.contract("Filters")
async def test_all_conditions_hold_together(shared_api: Api) -> None:
    params = [
        ("state", "active"),
        *condition("usedInStyles", "gt", "0", number=7),
        *condition("NAME", "CONTAINS", "spring", number=2),
        ("filter[9].property", "id"),
        ("filter[9].value", "1"),
    ]
    records = await walk(shared_api, GROUPS, params)
    assert [record["id"] for record in records] == [1]
    for record in await walk(shared_api, GROUPS, params[:-2]):
        assert record["state"] == "active"
        assert record["usedInStyles"] > 0
        assert "spring" in record["name"].lower()


@pytest.mark.contract("Filters")
async def test_null_is_not_equal_to_a_value(shared_api: Api) -> None:
    without = await shared_api.post(GROUPS, {"name": "Without a reference"})
    id_ = text(without.data["id"])
    mine = ("id", id_)
    for operator, value, is_match in (
        ("ne", "G-1", True),
        ("eq", "G-1", False),
        ("lt", "zzz", False),
        ("isNull", "true", True),
        ("isNull", "false", False),
        ("contains", "", False),
    ):
        params = [mine, *condition("userDefinedId", operator, value)]
        assert bool((await shared_api.get(GROUPS, params)).data) is is_match, (operator, value)
    await shared_api.delete(f"{GROUPS}/{id_}")


@pytest.mark.contract("Filters")
async def test_parts_of_texts_ignore_case_beyond_ascii(shared_api: Api) -> None:
    names = ["ÄÖÜ Überwurf", "ΣΊΣΥΦΟΣ", "Жакет", "ÉCOLE française"]
    made = [(await shared_api.post(GROUPS, {"name": name})).data["id"] for name in names]
    for operator, part, number in (
        ("contains", "ÜBERWURF", 0),
        ("startsWith", "äöü ü", 0),
        ("contains", "ίσυ", 1),
        ("startsWith", "жаК", 2),
        ("contains", "FRANÇAISE", 3),
        ("startsWith", "école F", 3),
    ):
        response = await shared_api.get(GROUPS, condition("name", operator, part))
        assert [record["id"] for record in response.data] == [made[number]], part
        exact = await shared_api.get(GROUPS, condition("name", "eq", part))
        assert exact.data == []
    await shared_api.delete(GROUPS, [("ids", text(id_)) for id_ in made])


@pytest.mark.contract("Filters")
async def test_parts_of_texts_are_no_patterns(shared_api: Api) -> None:
    made = (await shared_api.post(GROUPS, {"name": "50%_of\\[all]* 'x' \"y\""})).data["id"]
    for part in ("50%_", "%_of\\", "[all]*", "'x'", '"y"'):
        response = await shared_api.get(GROUPS, condition("name", "contains", part))
        assert [record["id"] for record in response.data] == [made], part
    assert (await shared_api.get(GROUPS, condition("name", "contains", "5%x"))).data == []
    await shared_api.delete(f"{GROUPS}/{made}")


@pytest.mark.contract("Sorts")
async def test_texts_sort_by_code_point(shared_api: Api) -> None:
    names = ["Zebra ~sort", "apple ~sort", "Äpfel ~sort", "~ ~sort", "𝄞 ~sort", "\uff5e ~sort"]
    made = await shared_api.post(GROUPS, [{"name": name} for name in names])
    response = await shared_api.get(
        GROUPS, [*condition("name", "contains", "~sort"), ("sort[0].property", "name")]
    )
    assert [record["name"] for record in response.data] == sorted(names)
    await shared_api.delete(GROUPS, [("ids", text(record["id"])) for record in made.data])


async def test_deleted_records_are_left_out_unless_the_state_is_asked_for(shared_api: Api) -> None:
    made = (await shared_api.post(GROUPS, {"name": "Soon gone"})).data["id"]
    await shared_api.delete(f"{GROUPS}/{made}")
    mine = ("id", text(made))
    assert (await shared_api.get(GROUPS, [mine])).data == []
    for params in (
        [("state", "deleted")],
        [("state", state) for state in STATES],
        condition("state", "in", "deleted,active"),
        condition("state", "ne", "active"),
        condition("state", "isNull", "false"),
    ):
        assert [r["id"] for r in (await shared_api.get(GROUPS, [mine, *params])).data] == [made]


async def test_the_contract_s_own_example(shared_api: Api) -> None:
    answer = await shared_api.get("/api/colors?state=active&pageSize=30")
    assert len(answer.data) == 30
    assert {record["state"] for record in answer.data} == {"active"}


@pytest.mark.contract("Style relations")
async def test_style_relations_by_style(shared_api: Api) -> None:
    """Contract, Style relations: links owned by a style, and links pointing to one."""
    [relation] = (await shared_api.get("/api/style-relations", {"pageSize": 1})).data
    for name in ("styleId", "relatedStyleId"):
        records = await walk(shared_api, "/api/style-relations", [(name, text(relation[name]))])
        assert relation in records
        assert {record[name] for record in records} == {relation[name]}
    empty = await shared_api.get("/api/style-relations", {"styleId": 2**62})
    assert empty.json == {
        "status": "success",
        "code": "ok",
        "data": [],
        "pagination": {"hasMore": False},
    }
