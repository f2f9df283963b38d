"""Properties of transactions over collections: they leave what their writes leave one by one."""

from random import Random
from typing import Any

import asyncpg
import orjson
import pytest

from service.resources import registry
from tests.support.api import Api
from tests.support.sampling import Sample
from tests.support.transactions import SKIP, entry, position, send, shown

pytestmark = pytest.mark.contract("Transactions over collections")

SEEDS = Sample(__name__)(range(4), 2)


async def exported(api: Api) -> list[bytes]:
    """Return a line of JSON for each record."""
    return (await api.get("/api/export")).raw.splitlines()[:-1]


async def forms(api: Api) -> dict[str, Any]:
    """Return the documents of all collections by collection, without ids, in the order of keys.

    Only records that have to do with the random writes are compared.
    """
    documents_of: dict[str, Any] = {}
    for line in (orjson.loads(line) for line in await exported(api) if b'"R-' in line):
        documents_of.setdefault(line["collection"], []).append(without_ids(line["document"]))
    return {name: sorted(map(orjson.dumps, documents)) for name, documents in documents_of.items()}


def without_ids(value: Any) -> Any:
    if isinstance(value, list):
        return sorted((without_ids(each) for each in value), key=orjson.dumps)
    if not isinstance(value, dict):
        return value
    names = [
        name
        for name in value
        if not name.lower().endswith(("id", "ids")) or name in ("customId", "userDefinedId")
    ]
    return {
        name: without_ids(value[name])
        for name in names
        if name not in ("beginDate", "endDate", "position", "avatarColor")
        and not name.endswith("At")
    }


KEYS = "ABC"
OWN_KEYS = {
    "brands": "customId",
    "color-groups": "userDefinedId",
    "groups": "userDefinedId",
    "item-categories": "name",
    "items": "number",
    "size-ranges": "userDefinedId",
    "style-custom-fields": "userDefinedId",
    "styles": "number",
    "sub-suppliers": "customId",
}


def random_writes(random: Random) -> list[dict[str, Any]]:
    """Return writes of records with few keys, in an order in which each can be sent alone."""

    def pick() -> str:
        return f"R-{random.choice(KEYS)}"

    def members(collection: str) -> dict[str, Any]:
        size = {"sizeRangeId": {"userDefinedId": pick()}, "name": random.choice("ML")}
        cell = {"sizeRangeSizeId": size, "value": str(random.randrange(9))}
        forms_of: dict[str, dict[str, Any]] = {
            "facilities": {"subSupplierId": {"customId": pick()}},
            "items": {"itemCategoryId": {"name": pick()}},
            "colors": {"colorGroupIds": [{"userDefinedId": pick()}]},
            "style-custom-fields": {"type": "text", "associatedBrands": [{"customId": pick()}]},
            "styles": {"brandId": {"customId": pick()}, "groupIds": [{"userDefinedId": pick()}]},
            "size-range-sizes": {"sizes": [{"name": name} for name in "ML"]},
            "measurement-charts": {
                "unit": random.choice(("CM", "INCH")),
                "lines": [{"name": pick(), "requested": [cell]}],
            },
        }
        return forms_of.get(collection, {})

    def keyed(collection: str, own_key: str, key: str) -> dict[str, Any]:
        name = {} if collection == "item-categories" else {"name": pick()}
        return entry(collection, **{own_key: key}, **name, **members(collection))

    in_order = [name for name in registry.TRANSACTION.collections if name in OWN_KEYS]
    writes = [keyed(name, OWN_KEYS[name], f"R-{key}") for name in in_order for key in KEYS]
    writes += [keyed("colors", "userDefinedId", f"R-{key}") for key in KEYS]
    writes += [
        entry(part, **members(part), **dict[str, Any]({owner: {own_key: f"R-{key}"}}))
        for part, owner, own_key in (
            ("size-range-sizes", "sizeRangeId", "userDefinedId"),
            ("measurement-charts", "styleId", "number"),
        )
        for key in KEYS
    ]
    writes += [entry("facilities", name=f"R-{key}", **members("facilities")) for key in KEYS]
    writes += [
        entry("style-relations", styleId={"number": style}, relatedStyleId={"number": related})
        for style, related in (("R-A", "R-B"), ("R-B", "R-C"))
    ]
    return [each for each in writes if random.random() < 0.9]


