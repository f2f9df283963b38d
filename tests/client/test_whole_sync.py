"""Tests of syncs that are the whole truth: missing records of the key's source are deleted."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from selvedge_client import Client, Outcome, SelvedgeError, SentRecords
from selvedge_client.client import RecordSet
from service.organizations import administration
from tests.client.conftest import ServiceAddress
from tests.client.test_sync import named

pytestmark = pytest.mark.contract("Own keys", "Sources")


@pytest.fixture
async def erp(
    service_address: ServiceAddress, request: pytest.FixtureRequest
) -> AsyncIterator[Client]:
    """A client of organization 1 whose key has a source of its own."""
    connection = await asyncpg.connect(service_address.dsn)
    key = await administration.issue_key(
        connection, 1, name="ERP", scopes=["write"], source=request.node.name
    )
    await connection.close()
    async with Client(str(service_address.url), str(key)) as client:
        yield client


def _keyed(prefix: str, count: int) -> list[dict[str, Any]]:
    return [named(f"{prefix}-{n:04}", "Whole") for n in range(count)]


async def test_missing_records_are_deleted_within_the_bound(erp: Client, selvedge: Client) -> None:
    """Of the key's source alone; those beyond the bound are refused, with a reason."""
    colors = erp.collection("colors")
    designed = await selvedge.collection("colors").create(named("W-DESIGN", "Of a designer"))
    unkeyed = await colors.create({"name": "Without a key"})

    async def run(records: list[dict[str, Any]], **how: Any) -> list[Outcome]:
        outcomes = erp.sync([("colors", records)], merge=True, **how)
        return [outcome async for _, outcome in outcomes]

    def counted(outcomes: list[Outcome]) -> Counter[str]:
        return Counter(outcome.outcome for outcome in outcomes)

    every = _keyed("W", 400)
    assert counted(await run(every, delete_missing=True)) == Counter(created=400)
    fewer = [color for color in every if not color["userDefinedId"].startswith("W-01")]
    refused = await run(fewer, delete_missing=True)
    assert counted(refused) == Counter(unchanged=300, refused=100)
    [detail] = refused[-1].details
    message = "100 of 400 colors are missing, more than 20.00% and more than 10: "
    assert str(detail.value).startswith(message)
    dry_run = await run(fewer, delete_missing=True, at_most=0.5, dry_run=True)
    assert counted(dry_run) == Counter(unchanged=300, deleted=100)
    assert counted(await run(every)) == Counter(unchanged=400)
    counts = counted(await run(fewer, delete_missing=True, at_most=0, always=100))
    assert counts == Counter(unchanged=300, deleted=100)
    for stays in (designed, unkeyed):
        assert (await colors.read(stays.id)).data["state"] == "active"
    # A record that fails is not missing, known to the service or not.
    fewer[-1] = fewer[-1] | {"colorGroupIds": [2**60]}
    new = {"userDefinedId": "W-NEW", "name": 5, "state": "active"}
    outcomes = counted(await run([*fewer, new], delete_missing=True))
    assert outcomes == Counter(unchanged=299, failed=2)
    # A failed record without a key may be any.
    outcomes = counted(
        await run([*fewer[:200], {"name": "No key"}], delete_missing=True, at_most=1)
    )
    assert outcomes == Counter(unchanged=200, failed=1)


async def test_records_that_are_sent_as_deleted_are_not_missing(erp: Client) -> None:
    """Neither in a dry run nor in the write, nor when they are sent again."""
    gone = [{**record, "state": "deleted"} for record in _keyed("G", 3)]
    colors = erp.collection("colors")
    await colors.write(_keyed("G", 30), "create")

    async def run(**how: Any) -> Counter[str]:
        records = [*gone, *_keyed("G", 20)[3:]]
        outcomes = erp.sync([("colors", records)], delete_missing=True, always=9, at_most=0, **how)
        return Counter([outcome.outcome async for _, outcome in outcomes])

    assert await run() == Counter(deleted=3, unchanged=17, refused=10)
    assert await run() == Counter(unchanged=20, refused=10)
    await colors.write(_keyed("G", 3), "merge", match="userDefinedId")
    await colors.delete("userDefinedId=G-0029")
    assert await run(dry_run=True) == await run() == Counter(deleted=12, unchanged=17)


