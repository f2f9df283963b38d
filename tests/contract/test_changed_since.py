"""Tests of `changedSince` and `X-Changes-Cursor` of lists (contract, Lists)."""

import asyncio
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.feed import changed_since, numbered_feed
from service.feed import feed_parameters as changes
from service.feed.numbered_feed import FeedState
from service.handlers import response_cache
from service.handlers.response_cache import RESPONSE_CACHE
from service.limits import RESPONSE_CACHE_SECONDS
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS, SHARED_LISTS
from service.routes import Route, collection_path
from tests.contract.test_change_entries import WRITES
from tests.support.api import Api, replacing
from tests.support.changes import PATH, Follower
from tests.support.listing import walk
from tests.support.openapi_validation import is_failure
from tests.support.parametrize import of_each_list
from tests.support.sampling import Sample
from tests.support.serving import serving
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Lists")

GROUPS, COLORS = "/api/groups", "/api/colors"
WRITTEN = [
    resource
    for resource in MASTER_RECORDS
    if resource.name in ("groups", "item-categories", "size-ranges", "style-custom-fields")
]
"""Soft and hard deletes, records that a write changes beside its own, and restrictions."""
STATES = [("state", state) for state in ("active", "inactive", "deleted")]


def ago(**distance: float) -> str:
    return (datetime.now(UTC) - timedelta(**distance)).isoformat(timespec="microseconds")


async def age(connection: asyncpg.Connection, api: Api, **distance: float) -> None:
    """Make all changes of the organization so far older."""
    # Without the time zone, which is stable, so that a cluster runs it, too.
    text = """update change set at = (at at time zone 'UTC' - $1::interval) at time zone 'UTC'
        where organization_id = $2"""
    await connection.execute(text, timedelta(**distance), api.organization_id)


@pytest.mark.parametrize("resource", WRITTEN, ids=lambda resource: resource.name)
async def test_a_list_has_what_the_feed_names(
    resource: MasterRecord, api: Api, demo_dsn: str, sample: Sample
) -> None:
    path, states = collection_path(resource), STATES if resource.listed else []
    await WRITES[0](api, resource, Random(resource.name))
    connection = await asyncpg.connect(demo_dsn)
    await age(connection, api, days=1)
    await connection.close()
    follower = Follower(api)
    await follower.begin()
    for write in sample(WRITES, 3):
        await write(api, resource, Random(f"{write.__name__} {resource.name}"))
    entries = await follower.entries()
    for listed, collection in ((path, resource.name), (COLORS, "colors")):
        named = {entry["recordId"] for entry in entries if entry["collection"] == collection}
        everything = {record["id"] for record in await walk(api, listed, states)}
        changed = await walk(api, listed, [("changedSince", ago(hours=12)), *states])
        assert {record["id"] for record in changed} == named & everything
    assert await walk(api, path, [("changedSince", ago(hours=-1)), ("pageSize", "1")]) == []


