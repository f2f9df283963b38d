"""Scopes of suppliers: a key sees its styles and what belongs to them (contract, Scopes)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from aiohttp.test_utils import TestClient

from tests.support.api import MERGE_PATCH, Answer, Api, issue_key
from tests.support.changes import followed
from tests.support.databases import demo_database
from tests.support.listing import walk
from tests.support.sampling import Sample
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Scopes")

UNKNOWN: Final = 10**15
OF_STYLE_ID: Final = (
    *("style-colors", "style-skus", "style-files", "sample-requests"),
    *("measurement-charts", "style-items", "style-care-instructions", "style-prices"),
)
COLLECTIONS: Final = ("styles", *OF_STYLE_ID, "measurements")
PARTS: Final = ("measurement-chart", "items", "care-instructions", "prices", "sample-requests")
CLOSED: Final = (
    *("brands", "suppliers", "barcodes", "style-relations", "style-contacts", "webhooks"),
    *("products?channelId=1", "export", "export?collection=currencies", "effective-prices"),
    *("custom-field-values", "migration-verification", "organizations"),
)


@dataclass(frozen=True)
class World:
    """Callers of an organization, and the styles that one of them may know of."""

    whole: Api
    supplier: Api
    supplier_id: int
    styles: frozenset[int]
    requests: frozenset[int]

    def sees(self, collection: str, record: dict[str, Any]) -> bool:
        """Whether the supplier's key opens a record of a list."""
        if collection == "measurements":
            return record["sampleRequestId"] in self.requests
        return record["id" if collection == "styles" else "styleId"] in self.styles


@pytest.fixture(scope="module")
async def world(server_dsn: str, worker_id: str) -> AsyncIterator[World]:
    """Every other style is of the supplier, one with measured values among them.

    Tests may write what leaves that as it is.
    """
    dsn = demo_database(server_dsn, f"suppliers_{worker_id}")
    async with serving(dsn) as server, TestClient(server) as client:
        yield await _world(Api(client, await issue_key(dsn, 1)), dsn)


async def _world(api: Api, dsn: str) -> World:
    supplier_id = (await api.get("/api/suppliers")).data[0]["id"]
    other = (await api.get("/api/suppliers")).data[1]["id"]
    measured = (await api.get("/api/sample-requests", {"pageSize": "100"})).data
    of_requests = sorted({each["styleId"] for each in measured})
    styles = await walk(api, "/api/styles")
    own = {each["id"] for each in styles[::2]} - {of_requests[1]} | {of_requests[0]}
    items = [
        {"id": each["id"], "supplierId": supplier_id if each["id"] in own else other}
        for each in styles
    ]
    merged = await api.patch("/api/styles", items, content_type=MERGE_PATCH)
    assert merged.status == 200, merged.raw
    key = await issue_key(
        dsn,
        1,
        f"styles[supplierId={supplier_id}]:read",
        f"style-prices[supplierId={supplier_id}]:read",
        f"measurements[supplierId={supplier_id}]:write[supplierMeasurement]",
    )
    requests = {each["id"] for each in measured if each["styleId"] in own}
    return World(api, Api(api.client, key), supplier_id, frozenset(own), frozenset(requests))


def same(answer: Answer, other: Answer) -> bool:
    return (answer.status, answer.raw) == (other.status, other.raw)


async def test_lists_have_what_belongs_to_its_styles(world: World, sample: Sample) -> None:
    for name in sample(COLLECTIONS, 4):
        whole, expected = list[Any](), list[Any]()
        for params in ([("pageSize", "3")], [("changedSince", "2020-01-01T00:00:00Z")], None):
            whole = await walk(world.whole, f"/api/{name}", params)
            own = await walk(world.supplier, f"/api/{name}", params)
            expected = [record for record in whole if world.sees(name, record)]
            assert own == expected, (name, params)
        assert name == "style-files" or 0 < len(expected) < len(whole), name
        headers = {"Prefer": "count=exact"}
        counted = await world.supplier.get(f"/api/{name}", {"pageSize": "1"}, headers=headers)
        assert counted.headers["Total-Count"] == str(len(expected))
    matches = await walk(world.whole, "/api/styles", [("q", "a")])
    own = await walk(world.supplier, "/api/styles", [("q", "a")])
    assert own == [record for record in matches if record["id"] in world.styles]
    unlike = [("filter[0].property", "supplierId"), ("filter[0].operator", "ne")]
    answer = await world.supplier.get(
        "/api/styles", [*unlike, ("filter[0].value", str(world.supplier_id))]
    )
    assert (answer.status, answer.data) == (200, [])