async def test_new_records_of_a_dry_run_count_for_the_bound(erp: Client) -> None:
    colors = erp.collection("colors")
    await colors.write(_keyed("N", 20), "create")
    records = [*_keyed("N", 5), *_keyed("M", 100)]
    for dry_run in (True, False):
        outcomes = erp.sync([("colors", records)], merge=True, delete_missing=True, dry_run=dry_run)
        counts = Counter([row.outcome async for _, row in outcomes])
        assert counts == Counter(unchanged=5, created=100, deleted=15)


def style(number: int) -> dict[str, Any]:
    return {"number": f"L-{number}", "name": "Style", "state": "active"}


def link(number: int) -> dict[str, Any]:
    return {"styleId": {"number": f"L-{number}"}, "relatedStyleId": {"number": "L-0"}}


async def test_links_that_go_with_their_style_do_not_count(erp: Client) -> None:
    """Nor do the files of a style; of what stays, all are refused."""
    async with erp.transaction() as batch:
        for number in range(6):
            batch.upsert("styles", style(number))
        for number in range(1, 6):
            batch.upsert("style-relations", link(number))
    async with erp.transaction() as batch:
        for number in range(5):
            batch.upsert("styles", style(number))
        batch.upsert("style-relations", link(1))
    outcomes = await erp.delete_missing(batch.outcomes, at_most=0, always=2)
    assert Counter((name, row.outcome) for name, row in outcomes) == {
        ("styles", "deleted"): 1,
        ("style-relations", "refused"): 3,
        ("style-relations", "deleted"): 1,
    }
    outcomes = await erp.delete_missing(batch.outcomes, at_most=0, always=3)
    assert Counter((name, row.outcome) for name, row in outcomes) == {
        ("style-relations", "deleted"): 3
    }
    assert await erp.delete_missing([]) == []
    with pytest.raises(TypeError, match="unknown option atmost: use dry_run, at_most, always"):
        await erp.delete_missing(batch.outcomes, **dict[str, Any](atmost=1))


async def test_what_others_use_or_have_deleted_stays(erp: Client, selvedge: Client) -> None:
    async with erp.transaction() as batch:
        for number in range(3):
            batch.upsert("brands", {"customId": f"U-{number}", "name": "B", "state": "active"})
    designed = {"number": "U-1", "name": "Of a designer", "brandId": {"customId": "U-1"}}
    await selvedge.collection("styles").create(designed)
    sent = [pair for pair in batch.outcomes if pair[1].record["customId"] == "U-2"]
    for dry_run in (True, False):
        outcomes = await erp.delete_missing(sent, dry_run=dry_run)
        rows = {str(row.record["customId"]): row for _, row in outcomes}
        assert {key: row.outcome for key, row in rows.items()} == {
            "U-0": "deleted",
            "U-1": "failed",
        }
        assert rows["U-1"].details[0].type == "conflict.in_use"
    await selvedge.collection("styles").delete("number=U-1")


async def test_incomplete_exports_delete_nothing() -> None:
    async def me(_: web.Request) -> web.Response:
        return web.json_response({"data": {"key": {"source": "erp"}}})

    async def export(_: web.Request) -> web.Response:
        return web.Response(text='{"collection":"colors","document":{"id":1}}\n')

    app = web.Application()
    app.router.add_get("/api/me", me)
    app.router.add_get("/api/export", export)
    async with TestServer(app) as server, Client(str(server.make_url("/")), "x") as client:
        with pytest.raises(SelvedgeError, match="incomplete"):
            await client.delete_missing([("colors", Outcome({}, "unchanged", 7, ()))])