def random_deletes(random: Random, writes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return deletes of records without a write, those that refer to others first."""
    written = {
        (each["collection"], each["item"].get(OWN_KEYS.get(each["collection"], "")))
        for each in writes
    }
    # One by one these deletes would remove the reference, or what has it: a facility, a part.
    referring = ("facilities", "style-custom-fields", "size-range-sizes", "measurement-charts")
    used = orjson.dumps([each["item"] for each in writes if each["collection"] in referring])
    deletes = [
        entry(name, "delete", **{OWN_KEYS[name]: f"R-{key}"})
        for name in reversed(registry.TRANSACTION.collections)
        if name in OWN_KEYS
        for key in KEYS
        if (name, f"R-{key}") not in written
        and f'{{"{OWN_KEYS[name]}":"R-{key}"}}'.encode() not in used
        and random.random() < 0.7
    ]
    if not any(each["collection"] == "style-relations" for each in writes):
        pair: Any = {"styleId": {"number": "R-A"}, "relatedStyleId": {"number": "R-B"}}
        deletes.insert(0, entry("style-relations", "delete", **pair))
    return deletes


@pytest.mark.parametrize("seed", SEEDS)
async def test_shuffled_deletes_succeed_as_they_do_one_by_one(
    seed: int, api: Api, other_api: Api
) -> None:
    random = Random(seed)
    for _ in range(6):
        writes = random_writes(random)
        writes += random_deletes(random, writes)
        before = await exported(api)
        whole = await send(api, random.sample(writes, len(writes)))
        is_written = whole.status in (200, 201)
        if not is_written:
            assert await exported(api) == before
            assert "failed" in shown(await send(api, writes, params=SKIP | {"dryRun": "true"}))
        for one_by_one in (other_api,) if is_written else (api, other_api):
            alone = [(await send(one_by_one, [each])).status for each in writes]
            assert (max(alone) < 400) == is_written, whole.raw
    await same(api, other_api)


async def same(api: Api, other_api: Api) -> None:
    """Raise unless two organizations have the same records of the random writes."""
    ours, theirs = await forms(api), await forms(other_api)
    for name in (*OWN_KEYS, "measurement-charts", "style-relations", "colors", "facilities"):
        own = [each for each in ours.get(name, ()) if b'"R-' in each]
        assert own == [each for each in theirs.get(name, ()) if b'"R-' in each], name


@pytest.mark.parametrize("seed", SEEDS)
async def test_shuffled_writes_leave_what_they_leave_one_by_one(
    seed: int, api: Api, other_api: Api
) -> None:
    """Or nothing, with the errors of the entries that fail one by one."""
    random = Random(seed)
    for _ in range(4):
        writes = random_writes(random)
        shuffled = random.sample(writes, len(writes))
        before, n = await exported(api), await position(api)
        dry = await send(api, shuffled, params={"dryRun": "true"})
        whole = await send(api, shuffled)
        assert dry.json.get("error") == whole.json.get("error")
        alone = [await send(other_api, [each]) for each in writes]
        if whole.status in (200, 201):
            assert shown(dry) == shown(whole)
            assert {answer.status for answer in alone} <= {200, 201}
            assert await position(api) == n + any(each != "unchanged" for each in shown(whole))
            continue
        assert (await exported(api), await position(api)) == (before, n)
        failing = {shuffled.index(write) for write, answer in zip(writes, alone, strict=True)
                   if answer.status >= 400}  # fmt: skip
        assert failing == {int(field.split("]")[0][1:]) for _, field in whole.details if field}
        skipped = await send(api, shuffled, params=SKIP)
        assert {row["index"] for row in skipped.data if row["outcome"] == "failed"} == failing
    await same(api, other_api)


async def test_keys_that_a_request_frees_are_free(api: Api, demo_dsn: str) -> None:
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute("update organization set unique_keys = true where id = 1")
    await connection.close()
    keys = {"A": "first", "B": "second", "C": "third"}
    created = await send(
        api, [entry("groups", userDefinedId=f"K-{key}", name=name) for key, name in keys.items()]
    )
    assert shown(created) == ["created"] * 3
    ids = [row["id"] for row in created.data]
    style = {"number": "SV-K", "name": "Coat", "state": "active"}
    moved = [
        entry("styles", **style, groupIds=[{"userDefinedId": "K-A"}, {"userDefinedId": "K-B"}]),
        entry("groups", "create", userDefinedId="K-A", name="new"),
        entry("groups", "delete", id=ids[0]),
        entry("groups", "merge", userDefinedId="K-B", newKey="K-C"),
        entry("groups", "merge", userDefinedId="K-C", newKey="K-B"),
    ]
    answer = await send(api, moved)
    assert shown(answer) == ["created", "created", "deleted", "updated", "updated"]
    document = (await api.get(f"/api/styles/{answer.data[0]['id']}")).data
    assert {*document["groupIds"]} == {answer.data[1]["id"], ids[2]}
    restored = await send(api, [entry("groups", "merge", id=ids[0], state="active")])
    taken = ("conflict.duplicate", "[0].item.userDefinedId")
    assert (restored.status, restored.details) == (409, [taken])
