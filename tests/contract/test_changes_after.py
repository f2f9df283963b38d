"""Tests of `after`, `epoch` and pages of whole transactions (contract, Changes)."""

import asyncio
from itertools import groupby
from typing import Any

import asyncpg
import pytest

from service.feed import change_feed
from service.handlers import response_cache
from tests.support.api import Answer, Api, replacing
from tests.support.changes import PATH, Follower

pytestmark = pytest.mark.contract("Changes")

GROUPS = "/api/groups"


async def transactions(api: Api, *sizes: int) -> None:
    """Write a transaction of each number of records."""
    for size in sizes:
        names = [{"name": f"Group {number}"} for number in range(size)]
        assert (await api.post(GROUPS, names)).status == 201


async def after(api: Api, n: int, **params: Any) -> Answer:
    answer = await api.get(PATH, {"after": str(n), **params})
    assert answer.status == 200, answer.raw
    return answer


def sizes(answer: Answer) -> list[tuple[int, int]]:
    """Return the number and the entries of each transaction of a page."""
    return [(n, len([*entries])) for n, entries in groupby(answer.data, lambda entry: entry["n"])]


async def test_pages_have_whole_transactions(api: Api) -> None:
    await transactions(api, 2, 1, 5, 1, 1, 1)
    pages = [await after(api, 0, limit="3")]
    while pages[-1].json["pagination"]["hasMore"]:
        pages.append(await after(api, pages[-1].data[-1]["n"], limit="3"))
    assert [*map(sizes, pages)] == [[(1, 2), (2, 1)], [(3, 5)], [(4, 1), (5, 1), (6, 1)]]
    follower = Follower(api, limit="3")
    follower.cursor = (await after(api, 0, limit="3")).json["pagination"]["cursor"]
    by_cursor = [page async for page in follower.pages()]
    assert [len(page) for page in by_cursor] == [5, 3]
    assert (await after(api, 6)).data == []


async def test_numbers_go_on_after_the_newest(api: Api) -> None:
    await transactions(api, 1)
    last = (await after(api, 0)).data[-1]["n"]
    waiting = asyncio.create_task(after(api, last, wait="10"))
    await asyncio.sleep(0.05)
    await transactions(api, 2)
    assert sizes(await waiting) == [(last + 1, 2)]


@pytest.mark.parametrize("name", ["epoch", "after"])
async def test_a_number_that_is_not_there_is_gone(name: str, api: Api) -> None:
    await transactions(api, 1, 1)
    epoch = (await after(api, 1)).headers["X-Changes-Epoch"]
    right = {"after": "1", "epoch": epoch}
    assert (await api.get(PATH, right)).status == 200
    wrong = {"after": "3", "epoch": str(int(epoch) ^ 1)}[name]
    answer = await api.get(PATH, right | {name: wrong})
    assert (answer.status, answer.details) == (410, [("gone.changes_expired", name)])