async def test_other_records_are_as_unknown_ones(world: World, sample: Sample) -> None:
    for name in ("styles", "style-colors", "style-skus", "style-files", "sample-requests"):
        for record in sample((await walk(world.whole, f"/api/{name}"))[:40], 12):
            for form in ("", "?form=writable"):
                path = f"/api/{name}/{record['id']}{form}"
                own, unknown = (
                    await world.supplier.get(path),
                    await world.supplier.get(f"/api/{name}/{UNKNOWN}{form}"),
                )
                if world.sees(name, record):
                    assert same(own, await world.whole.get(path))
                else:
                    assert own.status == 404
                    assert same(own, unknown), path
    for style in sample((await walk(world.whole, "/api/styles"))[:20], 8):
        for part in PARTS:
            paths = [f"/api/styles/{each}/{part}" for each in (style["id"], UNKNOWN)]
            own, unknown = [await world.supplier.get(path) for path in paths]
            if style["id"] in world.styles:
                assert same(own, await world.whole.get(paths[0]))
                assert own.status == 200
            else:
                assert same(own, unknown)
                assert own.status == 404


async def test_own_keys_of_others_are_as_unknown_ones(world: World) -> None:
    styles = (await walk(world.whole, "/api/styles"))[:20]
    for style in styles:
        number = style["number"]
        for below in ("", "/measurement-chart", "/sample-requests"):
            path = f"/api/styles/number={number}{below}"
            own = await world.supplier.get(path)
            if style["id"] in world.styles:
                assert same(own, await world.whole.get(path))
            else:
                unknown = await world.supplier.get(path.replace(number, "NONE-SUCH"))
                assert own.status == 404
                assert own.raw.replace(number.encode(), b"NONE-SUCH") == unknown.raw


async def test_the_feed_is_filtered(world: World) -> None:
    for style in (await walk(world.whole, "/api/styles"))[:10]:
        await world.whole.patch(
            f"/api/styles/{style['id']}", {"comment": "x"}, content_type=MERGE_PATCH
        )
    brand = await world.whole.post("/api/brands", {"name": "unseen"})
    assert brand.status == 201
    cursors = {"from": "oldest", "limit": "7", "documents": "true"}
    whole, own = [await followed(api, cursors) for api in (world.whole, world.supplier)]
    requests = {r["id"]: r["styleId"] for r in await walk(world.whole, "/api/sample-requests")}
    colors = dict[tuple[str, int], int]()
    for name in ("style-colors", "style-skus", "style-files"):
        records = await walk(world.whole, f"/api/{name}")
        colors |= {(name, each["id"]): each["styleId"] for each in records}

    def style_of(entry: dict[str, Any]) -> int | None:
        name, record_id = entry["collection"], entry["recordId"]
        if name in ("sample-requests", "measurements"):
            return requests.get(record_id)
        if name in ("style-colors", "style-skus", "style-files"):
            return colors.get((name, record_id))
        return int(record_id) if name in COLLECTIONS else None

    assert own == [entry for entry in whole if style_of(entry) in world.styles]
    assert own
    answer = await world.supplier.get("/api/changes", {"collection": "brands"})
    assert answer.json["code"] == "forbidden.scope"


async def test_pages_of_the_feed_tell_nothing_about_others(world: World) -> None:
    """Not even short ones: cursors and positions are as if others had changed nothing."""
    styles = [each["id"] for each in await walk(world.whole, "/api/styles")]
    other = next(each for each in styles if each not in world.styles)
    own = min(world.styles)
    params = {"from": "now", "collection": "styles", "limit": "1"}
    begun = [
        await world.supplier.get("/api/changes", {**params, "recordId": str(record_id)})
        for record_id in (other, UNKNOWN)
    ]
    for number, record_id in enumerate((other, own, other, other, own, other)):
        items = [{"id": record_id, "description": str(number)}]
        await world.whole.patch("/api/styles", items, content_type=MERGE_PATCH)
    hidden, unknown = [
        await world.supplier.get("/api/changes", {"cursor": page.json["pagination"]["cursor"]})
        for page in begun
    ]
    assert (hidden.data, unknown.data) == ([], [])
    assert hidden.headers["X-Changes-After"] == unknown.headers["X-Changes-After"]
    assert not hidden.json["pagination"]["hasMore"]
    page = await world.supplier.get("/api/changes", {"from": "oldest", "limit": "1"})
    while page.json["pagination"]["hasMore"]:
        assert int(page.headers["X-Changes-After"]) - page.data[0]["n"] in (-1, 0)
        following = {"cursor": page.json["pagination"]["cursor"]}
        page = await world.supplier.get("/api/changes", following)


