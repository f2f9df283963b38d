"""Tests of counts and own keys of collections (contract, Migration verification)."""

import asyncio
import hashlib
from collections import Counter
from typing import Any, Final

import asyncpg
import orjson
import pytest

from service import schemas
from service.handlers import verification
from service.resources.registry import MASTER_RECORDS, MIGRATION_VERIFICATION
from service.shares.body_scheduler import BodyScheduler
from tests.support.api import Api
from tests.support.listing import walk
from tests.support.openapi_validation import is_failure
from tests.support.time_limits import within
from tests.support.transactions import NDJSON

pytestmark = pytest.mark.contract("Migration verification")

PATH: Final = "/api/migration-verification"
STYLE, COLOR, FILE = "/api/styles", "/api/style-colors", "/api/style-files"
RECORDS = {resource.name: resource for resource in MASTER_RECORDS}


def checksum(keys: Any) -> str:
    """Return the checksum as the contract defines it."""
    digests = (hashlib.sha256(key.encode()).digest()[:8] for key in keys)
    return f"{sum(int.from_bytes(digest, 'big') for digest in digests) % 2**64:016x}"


async def documents(api: Api, name: str) -> dict[Any, Any]:
    """Return all records of a collection by id, deleted ones included."""
    states = ("active", "inactive", "deleted")
    query = [("pageSize", "100")]
    if "state" in schemas.definition(name, "document").properties:
        query += [("state", state) for state in states]
    return {record["id"]: record for record in await walk(api, f"/api/{name}", query)}


async def expected(api: Api, name: str) -> dict[str, Any]:
    """Return the counts of a collection, from its lists."""
    fields, keys = schemas.key_fields(name), list[str]()
    referred = {
        field: schemas.definition(name, "create").properties[field].schema.get("x-refers-to")
        for field in fields
    }
    targets = {each: await documents(api, each) for each in referred.values() if each}
    records = (await documents(api, name)).values()
    states = Counter(record.get("state", "active") for record in records)
    for record in records:
        if record.get("state") != "deleted":
            parts = [
                targets[target][record[field]].get(*schemas.key_fields(target)[:1])
                if (target := referred[field])
                else record.get(field)
                for field in reversed(fields)
            ]
            keys += ["\x1f".join(parts)] if all(parts) else []
    live = states["active"] + states["inactive"]
    return {
        "collection": name,
        **{state: states[state] for state in ("active", "inactive", "deleted")},
        "withoutKey": live - len(keys),
        "sharedKeys": sum(count > 1 for count in Counter(keys).values()),
        "keyChecksum": checksum(keys),
    }


async def counts(api: Api, name: str) -> Any:
    [row] = (await api.get(PATH, {"collection": name})).data
    return row


async def compared(api: Api, **comparison: Any) -> Any:
    answer = await api.post(PATH, [{"collection": "styles"} | comparison])
    assert answer.status == 200, answer.raw
    return answer.data[0]


async def test_counts_are_those_of_the_lists(shared_api: Api) -> None:
    rows = {row["collection"]: row for row in (await shared_api.get(PATH)).data}
    assert [*rows] == [each.name for each in MASTER_RECORDS if each.own_key]
    for name, row in rows.items():
        assert row == await expected(shared_api, name)
    assert all(row["active"] for row in rows.values())


async def test_records_without_keys_and_shared_keys(api: Api) -> None:
    brand = (await api.post("/api/brands", {"name": "B", "customId": "B"})).data["id"]
    styles = [
        {"name": "A", "number": number, "brandId": brand} for number in ("SV-1", "SV-1", "Ü-2")
    ]
    ids = [record["id"] for record in (await api.post(STYLE, styles)).data]
    groups = [{"name": name} for name in ("X", "Y")] + [{"name": "Z", "userDefinedId": "Z"}]
    await api.post("/api/groups", groups)
    color = (await api.post("/api/colors", {"name": "Red"})).data["id"]
    file = {"fileName": "a.png", "category": "image", "url": "https://example.com/a.png"}
    await api.post(COLOR, {"styleId": ids[2], "colorId": color})
    await api.post(FILE, [file | {"styleId": ids[0]}, file | {"styleId": ids[2]}])
    for name in ("styles", "groups", "style-colors", "style-files"):
        assert await counts(api, name) == await expected(api, name)
    await api.delete(f"{STYLE}/{ids[1]}")
    assert await counts(api, "styles") == await expected(api, "styles")
    result = await compared(api, collection="style-files", keys=[])
    assert {"SV-1\x1fa.png", "Ü-2\x1fa.png"} <= {*result["unexpected"]}


