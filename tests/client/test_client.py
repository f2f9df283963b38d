"""Tests of the Python client against the running service."""

import asyncio
import re
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import ClientTimeout, web
from aiohttp.test_utils import TestServer

from selvedge_client import (
    Client,
    ConflictError,
    Filter,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    PreconditionFailedError,
    RetryPolicy,
    SelvedgeError,
    Sort,
    UnauthorizedError,
    UnprocessableError,
    UnreachableError,
    documents,
)
from tests.client.conftest import ServiceAddress
from tests.support.api import issue_key, replacing
from tests.support.serving import serving


@pytest.mark.contract("Pages")
async def test_pages_lead_through_a_whole_list(selvedge: Client) -> None:
    colors = selvedge.collection("colors")
    pages = [page async for page in colors.pages(page_size=100)]
    assert [len(page.records) for page in pages[:-1]] == [100] * (len(pages) - 1)
    assert len(pages) > 2
    assert pages[-1].cursor is None
    ids = [record["id"] for page in pages for record in page.records]
    assert ids == sorted(set(ids))
    rest = [page async for page in colors.pages(cursor=pages[0].cursor)]
    assert [page.records for page in rest] == [page.records for page in pages[1:]]


@pytest.mark.contract("Products")
async def test_products_and_effective_prices_have_types(selvedge: Client) -> None:
    [channel, *_] = [each async for each in selvedge.typed(documents.Channel).records()]
    products = selvedge.typed(documents.Product).records(channelId=channel["id"])
    listed = [each async for each in products]
    skus = [sku for each in listed for color in each["colors"] for sku in color["skus"]]
    prices = selvedge.typed(documents.EffectivePrice)
    of_list = {
        price["styleSkuId"]: price["amount"]
        async for price in prices.records(priceListId=channel["priceListIds"][0])
    }
    assert of_list
    for sku in skus:
        shown = {p["priceListId"]: p["amount"] for p in sku["prices"]}
        assert shown.get(channel["priceListIds"][0]) == of_list.get(sku["styleSkuId"])


async def test_lists_filter_and_sort_by_several(selvedge: Client) -> None:
    colors = selvedge.collection("colors")
    listed = [
        color
        async for color in colors.records(
            filters=[
                Filter("name", "contains", "e"),
                Filter("state", "in", ["active", "inactive"]),
            ],
            sort=[Sort("state"), Sort("name", descending=True)],
            page_size=7,
            state=["active", "inactive"],
        )
    ]
    assert len(listed) > 7
    assert all("e" in color["name"].lower() for color in listed)
    active = [color["name"] for color in listed if color["state"] == "active"]
    assert [color["name"] for color in listed][: len(active)] == sorted(active, reverse=True)


@pytest.mark.contract("Filters by reference")
async def test_lists_filter_by_related_records(selvedge: Client) -> None:
    keys = ["By reference 1", "By reference 2"]
    groups = [{"name": key, "userDefinedId": key} for key in keys]
    ids = [record["id"] for record in await selvedge.collection("color-groups").create_many(groups)]
    colors = selvedge.collection("colors")
    made = (await colors.create({"name": "Referring", "colorGroupIds": ids})).data
    several = Filter("colorGroups.userDefinedId", "in", keys)
    by_filter = [color async for color in colors.records(filters=[several])]
    by_field = [color async for color in colors.records(**{"colorGroups.id": ids[0]})]
    assert by_filter == by_field == [made]


async def test_flags_filter_as_json_writes_them(selvedge: Client) -> None:
    ranges = selvedge.collection("size-ranges")
    [default] = [record async for record in ranges.records(isDefault=True)]
    assert default["isDefault"] is True


