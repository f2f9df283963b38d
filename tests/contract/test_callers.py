"""Tests of API keys: access, scopes, and when a change takes effect (contract, Callers)."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import asyncpg
import pytest

from service.database.connections import Database
from service.database.contention import CONTENTION
from service.organizations import administration, keys
from service.organizations.caller import Callers
from tests.support.api import Api, issue_key
from tests.support.openapi_validation import is_failure

pytestmark = pytest.mark.contract("Callers")

GROUPS = "/api/groups"


class Clock:
    """Clock that tests set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(
            "service.organizations.caller.time", SimpleNamespace(monotonic=lambda: self.now)
        )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that the cache of callers looks at."""
    return Clock(monkeypatch)


async def status(api: Api, authorization: str | None) -> int:
    headers = {} if authorization is None else {"Authorization": authorization}
    async with api.client.get(GROUPS, headers=headers) as answer:
        if answer.status == 401:
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        return answer.status


async def test_only_a_right_key_gets_in(shared_api: Api) -> None:
    key = shared_api.key
    organization_id, key_id, secret = keys.parse(key) or (0, 0, "")
    other = ("0" if secret[0] != "0" else "1") + secret[1:]
    assert await status(shared_api, f"Bearer {key}") == 200
    assert await status(shared_api, f"bearer {key}") == 200
    for wrong in (
        None,
        "",
        "Bearer",
        "Bearer ",
        key,
        f"Basic {key}",
        f"Bearer {key}x",
        f"Bearer {key[:-1]}",
        f"Bearer {key.upper()}",
        f"Bearer {key} {key}",
        f"Bearer {keys.compose(organization_id, key_id, other)}",
        f"Bearer {keys.compose(organization_id, key_id + 1000, secret)}",
        f"Bearer {keys.compose(2, key_id, secret)}",
        f"Bearer {keys.compose(2**63, key_id, secret)}",
        f"Bearer slv_0{organization_id}_{key_id}_{secret}",
        f"Bearer slv_{organization_id}_{key_id}_{'é' * 64}",
        "Bearer 'or 1=1--",
    ):
        assert await status(shared_api, wrong) == 401, wrong
    is_failure(await Api(shared_api.client, "x").get(GROUPS), 401, "unauthorized")


async def test_a_doubled_bearer_prefix_is_explained(shared_api: Api) -> None:
    twice = await Api(shared_api.client, f"Bearer {shared_api.key}").get(GROUPS)
    is_failure(twice, 401, "unauthorized")
    assert "twice" in twice.json["error"]["details"][0]["value"]


async def test_the_form_of_a_key(shared_api: Api, shared_other: Api) -> None:
    assert re.fullmatch(r"slv_1_\d+_[0-9a-f]{64}", shared_api.key)
    assert re.fullmatch(r"slv_2_\d+_[0-9a-f]{64}", shared_other.key)


async def test_only_digests_are_stored(demo_dsn: str, api: Api) -> None:
    connection = await asyncpg.connect(demo_dsn)
    stored = await connection.fetch("select k::text as row from api_key k")
    await connection.close()
    secret = api.key.rpartition("_")[2]
    assert stored
    assert all(secret not in row["row"] for row in stored)


async def test_expired_keys(demo_dsn: str, api: Api) -> None:
    connection = await asyncpg.connect(demo_dsn)
    issued = {}
    for name, hours in (("past", -1), ("future", 1)):
        expires_at = datetime.now(UTC) + timedelta(hours=hours)
        issued[name] = await administration.issue_key(
            connection, 1, name=name, scope="write", expires_at=expires_at
        )
    await connection.close()
    assert await status(api, f"Bearer {issued['past']}") == 401
    assert await status(api, f"Bearer {issued['future']}") == 200


async def test_a_revoked_key_is_out_within_five_seconds(
    demo_dsn: str, api: Api, clock: Clock
) -> None:
    assert (await api.get(GROUPS)).status == 200
    connection = await asyncpg.connect(demo_dsn)
    key_id = (keys.parse(api.key) or (0, 0, ""))[1]
    assert await administration.revoke_key(connection, key_id)
    await connection.close()
    clock.now += 5.01
    is_failure(await api.get(GROUPS), 401, "unauthorized")


async def test_a_key_is_looked_up_once_in_a_while(demo_dsn: str, api: Api, clock: Clock) -> None:
    assert (await api.get(GROUPS)).status == 200
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute("update api_key set revoked_at = now()")
    clock.now += 2
    assert (await api.get(GROUPS)).status == 200
    clock.now += 2.99
    assert (await api.get(GROUPS)).status == 200, "a use does not lengthen a key's life"
    clock.now += 0.02
    assert (await api.get(GROUPS)).status == 401
    await connection.execute("update api_key set revoked_at = null")
    await connection.close()
    assert (await api.get(GROUPS)).status == 401, "an unknown key is remembered for a second"
    clock.now += 1.01
    assert (await api.get(GROUPS)).status == 200


class CountingDatabase(Database):
    """Database that counts look-ups, and those that each waited for."""

    look_ups = 0
    begun = 0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.overtaken_by: dict[int, int] = {}
        """Number of others that began while the last look-up of a queue waited, by its id."""

    async def look_up(
        self, work: Any, organization_id: int = 0, queue_id: int | None = None
    ) -> Any:
        self.look_ups += 1
        await asyncio.sleep(0.01)
        begun = self.begun

        async def recorded(connection: Any) -> Any:
            self.overtaken_by[queue_id or organization_id] = self.begun - begun
            self.begun += 1
            return await work(connection)

        return await super().look_up(recorded, organization_id, queue_id)


@pytest.fixture
async def counting(shared_dsn: str) -> AsyncIterator[CountingDatabase]:
    database = CountingDatabase(shared_dsn, 1)
    yield database
    await database.close()


async def test_concurrent_look_ups_of_a_key_are_one(
    counting: CountingDatabase, shared_keys: dict[str, str]
) -> None:
    callers, key = Callers(counting), shared_keys["writer"]
    hanging_up = asyncio.create_task(callers.find(key))
    finding = [asyncio.create_task(callers.find(key)) for _ in range(20)]
    await asyncio.sleep(0)
    hanging_up.cancel()
    identified = await asyncio.gather(*finding)
    assert all(caller is not None and caller.organization_id == 1 for caller in identified)
    assert counting.look_ups == 1
    await asyncio.gather(*(callers.find(key, fresh=True) for _ in range(20)))
    assert counting.look_ups == 2


async def test_wrong_secrets_of_a_key_cost_one_look_up(
    counting: CountingDatabase, shared_keys: dict[str, str]
) -> None:
    callers, key = Callers(counting), shared_keys["writer"]
    organization_id, key_id, _ = keys.parse(key) or (0, 0, "")
    for unknown_id in (key_id, key_id + 10**6):
        for _ in range(20):
            wrong = keys.compose(organization_id, unknown_id, keys.new_secret())
            assert await callers.find(wrong) is None
    assert counting.look_ups == 2
    assert await callers.find(key) is not None
    assert counting.look_ups == 2
    for text in (key[:-1], key.upper(), "x" * 9000, key.replace("_", "-")):
        assert await callers.find(text) is None
    assert counting.look_ups == 2


async def test_unknown_keys_delay_no_known_one(
    counting: CountingDatabase, shared_keys: dict[str, str], clock: Clock
) -> None:
    """A known key that has to be looked up again waits for one of them at most."""
    callers, key = Callers(counting), shared_keys["writer"]
    # Two organizations open both connections.
    await asyncio.gather(*(counting.look_up(lambda on: on.fetchval("select 1"), n) for n in (1, 2)))
    assert await callers.find(key) is not None
    clock.now += 5.01
    unknown_keys = [
        asyncio.create_task(callers.find(keys.compose(1, 10**9 + number, keys.new_secret())))
        for number in range(200)
    ]
    await asyncio.sleep(0)
    assert await callers.find(key) is not None
    assert await asyncio.gather(*unknown_keys) == [None] * 200
    assert counting.overtaken_by[1] <= 1
    assert counting.begun == 204


async def test_unknown_keys_are_no_sign_of_other_organizations(shared_dsn: str) -> None:
    """Several active organizations would get fewer connections each."""
    database = Database(shared_dsn, 4)
    callers = Callers(database)
    await asyncio.sleep(0.05)
    for number in range(1, 20):
        await callers.find(keys.compose(number, 10**9, keys.new_secret()))
        assert not CONTENTION.is_contended()
    await database.close()


async def test_the_cache_of_unknown_keys_has_a_bound(
    counting: CountingDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.organizations.caller.CACHE_SIZE", 10)
    callers = Callers(counting)
    for number in range(1, 30):
        await callers.find(keys.compose(1, 10**9 + number, keys.new_secret()))
    assert len(callers._look_ups) == 10


async def test_keys_show_when_they_were_last_used(demo_dsn: str) -> None:
    """Written by one of several workers, and not again soon."""
    issued = await issue_key(demo_dsn, 1)
    first, second = Database(demo_dsn, 2), Database(demo_dsn, 2)
    workers = [Callers(first), Callers(second)]
    connection = await asyncpg.connect(demo_dsn)
    stored = "select last_used_at, xmin::text from api_key where id = $1"
    key_id = int(issued.split("_")[2])
    assert await connection.fetchval(stored, key_id) is None
    rows = []
    for worker in (*workers, *workers):
        assert await worker.find(issued) is not None
        await worker.last_used.write()
        rows.append(await connection.fetchrow(stored, key_id))
    assert datetime.now(UTC) - rows[0]["last_used_at"] < timedelta(minutes=1)
    assert rows == rows[:1] * 4
    earlier = rows[0]["last_used_at"] - timedelta(minutes=6)
    await connection.execute("update api_key set last_used_at = $2 where id = $1", key_id, earlier)
    workers[0].last_used.record(1, key_id)
    await workers[0].last_used.write()
    assert await connection.fetchval(stored, key_id) > earlier
    assert await connection.fetchval("select count(last_used_at) from api_key") == 1
    await connection.close()
    await first.close()
    await second.close()


@pytest.mark.contract("Features")
async def test_features_reach_the_service_within_five_seconds(
    demo_dsn: str, api: Api, clock: Clock
) -> None:
    body = {"name": "Multilingual", "languageIds": [1]}
    assert (await api.post("/api/colors", body)).status == 201
    connection = await asyncpg.connect(demo_dsn)
    off = administration.OrganizationSettings(multiple_language=False)
    assert None is not await administration.set_organization(connection, 1, off)
    await connection.close()
    clock.now += 5.01
    refused = await api.post("/api/colors", body)
    is_failure(refused, 400, "validation_error.feature_disabled")


async def test_a_read_key_reads_everything_and_writes_nothing(
    shared_reader: Api, shared_api: Api
) -> None:
    assert (await shared_reader.get(GROUPS)).raw == (await shared_api.get(GROUPS)).raw
    assert (await shared_reader.call("HEAD", GROUPS)).status == 200
    is_failure(await shared_reader.post(GROUPS, {"name": "x"}), 403, "forbidden.scope")


@pytest.mark.contract("Tenancy")
async def test_organizations_see_their_own_records_alone(
    shared_api: Api, shared_other: Api
) -> None:
    for path in (GROUPS, "/api/colors", "/api/style-relations", "/api/styles"):
        mine = {record["id"] for record in (await shared_api.get(path)).data}
        theirs = {record["id"] for record in (await shared_other.get(path)).data}
        assert mine
        assert theirs
        assert not mine & theirs


async def test_a_key_names_its_installation_and_organization(
    shared_api: Api, shared_other: Api
) -> None:
    own, other = [(await api.get("/api/me")).data for api in (shared_api, shared_other)]
    for api, identity in ((shared_api, own), (shared_other, other)):
        assert identity["organization"]["id"] == int(api.key.split("_")[1])
    assert own["installation"] == other["installation"]
    assert own["organization"] != other["organization"]
