"""Tests of response size limits: pages end early, bulk writes are refused."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from service.handlers import reads
from service.handlers.response_cache import ResponseCache
from service.records import reads as export
from service.records import resource
from tests.support import rows
from tests.support.api import Api, replacing
from tests.support.listing import condition, walk
from tests.support.openapi_validation import invalid, is_failure
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("Pages", "Limits")

COLORS = "/api/colors"
BY_REFERENCE = [("sort[0].property", "colorReference"), ("sort[1].property", "name")]
SORTS: tuple[list[tuple[str, str]], ...] = (
    [],
    [("sort[0].property", "id"), ("sort[0].order", "desc")],
    [*BY_REFERENCE, ("sort[1].order", "desc")],
)
LONG = ["groups", "measurements", "measurement-charts"]
#: Bytes of a page: a few colors.
SMALL = 2000


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Pages and batches of few bytes, until it is undone."""
    monkeypatch.setattr(resource, "MAX_PAGE_BYTES", SMALL)
    monkeypatch.setattr(resource, "MAX_BATCH_BYTES", SMALL)
    # A page that was cached before would not end early.
    monkeypatch.setattr(ResponseCache, "respond", lambda _, request, handler: handler(request))
    reads.compiled.cache_clear()
    yield monkeypatch
    reads.compiled.cache_clear()


@pytest.mark.parametrize("sort", Sample(__name__)(SORTS, 1))
async def test_a_walk_over_pages_that_end_early_shows_everything_once(
    sort: list[tuple[str, str]], shared_api: Api, small: pytest.MonkeyPatch
) -> None:
    # Other tests have added many more.
    params = [*sort, ("pageSize", "100"), *condition("id", "le", "130")]
    records, sizes = list[Any](), list[int]()
    answer = await shared_api.get(COLORS, params)
    while True:
        records += answer.data
        sizes.append(len(answer.data))
        more = answer.json["pagination"]
        documents = len(answer.raw.partition(b'"data":[')[2].partition(b'],"pagination"')[0])
        assert documents <= SMALL + len(answer.data) or len(answer.data) == 1
        if not more["hasMore"]:
            break
        answer = await shared_api.get(COLORS, {"cursor": more["cursor"]})
    assert 0 < min(sizes) <= max(sizes) < 100
    small.undo()
    reads.compiled.cache_clear()
    assert records == await walk(shared_api, COLORS, params)
    assert len(records) > 100


async def test_a_page_has_a_record_however_large(
    shared_api: Api, small: pytest.MonkeyPatch
) -> None:
    """And a cursor keeps the page size that was asked for."""
    whole = await walk(shared_api, "/api/groups", [("pageSize", "2")])
    small.setattr(resource, "MAX_PAGE_BYTES", 1)
    reads.compiled.cache_clear()
    first = await shared_api.get("/api/groups", {"pageSize": "2"})
    assert first.data == whole[:1]
    small.undo()
    reads.compiled.cache_clear()
    second = await shared_api.get("/api/groups", {"cursor": first.json["pagination"]["cursor"]})
    assert second.data == whole[1:3]


@pytest.mark.contract("Budgets", "Exports")
@pytest.mark.parametrize("collection", Sample(__name__)(LONG, 1))
async def test_a_long_record_is_read_whole(
    collection: str, shared_api: Api, small: pytest.MonkeyPatch
) -> None:
    """In lists, by its path and in exports."""
    path = f"/api/{collection}"
    small.undo()
    records = await walk(shared_api, path, [])
    small.setattr(resource, "MAX_PAGE_BYTES", 1)
    small.setattr(resource, "MAX_BATCH_BYTES", 1)
    small.setattr(export, "_CHUNK_BYTES", 1)
    reads.compiled.cache_clear()
    export.export_text.cache_clear()
    assert await walk(shared_api, path, [("pageSize", "3")]) == records
    answer = await shared_api.get("/api/export", {"collection": collection})
    *lines, _ = map(orjson.loads, answer.raw.splitlines())
    assert [line["document"] for line in lines] == records
    export.export_text.cache_clear()
    if collection == "groups":
        assert (await shared_api.get(f"{path}/{records[0]['id']}")).data == records[0]


@pytest.mark.contract("Budgets")
async def test_a_long_record_is_written(api: Api, small: pytest.MonkeyPatch) -> None:
    """The response of a write of one record has no limit: the caller cannot send fewer items."""
    small.setattr(resource, "MAX_BATCH_BYTES", 1)
    created = await api.post("/api/groups", {"name": "Knit"})
    assert (created.status, created.data["name"]) == (201, "Knit")
    path = f"/api/groups/{created.data['id']}"
    assert (await api.patch(path, replacing("/name", "Woven"))).data["name"] == "Woven"


async def test_the_last_record_is_the_end(shared_api: Api, small: pytest.MonkeyPatch) -> None:
    whole = (await shared_api.get("/api/size-ranges", {"pageSize": "1", "id": "1"})).data
    small.setattr(resource, "MAX_PAGE_BYTES", 1)
    reads.compiled.cache_clear()
    answer = await shared_api.get("/api/size-ranges", {"id": str(whole[0]["id"])})
    assert answer.data == whole
    assert answer.json["pagination"] == {"hasMore": False}


@pytest.mark.usefixtures("small")
async def test_a_numbered_page_too_large_is_refused(shared_api: Api) -> None:
    for number in ("1", "2"):
        answer = await shared_api.get(COLORS, {"pageNumber": number, "pageSize": "50"})
        is_failure(answer, 400, invalid("out_of_range"))
        assert answer.details == [(invalid("out_of_range"), "pageSize")]
    for size in ("1", "2"):
        answer = await shared_api.get(COLORS, {"pageNumber": "2", "pageSize": size})
        assert len(answer.data) == int(size)


@pytest.mark.contract("Bulk")
@pytest.mark.usefixtures("small")
async def test_a_bulk_write_whose_answer_is_too_large_is_not_done(
    shared_api: Api, shared_dsn: str
) -> None:
    made = [{"name": "x" * 100}] * 30
    unused = [(await shared_api.post(COLORS, item)).data["id"] for item in made]
    before = await rows.dump(shared_dsn, versions=True)
    items = [{"id": number, "name": "x" * 100, "state": "active"} for number in range(1, 31)]
    ids = [("ids", str(number)) for number in unused]
    for answer, operation in (
        (await shared_api.post(COLORS, made), "bulk_create"),
        (await shared_api.put(COLORS, items), "bulk_replace"),
        (await shared_api.delete(COLORS, ids), "bulk_delete"),
    ):
        is_failure(answer, 400, invalid("too_many_items"))
        assert answer.details == [(invalid("too_many_items"), None)]
        error = answer.json["error"]
        assert (error["operation"], error["total_items"]) == (operation, 30)
    assert await rows.dump(shared_dsn, versions=True) == before
    assert len((await shared_api.put(COLORS, items[:2])).data) == 2
