"""Tests of unique own keys, a setting of an organization (contract, Unique keys)."""

import asyncio
from argparse import Namespace
from collections import Counter
from random import Random
from typing import Any

import asyncpg
import pytest

from service.extras.commands import CommandError, administration, unique_key_setting
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from service.schemas.write_forms import FIXED
from service.writing.unique_keys import have_text_keys
from tests.support import generate
from tests.support.api import Answer, Api, replacing
from tests.support.inserted_rows import execute

pytestmark = pytest.mark.contract("Unique keys")

COLORS, GROUPS = "/api/colors", "/api/groups"
TAKEN, TWICE = "conflict.duplicate", "validation_error.duplicate"
KEYED = [
    resource
    for resource in MASTER_RECORDS
    if have_text_keys(resource) and resource.stored_fields.get(str(resource.own_key)) != FIXED
]


@pytest.fixture
async def unique(api: Api, shared_dsn: str) -> Api:
    """A caller of an organization whose own keys are unique."""
    return await with_unique_keys(api, shared_dsn)


async def with_unique_keys(api: Api, dsn: str) -> Api:
    setting = "update organization set unique_keys = true where id = $1"
    await execute(dsn, setting, api.organization_id)
    return api


def color(key: str | None, **fields: Any) -> dict[str, Any]:
    return {"name": "Color", "userDefinedId": key, "state": "active"} | fields


def failed(answer: Answer, *rows: tuple[str, str]) -> bool:
    return answer.status >= 400 and answer.details == [*rows]


@pytest.mark.parametrize("resource", KEYED, ids=lambda resource: resource.name)
async def test_a_taken_key_is_refused_by_every_write(
    resource: MasterRecord, api: Api, demo_dsn: str
) -> None:
    unique = await with_unique_keys(api, demo_dsn)
    root, key = f"/api/{resource.name}", str(resource.own_key)
    references, others = await generate.references(unique), dict[str, Any]()

    def body(text: str) -> dict[str, Any]:
        made = generate.body(resource, "create", references, Random(3)) | {key: text} | others
        return made | ({"state": "active"} if "state" in made else {})

    sent = body("TAKEN")
    first = (await unique.post(root, sent)).data
    if sent.keys() & generate.PAIRS:
        others |= generate.pair(resource.name, references)
    for answer, field in (
        (await unique.post(root, body("TAKEN"), params={"dryRun": "true"}), key),
        (await unique.post(root, body("TAKEN")), key),
        (await unique.post(root, [body("TAKEN")]), f"[0].{key}"),
    ):
        assert failed(answer, (TAKEN, field)), answer.raw
        assert answer.status == 409
    free = await unique.post(root, body("FREE"))
    location = free.headers["Location"]
    writable = (await unique.get(location, {"form": "writable"})).data
    merge = [{"id": free.data["id"], key: "TAKEN"}]
    assert failed(await unique.put(location, writable | {key: "TAKEN"}), (TAKEN, key))
    assert failed(await unique.patch(location, replacing(f"/{key}", "TAKEN")), (TAKEN, key))
    assert failed(await unique.patch(root, merge), (TAKEN, f"[0].{key}"))
    wrong = await unique.put(location, writable | {key: " FREE"})
    assert failed(wrong, ("validation_error.invalid_value", key))
    swapped = [{"id": first["id"], key: "FREE"}, {"id": free.data["id"], key: "TAKEN"}]
    assert (await unique.patch(root, swapped)).status == 200
    assert (await unique.put(location, writable | {key: "TAKEN"})).status == 200
    assert (await unique.delete(f"{root}/{first['id']}")).status == 200
    assert (await unique.put(location, writable | {key: "FREE"})).status == 200


async def test_a_restore_takes_its_key_again(unique: Api) -> None:
    made = await unique.post(COLORS, color("RESTORED"))
    location = made.headers["Location"]
    await unique.delete(location)
    other = (await unique.post(COLORS, color("RESTORED"))).headers["Location"]
    answer = await unique.put(location, color("RESTORED"))
    assert (answer.status, answer.details) == (409, [(TAKEN, "userDefinedId")])
    assert (await unique.patch(location, replacing("/colorNote", "stays deleted"))).status == 200
    await unique.delete(other)
    assert (await unique.put(location, color("RESTORED"))).status == 200