async def test_a_comparison_names_what_differs(api: Api) -> None:
    keys = [f"SV-{n}" for n in range(8)]
    await api.post(STYLE, [{"number": key, "name": "Coat"} for key in keys])
    stored = await counts(api, "styles")
    live = stored["active"] + stored["inactive"]
    equal = {"count": live, "keyChecksum": stored["keyChecksum"], "keys": keys}
    result = await compared(api, **equal)
    assert result == {
        "collection": "styles",
        "isEqual": True,
        "expectedCount": live,
        "actualCount": live,
        "withoutKey": 0,
        "keyChecksum": stored["keyChecksum"],
        "missing": [],
        "missingCount": 0,
        "unexpected": [],
        "unexpectedCount": 0,
        "shared": [],
        "sharedCount": 0,
    }
    wrong: dict[str, Any]
    for wrong in ({"count": live + 1}, {"keyChecksum": checksum([])}, {"keys": []}):
        assert not (await compared(api, **(equal | wrong)))["isEqual"]
        assert not (await compared(api, **wrong))["isEqual"]
    result = await compared(api, keys=[*keys[2:], keys[3], "\U0001f600", "Z"])
    assert result["missing"] == sorted([keys[3], "Z", "\U0001f600"])
    assert result["unexpected"] == sorted(keys[:2])
    assert (result["missingCount"], result["unexpectedCount"]) == (3, 2)
    only_counted = await compared(api, count=live)
    assert only_counted["isEqual"]
    names = ("missing", "unexpected", "missingCount", "unexpectedCount")
    assert {only_counted[name] for name in names} == {None}


async def test_lists_end_after_a_thousand_keys(api: Api) -> None:
    keys = [f"K{n:04}" for n in range(1100)]
    result = await compared(api, collection="brands", keys=keys)
    assert (result["missing"], result["missingCount"]) == (keys[:1000], 1100)
    names = [{"name": key, "customId": key} for key in (*keys, *keys, "Once")]
    for start in range(0, len(names), 200):
        assert (await api.post("/api/brands", names[start : start + 200])).status == 201
    result = await compared(api, collection="brands", keys=[])
    assert len(result["shared"]) == len(result["unexpected"]) == 1000
    assert result["shared"] == keys[:1000]
    assert (result["sharedCount"], result["unexpectedCount"]) == (1100, 1101)
    assert (await counts(api, "brands"))["sharedKeys"] == 1100


async def test_lines_are_compared_as_an_array_is(shared_api: Api, shared_reader: Api) -> None:
    """And a key that may only read suffices; its writes stay forbidden."""
    comparisons = [{"collection": name, "count": 1} for name in ("groups", "colors")]
    lines = b"\n".join(map(orjson.dumps, comparisons)) + b"\n"
    answer = await shared_reader.post(PATH, lines, content_type=NDJSON)
    assert answer.data == (await shared_api.post(PATH, comparisons)).data
    assert [row["collection"] for row in answer.data] == ["groups", "colors"]
    is_failure(await shared_reader.post("/api/transaction", []), 403, "forbidden.scope")
    is_failure(await shared_reader.put(PATH, []), 405, "method_not_allowed")


_WRONG = [
    {"collection": "style"},
    {"collection": "styles", "count": -1, "keyChecksum": "X"},
    {"collection": "styles", "keys": ["", "a\0"], "total": 1},
    {"count": 1.0},
    7,
]


async def test_errors_come_all_at_once(shared_api: Api) -> None:
    answer = await shared_api.post(PATH, _WRONG)
    assert [(kind.partition(".")[2], field) for kind, field in answer.details] == [
        ("invalid_value", "[0].collection"),
        ("required_field", "[0].count"),
        ("out_of_range", "[1].count"),
        ("invalid_value", "[1].keyChecksum"),
        ("duplicate", "[2].collection"),
        ("too_short", "[2].keys[0]"),
        ("invalid_value", "[2].keys[1]"),
        ("unknown_field", "[2].total"),
        ("invalid_type", "[3].count"),
        ("required_field", "[3].collection"),
        ("invalid_type", "[4]"),
    ]
    texts = [row["value"] for row in answer.json["error"]["details"]]
    assert texts[3] == "Use 16 hexadecimal digits in lower case."
    unknown = await shared_api.get(PATH, {"collection": "languages", "limit": "1"})
    assert [field for _, field in unknown.details] == ["collection", "limit"]
    is_failure(await shared_api.post(PATH, []), 400, "validation_error.too_few_items")


async def test_bodies_have_the_limits_of_transactions(shared_api: Api) -> None:
    """Also a U+0000 in a long one is found, and one wrong key after thousands of right ones."""
    keys = [f"{n:0200}" for n in range(45_000)]
    answer = await shared_api.post(PATH, [{"collection": "styles", "keys": keys}])
    assert answer.data[0]["missingCount"] == 45_000
    answer = await shared_api.post(PATH, [{"collection": "styles", "keys": [*keys, "a\0"]}])
    assert answer.details == [("validation_error.invalid_value", "[0].keys[45000]")]
    for wrong, kind in ((7, "invalid_type"), ("", "too_short"), ([1.0], "invalid_type")):
        body = [{"collection": "styles", "keys": [*keys[:6_000], wrong, "b"]}]
        answer = await shared_api.post(PATH, body)
        assert answer.details == [(f"validation_error.{kind}", "[0].keys[6000]")]
    is_failure(await shared_api.post(PATH, b" " * (32 * 2**20 + 1)), 413, "payload_too_large")
    many = b'[{"collection":"styles","keys":[%b""]}]' % (b'"",' * 1_000_000)
    is_failure(await shared_api.post(PATH, many), 400, "validation_error.too_many_items")


