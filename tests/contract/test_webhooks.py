"""Tests of subscriptions to the change feed as callers manage them (contract, Webhooks)."""

import base64
import logging
from typing import Any

import pytest

from service.resources.registry import CHANGES
from service.schemas import definition
from tests.support.api import Answer, Api
from tests.support.inserted_rows import execute
from tests.support.openapi_validation import invalid, is_failure

pytestmark = pytest.mark.contract("Webhooks")

HOOKS, URL = "/api/webhooks", "https://erp.example.com/selvedge"


async def subscribe(api: Api, **fields: Any) -> dict[str, Any]:
    answer = await api.post(HOOKS, {"url": URL, "state": "paused", **fields})
    assert answer.status == 201, answer.raw
    return dict(answer.data)


async def change(api: Api, webhook: dict[str, Any], patch: Any) -> Answer:
    return await api.patch(f"{HOOKS}/{webhook['id']}", patch)


async def make(api: Api, count: int = 1) -> None:
    assert (await api.post("/api/groups", [{"name": "Knit"}] * count)).status == 201


def test_the_collections_are_those_of_the_change_feed() -> None:
    assert {*definition("webhooks", "collection").schema["enum"]} == {*CHANGES.resources}


async def test_a_subscription_starts_at_the_end_of_the_feed(api: Api) -> None:
    await make(api)
    answer = await api.post(HOOKS, {"url": URL, "state": "paused"})
    secret = answer.data.pop("secret")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    webhook = answer.json["data"]
    del webhook["secret"]
    assert webhook == {
        "id": webhook["id"],
        "url": URL,
        "collections": [],
        "documents": False,
        "state": "paused",
        "position": 1,
        "lag": {"transactions": 0, "seconds": 0},
        "lastError": None,
        "lastSuccessAt": None,
        "failures": 0,
    }
    assert answer.headers["Location"] == f"{HOOKS}/{webhook['id']}"
    read = await api.get(answer.headers["Location"])
    assert read.data == webhook
    assert (await api.get(HOOKS)).data == [webhook]
    await make(api)
    await make(api)
    lagging = (await api.get(answer.headers["Location"])).data
    assert (lagging["position"], lagging["lag"]["transactions"]) == (1, 2)
    changes = (await api.get("/api/changes")).data
    assert {entry["collection"] for entry in changes} == {"groups"}


async def test_a_subscription_is_active_unless_it_is_paused(api: Api) -> None:
    answer = await api.post(HOOKS, {"url": URL, "collections": None, "documents": None})
    assert (answer.status, answer.data["state"]) == (201, "active")


async def test_a_merge_patch_changes_some_fields(api: Api) -> None:
    webhook = await subscribe(api, collections=["colors", "groups"], documents=True)
    del webhook["secret"]
    same = await change(api, webhook, {})
    assert (same.status, same.data) == (200, webhook)
    changed = await change(api, webhook, {"collections": ["styles"], "state": "active"})
    assert changed.data == webhook | {"collections": ["styles"], "state": "active"}
    defaults = await change(api, webhook, {"collections": None, "documents": None})
    assert defaults.data == changed.data | {"collections": [], "documents": False}


async def test_a_deleted_subscription_is_gone(api: Api) -> None:
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}"
    answer = await api.delete(path)
    assert (answer.status, answer.data["id"]) == (200, webhook["id"])
    is_failure(await api.get(path), 404, "not_found")
    is_failure(await api.delete(path), 404, "not_found")


@pytest.mark.contract("Limits")
async def test_an_organization_has_twenty(api: Api, other_api: Api) -> None:
    webhook, *_ = [await subscribe(api) for _ in range(20)]
    is_failure(await api.post(HOOKS, {"url": URL}), 400, invalid("too_many_items"))
    assert len((await api.get(HOOKS)).data) == 20
    await subscribe(other_api)
    await api.delete(f"{HOOKS}/{webhook['id']}")
    await subscribe(api)


