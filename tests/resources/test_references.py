"""Tests of reference lists: list and read operations (contract, Reference lists)."""

import pytest

from tests.support.api import Api
from tests.support.openapi_validation import form

pytestmark = [pytest.mark.contract("Reference lists"), pytest.mark.shared_demo_data]

PATH = "/api/styles/1/sample-requests"


async def test_list_pages_read_and_filter(api: Api) -> None:
    """Contract, Lists: 30 on a page; it holds what single reads answer."""
    first = await api.get(PATH)
    assert len(first.data) == 30
    following = await api.get(PATH, {"cursor": first.json["pagination"]["cursor"]})
    ids = [record["id"] for record in first.data + following.data]
    assert ids == sorted(set(ids))
    assert len(ids) > 30
    for record in first.data[:3]:
        form("sample-requests", "document").validate(record)
        assert (await api.get(f"{PATH}/{record['id']}")).data == record
        assert record in (await api.get(PATH, {"name": record["name"]})).data


async def test_read_answers(api: Api, other_api: Api) -> None:
    """Unknown and foreign records are the same 404; malformed ids are 400; reads are cached."""
    record_path = f"{PATH}/{(await api.get(PATH)).data[0]['id']}"
    tag = (await api.get(record_path)).headers["ETag"]
    assert (await api.get(record_path, headers={"If-None-Match": tag})).status == 304
    unknown = await api.get(f"{PATH}/987654321")
    assert (unknown.status, unknown.details) == (404, [("not_found", "id")])
    foreign = await other_api.get(record_path)
    assert foreign.status == 404
    malformed = await api.get(f"{PATH}/x")
    assert (malformed.status, malformed.details) == (
        400,
        [("validation_error.invalid_value", "id")],
    )
    assert (await api.get(record_path, {"form": "writable"})).status == 400


async def test_sample_requests_hang_on_a_style(api: Api, other_api: Api) -> None:
    """Sample requests of one style: an unknown or foreign style is 404 `styleId`."""
    unknown_style = [("not_found", "styleId")]
    for caller, style in ((api, 987654321), (other_api, 1)):
        for path in (
            f"/api/styles/{style}/sample-requests",
            f"/api/styles/{style}/sample-requests/1",
        ):
            answer = await caller.get(path)
            assert (answer.status, answer.details) == (404, unknown_style)
    mine = (await api.get(PATH)).data[0]["id"]
    elsewhere = await api.get(f"/api/styles/2/sample-requests/{mine}")
    assert (elsewhere.status, elsewhere.details) == (404, [("not_found", "id")])
    beyond = await api.get(PATH, {"pageNumber": 1000})
    assert (beyond.status, beyond.data) == (200, [])
    malformed = await api.get("/api/styles/0/sample-requests/x")
    assert malformed.details == [
        ("validation_error.invalid_value", "styleId"),
        ("validation_error.invalid_value", "id"),
    ]


@pytest.mark.contract("Cursors")
async def test_a_cursor_belongs_to_its_style(api: Api) -> None:
    """A cursor made for one style's sample requests is none for another's."""
    first = await api.get(PATH, {"pageSize": 1})
    cursor = {"cursor": first.json["pagination"]["cursor"]}
    assert (await api.get(PATH, cursor)).status == 200
    elsewhere = await api.get("/api/styles/2/sample-requests", cursor)
    assert elsewhere.details == [("validation_error.invalid_cursor", "cursor")]


@pytest.mark.contract("Order of arrays")
async def test_sizes_of_a_sample_request_are_by_id(api: Api) -> None:
    """Arrays have one order: requested sizes by id."""
    for request in (await api.get(PATH)).data:
        ids = [size["sizeRangeSizeId"] for size in request["sizes"]]
        assert ids == sorted(ids)
        assert ids