async def test_all_is_of_one_moment(
    api: Api, demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written meanwhile is in the changes after the position."""
    names, read = ["brands", "groups"], MIGRATION_VERIFICATION.counts
    before = [await counts(api, name) for name in names]

    async def slowly(*arguments: Any) -> Any:
        row = await read(*arguments)
        await api.post("/api/groups", {"name": "New", "userDefinedId": "NEW"})
        return row

    monkeypatch.setattr(MIGRATION_VERIFICATION, "counts", slowly)
    answer = await api.get(PATH, [("collection", name) for name in names])
    assert answer.data == before
    after = {"after": answer.headers["X-Changes-After"], "epoch": answer.headers["X-Changes-Epoch"]}
    changes = (await api.get("/api/changes", after)).data
    assert {change["collection"] for change in changes} == {"groups"}
    connection = await asyncpg.connect(demo_dsn)
    left = """select count(*) from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'"""
    async with within(1):
        while await connection.fetchval(left):
            pass
    await connection.close()


async def test_it_counts_as_an_export(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, goes_on, read = asyncio.Event(), asyncio.Event(), MIGRATION_VERIFICATION.counts

    async def waiting(*arguments: Any) -> Any:
        begun.set()
        await goes_on.wait()
        return await read(*arguments)

    monkeypatch.setattr(MIGRATION_VERIFICATION, "counts", waiting)
    first = asyncio.create_task(api.get(PATH, {"collection": "brands"}))
    await begun.wait()
    refused = await api.get("/api/export", {"collection": "brands"})
    is_failure(refused, 429, "too_many_requests")
    assert refused.headers["Retry-After"]
    goes_on.set()
    assert (await first).status == 200


async def test_a_second_comparison_is_refused_before_it_is_parsed(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on, read = asyncio.Event(), asyncio.Event(), MIGRATION_VERIFICATION.compare

    async def waiting(*arguments: Any) -> Any:
        begun.set()
        await goes_on.wait()
        return await read(*arguments)

    monkeypatch.setattr(MIGRATION_VERIFICATION, "compare", waiting)
    first = asyncio.create_task(api.post(PATH, [{"collection": "brands", "count": 1}]))
    await begun.wait()
    is_failure(await api.post(PATH, b"no JSON"), 429, "too_many_requests")
    goes_on.set()
    assert (await first).status == 200
    assert (await api.post(PATH, b"no JSON")).status == 400


async def test_it_reads_once_and_may_take_a_minute(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million keys take longer than other reads may."""
    limits, read = list[str](), MIGRATION_VERIFICATION.compare

    async def limited(connection: Any, *arguments: Any) -> Any:
        limits.extend(await connection.fetchrow("show statement_timeout"))
        return await read(connection, *arguments)

    monkeypatch.setattr(MIGRATION_VERIFICATION, "compare", limited)
    await compared(api, keys=["SV-1"])
    assert limits == ["1min"]
    for statement in ("counts", "comparison"):
        assert MIGRATION_VERIFICATION._text(statement, "brands").count("from brand") == 1


async def test_many_keys_are_validated_in_a_turn_of_their_own(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another body that waits starts between parsing and validation; the counts are right."""
    steps, enter, validate = list[str](), BodyScheduler.enter, verification._items

    async def recorded(self: Any, organization_id: int, *, again: bool = False) -> None:
        await enter(self, organization_id, again=again)
        steps.append("again" if again else "enter")

    def validated(*arguments: Any) -> Any:
        steps.append("validate")
        return validate(*arguments)

    monkeypatch.setattr(BodyScheduler, "enter", recorded)
    monkeypatch.setattr(verification, "_items", validated)
    await api.post("/api/brands", [{"name": "B", "customId": f'B"\\{n}é'} for n in range(3)])
    keys = [f'B"\\{n}é' for n in range(1, 200_000)]
    result = await compared(api, collection="brands", keys=keys)
    assert (result["missingCount"], result["missing"]) == (199_997, sorted(keys[2:])[:1000])
    assert 'B"\\0é' in result["unexpected"]
    assert steps == ["enter", "again", "validate"]


async def test_organizations_have_their_own_keys(shared_api: Api, shared_other: Api) -> None:
    for api in (shared_api, shared_other):
        assert await counts(api, "styles") == await expected(api, "styles")
    mine, theirs = [await counts(api, "styles") for api in (shared_api, shared_other)]
    assert mine["keyChecksum"] != theirs["keyChecksum"]