@pytest.mark.contract("History")
async def test_records_and_parts_are_read_as_they_were(selvedge: Client) -> None:
    colors = selvedge.collection("colors")
    created = await colors.create({"name": "Sage", "userDefinedId": "PAST"})
    swatch = selvedge.part("colors", created.id, "swatch")
    await swatch.replace({"hex": "#9CAF88"})
    await asyncio.sleep(0.01)
    moment = datetime.now(UTC)
    await swatch.replace({"hex": "#000000"})
    await colors.patch(created.id, replacing("/name", "Moss"))
    assert (await colors.read(created.id, at=moment)).data["name"] == "Sage"
    assert (await swatch.read(at=moment)).data["hex"] == "#9CAF88"
    with pytest.raises(NotFoundError):
        await colors.read(created.id, at=moment - timedelta(minutes=1))


async def test_one_record_is_created_replaced_patched_and_deleted(selvedge: Client) -> None:
    groups = selvedge.collection("groups")
    created = await groups.create({"name": "Knits"})
    form = await groups.read(created.id, writable=True)
    replaced = await groups.replace(
        created.id, form.data | {"name": "Fine knits"}, if_match=created.etag
    )
    patched = await groups.patch(
        created.id, replacing("/name", "Coarse knits"), if_match=replaced.etag
    )
    assert (await groups.read(created.id)).data == patched.data
    deleted = await groups.delete(created.id)
    assert (deleted.data["name"], deleted.data["state"]) == ("Coarse knits", "deleted")


async def test_many_records_are_created_replaced_and_deleted(selvedge: Client) -> None:
    groups = selvedge.collection("groups")
    created = await groups.create_many([{"name": "Tops"}, {"name": "Skirts"}])
    items = [
        {"id": group["id"], "name": group["name"].upper(), "state": "active"} for group in created
    ]
    replaced = await groups.replace_many(items)
    assert [group["name"] for group in replaced] == ["TOPS", "SKIRTS"]
    deleted = await groups.delete_many([group["id"] for group in created])
    assert [group["state"] for group in deleted] == ["deleted"] * 2


async def test_ids_may_be_texts_and_collections_nested(selvedge: Client) -> None:
    suppliers = selvedge.collection("sub-suppliers")
    created = await suppliers.create({"name": "Ribeira"})
    assert (await suppliers.read(created.id)).data["name"] == "Ribeira"
    with pytest.raises(NotFoundError):
        await suppliers.read("7/../8?x")
    with pytest.raises(InvalidError):  # The text before the first "=" is no own key.
        await suppliers.read("7/../8?x=1")
    async for style in selvedge.collection("styles").records():
        requests = selvedge.collection("styles", style["id"], "sample-requests")
        async for request in requests.records():
            size = request["sizes"][0]["sizeRangeSizeId"]
            path = f"/api/styles/{style['id']}/sample-requests/{request['id']}/measurements/{size}"
            assert (await selvedge.get(path)).body["data"]["sizeRangeSizeId"] == size
            return
    pytest.fail("No style has a sample request.")


async def test_failures_say_what_is_wrong(selvedge: Client) -> None:
    groups = selvedge.collection("groups")
    with pytest.raises(InvalidError) as caught:
        await groups.create_many([{"name": "Knits"}, {"name": "x" * 2000}, {"colour": 1}])
    error = caught.value
    assert (error.status, error.type) == (400, "validation_error")
    first = error.details[0]
    assert (first.type, first.field) == ("validation_error.too_long", "[1].name")
    assert (error.failed_items, error.total_items) == (2, 3)
    assert error.request_id
    assert str(error).startswith("400 validation_error: [1].name: Use at most")


@pytest.mark.contract("Error types")
async def test_each_status_has_an_error_of_its_own(
    selvedge: Client, service_address: ServiceAddress
) -> None:
    groups = selvedge.collection("groups")
    group = await groups.create({"name": "Knits"})
    with pytest.raises(NotFoundError):
        await groups.read(2**62)
    with pytest.raises(PreconditionFailedError):
        await groups.delete(group.id, if_match='"another"')
    with pytest.raises(ConflictError):
        await groups.patch(group.id, [{"op": "test", "path": "/name", "value": "x"}])
    with pytest.raises(UnprocessableError):
        await groups.patch(group.id, [{"op": "move", "from": "/name", "path": "/name/x"}])
    async with Client(str(service_address.url), "slv_1_1_x") as stranger:
        with pytest.raises(UnauthorizedError) as caught:
            await stranger.get("/api/styles/1/sample-requests/1/measurements/1")
        assert caught.value.details[0].value  # of problem details (RFC 9457)


