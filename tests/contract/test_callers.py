"""Tests of API keys: access, scopes, and when a change takes effect (contract, Callers)."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from service.database.connections import Connection, Database
from service.organizations import administration, caller, keys
from service.organizations.caller import Callers
from tests.support.api import Api
from tests.support.clock import Clock
from tests.support.openapi_validation import is_failure

pytestmark = pytest.mark.contract("Callers")

GROUPS = "/api/groups"


async def status(api: Api, authorization: str | None) -> int:
    headers = {} if authorization is None else {"Authorization": authorization}
    async with api.client.get(GROUPS, headers=headers) as answer:
        if answer.status == 401:
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        return answer.status


def wrong_headers(key: str) -> tuple[str | None, ...]:
    """Return what names no key, or not this one as it is."""
    organization_id, key_id, secret = caller.parse(key) or (0, 0, "")
    other = ("0" if secret[0] != "0" else "1") + secret[1:]
    return (
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
        f"Bearer {caller.compose(organization_id, key_id, other)}",
        f"Bearer {caller.compose(organization_id, key_id + 1000, secret)}",
        f"Bearer {caller.compose(2, key_id, secret)}",
        f"Bearer {caller.compose(2**63, key_id, secret)}",
        f"Bearer slv_0{organization_id}_{key_id}_{secret}",
        f"Bearer slv_{organization_id}_{key_id}_{'é' * 64}",
        "Bearer 'or 1=1--",
    )


async def test_only_a_right_key_gets_in(shared_api: Api) -> None:
    key = shared_api.key
    assert await status(shared_api, f"Bearer {key}") == 200
    assert await status(shared_api, f"bearer {key}") == 200
    for wrong in wrong_headers(key):
        assert await status(shared_api, wrong) == 401, wrong
    is_failure(await Api(shared_api.client, "x").get(GROUPS), 401, "unauthorized")


async def test_a_doubled_bearer_prefix_is_explained(shared_api: Api) -> None:
    twice = await Api(shared_api.client, f"Bearer {shared_api.key}").get(GROUPS)
    is_failure(twice, 401, "unauthorized")
    assert "twice" in twice.json["error"]["details"][0]["value"]


async def test_the_form_of_a_key(shared_api: Api, shared_other: Api) -> None:
    assert re.fullmatch(r"slv_1_\d+_[0-9a-f]{64}", shared_api.key)
    assert re.fullmatch(r"slv_2_\d+_[0-9a-f]{64}", shared_other.key)


async def test_only_digests_are_stored(shared_connection: Connection, api: Api) -> None:
    stored = await shared_connection.fetch("select k::text as row from api_key k")
    secret = api.key.rpartition("_")[2]
    assert stored
    assert all(secret not in row["row"] for row in stored)


async def test_expired_keys(shared_connection: Connection, api: Api) -> None:
    issued = {}
    for name, hours in (("past", -1), ("future", 1)):
        ends = datetime.now(UTC) + timedelta(hours=hours)
        issued[name] = await administration.issue_key(
            shared_connection, api.organization_id, name=name, scopes=["write"], expires_at=ends
        )
    assert await status(api, f"Bearer {issued['past']}") == 401
    assert await status(api, f"Bearer {issued['future']}") == 200


async def test_a_revoked_key_is_out_within_five_seconds(
    shared_connection: Connection, api: Api, clock: Clock
) -> None:
    assert (await api.get(GROUPS)).status == 200
    key_id = (caller.parse(api.key) or (0, 0, ""))[1]
    assert await keys.delete(shared_connection, api.organization_id, key_id)
    clock.now += 5.01
    is_failure(await api.get(GROUPS), 401, "unauthorized")


async def test_a_key_is_looked_up_once_in_a_while(
    shared_connection: Connection, api: Api, clock: Clock
) -> None:
    revoke = "update api_key set revoked_at = {} where organization_id = $1"
    assert (await api.get(GROUPS)).status == 200
    await shared_connection.execute(revoke.format("now()"), api.organization_id)
    clock.now += 2
    assert (await api.get(GROUPS)).status == 200
    clock.now += 2.99
    assert (await api.get(GROUPS)).status == 200, "a use does not lengthen a key's life"
    clock.now += 0.02
    assert (await api.get(GROUPS)).status == 401
    await shared_connection.execute(revoke.format("null"), api.organization_id)
    assert (await api.get(GROUPS)).status == 401, "an unknown key is remembered for a second"
    clock.now += 1.01
    assert (await api.get(GROUPS)).status == 200


async def test_keys_show_when_they_were_last_used(
    api: Api, shared_dsn: str, shared_connection: Connection
) -> None:
    """Written by one of several workers, and not again soon."""
    first, second = Database(shared_dsn, 2), Database(shared_dsn, 2)
    workers = [Callers(first), Callers(second)]
    stored = "select last_used_at, xmin::text from api_key where id = $1"
    key_id = int(api.key.split("_")[2])
    assert await shared_connection.fetchval(stored, key_id) is None
    rows, began = [], datetime.now(UTC)
    for worker in (*workers, *workers):
        assert await worker.find(api.key) is not None
        await worker.last_used.write()
        rows.append(await shared_connection.fetchrow(stored, key_id))
    assert began <= rows[0]["last_used_at"] <= datetime.now(UTC)
    assert rows == rows[:1] * 4
    earlier = rows[0]["last_used_at"] - timedelta(minutes=6)
    await shared_connection.execute(
        "update api_key set last_used_at = $2 where id = $1", key_id, earlier
    )
    workers[0].last_used.record(api.organization_id, key_id)
    await workers[0].last_used.write()
    assert await shared_connection.fetchval(stored, key_id) > earlier
    used = "select count(last_used_at) from api_key where organization_id = $1"
    assert await shared_connection.fetchval(used, api.organization_id) == 1
    await first.close()
    await second.close()


@pytest.mark.contract("Features")
async def test_features_reach_the_service_within_five_seconds(
    shared_connection: Connection, api: Api, clock: Clock
) -> None:
    body = {"name": "Multilingual", "languageIds": [1]}
    assert (await api.post("/api/colors", body)).status == 201
    off = administration.OrganizationSettings(multiple_language=False)
    assert None is not await administration.set_organization(
        shared_connection, api.organization_id, off
    )
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
