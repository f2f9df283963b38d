"""Tests of reads of style relations (contract, Style relations)."""

from itertools import product
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.listing import walk
from tests.support.offenders import in_each

pytestmark = [pytest.mark.contract("Style relations"), pytest.mark.shared_demo_data]

RELATIONS = "/api/style-relations"


async def every(api: Api) -> list[dict[str, Any]]:
    """Return all style relations of the demo data."""
    return await walk(api, RELATIONS, [("pageSize", "100")])


async def test_document(api: Api) -> None:
    """Fields: id, styleId, relatedStyleId, and the related style's number and name."""
    for relation in (await api.get(RELATIONS)).data[:10]:
        style = (await api.get(f"/api/styles/{relation['relatedStyleId']}")).data
        assert relation == {
            "id": relation["id"],
            "styleId": relation["styleId"],
            "relatedStyleId": style["id"],
            "relatedStyleNumber": style["number"],
            "relatedStyleName": style["name"],
        }


@in_each("name", ["styleId", "relatedStyleId"])
async def test_links_of_a_style(api: Api, name: str) -> None:
    """Query, styleId and relatedStyleId: links owned by a style, and links pointing to it."""
    relations = await every(api)
    value = relations[len(relations) // 2][name]
    records = await walk(api, RELATIONS, [(name, str(value)), ("pageSize", "2")])
    assert records == [relation for relation in relations if relation[name] == value]
    empty = (await api.get(RELATIONS, {name: 2**62})).json
    assert (empty["data"], empty["pagination"]) == ([], {"hasMore": False})


@pytest.mark.contract("Sorts")
@in_each(
    ("word", "spelling"),
    product(
        ["asc", "desc", "ascending", "descending", "DESC", "Ascending"], ["order", "direction"]
    ),
)
async def test_sort(api: Api, word: str, spelling: str) -> None:
    """Query, sort: by Id, StyleId, RelatedStyleId and more, in any case, either way to say it."""
    relations = await every(api)
    down = word.lower().startswith("desc")
    for column in ("Id", "StyleId", "RelatedStyleId"):
        name = column[0].lower() + column[1:]
        expected = sorted(relations, key=lambda relation: int(relation[name]), reverse=down)
        query = {"sort[0].property": column, f"sort[0].{spelling}": word, "pageSize": "100"}
        assert (await api.get(RELATIONS, query)).data == expected[:100]
    by_two = {"sort[0].property": "RelatedStyleId", "sort[1].property": "StyleId"}
    records = (await api.get(RELATIONS, by_two | {f"sort[1].{spelling}": word})).data
    sign = -1 if down else 1
    expected = sorted(
        relations, key=lambda relation: (relation["relatedStyleId"], sign * relation["styleId"])
    )
    assert records == expected[:30]


@pytest.mark.contract("Pages")
async def test_pages(api: Api) -> None:
    """Contract, Pages: 30 records unless sent, 100 at most, the first page; members in order."""
    relations = await every(api)
    first = await api.get(RELATIONS)
    assert first.data == relations[:30] == (await api.get(RELATIONS, {"pageNumber": 1})).data
    assert list(first.json) == ["status", "code", "data", "pagination"]
    assert list(first.json["pagination"]) == ["hasMore", "cursor"]
    assert (await api.get(RELATIONS, {"pageSize": 100})).data == relations[:100]
    second = await api.get(RELATIONS, {"pageNumber": 2})
    carried = await api.get(RELATIONS, {"cursor": first.json["pagination"]["cursor"]})
    assert second.data == carried.data == relations[30:60]
    for name, value in (("pageSize", 101), ("pageSize", 0), ("pageNumber", 0)):
        refused = await api.get(RELATIONS, {name: value})
        assert (refused.status, refused.details) == (400, [("validation_error.out_of_range", name)])


@pytest.mark.contract("Cursors")
@in_each(
    "beside",
    [
        {"pageNumber": "1"},
        {"pageSize": "30"},
        {"filter[0].property": "id", "filter[0].operator": "gt", "filter[0].value": "1"},
        {"sort[0].property": "Id"},
    ],
)
async def test_cursor_alone(api: Api, beside: dict[str, str]) -> None:
    """Contract, Cursors: 400 beside pageNumber, pageSize, filter or sort."""
    cursor = (await api.get(RELATIONS)).json["pagination"]["cursor"]
    answer = await api.get(RELATIONS, {"cursor": cursor, **beside})
    assert (answer.status, answer.json["code"]) == (400, "validation_error.exclusive_parameters")


@pytest.mark.contract("Tenancy")
async def test_other_organizations(api: Api, other_api: Api) -> None:
    """Contract, Tenancy: data is scoped to the current organization."""
    own, other = await every(api), await every(other_api)
    assert not {relation["id"] for relation in own} & {relation["id"] for relation in other}
    assert (await other_api.get(RELATIONS, {"styleId": own[0]["styleId"]})).data == []
