"""Tests of entries with documents (contract, Changes)."""

import pytest

from tests.contract.test_changes import GROUPS, SUPPLIERS, now
from tests.support.api import Api, replacing
from tests.support.changes import PATH, Follower
from tests.support.receivers import make

pytestmark = pytest.mark.contract("Changes")


async def test_documents_are_as_they_are_now(api: Api) -> None:
    start = await now(api, documents="true")
    live, gone = await make(api, 2)
    supplier = (await api.post(SUPPLIERS, {"name": "Mill"})).data
    category = (await api.post("/api/item-categories", {"name": "Zippers"})).data["id"]
    await api.delete(f"{GROUPS}/{gone}")
    await api.delete(f"/api/item-categories/{category}")
    renamed = (await api.patch(f"{GROUPS}/{live}", replacing("/name", "Knit"))).data
    answer = await api.get(PATH, {"cursor": start})
    shown = {(entry["collection"], entry["recordId"]): entry["document"] for entry in answer.data}
    assert shown == {
        ("groups", live): renamed,
        ("groups", gone): None,
        ("sub-suppliers", supplier["id"]): supplier,
        ("item-categories", category): None,
    }
    assert len(answer.data) == 7


@pytest.mark.contract("Limits")
async def test_a_page_ends_where_its_documents_are_too_long(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = Follower(api, documents="true")
    await follower.begin()
    ids = await make(api, 20)
    monkeypatch.setattr("service.feed.change_feed.MAX_PAGE_BYTES", 1000)
    pages = [page async for page in follower.pages()]
    assert [entry["recordId"] for page in pages for entry in page] == ids
    assert all(entry["document"] for page in pages for entry in page)
    assert len(pages) > 3


@pytest.mark.contract("Limits", "Budgets")
async def test_a_document_longer_than_a_page_is_alone_on_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract, Budgets: the reader gets past it, by cursor as by `after`."""
    monkeypatch.setattr("service.feed.change_feed.MAX_PAGE_BYTES", 1)
    monkeypatch.setattr("service.records.resource.MAX_PAGE_BYTES", 1)
    start = await now(api, documents="true", limit="2")
    ids = [await make(api, 1), await make(api, 1), await make(api, 1)]
    follower = Follower(api)
    follower.cursor = start
    pages = [page async for page in follower.pages()]
    assert [[entry["recordId"] for entry in page] for page in pages] == ids
    for n, [record_id] in enumerate(ids):
        page = await api.get(PATH, {"after": str(n), "documents": "true"})
        documents = [entry["document"] for entry in page.data]
        assert documents == [(await api.get(f"{GROUPS}/{record_id}")).data]


@pytest.mark.contract("Limits", "Budgets")
async def test_each_entry_of_a_record_counts_its_document(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = Follower(api, documents="true")
    await follower.begin()
    [group] = await make(api, 1)
    for number in range(9):
        await api.patch(f"{GROUPS}/{group}", replacing("/name", f"Woven {number}"))
    monkeypatch.setattr("service.feed.change_feed.MAX_PAGE_BYTES", 500)
    pages = [page async for page in follower.pages()]
    assert sum(map(len, pages)) == 10
    assert len(pages) > 2
