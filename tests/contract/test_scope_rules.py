"""Scopes within requests: bulk writes, transactions, feed, exports, webhooks (contract, Scopes)."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import orjson
import pytest

from service.resources.registry import CHANGES, EXPORTED, SHARED_LISTS
from tests.support.api import Answer, Api, issue_key
from tests.support.changes import followed

pytestmark = pytest.mark.contract("Scopes")

Caller: TypeAlias = Callable[..., Awaitable[Api]]
SHARED = {resource.name for resource in SHARED_LISTS}


@pytest.fixture
def caller(shared_api: Api, shared_dsn: str) -> Caller:
    """Makes callers of organization 1 with scopes."""

    async def make(*scopes: str) -> Api:
        return Api(shared_api.client, await issue_key(shared_dsn, 1, *scopes))

    return make


def refused(answer: Answer, *rows: tuple[str | None, str]) -> None:
    """Assert that fields need scopes that the key lacks."""
    assert (answer.status, answer.json["code"]) == (403, "forbidden.scope"), answer.raw
    shown = [(row["field"], row["value"]) for row in answer.json["error"]["details"]]
    assert shown == [(field, f"This key lacks the scope {scope}.") for field, scope in rows]


async def test_me_shows_scopes(caller: Caller) -> None:
    for scopes, name, shown in (
        (["read"], "read", ["read"]),
        (["*:read", "read"], "read", ["*:read"]),
        (["write", "keys:manage"], "write", ["write", "keys:manage"]),
        (["brands:write", "styles:read"], None, ["brands:write", "styles:read"]),
    ):
        key = (await (await caller(*scopes)).get("/api/me")).data["key"]
        assert (key["scope"], key["scopes"]) == (name, shown)


async def test_what_a_scope_opens_is_what_all_see(caller: Caller, shared_api: Api) -> None:
    narrow = await caller("brands:read", "style-translations:read")
    for path in ("/api/brands", "/api/brands?q=a&pageSize=2", "/api/style-translations"):
        whole, own = await shared_api.get(path), await narrow.get(path)
        assert own.status == 200
        assert own.raw == whole.raw


async def test_filters_by_custom_fields_need_the_scope_of_their_values(
    caller: Caller, shared_api: Api
) -> None:
    """Also of what another key has just been answered, and with its cursor."""
    field = (await shared_api.get("/api/style-custom-fields", {"type": "numeric"})).data[0]
    name = f"customFields.{field['userDefinedId']}"
    indexed = {"filter[0].property": name, "filter[0].operator": "in", "filter[0].value": "180"}
    for query in ({name: "180"}, indexed):
        for _ in range(3):
            assert (await shared_api.get("/api/styles", query)).status == 200
        for scopes in (["styles:read", "style-custom-fields:read"], ["styles[supplierId=1]:read"]):
            answer = await (await caller(*scopes)).get("/api/styles", query)
            refused(answer, (name, "custom-field-values:read"))
        both = await caller("styles:read", "custom-field-values:read")
        assert (await both.get("/api/styles", query)).raw == (
            await shared_api.get("/api/styles", query)
        ).raw


async def test_deletes_in_bulk_need_their_scope(caller: Caller, shared_api: Api) -> None:
    writer = await caller("brands:write")
    made = (await writer.post("/api/brands", [{"name": "a"}, {"name": "b"}])).data
    items = [
        {"id": made[0]["id"], "name": "c", "state": "active"},
        {"id": made[1]["id"], "name": "b", "state": "deleted"},
    ]
    for params in ({}, {"dryRun": "true"}, {"onError": "skip"}):
        answer = await writer.put("/api/brands", items, params=params)
        refused(answer, ("[1].state", "brands:delete"))
        assert answer.json["error"]["total_items"] == 2
        refused(
            await writer.patch("/api/brands", items, params=params), ("[1].state", "brands:delete")
        )
    by_key = [{"customId": "none such", "state": "deleted"}]
    answer = await writer.put("/api/brands", by_key, params={"match": "customId"})
    refused(answer, ("[0].state", "brands:delete"))
    assert [(await shared_api.get(f"/api/brands/{each['id']}")).data["name"] for each in made] == [
        "a",
        "b",
    ]
    deleter = await caller("brands:delete")
    assert (await deleter.put("/api/brands", items)).status == 200


async def test_transactions_need_all_their_scopes(caller: Caller) -> None:
    writer = await caller("brands:write", "seasons:delete")
    entries = [
        {"collection": "brands", "item": {"name": "a", "customId": "scoped", "state": "active"}},
        {"collection": "groups", "item": {"name": "b"}},
        {"collection": "brands", "operation": "delete", "item": {"customId": "scoped"}},
        {"collection": "brands", "item": {"customId": "scoped", "name": "b", "state": "deleted"}},
        {"collection": "style-contacts", "item": {"styleId": 1, "contacts": []}},
        {"collection": "seasons", "operation": "delete", "item": {"number": "none"}},
        {"collection": "nothing"},
    ]
    lacking = [
        ("[1].collection", "groups:write"),
        ("[2].operation", "brands:delete"),
        ("[3].item.state", "brands:delete"),
        ("[4].collection", "style-contacts:write"),
    ]
    for params in ({}, {"dryRun": "true"}, {"onError": "skip"}):
        refused(await writer.post("/api/transaction", entries, params=params), *lacking)
    answer = await writer.post("/api/transaction", [entries[0]])
    assert [row["outcome"] for row in answer.data] == ["created"]
    answer = await writer.post("/api/transaction", [entries[6]])
    assert answer.status == 400


async def test_the_feed_has_what_the_key_reads(caller: Caller, shared_api: Api) -> None:
    start = (await shared_api.get("/api/changes", {"from": "now"})).json["pagination"]["cursor"]
    brand = (await shared_api.post("/api/brands", {"name": "seen"})).data["id"]
    await shared_api.post("/api/groups", {"name": "unseen"})
    narrow = await caller("brands:read", "products:read")
    for params in ({"cursor": start}, {"from": "oldest", "limit": "1000", "documents": "true"}):
        whole = await followed(shared_api, params)
        own = await followed(narrow, params)
        assert own == [entry for entry in whole if entry["collection"] == "brands"]
        assert own[-1]["recordId"] == brand
    assert (await narrow.get("/api/changes", {"collection": "brands"})).status == 200
    both = [("collection", "brands"), ("collection", "groups")]
    refused(await narrow.get("/api/changes", both), ("collection", "groups:read"))
    cursor = (await shared_api.get("/api/changes", both)).json["pagination"]["cursor"]
    refused(await narrow.get("/api/changes", {"cursor": cursor}), ("collection", "groups:read"))
    refused(await (await caller("products:read")).get("/api/changes"), (None, "*:read"))


async def test_exports_have_what_the_key_reads(caller: Caller, shared_api: Api) -> None:
    narrow = await caller("brands:read", "style-prices:read")

    def records(answer: Answer) -> list[tuple[str, Any]]:
        lines = [orjson.loads(line) for line in answer.raw.splitlines()]
        assert lines[-1]["count"] == len(lines) - 1
        return [(line["collection"], line["document"]) for line in lines[:-1]]

    whole, own = (
        records(await shared_api.get("/api/export")),
        records(await narrow.get("/api/export")),
    )
    readable = {"brands", "style-prices", *SHARED}
    assert own == [record for record in whole if record[0] in readable]
    assert {name for name, _ in own} == readable
    assert {*EXPORTED} > readable
    both = [("collection", "brands"), ("collection", "styles"), ("collection", "currencies")]
    refused(await narrow.get("/api/export", both), ("collection", "styles:read"))


async def test_webhooks_name_what_the_key_reads(caller: Caller, shared_api: Api) -> None:
    url = "https://erp.example.com/scopes"
    narrow = await caller("webhooks:delete", "brands:read")
    for body, field, scope in (
        ({"url": url}, "collections", "*:read"),
        ({"url": url, "collections": []}, "collections", "*:read"),
        ({"url": url, "collections": ["brands", "groups"]}, "collections[1]", "groups:read"),
    ):
        refused(await narrow.post("/api/webhooks", body), (field, scope))
    made = await narrow.post("/api/webhooks", {"url": url, "collections": ["brands"]})
    assert made.status == 201
    path = f"/api/webhooks/{made.data['id']}"
    refused(await narrow.patch(path, {"collections": None}), ("collections", "*:read"))
    assert (await narrow.patch(path, {"documents": True})).status == 200
    assert (await narrow.post(f"{path}/rotate", {})).status == 200

    await shared_api.patch(path, {"collections": ["groups"]})
    for answer in (
        await narrow.patch(path, {"url": f"{url}/mine", "collections": ["brands"]}),
        await narrow.post(f"{path}/rotate", {}),
        await narrow.post(f"{path}/rewind", {"n": 0}),
    ):
        refused(answer, ("collections[0]", "groups:read"))
    assert (await narrow.get(path)).data["url"] == url
    assert (await narrow.delete(path)).status == 200


async def test_restricted_scopes_name_nothing_in_webhooks_and_exports(caller: Caller) -> None:
    """These show the records of all suppliers."""
    scopes = ["webhooks:delete", "brands:read", "styles[supplierId=1]:read"]
    narrow, url = await caller(*scopes), "https://erp.example.com/restricted"
    both = {"url": url, "collections": ["brands", "styles"]}
    refused(await narrow.post("/api/webhooks", both), ("collections[1]", "styles:read"))
    made = await narrow.post("/api/webhooks", both | {"collections": ["brands"]})
    path = f"/api/webhooks/{made.data['id']}"
    refused(
        await narrow.patch(path, {"collections": ["style-colors"]}),
        ("collections[0]", "style-colors:read"),
    )
    assert (await narrow.delete(path)).status == 200
    query = [("collection", "brands"), ("collection", "styles")]
    refused(await narrow.get("/api/export", query), ("collection", "styles:read"))


async def test_idempotency_keys_of_narrow_keys_are_their_own(caller: Caller) -> None:
    body, headers = {"name": "once"}, {"Idempotency-Key": "scoped-1"}
    first, second = await caller("brands:write"), await caller("brands:write")
    ids = []
    for writer in (first, second, first, second):
        answer = await writer.post("/api/brands", body, headers=headers)
        assert answer.status == 201
        ids.append((answer.data["id"], answer.headers.get("Idempotent-Replayed")))
    assert ids[0][0] != ids[1][0]
    assert ids[2:] == [(ids[0][0], "true"), (ids[1][0], "true")]
    reader = await caller("brands:read")
    refused(await reader.post("/api/brands", body, headers=headers), (None, "brands:write"))


async def test_records_in_use_are_named_to_keys_that_read_them(
    caller: Caller, shared_api: Api
) -> None:
    brand = None
    for each in (await shared_api.get("/api/styles", {"pageSize": "100"})).data:
        brand = each["brandId"]
        if brand and (await shared_api.get("/api/items", {"brandId": str(brand)})).data:
            break
    whole = (await shared_api.delete(f"/api/brands/{brand}")).json["error"]["details"][0]["value"]
    for more in ([], ["styles:read"], ["items:read"]):
        scopes = ["brands:delete", *more]
        answer = await (await caller(*scopes)).delete(f"/api/brands/{brand}")
        assert answer.json["code"] == "conflict.in_use"
        shown = answer.json["error"]["details"][0]["value"]
        parts = whole.removeprefix("Used by ").removesuffix(".").split("), ")
        assert len(parts) > 1
        for part in parts:
            noun, _, rest = part.partition(": ")
            count, _, names = rest.partition(" (")
            is_named = f"{noun}:read" in scopes
            assert (f"{noun}: {count} (" in shown) == is_named
            assert (names.rstrip(")") in shown) == is_named
            assert f"{noun}: {count}" in shown


async def test_generated_skus_need_the_scope_of_barcodes(caller: Caller, shared_api: Api) -> None:
    style = (await shared_api.get("/api/styles")).data[0]["id"]
    barcode_range = (await shared_api.get("/api/barcode-ranges")).data[0]["id"]
    writer, params = await caller("style-skus:write"), {"dryRun": "true"}
    items = [{"styleId": style}, {"styleId": style, "barcodeRangeId": barcode_range}]
    answer = await writer.post("/api/style-skus/generate", items, params=params)
    refused(answer, ("[1].barcodeRangeId", "barcodes:write"))
    answer = await writer.post("/api/style-skus/generate", items[:1], params=params)
    assert answer.json.get("code") != "forbidden.scope"


def test_every_collection_of_the_feed_is_that_of_a_scope() -> None:
    for name, resource in CHANGES.resources.items():
        assert resource.scope("read") == f"{name}:read"


async def test_a_key_without_any_write_is_told_so(caller: Caller) -> None:
    """Not that it lacks the scope of all collections, of which one suffices."""
    reader = await caller("styles:read")
    answer = await reader.post("/api/transaction", [])
    [row] = answer.json["error"]["details"]
    assert (answer.status, row["value"]) == (403, "This key lacks a scope to write.")
    challenge = 'Bearer error="insufficient_scope", scope="*:write"'
    assert answer.headers["WWW-Authenticate"] == challenge