async def test_records_that_show_a_changed_one_have_changed(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    group = (await api.post("/api/color-groups", {"name": "Blues"})).data["id"]
    shown = [{"name": name, "colorGroupIds": [group]} for name in ("Navy", "Sky")]
    ids = [color["id"] for color in (await api.post(COLORS, shown)).data]
    await age(shared_connection, api, days=1)
    since = [("changedSince", ago(hours=1))]
    assert await walk(api, COLORS, since) == []
    await api.patch(f"/api/color-groups/{group}", replacing("/name", "Blue tones"))
    changed = await walk(api, COLORS, [*since, ("pageSize", "1")])
    assert [color["id"] for color in changed] == ids
    assert {color["colorGroups"][0]["name"] for color in changed} == {"Blue tones"}
    filtered = await walk(api, COLORS, [*since, ("name", "Sky")])
    assert [color["id"] for color in filtered] == ids[1:]


@of_each_list
async def test_each_list_takes_a_time(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = route.path.format(**stored)
    always = route.resource in SHARED_LISTS
    ahead = {"changedSince": "2999-01-01T00:00:00Z", "pageSize": "1"}
    async with within(20):
        while (answer := await shared_api.get(path, ahead)).status == 200:
            if bool(answer.data) is always:
                break  # changes count until a reader has numbered them
    assert answer.status == 200, answer.raw


@of_each_list
async def test_each_list_refuses_and_takes_forms_of_times(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = route.path.format(**stored)
    for text in (
        "yesterday",
        "2026-11-20",
        "2026-13-01T00:00:00Z",
        "2999-01-01T00:00:00+24:00",
        "",
    ):
        wrong = await shared_api.get(path, {"changedSince": text})
        [detail] = wrong.json["error"]["details"]
        assert wrong.details == [("validation_error.invalid_value", "changedSince")]
        assert detail["value"] == "Use a time such as 2026-11-20T09:18:00.000000Z."
    for text in (
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z",
        "2999-01-01t00:00:00.123456789z",
        "2999-01-01T00:00:00.1234567-23:59",
    ):
        assert (await shared_api.get(path, {"changedSince": text})).status == 200


async def test_deleted_records_are_listed_by_their_state(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    await age(shared_connection, api, days=1)
    group = (await api.post(GROUPS, {"name": "Brief"})).data["id"]
    await api.delete(f"{GROUPS}/{group}")
    since = ("changedSince", ago(hours=1))
    assert await walk(api, GROUPS, [since]) == []
    deleted = await walk(api, GROUPS, [since, ("state", "deleted")])
    assert [record["id"] for record in deleted] == [group]


async def test_the_cursor_carries_the_time(api: Api, shared_connection: asyncpg.Connection) -> None:
    await age(shared_connection, api, days=1)
    await api.post(GROUPS, [{"name": f"Group {number}"} for number in range(3)])
    since = ago(hours=1)
    first = await api.get(GROUPS, {"changedSince": since, "pageSize": "1"})
    following = {"cursor": first.json["pagination"]["cursor"]}
    again = await api.get(GROUPS, following | {"changedSince": since})
    assert [record["name"] for record in again.data] == ["Group 1"]
    other = await api.get(GROUPS, following | {"changedSince": ago(hours=2)})
    assert other.details == [("validation_error.exclusive_parameters", "changedSince")]
    plain = (await api.get(GROUPS, {"pageSize": "1"})).json["pagination"]["cursor"]
    stray = await api.get(GROUPS, {"cursor": plain, "changedSince": since})
    assert stray.details == [("validation_error.exclusive_parameters", "changedSince")]
    counted = await api.get(
        GROUPS, {"changedSince": since, "pageSize": "1"}, headers={"Prefer": "count=exact"}
    )
    assert counted.headers["Total-Count"] == "3"


@pytest.mark.contract("Changes")
async def test_times_before_cleared_changes_are_gone(
    api: Api, shared_connection: asyncpg.Connection
) -> None:
    for name in ("One", "Two", "Three"):
        await api.post(GROUPS, {"name": name})
    first = await api.get(GROUPS, {"changedSince": ago(hours=1), "pageSize": "1"})
    assert first.status == 200
    clear = "update change_feed set cleared_n = 1, cleared_at = {} where organization_id = $1"
    first_of_it = "delete from change where organization_id = $1 and n = 1"
    for text in (first_of_it, clear.format("now()")):
        await shared_connection.execute(text, api.organization_id)
    is_failure(await api.get(GROUPS, {"changedSince": ago(hours=1)}), 410, "gone.changes_expired")
    following = {"cursor": first.json["pagination"]["cursor"]}
    assert (await api.get(GROUPS, following)).details == [("gone.changes_expired", "cursor")]
    ended = clear.format("now() - interval '2 days'")
    await shared_connection.execute(ended, api.organization_id)
    assert (await api.get(GROUPS, {"changedSince": ago(days=1)})).status == 200
    is_failure(await api.get(GROUPS, {"changedSince": ago(days=3)}), 410, "gone.changes_expired")
    # As a release without the time has cleared them.
    await shared_connection.execute(clear.format("null"), api.organization_id)
    is_failure(await api.get(GROUPS, {"changedSince": ago(hours=1)}), 410, "gone.changes_expired")


async def test_after_very_many_changes_all_records_have_changed(
    api: Api, shared_connection: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await age(shared_connection, api, days=1)
    await api.post(GROUPS, [{"name": f"Group {number}"} for number in range(3)])
    assert len(await walk(api, GROUPS, [("changedSince", ago(hours=1))])) == 3
    for name in ("MAX_ENTRIES", "MAX_TRANSACTIONS"):
        with monkeypatch.context() as patch:
            patch.setattr(changed_since, name, 0)
            since = [("changedSince", ago(hours=1)), ("pageSize", "20")]
            assert await walk(api, GROUPS, since) == await walk(api, GROUPS)


@of_each_list
async def test_the_first_page_tells_the_feed(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = route.path.format(**stored)
    first = await shared_api.get(path, {"pageSize": "1"})
    assert (await shared_api.get(PATH, {"cursor": first.headers["X-Changes-Cursor"]})).status == 200
    epoch = first.headers["X-Changes-Epoch"]
    numbered = {"after": first.headers["X-Changes-After"], "epoch": epoch}
    assert (await shared_api.get(PATH, numbered)).status == 200
    later = [{"pageSize": "1", "pageNumber": "2"}]
    if first.json["pagination"]["hasMore"]:
        later.append({"cursor": first.json["pagination"]["cursor"]})
    for params in later:
        headers = (await shared_api.get(path, params)).headers
        assert not [name for name in headers if name.startswith("X-Changes-")]


@pytest.mark.parametrize("megabytes", ["0", "32"])
async def test_a_list_goes_over_into_following(
    megabytes: str, api: Api, shared_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list and the changes after it equal the records, whatever was written meanwhile."""
    monkeypatch.setattr(response_cache, "RESPONSE_CACHE_SECONDS", 0.1)
    random, made = Random(3), await api.post(GROUPS, [{"name": "A group"} for _ in range(9)])
    async with (
        serving(shared_dsn, RESPONSE_CACHE_MIB=megabytes) as server,
        TestClient(server) as client,
    ):
        reader, is_done = Api(client, api.key), asyncio.Event()

        async def write() -> None:
            while not is_done.is_set():
                record = random.choice(made.data[:5])["id"]
                name = f"Name {random.random()}"
                await api.patch(f"{GROUPS}/{record}", replacing("/name", name))

        async def read() -> tuple[dict[Any, Any], str]:
            first = await reader.get(f"{GROUPS}?pageSize=100")
            records = {record["id"]: record for record in first.data}
            await asyncio.sleep(random.uniform(0, 0.02))
            return records, first.headers["X-Changes-Cursor"]

        writing = asyncio.create_task(write())
        try:
            copies = [await read() for _ in range(12)]
        finally:
            is_done.set()
            await writing
        last = await reader.get(f"{GROUPS}?pageSize=100")
        truth = {record["id"]: record for record in last.data}
        for records, cursor in copies:
            follower = Follower(reader)
            follower.cursor = cursor
            for entry in await follower.entries():
                records[entry["recordId"]] = truth[entry["recordId"]]
            assert records == truth


async def test_the_header_costs_no_statement_of_its_own(
    shared_dsn: str, shared_keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = list[int]()

    async def counted(*arguments: Any, **options: Any) -> Any:
        reads.append(1)
        return await numbered_feed.read_numbered_state(*arguments, **options)

    monkeypatch.setattr(response_cache, "read_numbered_state", counted)
    async with serving(shared_dsn) as server, TestClient(server) as client:
        api = Api(client, shared_keys["writer"])
        for size in range(1, 6):
            answer = await api.get(f"{GROUPS}?pageSize={size}")
            assert answer.headers["X-Changes-Cursor"]
        assert len(reads) <= 2
    assert changes.cursor_after.cache_info().maxsize == 1024


@pytest.mark.demo_data
async def test_a_page_during_a_poll_is_recent(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract, Lists: also when the poll before it is long ago."""
    first = await api.get(GROUPS, {"pageSize": "1"})
    await api.post(GROUPS, {"name": "Later"})
    await api.get(PATH)
    app: Any = api.client.app
    app[RESPONSE_CACHE]._organizations[1].polled_at -= 2 * RESPONSE_CACHE_SECONDS
    read, gate = numbered_feed.read_numbered_state, asyncio.Event()

    async def read_late(*arguments: Any, **options: Any) -> FeedState:
        await gate.wait()
        return await read(*arguments, **options)

    monkeypatch.setattr(response_cache, "read_numbered_state", read_late)
    pages = [
        asyncio.create_task(api.get(GROUPS, {"pageSize": "1", "id": str(number)}))
        for number in range(1, 4)
    ]
    await asyncio.sleep(0.2)
    gate.set()
    positions = {(await page).headers["X-Changes-After"] for page in pages}
    assert len(positions) == 1
    assert int(positions.pop()) > int(first.headers["X-Changes-After"])