@pytest.mark.contract("Callers")
async def test_a_key_that_reads_lists_and_reads(api: Api, reader_api: Api) -> None:
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}"
    assert (await reader_api.get(HOOKS)).data[0]["id"] == webhook["id"]
    assert "secret" not in (await reader_api.get(path)).data
    for answer in (
        await reader_api.post(HOOKS, {"url": URL}),
        await reader_api.patch(path, {}),
        await reader_api.delete(path),
        await reader_api.post(f"{path}/test", None),
        await reader_api.post(f"{path}/rewind", {"n": 0}),
        await reader_api.post(f"{path}/rotate", {}),
    ):
        is_failure(answer, 403, "forbidden.scope")


@pytest.mark.contract("Tenancy")
async def test_subscriptions_of_others_are_unknown(api: Api, other_api: Api) -> None:
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}"
    assert (await other_api.get(HOOKS)).data == []
    for answer in (
        await other_api.get(path),
        await other_api.patch(path, {"state": "active"}),
        await other_api.delete(path),
        await other_api.post(f"{path}/test", None),
        await other_api.post(f"{path}/rewind", {"n": 0}),
        await other_api.post(f"{path}/rotate", {}),
    ):
        is_failure(answer, 404, "not_found")
    assert (await api.get(path)).data["state"] == "paused"


@pytest.mark.contract("Errors")
@pytest.mark.parametrize(
    ("body", "details"),
    [
        ({}, [("required_field", "url")]),
        ({"url": None}, [("required_field", "url")]),
        ({"url": 5}, [("invalid_type", "url")]),
        ({"url": ""}, [("too_short", "url")]),
        ({"url": "https://a.example/" + "x" * 2000}, [("too_long", "url")]),
        (
            {"documents": 1, "url": "http://a.example", "collections": ["colours"]},
            [
                ("invalid_type", "documents"),
                ("invalid_value", "url"),
                ("invalid_value", "collections[0]"),
            ],
        ),
        ({"url": URL, "collections": ["colors", "colors"]}, [("duplicate", "collections[1]")]),
        ({"url": URL, "state": "inactive"}, [("invalid_value", "state")]),
        (
            {"url": URL, "position": 4, "id": 3},
            [("read_only_field", "position"), ("read_only_field", "id")],
        ),
        ({"url": URL, "secret": "whsec_"}, [("unknown_field", "secret")]),
    ],
)
async def test_wrong_bodies(body: Any, details: list[tuple[str, str]], api: Api) -> None:
    answer = await api.post(HOOKS, body)
    assert answer.details == [(invalid(name), field) for name, field in details]
    if details[0][0] != "required_field" or "url" in body:
        webhook = await subscribe(api)
        patched = await change(api, webhook, body)
        assert patched.details == answer.details


@pytest.mark.contract("Idempotency")
async def test_a_repeated_create_has_the_same_secret(api: Api) -> None:
    headers = {"Idempotency-Key": "subscribe"}
    first, again = [
        await api.post(HOOKS, {"url": URL, "state": "paused"}, headers=headers) for _ in range(2)
    ]
    assert again.raw == first.raw
    assert len((await api.get(HOOKS)).data) == 1


@pytest.mark.contract("Preconditions")
async def test_preconditions_and_dry_runs_are_refused(api: Api) -> None:
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}"
    answer = await api.delete(path, {"dryRun": "true"}, headers={"If-Match": "*"})
    assert answer.details == [
        (invalid("unknown_parameter"), "dryRun"),
        (invalid("invalid_value"), "If-Match"),
    ]


