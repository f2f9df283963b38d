"""Law of transactions, over all collections: they leave what their writes leave one by one.

``TEST_SAMPLE`` says how many sets of writes are made up, and ``TEST_SETS`` any other number.
"""

import logging
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import asyncpg
import orjson
import pytest

from service.organizations import administration
from service.resources import registry
from tests.support import random_sets
from tests.support.api import Api, issue_keys
from tests.support.inserted_rows import execute
from tests.support.sampling import examples, settle_seed
from tests.support.transactions import SKIP, entry, position, season, send, shown

pytestmark = pytest.mark.contract("Transactions over collections")

LOG = logging.getLogger(__name__)
SETS = int(os.environ.get("TEST_SETS", examples(few=6, many=300)))


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


@pytest.fixture
async def callers(api: Api, shared_connection: asyncpg.Connection) -> tuple[Api, Api]:
    """Callers of two new organizations that have every feature."""
    other = await administration.create_organization(
        shared_connection, "Law", multiple_language=True, pro=True
    )
    keys = await issue_keys(shared_connection, other, other)
    return api, Api(api.client, keys["writer"])


async def test_a_set_of_all_collections_is_written_in_any_order(callers: tuple[Api, Api]) -> None:
    random, (whole, alone) = Random(settle_seed()), callers
    entries = random_sets.every(random)
    assert {each["collection"] for each in entries} == {*registry.TRANSACTION.collections}
    answer = await send(whole, random.sample(entries, len(entries)))
    assert {*shown(answer)} <= {"created", "updated"}
    for each in entries:
        answer = await send(alone, [each])
        assert answer.status in (200, 201), (each, answer.raw)
    assert await forms(whole) == await forms(alone)


async def test_shuffled_sets_leave_what_they_leave_one_by_one(callers: tuple[Api, Api]) -> None:
    """Or nothing, with the errors of those that fail one by one; one change, as in a dry run."""
    whole, alone = callers
    counts = Counter[str]()
    for number in range(SETS):
        random = Random(f"{settle_seed()} {number}")
        # From time to time all records are there, so that references find them.
        is_whole = number % 8 == 0
        entries = random_sets.every(random) if is_whole else random_sets.writes(random)
        entries += random_sets.deletes(random, entries)
        if not entries:
            continue
        counts.update(await _compare(whole, alone, entries, random))
        if number % 10 == 9:
            LOG.info("%s: %s", number, dict(counts))
            assert await forms(whole) == await forms(alone), number
    assert await forms(whole) == await forms(alone)
    LOG.info("%s sets: %s", SETS, dict(counts))
    assert {"written", "failed"} <= counts.keys()


async def _compare(
    whole: Api, alone: Api, entries: list[dict[str, Any]], random: Random
) -> list[str]:
    """Send a set both ways; return how it ended."""
    shuffled = random.sample(entries, len(entries))
    n, before = await position(whole), await exported(whole)
    dry = await send(whole, shuffled, params={"dryRun": "true"})
    answer = await send(whole, shuffled)
    assert (dry.status, dry.json.get("error")) == (answer.status, answer.json.get("error"))
    rows = [] if answer.status in (200, 201) else answer.json["error"]["details"]
    reasons: dict[int, bytes] = {}
    for each in entries:
        index = shuffled.index(each)
        if _needs_failing_part(index, rows, shuffled, reasons):
            reasons[index] = b"It needs a part whose entry fails."
            continue
        result = await send(alone, [each])
        if result.status >= 400:
            reasons[index] = result.raw
    failing = {*reasons}
    if answer.status in (200, 201):
        assert not failing, [(shuffled[index], reasons[index]) for index in failing]
        assert shown(dry) == shown(answer)
        changes = any(each not in ("unchanged", "absent") for each in shown(answer))
        assert await position(whole) == n + changes
        return ["written"]
    assert (await position(whole), await exported(whole)) == (n, before)
    reported = {int(field.split("]")[0][1:]) for _, field in answer.details if field}
    assert failing == reported, [
        (shuffled[index], reasons.get(index), [r for r in rows if f"[{index}]" in r["field"]])
        for index in failing ^ reported
    ]
    skipped = await send(whole, shuffled, params=SKIP)
    left_out = {row["index"] for row in skipped.data if row["outcome"] == "failed"}
    assert left_out == failing, [shuffled[index] for index in left_out ^ failing]
    return ["failed", *({"skipped"} if len(failing) < len(entries) else ())]


def _needs_failing_part(
    index: int,
    rows: Sequence[dict[str, Any]],
    shuffled: Sequence[dict[str, Any]],
    failing: Iterable[int],
) -> bool:
    """Return whether an entry is refused only since it needs a part whose entry fails.

    By itself, after the failure, it would take the part as it was before: its names, its chart.
    """
    parts = {part.name for part in registry.PARTS}
    sentences = {
        f"Entry {part}, which creates it, fails."
        for part in failing
        if shuffled[part]["collection"] in parts
    }
    prefix = f"[{index}]."
    values = {row["value"] for row in rows if row["field"] and row["field"].startswith(prefix)}
    return bool(values) and values <= sentences


async def test_all_of_an_organization_is_deleted_by_one_request_in_any_order(api: Api) -> None:
    """What refers to a record goes with the request, so that nothing is in use."""
    random = Random(settle_seed())
    await send(api, random_sets.every(random))
    lines = [orjson.loads(line) for line in await exported(api)]
    masters = {resource.name for resource in registry.MASTER_RECORDS}
    entries = [
        entry(line["collection"], "delete", id=line["document"]["id"])
        for line in lines
        if line["collection"] in masters
    ]
    assert {each["collection"] for each in entries} == masters
    answer = await send(api, random.sample(entries, len(entries)))
    assert {*shown(answer)} == {"deleted"}
    assert await forms(api) == {}


async def test_keys_that_a_request_frees_are_free(api: Api, shared_dsn: str) -> None:
    setting = "update organization set unique_keys = true where id = $1"
    await execute(shared_dsn, setting, api.organization_id)
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


async def test_names_of_lines_mean_those_after_their_chart(api: Api) -> None:
    """Also if the chart names its lines, and renames them."""
    await send(api, season("C"))
    style, size = {"number": "SV-C"}, {"sizeRangeId": {"userDefinedId": "R-C"}, "name": "M"}
    lines = [{"lineId": {"name": "Chest"}, "name": "Bust"}, {"name": "Chest"}]
    value = {"lineId": {"name": "Chest"}, "sizeRangeSizeId": size, "value": "9.5"}
    request = {"name": "New", "sizeRangeSizeIds": [size], "requested": [value]}
    chart = entry("measurement-charts", styleId=style, unit="CM", lines=lines)
    answer = await send(api, [chart, entry("sample-requests", "create", styleId=style, **request)])
    sample = f"/api/styles/number=SV-C/sample-requests/{answer.data[1]['id']}"
    [measured] = (await api.get(f"{sample}/measurements")).data
    values = {line["name"]: line["requestedMeasurement"] for line in measured["lines"]}
    assert values == {"Bust": None, "Chest": 9.5}