async def test_large_requests_are_halved_and_compressed() -> None:
    """Also for a proxy with a lower limit than the service."""
    sizes = list[int]()

    async def answer(request: web.Request) -> web.Response:
        items = (await request.text()).splitlines()
        sizes.append(len(items))
        compressed = request.headers.get("Content-Encoding") == "gzip"
        assert compressed == (len(items) > 4)
        if len(items) > 4:
            return web.Response(status=413)
        rows = [{"outcome": "unchanged", "id": 1, "key": "", "details": []} for _ in items]
        return web.json_response({"data": rows})

    app = web.Application(client_max_size=2**24)
    app.router.add_post("/api/transaction", answer)
    records = [{"userDefinedId": str(n), "name": "x" * 4_000} for n in range(10)]
    async with TestServer(app) as server, Client(str(server.make_url("/")), "x") as client:
        outcomes = client.sync([("colors", records)])
        assert [outcome.record async for _, outcome in outcomes] == records
    assert sizes == [10, 5, 2, 3, 5, 2, 3]


async def test_several_collections_are_deleted_together(erp: Client) -> None:
    """A brand goes with its style."""
    brands = [{"customId": f"T-{n}", "name": "Brand", "state": "active"} for n in range(2)]
    styles = [
        {"number": f"T-{n}", "name": "S", "state": "active", "brandId": {"customId": f"T-{n}"}}
        for n in range(2)
    ]

    async def run(count: int, **how: Any) -> Counter[tuple[str, str]]:
        sets: list[RecordSet] = [
            ("brands", brands[:count]), ("styles", styles[:count])
        ]  # fmt: skip
        outcomes = erp.sync(sets, delete_missing=True, **how)
        return Counter([(name, outcome.outcome) async for name, outcome in outcomes])

    assert await run(2) == {("brands", "created"): 2, ("styles", "created"): 2}
    expected = {("brands", "unchanged"): 1, ("styles", "unchanged"): 1}
    assert await run(1, always=0) == expected | {("brands", "refused"): 1, ("styles", "refused"): 1}
    deleted = {("brands", "deleted"): 1, ("styles", "deleted"): 1}
    assert await run(1) == expected | deleted


@pytest.mark.contract("Barcodes", "Prices of styles")
async def test_numbers_of_published_styles_are_kept_night_after_night(erp: Client) -> None:
    """They count in no share; their style and all that belongs to it go, prices included."""
    named_k: dict[str, Any] = {"userDefinedId": "KEPT"}
    style: dict[str, Any] = {"number": "KEPT"}
    color = {"styleId": style, "colorId": named_k}
    size = {"sizeRangeId": named_k, "name": "M"}
    prices = {"priceListId": named_k, "prices": [{"amount": 1}]}
    published: dict[str, Any] = {"status": "published", "sizeRangeId": named_k, "name": "Coat"}
    async with erp.transaction() as batch:
        batch.merge("colors", named_k | {"name": "Navy"})
        batch.merge("size-ranges", named_k | {"name": "Sizes"})
        batch.merge("size-range-sizes", {"sizeRangeId": named_k, "sizes": [{"name": "M"}]})
        batch.merge("price-lists", named_k | {"name": "L", "type": "cost", "currencyCode": "EUR"})
        batch.merge("styles", style | published)
        batch.merge("style-colors", color)
        batch.merge("style-skus", {"sku": "K", "styleColorId": color, "sizeRangeSizeId": size})
        batch.merge("style-prices", {"styleId": style, "priceLists": [prices]})
        for number in ("4006381333931", "5901234123457"):
            batch.merge("barcodes", {"barcode": number, "styleSkuId": {"sku": "K"}})
    names = ("price-lists", "styles", "style-colors", "style-skus", "barcodes")
    everything = [SentRecords(name) for name in names]
    gone = Counter({(name, "deleted"): 1 for name in names[:-1]})
    kept_numbers = Counter({("barcodes", "kept"): 2})
    for dry_run in (True, False):
        outcomes = await erp.delete_missing(everything, always=1, at_most=0, dry_run=dry_run)
        assert Counter((name, row.outcome) for name, row in outcomes) == gone + kept_numbers
    again = await erp.delete_missing(everything, always=0, at_most=0)
    assert Counter((name, row.outcome) for name, row in again) == kept_numbers
    assert {str(detail.value) for _, row in again for detail in row.details} == {
        "Used by styles: 1."
    }
