"""Tests of reads of records as they were after a change (contract, History)."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from tests.support.api import Answer, Api, issue_key
from tests.support.inserted_rows import execute
from tests.support.serving import serving
from tests.support.transactions import position

pytestmark = pytest.mark.contract("History")

BRAND = {"customId": "B-PAST", "name": "First", "state": "active"}


async def changed(api: Api, *names: str) -> tuple[str, list[int]]:
    """Create a brand and give it names; return its path, and the number after each change."""
    path = f"/api/brands/{(await api.post('/api/brands', BRAND)).data['id']}"
    numbers = [await position(api)]
    for name in names:
        assert (await api.put(path, {**BRAND, "name": name})).status == 200
        numbers.append(await position(api))
    return path, numbers


def failure(answer: Answer) -> tuple[int, list[tuple[str, str | None]]]:
    return answer.status, answer.details


async def test_a_time_is_the_last_change_before_it(api: Api) -> None:
    path, numbers = await changed(api, "Second")
    await asyncio.sleep(0.01)
    between = datetime.now(UTC).isoformat()
    await api.put(path, {**BRAND, "name": "Third"})
    answer = await api.get(path, {"at": between})
    assert (answer.data["name"], answer.headers["X-Changes-After"]) == ("Second", str(numbers[-1]))
    future = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    answer = await api.get(path, {"at": future, "form": "writable"})
    newest = str(await position(api))
    assert (answer.data["name"], answer.headers["X-Changes-After"]) == ("Third", newest)


async def test_the_form_of_then_has_a_tag_of_its_own(api: Api) -> None:
    path, numbers = await changed(api, "Second")
    answer = await api.get(path, {"at": str(numbers[0])})
    assert answer.data == {**BRAND}
    same = await api.get(path, {"at": str(numbers[0])}, headers={"If-None-Match": answer.tag})
    assert same.status == 304
    now = await api.get(path, {"at": str(numbers[1])})
    assert now.tag == (await api.get(path, {"form": "writable"})).tag != answer.tag


async def test_what_is_deleted_for_good_can_be_read(api: Api) -> None:
    made = await api.post("/api/item-categories", {"name": "Zips"})
    path = f"/api/item-categories/{made.data['id']}"
    n = await position(api)
    assert (await api.delete(path)).status == 200
    assert (await api.get(path, {"at": str(n)})).data["name"] == "Zips"
    gone = await api.get(path, {"at": str(n + 1)})
    assert failure(gone) == (404, [("not_found", "id")])
    before = await api.get(path, {"at": str(n - 1)})
    assert before.status == 404


@pytest.mark.parametrize(
    ("query", "type_", "field"),
    [
        ({"at": "99999999"}, "validation_error.out_of_range", "at"),
        ({"at": "9" * 30}, "validation_error.out_of_range", "at"),
        ({"at": "yesterday"}, "validation_error.invalid_value", "at"),
        ({"at": "2027-01-31"}, "validation_error.invalid_value", "at"),
        ({"at": ""}, "validation_error.invalid_value", "at"),
        ({"at": "1", "form": "document"}, "validation_error.invalid_value", "form"),
        ({"at": "1", "fields": "name"}, "validation_error.exclusive_parameters", "fields"),
        ([("at", "1"), ("at", "2")], "validation_error.duplicate", "at"),
    ],
)
async def test_wrong_values_are_refused(api: Api, query: Any, type_: str, field: str) -> None:
    path, _ = await changed(api)
    assert failure(await api.get(path, query)) == (400, [(type_, field)])


async def test_lists_and_organizations_take_no_at(api: Api) -> None:
    for path in ("/api/brands", "/api/organizations/1", "/api/languages/1"):
        answer = await api.get(path, {"at": "0"})
        assert failure(answer) == (400, [("validation_error.unknown_parameter", "at")])


@pytest.mark.parametrize("settings", [{"HISTORY_DAYS": "0"}, {"HISTORY_EXCEPT": "brands"}])
async def test_without_history_there_is_no_past(
    api: Api, demo_dsn: str, settings: dict[str, Any]
) -> None:
    path, numbers = await changed(api, "Second")
    async with serving(demo_dsn, **settings) as server, TestClient(server) as client:
        other = Api(client, api.key)
        answer = await other.get(path, {"at": str(numbers[0])})
        assert failure(answer) == (400, [("validation_error.feature_disabled", "at")])
        await other.put(path, {**BRAND, "name": "Unseen"})
    # What was not stored cannot be told; other collections have lost all, or nothing.
    later = await position(api)
    lost = await api.get(path, {"at": str(numbers[1])})
    assert failure(lost) == (410, [("gone.changes_expired", "at")])
    assert (await api.get(path, {"at": str(later)})).data["name"] == "Unseen"


async def test_what_has_expired_is_gone(api: Api, demo_dsn: str) -> None:
    path, numbers = await changed(api, "Second")
    await execute(
        demo_dsn,
        "update change_feed set cleared_n = $2, cleared_at = now() where organization_id = $1",
        *(api.organization_id, numbers[1]),
    )
    hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    for at in (str(numbers[0]), hour_ago):
        answer = await api.get(path, {"at": at})
        assert failure(answer) == (410, [("gone.changes_expired", "at")])
    assert (await api.get(path, {"at": str(numbers[1])})).data["name"] == "Second"


async def test_keys_of_suppliers_read_no_past(api: Api, demo_dsn: str) -> None:
    supplier_id = (await api.post("/api/suppliers", {"customId": "S", "name": "S"})).data["id"]
    style = {"number": "SV-PAST", "name": "Coat", "supplierId": supplier_id}
    path = f"/api/styles/{(await api.post('/api/styles', style)).data['id']}"
    key = await issue_key(demo_dsn, api.organization_id, f"styles[supplierId={supplier_id}]:read")
    supplier = Api(api.client, key)
    assert (await supplier.get(path)).status == 200
    answer = await supplier.get(path, {"at": str(await position(api))})
    assert answer.status == 403
    assert [type_ for type_, _ in answer.details] == ["forbidden.scope"]


async def test_the_past_of_others_is_unknown(api: Api, other_api: Api) -> None:
    path, _ = await changed(api)
    await position(other_api)
    answer = await other_api.get(path, {"at": "0"})
    assert failure(answer) == (404, [("not_found", "id")])
    size_range = (await api.post("/api/size-ranges", {"name": "R", "userDefinedId": "R-PAST"})).data
    answer = await other_api.get(f"/api/size-ranges/{size_range['id']}", {"at": "0"})
    assert failure(answer) == (403, [("forbidden.organization", "id")])


async def test_each_of_many_changes_can_be_read(api: Api) -> None:
    names = [f"N{n}" for n in range(20)]
    path, numbers = await changed(api, *names)
    for n, name in zip(numbers, ("First", *names), strict=True):
        assert (await api.get(path, {"at": str(n)})).data["name"] == name
