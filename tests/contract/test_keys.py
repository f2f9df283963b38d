"""Tests of API keys over HTTP: lists, creation, rotation, deletion and scopes (contract, Keys)."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import orjson
import pytest
from aiohttp import ClientError
from aiohttp.test_utils import TestClient

from service.http.context import CALLERS
from service.organizations import caller
from tests.contract.test_audit import AUDIT
from tests.support import webhooks
from tests.support.api import Api, issue_key
from tests.support.inserted_rows import execute
from tests.support.keys import NEW, PATH
from tests.support.openapi_validation import is_failure
from tests.support.sampling import examples
from tests.support.serving import serving
from tests.support.time_limits import until, within

pytestmark = pytest.mark.contract("Keys")

GROUPS = "/api/groups"


async def create(api: Api, **members: Any) -> tuple[dict[str, Any], Api]:
    """Create a key; return its document, and a client that uses it."""
    answer = await api.post(PATH, NEW | members)
    assert answer.status == 201, answer.raw
    return answer.data, Api(api.client, answer.data["key"])


async def test_a_key_is_created_rotated_and_deleted(api: Api) -> None:
    _, organization, own_id, _ = api.key.split("_")
    sent = {"name": "Portal", "scopes": ["groups:write", "read"], "source": "portal"}
    document, portal = await create(api, **sent, expiresAt="2999-01-01T00:00:00Z")
    key, path = document.pop("key"), f"{PATH}/{document['id']}"
    assert key.startswith(f"slv_{organization}_{document['id']}_")
    assert document == {
        "id": document["id"],
        "name": "Portal",
        "source": "portal",
        "createdAt": document["createdAt"],
        "createdBy": f"key:{own_id}",
        "lastUsedAt": None,
        "expiresAt": "2999-01-01T00:00:00.000000Z",
        "scopes": ["groups:write", "read"],
    }
    assert (await api.get(path)).data == document
    for query in ({"name": "Portal"}, {"q": "port"}):
        assert (await api.get(PATH, query)).data == [document]
    assert (await portal.post(GROUPS, {"name": "x"})).status == 201
    rotated = await api.post(f"{path}/rotate", {})
    assert rotated.data == document | {"key": rotated.data["key"]}
    renewed = Api(api.client, rotated.data["key"])
    for each in (renewed, portal):
        assert (await each.get(GROUPS)).status == 200
    deleted = await api.delete(path)
    assert deleted.data == document
    for refused in (
        await api.get(path),
        await api.delete(path),
        await api.post(f"{path}/rotate", {}),
    ):
        is_failure(refused, 404, "not_found")
    assert (await api.get(PATH, {"name": "Portal"})).data == []
    for each in (renewed, portal):
        await refused_soon(each)
    entries = (await api.get(AUDIT)).data
    target = f"key:{document['id']}"
    assert [(each["action"], each["target"], each["details"]) for each in entries] == [
        (
            "key.created",
            target,
            {
                "name": "Portal",
                "scopes": ["groups:write", "read"],
                "source": "portal",
                "expiresAt": "2999-01-01T00:00:00+00:00",
            },
        ),
        ("key.rotated", target, {"overlapSeconds": 86400}),
        ("key.deleted", target, {"pausedWebhooks": []}),
    ]


async def refused_soon(api: Api) -> None:
    async with within(1):
        while (await api.get(GROUPS)).status != 401:
            pass


async def test_the_last_two_secrets_hold(api: Api) -> None:
    document, first = await create(api)
    path = f"{PATH}/{document['id']}/rotate"
    second = Api(api.client, (await api.post(path, {})).data["key"])
    assert [(await each.get(GROUPS)).status for each in (first, second)] == [200, 200]
    third = Api(api.client, (await api.post(path, {"overlapSeconds": 604_800})).data["key"])
    await refused_soon(first)
    assert [(await each.get(GROUPS)).status for each in (second, third)] == [200, 200]
    fourth = Api(api.client, (await api.post(path, {"overlapSeconds": 0})).data["key"])
    await refused_soon(third)
    await refused_soon(second)
    assert (await fourth.get(GROUPS)).status == 200


async def test_faulty_bodies(api: Api) -> None:
    faults: list[tuple[dict[str, Any], str, str]] = [
        ({"scopes": []}, "too_few_items", "scopes"),
        ({"scopes": ["styles:fly"]}, "invalid_value", "scopes[0]"),
        ({"scopes": ["*:read", "stiles:read"]}, "invalid_value", "scopes[1]"),
        ({"name": ""}, "too_short", "name"),
        ({"source": " "}, "invalid_value", "source"),
        ({"expiresAt": "2020-01-01T00:00:00Z"}, "invalid_value", "expiresAt"),
        ({"expiresAt": "tomorrow"}, "invalid_value", "expiresAt"),
        ({"key": "x"}, "unknown_field", "key"),
    ]
    for members, error_type, field in faults:
        answer = await api.post(PATH, NEW | members)
        assert answer.details == [(f"validation_error.{error_type}", field)], members
    path = f"{PATH}/{(await create(api))[0]['id']}/rotate"
    for seconds in (-1, 604_801):
        answer = await api.post(path, {"overlapSeconds": seconds})
        assert answer.details == [("validation_error.out_of_range", "overlapSeconds")]


async def test_no_key_makes_or_changes_one_with_more_scopes(api: Api, shared_dsn: str) -> None:
    document, _ = await create(api, scopes=["*:read", "styles:delete"])
    path, key = f"{PATH}/{document['id']}", partial(issue_key, shared_dsn, api.organization_id)
    manager = Api(api.client, await key("read", "styles:write", "keys:manage"))
    for scopes, index in (
        (["*:read", "styles:delete"], 1),
        (["styles:write", "colors:write"], 1),
        (["audit:read"], 0),
        (["write"], 0),
    ):
        refused = await manager.post(PATH, NEW | {"scopes": scopes})
        is_failure(refused, 403, "forbidden.scope")
        assert refused.details == [("forbidden.scope", f"scopes[{index}]")]
    for refused in (await manager.post(f"{path}/rotate", {}), await manager.delete(path)):
        assert refused.details == [("forbidden.scope", "scopes[1]")]
    allowed = ["styles:write", "colors:read", "keys:manage"]
    made, _ = await create(manager, scopes=allowed)
    assert (await manager.delete(f"{PATH}/{made['id']}")).status == 200
    assert (await api.delete(path)).status == 200
    plain = Api(api.client, await key("write"))
    for method, where in (("GET", PATH), ("POST", PATH), ("GET", AUDIT), ("DELETE", path)):
        is_failure(await plain.call(method, where), 403, "forbidden.scope")


async def test_no_key_makes_one_that_lasts_longer(api: Api) -> None:
    first, last = "2998-12-31T23:59:59.999999Z", "2999-01-01T00:00:00.000000Z"
    _, manager = await create(api, scopes=["*:read", "keys:manage"], expiresAt=last)
    for sent, stored in ((first, first), (last, last), (None, last)):
        assert (await create(manager, expiresAt=sent))[0]["expiresAt"] == stored
    beyond = {"expiresAt": "2999-01-01T00:00:00.000001Z"}
    refused = await manager.post(PATH, NEW | beyond)
    assert refused.details == [("validation_error.invalid_value", "expiresAt")]
    for later in (beyond, {}):
        path = f"{PATH}/{(await create(api, **later))[0]['id']}/rotate"
        headers = {} if later else {"Idempotency-Key": "rotation-2"}
        assert (await api.post(path, {}, headers=headers)).status == 200
        refused = await manager.post(path, {}, headers=headers)
        assert refused.details == [("validation_error.invalid_value", "expiresAt")]


async def test_no_key_replays_the_new_secret_of_another_key(api: Api, shared_dsn: str) -> None:
    """A stored response would have a secret with more scopes than those of the key."""
    path = f"{PATH}/{(await create(api, scopes=['audit:read']))[0]['id']}/rotate"
    key, headers = partial(issue_key, shared_dsn, api.organization_id), {"Idempotency-Key": "key-1"}
    for scope in ("read", "write"):
        owner, other = [
            Api(api.client, await key(scope, "keys:manage", *more)) for more in (["audit:read"], [])
        ]
        first = await owner.post(path, {}, headers=headers)
        assert (await owner.post(path, {}, headers=headers)).raw == first.raw
        refused = await other.post(path, {}, headers=headers)
        assert refused.details == [("forbidden.scope", "scopes[0]")]


async def test_keys_of_other_organizations_are_unknown(api: Api, other_api: Api) -> None:
    document, own = await create(api)
    path = f"{PATH}/{document['id']}"
    assert (await other_api.get(PATH, {"name": NEW["name"]})).data == []
    for answer in (
        await other_api.get(path),
        await other_api.post(f"{path}/rotate", {}),
        await other_api.delete(path),
    ):
        is_failure(answer, 404, "not_found")
    assert (await own.get(GROUPS)).status == 200


async def test_a_deleted_key_pauses_its_webhooks(api: Api) -> None:
    document, own = await create(api, scopes=["*:delete"])
    active = webhooks.BODIES["add"] | {"state": "active"}
    theirs, mine = [(await each.post(webhooks.PATH, active)).data["id"] for each in (own, api)]
    taken_over = (await own.post(webhooks.PATH, active)).data["id"]
    await api.patch(f"{webhooks.PATH}/{taken_over}", {"documents": True})
    assert (await api.delete(f"{PATH}/{document['id']}")).status == 200
    states = {each["id"]: each["state"] for each in (await api.get(webhooks.PATH)).data}
    assert states == {theirs: "paused", mine: "active", taken_over: "active"}
    assert (await api.get(AUDIT)).data[-1]["details"] == {"pausedWebhooks": [theirs]}


async def test_rotation_under_load_refuses_nobody(api: Api, shared_dsn: str) -> None:
    """Clients of two workers go over to the new secrets while they are sending."""
    keys = [await create(api) for _ in range(examples(few=10, many=100))]
    async with serving(shared_dsn) as server, TestClient(server) as other:
        clients = [each.key for _, each in keys]
        statuses, is_done, turns = list[int](), False, asyncio.Semaphore(10)

        async def use(index: int) -> None:
            while not is_done:
                for client in (api.client, other):
                    async with turns:
                        statuses.append((await Api(client, clients[index]).get(GROUPS)).status)

        users = [asyncio.create_task(use(index)) for index in range(len(keys))]
        for turn in range(1, 4):
            for index, (document, _) in enumerate(keys):
                answer = await api.post(f"{PATH}/{document['id']}/rotate", {})
                clients[index] = answer.data["key"]
            sent = turn * 2 * len(keys)
            await until(lambda sent=sent: len(statuses) >= sent, 60)  # type: ignore[misc]
        is_done = True
        await asyncio.gather(*users)
    assert {*statuses} == {200}


async def test_a_deleted_key_is_refused_by_each_worker(api: Api, demo_dsn: str) -> None:
    """Also for readers that wait, and for streams."""
    document, own = await create(api)
    await execute(
        demo_dsn,
        "drop index item_by_word; insert into item (organization_id, number, name) "
        "select 1, 'n' || i, repeat(md5(i::text), 600) from generate_series(1, 600) i",
    )
    async with serving(demo_dsn) as server, TestClient(server) as other:
        workers = [Api(client, own.key) for client in (api.client, other)]
        cursors = [(await each.get("/api/changes", {"from": "now"})).json for each in workers]
        queries = [{"cursor": each["pagination"]["cursor"], "wait": "30"} for each in cursors]
        waiting = [
            asyncio.create_task(each.get("/api/changes", query))
            for each, query in zip(workers, queries, strict=True)
        ]
        headers = {"Authorization": f"Bearer {own.key}", "Accept-Encoding": "identity"}
        export = {"collection": "items"}
        stream = await other.get("/api/export", params=export, headers=headers)
        await stream.content.readany()
        assert (await api.delete(f"{PATH}/{document['id']}")).status == 200
        async with within(1):
            for answer in await asyncio.gather(*waiting):
                is_failure(answer, 401, "unauthorized")
        for each in workers:
            await refused_soon(each)
        with pytest.raises(ClientError):
            await stream.content.read()


async def test_a_deleted_key_leaves_no_key_or_webhook(api: Api) -> None:
    """Not even by requests whose bodies it is still sending."""
    document, own = await create(api, scopes=["keys:manage", "*:delete"])
    begun, deleted = [asyncio.Event(), asyncio.Event()], asyncio.Event()

    async def send(index: int, path: str, body: dict[str, Any]) -> int:
        async def slow_body() -> AsyncIterator[bytes]:
            begun[index].set()
            await deleted.wait()
            yield orjson.dumps(body)

        headers = {"Authorization": f"Bearer {own.key}", "Content-Type": "application/json"}
        answer = await api.client.post(path, data=slow_body(), headers=headers, expect100=True)
        return answer.status

    requests = ((PATH, NEW | {"name": "late"}), (webhooks.PATH, webhooks.BODIES["add"]))
    sending = [asyncio.create_task(send(index, *each)) for index, each in enumerate(requests)]
    for each in begun:
        await each.wait()
    assert (await api.delete(f"{PATH}/{document['id']}")).status == 200
    deleted.set()
    assert await asyncio.gather(*sending) == [401, 401]
    assert (await api.get(PATH, {"name": "late"})).data == []
    assert (await api.get(webhooks.PATH)).data == []


async def test_the_minute_of_grace_ends_for_deleted_keys(api: Api) -> None:
    """A key that was valid before goes on for a minute while look-ups fail."""
    document, own = await create(api)
    assert (await own.get(GROUPS)).status == 200
    callers = api.client.app[CALLERS]
    tokens = [caller.digest(each.key) for each in (own, api)]
    assert all(token in callers._valid_keys for token in tokens)
    await api.delete(f"{PATH}/{document['id']}")
    await until(lambda: tokens[0] not in callers._valid_keys)
    assert tokens[1] in callers._valid_keys
