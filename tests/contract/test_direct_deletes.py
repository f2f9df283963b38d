"""Deletes for good in two round trips, and what takes the general way (contract, Bulk, States)."""

import asyncio
from typing import Any
from unittest.mock import AsyncMock

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.resources.registry import MASTER_RECORDS
from service.writing import writes
from tests.faults.proxy import Proxy
from tests.support.api import Api
from tests.support.changes import Follower
from tests.support.serving import serving
from tests.support.time_limits import scaled

pytestmark = [
    pytest.mark.contract("Bulk"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

CATEGORIES, ITEMS = "/api/item-categories", "/api/items"
LAST = {"state": "deleted", "usedInItems": 0}


async def make(api: Api, *names: str) -> list[dict[str, Any]]:
    """Create item categories with these names."""
    return list((await api.post(CATEGORIES, [{"name": name} for name in names])).data)


def ids_of(records: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ids": [record["id"] for record in records]}


def test_only_records_that_rows_alone_show_are_deleted_directly() -> None:
    direct = [each for each in MASTER_RECORDS if "lock_last" in each.statements]
    assert [each.name for each in direct] == ["item-categories"]
    assert all(each.deletes == ("purge",) for each in direct)


@pytest.mark.plain_postgresql
async def test_they_take_two_round_trips(api: Api, shared_dsn: str) -> None:
    proxy = Proxy(shared_dsn)
    async with serving(await proxy.open(), POOL_SIZE="1") as server, TestClient(server) as client:
        api = Api(client, api.key)
        requests: list[list[str]] = []
        for _ in range(6):  # until no background task sends statements in between
            made = await make(api, "Cords", "Toggles")
            proxy.requests.clear()
            assert (await api.delete(CATEGORIES, params=ids_of(made))).status == 200
            requests = [[text.split(None, 1)[0] for text in texts] for texts in proxy.requests]
            if len(requests) == 2:
                break
    await proxy.close()
    assert [len(texts) for texts in requests] == [6, 4]
    assert (requests[0][:3], requests[1][0]) == (["begin", "set", "set"], "delete")
    assert requests[1][-1] == "commit"


async def test_the_answer_and_the_change_are_those_of_the_general_way(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the request."""
    answers = list[Any]()
    for is_direct in (True, False):
        made = (await make(api, "Größe \\ \"'", "Cords", "Toggles"))[::-1]
        if not is_direct:
            monkeypatch.setattr(writes, "delete_directly", AsyncMock(return_value=None))
        follower = Follower(api)
        await follower.begin()
        answer = await api.delete(CATEGORIES, params=ids_of(made))
        for before, after in zip(made, answer.data, strict=True):
            assert after == before | LAST | {"endDate": after["endDate"]}
            assert [*after][-2:] == ["endDate", "properties"]
        changes = await follower.entries()
        assert [(each["collection"], each["operation"], each["recordId"]) for each in changes] == [
            ("item-categories", "deleted", record["id"]) for record in made[::-1]
        ]
        assert (await api.get(f"{CATEGORIES}/{made[0]['id']}")).status == 404
        unlike = dict.fromkeys(("id", "beginDate", "endDate"))
        answers.append([record | unlike for record in answer.data])
    assert answers[0] == answers[1]


async def test_all_errors_are_reported(api: Api) -> None:
    """One is used, one unknown, one malformed; nothing is deleted."""
    made = await make(api, "Cords", "Toggles")
    used, free = made[0]["id"], made[1]["id"]
    await api.post(ITEMS, {"number": "1", "name": "Cord", "itemCategoryId": used})
    answer = await api.delete(CATEGORIES, params={"ids": [used, free]})
    assert answer.details == [("conflict.in_use", "ids[0]")]
    answer = await api.delete(CATEGORIES, params={"ids": [987654321, used, free]})
    assert answer.details == [("not_found", "ids[0]"), ("conflict.in_use", "ids[1]")]
    answer = await api.delete(CATEGORIES, params={"ids": [free, "0", free]})
    assert [path for _, path in answer.details] == ["ids[1]", "ids[2]"]
    stored = [(await api.get(f"{CATEGORIES}/{record['id']}")).data for record in made]
    assert [record["usedInItems"] for record in stored] == [1, 0]
    skipped = await api.delete(CATEGORIES, params={"ids": [used, free], "onError": "skip"})
    assert [each["outcome"] for each in skipped.data] == ["failed", "deleted"]


async def test_references_of_deleted_records_are_cleared(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    [made] = await make(api, "Cords")
    item = {"number": "1", "name": "Cord", "itemCategoryId": made["id"]}
    await api.delete((await api.post(ITEMS, item)).headers["Location"])
    stored = "select item_category_id from item where organization_id = $1"
    assert await shared_connection.fetchval(stored, api.organization_id) == made["id"]
    answer = await api.delete(CATEGORIES, params={"ids": made["id"]})
    assert (answer.status, answer.data[0]["state"]) == (200, "deleted")
    assert await shared_connection.fetchval(stored, api.organization_id) is None


async def test_the_last_document_is_that_of_the_last_write(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    """A delete that waits for another write shows what that wrote."""
    [made] = await make(api, "Cords")
    async with shared_connection.transaction():
        text = "update item_category set name = 'Ropes' where organization_id = $2 and id = $1"
        await shared_connection.execute(text, made["id"], api.organization_id)
        deleting = asyncio.create_task(api.delete(CATEGORIES, params={"ids": made["id"]}))
        await asyncio.wait([deleting], timeout=scaled(0.1))
        assert not deleting.done()
    assert [record["name"] for record in (await deleting).data] == ["Ropes"]


async def test_a_path_by_key_and_a_stale_tag_are_looked_at(api: Api) -> None:
    [made] = await make(api, "Cords")
    stale = {"If-Match": '"stale"'}
    assert (await api.delete(f"{CATEGORIES}/{made['id']}", headers=stale)).status == 412
    assert (await api.delete(f"{CATEGORIES}/name=Ropes")).status == 404
    deleted = await api.delete(f"{CATEGORIES}/name=Cords")
    assert deleted.data == made | LAST | {"endDate": deleted.data["endDate"]}