async def test_items_of_a_request_are_compared_too(unique: Api) -> None:
    twice = [color("TWICE"), color(None), color("TWICE"), color(None)]
    assert failed(await unique.post(COLORS, twice), (TWICE, "[2].userDefinedId"))
    skipped = await unique.post(COLORS, twice, params={"onError": "skip"})
    assert [row["outcome"] for row in skipped.data] == ["created", "created", "failed", "created"]
    holder = skipped.data[0]["id"]
    items = [color("MOVED", id=skipped.data[1]["id"]), color("MOVED", id=holder, state="inactive")]
    assert failed(await unique.put(COLORS, items), (TWICE, "[1].userDefinedId"))
    # A key that fails to move stays taken.
    items = [color("GIVEN", id=holder, colorGroupIds=[2**60]), color("TWICE", id=items[0]["id"])]
    rows = (await unique.put(COLORS, items, params={"onError": "skip"})).data
    assert [detail["type"] for row in rows for detail in row["details"]] == [
        "validation_error.unknown_reference",
        TAKEN,
    ]
    assert (await unique.put(COLORS, [color("TWICE")], params={"match": "userDefinedId"})).data[0][
        "id"
    ] == holder


async def test_facilities_are_unique_within_their_sub_supplier(unique: Api) -> None:
    owners = [
        (await unique.post("/api/sub-suppliers", {"name": name, "customId": name})).data["id"]
        for name in ("A", "B")
    ]
    for owner, status in ((owners[0], 201), (owners[1], 201), (owners[0], 409)):
        body = {"name": "Dye house", "subSupplierId": owner}
        assert (await unique.post("/api/facilities", body)).status == status


@pytest.mark.parametrize("how", ["id", "key", "skip"])
async def test_a_sub_supplier_brings_back_no_facilities_of_one_name(unique: Api, how: str) -> None:
    """Facilities that were renamed while they were deleted with their sub-supplier."""
    root, body = "/api/sub-suppliers", {"name": "A", "customId": "RESTORED", "state": "active"}
    owner = (await unique.post(root, body)).data["id"]
    names = [{"name": name, "subSupplierId": owner} for name in ("Dye house", "Plant")]
    ids = [each["id"] for each in (await unique.post("/api/facilities", names)).data]
    await unique.delete(f"{root}/{owner}")
    path = f"/api/facilities/{ids[1]}"
    assert (await unique.patch(path, replacing("/name", "Dye house"))).status == 200

    async def restored() -> Answer:
        if how == "id":
            return await unique.put(f"{root}/{owner}", body)
        if how == "key":
            return await unique.put(f"{root}/customId=RESTORED", body)
        return await unique.put(root, [{"id": owner, **body}], params={"onError": "skip"})

    refused = await restored()
    details = refused.data[0]["details"] if how == "skip" else refused.json["error"]["details"]
    [detail] = details
    field = "[0].state" if how == "skip" else "state"
    assert (detail["type"], detail["field"]) == (TAKEN, field)
    assert f"{ids[0]}, {ids[1]}" in detail["value"]
    assert (await unique.get(f"{root}/{owner}")).data["state"] == "deleted"
    await unique.patch(path, replacing("/name", "Plant"))
    assert (await restored()).status == 200
    shown = (await unique.get("/api/facilities", {"subSupplierId": owner})).data
    assert [facility["name"] for facility in shown] == ["Dye house", "Plant"]


async def test_another_organization_is_not_concerned(unique: Api, other_api: Api) -> None:
    assert (await unique.post(COLORS, color("OURS"))).status == 201
    for api, is_unique in ((unique, True), (other_api, False)):
        features = (await api.get("/api/me")).data["organization"]["features"]
        assert features["uniqueKeys"] is is_unique
    for _ in range(2):
        assert (await other_api.post(COLORS, color("OURS"))).status == 201