async def test_rewind_sets_the_position(api: Api, shared_dsn: str) -> None:
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}/rewind"
    for _ in range(4):
        await make(api)
    await api.get("/api/changes")
    for n in (4, 2, 0):
        answer = await api.post(path, {"n": n})
        assert (answer.status, answer.data["position"]) == (200, n)
        assert answer.data["lag"]["transactions"] == 4 - n
    beyond = await api.post(path, {"n": 5})
    assert beyond.details == [(invalid("out_of_range"), "n")]
    cleared = "update change_feed set cleared_n = 2 where organization_id = $1"
    await execute(shared_dsn, cleared, api.organization_id)
    is_failure(await api.post(path, {"n": 1}), 410, "gone.changes_expired")
    assert (await api.post(path, {"n": 0})).data["position"] == 2
    for body in ({}, {"n": "1"}, {"n": -1}, {"n": 1, "m": 2}):
        assert (await api.post(path, body)).status == 400
    assert (await api.post(path, {})).details == [(invalid("required_field"), "n")]


async def test_rewind_takes_a_cursor(api: Api, other_api: Api, shared_dsn: str) -> None:
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}/rewind"
    for count in (1, 4, 1):
        await make(api, count)
    page = await api.get("/api/changes", {"limit": "3", "collection": "groups"})
    cursor = page.json["pagination"]["cursor"]
    answer = await api.post(path, {"cursor": cursor})
    assert (answer.status, answer.data["position"]) == (200, 1)
    both = await api.post(path, {"cursor": cursor, "n": 2})
    assert both.details == [(invalid("invalid_value"), "n")]
    for wrong in ("", "é", cursor[:-1], cursor + "A", "x" * 10_000):
        wrong_cursor = await api.post(path, {"cursor": wrong})
        assert wrong_cursor.details == [(invalid("invalid_cursor"), "cursor")]
    other = await subscribe(other_api)
    foreign = await other_api.post(f"{HOOKS}/{other['id']}/rewind", {"cursor": cursor})
    assert foreign.details == [(invalid("invalid_cursor"), "cursor")]
    assert (await api.post(path, {"cursor": None})).status == 400
    cleared = "update change_feed set cleared_n = 2 where organization_id = $1"
    await execute(shared_dsn, cleared, api.organization_id)
    is_failure(await api.post(path, {"cursor": cursor}), 410, "gone.changes_expired")
    anew = "update change_feed set cleared_n = 0, epoch = epoch + 1 where organization_id = $1"
    await execute(shared_dsn, anew, api.organization_id)
    is_failure(await api.post(path, {"cursor": cursor}), 410, "gone.changes_expired")


async def test_rotate_shows_a_new_secret_once(api: Api) -> None:
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}"
    rotated = await api.post(f"{path}/rotate", {"overlapSeconds": 60})
    assert rotated.status == 200
    secret = rotated.data["secret"]
    assert secret.startswith("whsec_")
    assert secret != webhook["secret"]
    assert "secret" not in (await api.get(path)).data
    assert (await api.post(f"{path}/rotate", {})).data["secret"] != secret
    for wrong in (-1, 604_801, "1"):
        answer = await api.post(f"{path}/rotate", {"overlapSeconds": wrong})
        assert [field for _, field in answer.details] == ["overlapSeconds"]


@pytest.mark.contract("Log")
async def test_changes_of_subscriptions_are_logged(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "service")
    webhook = await subscribe(api)
    path = f"{HOOKS}/{webhook['id']}"
    await change(api, webhook, {"documents": True})
    await api.post(f"{path}/rewind", {"n": 0})
    await api.post(f"{path}/rotate", {}, headers={"X-Request-Id": "rotate-1"})
    await api.delete(path)
    events = [
        (record.event, record.facts)  # type: ignore[attr-defined]
        for record in caplog.records
        if record.name == "service" and record.event != "audit_head"  # type: ignore[attr-defined]
    ]
    names = ["created", "updated", "rewound", "rotated", "deleted"]
    assert [name for name, _ in events] == [f"webhook_{name}" for name in names]
    assert {facts["webhook"] for _, facts in events} == {str(webhook["id"])}
    assert events[3][1]["request"] == "rotate-1"
    assert webhook["secret"] not in str(events)