async def test_everything_else_is_refused(world: World) -> None:
    for path in CLOSED:
        answer = await world.supplier.get(f"/api/{path}")
        assert (answer.status, answer.json["code"]) == (403, "forbidden.scope"), path
    sku = (await walk(world.supplier, "/api/style-skus"))[0]["id"]
    for path in (f"style-skus/{sku}/passport", f"styles/{min(world.styles)}/completeness"):
        assert (await world.supplier.get(f"/api/{path}")).status == 403
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = await world.supplier.call(method, "/api/styles", [])
        assert answer.json["code"] == "forbidden.scope"
    entry = {"collection": "styles", "item": {"number": "x"}}
    answer = await world.supplier.post("/api/transaction", [entry])
    assert answer.details == [("forbidden.scope", "[0].collection")]
    assert (await world.supplier.get("/api/currencies")).status == 200


async def test_only_measured_values_of_its_styles_are_written(world: World) -> None:
    measured = await walk(world.whole, "/api/measurements")
    own, others = [
        next(each for each in measured if (each["sampleRequestId"] in world.requests) is is_own)
        for is_own in (True, False)
    ]

    def item(record: dict[str, Any], request: Any = None) -> dict[str, Any]:
        size = record["sizes"][0]
        line = next(each for each in size["lines"] if each["lineId"])
        values = {"lineId": line["lineId"], "supplierMeasurement": "7.25"}
        sizes = [{"sizeRangeSizeId": size["sizeRangeSizeId"], "lines": [values]}]
        return {"sampleRequestId": request or record["sampleRequestId"], "sizes": sizes}

    for send in (_put, _merge, _transaction):
        hidden, unknown = await send(world, item(others)), await send(world, item(others, UNKNOWN))
        assert hidden.status == 404, hidden.raw
        assert same(hidden, unknown)
        keyed = [
            await send(world, item(others, {"styleId": others_style, "name": "1st proto"}))
            for others_style in (UNKNOWN, {"number": "NONE"})
        ]
        assert {answer.status for answer in keyed} == {404}
        assert (await send(world, item(own))).status == 200
    assert (await world.whole.get("/api/measurements", {"pageSize": "100"})).status == 200
    request_id, size_id = own["sampleRequestId"], own["sizes"][0]["sizeRangeSizeId"]
    style_id = (await world.whole.get(f"/api/sample-requests/{request_id}")).data["styleId"]
    path = f"/api/styles/{style_id}/sample-requests/{request_id}/measurements/{size_id}"
    body = item(own)["sizes"][0]
    del body["sizeRangeSizeId"]
    assert (await world.supplier.put(path, body)).status == 200
    body["lines"][0]["companyMeasurement"] = "1"
    refused = await world.supplier.put(path, body)
    assert refused.details == [("forbidden.scope", "lines[0].companyMeasurement")]
    other_id = others["sampleRequestId"]
    other_style = (await world.whole.get(f"/api/sample-requests/{other_id}")).data["styleId"]
    for method, sent in (("PUT", {}), ("PATCH", []), ("GET", None)):
        answers = [
            await world.supplier.call(
                method,
                f"/api/styles/{style}/sample-requests/{other_id}"
                f"/measurements/{others['sizes'][0]['sizeRangeSizeId']}",
                sent,
            )
            for style in (other_style, UNKNOWN)
        ]
        assert answers[0].status == 404
        assert same(*answers)


async def _put(world: World, item: Any) -> Answer:
    return await world.supplier.put("/api/measurements", [item])


async def _merge(world: World, item: Any) -> Answer:
    return await world.supplier.patch("/api/measurements", [item], content_type=MERGE_PATCH)


async def _transaction(world: World, item: Any) -> Answer:
    entry = {"collection": "measurements", "item": item}
    return await world.supplier.post("/api/transaction", [entry])


async def test_cached_answers_of_others_are_not_served(world: World) -> None:
    for path in ("/api/styles", "/api/style-colors"):
        for _ in range(3):
            whole, own = await world.whole.get(path), await world.supplier.get(path)
            ids, all_ids = [{each["id"] for each in page.data} for page in (own, whole)]
            assert ids - all_ids