async def test_cleared_numbers_are_gone_and_the_oldest_is_not(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    await transactions(api, 1, 1, 1)
    await after(api, 1)
    for text in (
        "delete from change where n <= 2 and organization_id = $1",
        "update change_feed set cleared_n = 2 where organization_id = $1",
    ):
        await shared_connection.execute(text, api.organization_id)
    gone = await api.get(PATH, {"after": "1"})
    assert (gone.status, gone.details) == (410, [("gone.changes_expired", "after")])
    for n in (0, 2):
        assert sizes(await after(api, n)) == [(3, 1)]


async def test_every_page_tells_its_epoch(api: Api) -> None:
    await transactions(api, 1, 1)
    first = await api.get(PATH, {"limit": "1"})
    pages = [first, await api.get(PATH, {"cursor": first.json["pagination"]["cursor"]})]
    pages += [await api.get(PATH, {"from": "now"}), await after(api, 1)]
    assert len({page.headers["X-Changes-Epoch"] for page in pages}) == 1
    assert [page.headers["X-Changes-After"] for page in pages] == ["1", "2", "2", "2"]


async def test_the_number_of_a_page_continues_it(api: Api) -> None:
    await transactions(api, 1, 3, 1)
    entries, n, pages = list[Any](), "0", 0
    while len(entries) < 5:
        page = await after(
            api, int(n), limit="2", epoch=(await after(api, 0)).headers["X-Changes-Epoch"]
        )
        entries, n, pages = entries + page.data, page.headers["X-Changes-After"], pages + 1
    assert ([entry["n"] for entry in entries], n, pages) == ([1, 2, 2, 2, 3], "3", 3)
    within = await api.get(PATH, {"limit": "3"})
    again = await after(api, int(within.headers["X-Changes-After"]))
    assert sizes(again) == [(2, 3), (3, 1)]


@pytest.mark.contract("Limits")
async def test_documents_keep_transactions_whole(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    await transactions(api, 1, 12, 1, 1)
    monkeypatch.setattr("service.feed.change_feed.MAX_PAGE_BYTES", 900)
    pages = [await after(api, 0, documents="true")]
    while pages[-1].json["pagination"]["hasMore"]:
        n = pages[-1].data[-1]["n"]
        pages.append(await after(api, n, documents="true"))
    assert [size for page in pages for size in sizes(page)] == [(1, 1), (2, 12), (3, 1), (4, 1)]
    assert [(2, 12)] in [sizes(page) for page in pages]
    assert all(entry["document"]["name"] for page in pages for entry in page.data)
    monkeypatch.setattr("service.feed.changes.MAX_BATCH_BYTES", 1500)
    answer = await api.get(PATH, {"after": "1", "documents": "true"})
    assert answer.details == [("validation_error.out_of_range", "after")]


@pytest.mark.contract("Limits", "Budgets")
async def test_long_documents_of_a_transaction_are_on_one_page(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await transactions(api, 3)
    monkeypatch.setattr("service.feed.change_feed.MAX_PAGE_BYTES", 1)
    monkeypatch.setattr("service.records.resource.MAX_PAGE_BYTES", 1)
    page = await after(api, 0, documents="true")
    assert sizes(page) == [(1, 3)]
    assert all(entry["document"]["name"] for entry in page.data)


@pytest.mark.contract("Limits")
async def test_a_transaction_beyond_the_limit_is_refused(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await transactions(api, 1, 6)
    monkeypatch.setattr("service.feed.feed_parameters.MAX_TRANSACTION_ENTRIES", 5)
    assert sizes(await after(api, 0, limit="3")) == [(1, 1)]
    answer = await api.get(PATH, {"after": "1"})
    assert answer.details == [("validation_error.out_of_range", "after")]
    assert len((await api.get(PATH)).data) == 7


async def test_records_that_show_another_are_in_its_transaction(api: Api) -> None:
    group = (await api.post("/api/color-groups", {"name": "Blues"})).data["id"]
    colors = [{"name": f"Blue {number}", "colorGroupIds": [group]} for number in range(5)]
    await api.post("/api/colors", colors)
    await api.patch(f"/api/color-groups/{group}", replacing("/name", "Blue tones"))
    page = await after(api, 2, limit="2")
    assert sizes(page) == [(3, 6)]


@pytest.mark.contract("Lists", "Exports")
@pytest.mark.parametrize("path", ["/api/export?collection=groups", GROUPS])
async def test_positions_of_records_are_not_older_than_these(
    path: str, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changes without a number are numbered first: for an export all, for lists in intervals."""
    monkeypatch.setattr(response_cache, "RESPONSE_CACHE_SECONDS", 0.05)
    monkeypatch.setattr(change_feed, "NUMBERING_BATCH", 2)
    answer = await api.get(path)
    for number in range(3):
        assert (await api.post(GROUPS, {"name": f"Knit {number}"})).status == 201
    for _ in range(2):  # lists number one batch at a time
        await asyncio.sleep(0.1)
        answer = await api.get(path)
    position = {"after": answer.headers["X-Changes-After"]}
    assert (await api.get(PATH, position)).data == []
    assert int(answer.headers["X-Changes-Epoch"]) < 2**53