async def test_a_key_that_reads_does_not_write(service_address: ServiceAddress) -> None:
    async with Client(str(service_address.url), service_address.reader) as reader:
        with pytest.raises(ForbiddenError):
            await reader.collection("groups").create({"name": "Knits"})


@pytest.mark.contract("Shares")
async def test_rate_limited_clients_retry(demo_dsn: str) -> None:
    """The service's own 429: one request of an organization at a time, and five at once."""
    key = await issue_key(demo_dsn, 1)
    async with (
        serving(demo_dsn, CALLER_REQUESTS="1") as server,
        Client(str(server.make_url("/")), key) as client,
    ):
        groups = client.collection("groups")
        made = await asyncio.gather(*(groups.create({"name": f"{n}"}) for n in range(5)))
        assert len({record.id for record in made}) == 5


@pytest.mark.contract("Idempotency")
async def test_the_same_key_makes_one_record(selvedge: Client) -> None:
    """Also while the first request still runs: ``conflict.in_progress`` is waited for."""
    groups = selvedge.collection("groups")
    made = await asyncio.gather(
        *(groups.create({"name": "Once"}, key="made-once") for _ in range(5))
    )
    assert len({record.id for record in made}) == 1


async def test_responses_that_are_no_json_raise() -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html>", content_type="text/html")

    app = web.Application()
    app.router.add_get("/api/groups", page)
    async with TestServer(app) as server, Client(str(server.make_url("/")), "x") as client:
        pages = client.collection("groups").pages()
        with pytest.raises(SelvedgeError, match="is not JSON"):
            await anext(pages)


async def test_without_a_service_it_ends_in_an_error() -> None:
    retrying = RetryPolicy(attempts=3, first_wait=0.01)
    async with TestServer(web.Application()) as server:
        url = str(server.make_url("/"))
    async with Client(url, "x", retry_policy=retrying) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.collection("groups").delete(1)
        assert not caught.value.may_have_executed


@pytest.mark.parametrize(
    "url",
    [
        "selvedge.example.com",
        "localhost:8080",
        "ftp://selvedge.example.com",
        "//selvedge.example.com",
        "http://",
        "http://[::",
        "http://selvedge.example.com:99999",
        "",
    ],
)
def test_other_urls_than_of_http_are_refused(url: str) -> None:
    """Before anything could be sent and tried again, or a session opened."""
    with pytest.raises(ValueError, match=re.escape(f"not {url!r}")) as caught:
        Client(url, "x")
    assert type(caught.value) is ValueError


async def test_only_sent_writes_may_have_been_executed() -> None:
    """Neither a write that got no connection in time, nor a dry run."""

    async def cut(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    app = web.Application()
    app.router.add_post("/api/groups", cut)
    async with TestServer(app) as server:
        for timeout, dry_run, may_have_executed in (
            (None, False, True),
            (None, True, False),
            (1e-6, False, False),
        ):
            async with Client(
                str(server.make_url("/")),
                "x",
                retry_policy=RetryPolicy(attempts=1),
                timeout=ClientTimeout(sock_connect=timeout),
            ) as client:
                with pytest.raises(UnreachableError) as caught:
                    await client.collection("groups").write([{}], "create", dry_run=dry_run)
                assert caught.value.may_have_executed is may_have_executed


async def test_empty_lists_of_values_are_refused(selvedge: Client) -> None:
    """They would be no filter: all records, where the caller means none."""
    with pytest.raises(ValueError, match="id has no values"):
        await anext(selvedge.collection("groups").records(id=[]))


async def test_outside_its_context_nothing_is_sent() -> None:
    client = Client("http://127.0.0.1", "x")
    with pytest.raises(RuntimeError):
        client.collection("groups")