async def test_concurrent_writers_make_no_twins(unique: Api) -> None:
    made = (await unique.post(GROUPS, [{"name": "G", "state": "active"} for _ in range(4)])).data
    for turn in range(4):
        body = {"name": "Raced", "userDefinedId": f"RACED-{turn}", "state": "active"}
        answers = await asyncio.gather(
            *(unique.post(GROUPS, body) for _ in range(4)),
            *(unique.put(f"{GROUPS}/{group['id']}", body) for group in made[:2]),
            *(
                unique.patch(GROUPS, [{"id": group["id"], "userDefinedId": body["userDefinedId"]}])
                for group in made[2:]
            ),
        )
        statuses = Counter(answer.status for answer in answers)
        assert statuses[409] == len(answers) - 1, statuses
        live = (await unique.get(GROUPS, {"userDefinedId": body["userDefinedId"]})).data
        assert len(live) == 1


def arguments(switch: bool, name: str | None) -> Any:
    return Namespace(id=1, name=name, multiple_language=None, pro=None, unique_keys=switch)


async def set_unique(dsn: str, switch: bool = True, name: str | None = None) -> bool:
    """Run the command; return the setting, also if it is refused."""
    connection = await asyncpg.connect(dsn)
    try:
        await administration._set_organization(connection, arguments(switch, name))
        return bool(await connection.fetchval("select unique_keys from organization where id = 1"))
    finally:
        await connection.close()


@pytest.mark.contract("Command line")
async def test_the_setting_is_refused_while_there_are_twins(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await execute(dsn, "insert into organization (id, name) values (1, 'Keys')")
    twins = "insert into style (organization_id, id, number, name) select 1, n, $$S-1$$, $$Style$$"
    await execute(dsn, f"{twins} from generate_series(7, 9) n")
    waited = list[float]()

    async def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 1:
            # A worker that does not know the setting yet.
            await execute(dsn, f"{twins} from generate_series(1, 2) n")

    monkeypatch.setattr(unique_key_setting, "sleep", wait)
    with pytest.raises(CommandError, match=r"styles S-1 \(ids 7, 8, 9\): rename or delete"):
        await set_unique(dsn)
    assert waited == []
    await execute(dsn, "update style set state = 'deleted'")
    with pytest.raises(CommandError, match=r"styles S-1 \(ids 1, 2\)"):
        await set_unique(dsn, name="Renamed")
    assert waited == [5]
    connection = await asyncpg.connect(dsn)
    query = "select name, unique_keys from organization where id = 1"
    assert tuple(await connection.fetchrow(query)) == ("Keys", False)
    await connection.close()
    await execute(dsn, "delete from style where id = 1")
    assert await set_unique(dsn, name="Renamed")
    assert not await set_unique(dsn, switch=False)


async def stored_settings(dsn: str) -> tuple[str, bool]:
    connection = await asyncpg.connect(dsn)
    row = await connection.fetchrow("select name, unique_keys from organization where id = 1")
    await connection.close()
    return row["name"], row["unique_keys"]


@pytest.mark.contract("Command line")
@pytest.mark.parametrize("was_on", [False, True])
async def test_a_failed_command_leaves_the_setting(
    dsn: str, monkeypatch: pytest.MonkeyPatch, was_on: bool
) -> None:
    """An interrupt during the wait, or a key that is written twice; all is on until then."""
    await execute(
        dsn, f"insert into organization (id, name, unique_keys) values (1, 'Keys', {was_on})"
    )
    twins = "insert into style (organization_id, id, number, name) select 1, n, $$S$$, $$Style$$"
    for statement, error in (
        ("", asyncio.CancelledError),
        (f"{twins} from generate_series(1, 2) n", CommandError),
    ):

        async def wait(_: float, statement: str = statement) -> None:
            assert await stored_settings(dsn) == ("Renamed", True)
            if not statement:
                raise asyncio.CancelledError
            await execute(dsn, statement)

        monkeypatch.setattr(unique_key_setting, "sleep", wait)
        with pytest.raises(error):
            await set_unique(dsn, name="Renamed")
        assert await stored_settings(dsn) == ("Keys", was_on)
