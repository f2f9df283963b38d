"""Every switch of a bulk write beside every other, for each resource (contract, Outcomes).

Two items, the second of which may be wrong: what is answered, and what is stored afterwards.
"""

from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple
from uuid import uuid4

import pytest

from service.queries.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from tests.support import generate
from tests.support.api import Answer, Api
from tests.support.each import WITH_OWN_KEY, of_each_resource
from tests.support.published import form

pytestmark = pytest.mark.contract("Outcomes", "In part", "Rehearsals", "Own keys")

OPERATIONS: Final = {
    "create": ("POST", "created"),
    "replace": ("PUT", "updated"),
    "merge": ("PATCH", "updated"),
    "delete": ("DELETE", "deleted"),
}
"""The method of each, and what becomes of an item."""
NOBODYS: Final = 10**15


class Asked(NamedTuple):
    """One combination."""

    fails: bool
    """Whether the second item is wrong."""
    skips: bool
    rehearses: bool
    is_short: bool
    is_repeatable: bool


EVERY: Final = [Asked(*chosen) for chosen in product((False, True), repeat=5)]


@dataclass(frozen=True)
class Stage:
    """One operation on the records of a resource, maybe by own key."""

    api: Api
    resource: MasterRecord
    known: generate.References
    operation: str
    by_key: bool

    @property
    def root(self) -> str:
        return f"/api/{self.resource.name}"

    async def send(self, asked: Asked, items: list[Any]) -> list[Answer]:
        """What is answered; where it is repeatable, twice."""
        params = [("onError", "skip")] * asked.skips + [("dryRun", "true")] * asked.rehearses
        params += [("match", str(self.resource.own_key))] * self.by_key
        body: Any = items
        if self.operation == "delete":
            body, params = None, params + [("ids", str(item["id"])) for item in items]
        headers = {"Prefer": "return=minimal"} if asked.is_short else {}
        headers |= {"Idempotency-Key": str(uuid4())} if asked.is_repeatable else {}
        method = OPERATIONS[self.operation][0]
        return [
            await self.api.call(method, self.root, body, params=params, headers=headers)
            for _ in range(1 + asked.is_repeatable)
        ]

    def new(self) -> dict[str, Any]:
        """A body to create a record by, with a key of its own."""
        made = generate.body(self.resource, "create", self.known, Random(5))
        key = self.resource.own_key
        return made | {key: f"key {uuid4()}"} if key else made

    async def made(self) -> list[Any]:
        """Two new records."""
        answer = await self.api.post(self.root, [self.new(), self.new()])
        assert answer.status == 201, answer.raw
        return list(answer.data)

    async def stored(self, records: list[Any]) -> list[Any]:
        """The records as callers write them; None where nothing is left."""
        found = [
            await self.api.get(f"{self.root}/{record['id']}", {"form": "writable"})
            for record in records
        ]
        return [answer.data if answer.status == 200 else None for answer in found]

    async def count(self) -> int:
        """How many records there are."""
        headers = {"Prefer": "count=exact"}
        answer = await self.api.get(self.root, {"pageSize": 1}, headers=headers)
        return int(answer.headers["Total-Count"])

    async def clear(self, ids: list[Any]) -> None:
        for start in range(0, len(ids), 100):
            params = [("ids", str(one)) for one in ids[start : start + 100]]
            assert (await self.api.delete(self.root, params)).status == 200

    def named(self, record: Any, writable: dict[str, Any]) -> dict[str, Any]:
        """What names a record in bulk."""
        if self.by_key:
            return {name: writable[name] for name in self.resource.key_fields}
        return {"id": record["id"]}


def answers(stage: Stage, asked: Asked, got: list[Answer]) -> bool:
    """Whether the write took place; holds the answers against what is promised."""
    first, *again = got
    if asked.rehearses and asked.is_repeatable:
        assert first.details == [("validation_error.exclusive_parameters", "dryRun")]
        return False
    if asked.fails and not asked.skips:
        status, kind = (404, "not_found") if stage.operation == "delete" else (400, "unknown_field")
        assert (first.status, len(first.details)) == (status, 1), (asked, first.raw)
        assert first.details[0][0].endswith(kind)
        assert [one.raw for one in again] == [first.raw] * len(again)
        return False
    outcome = OPERATIONS[stage.operation][1]
    whole = outcome == "created" and not asked.rehearses and not asked.fails
    code = "partial" if asked.fails else "created" if whole else "ok"
    assert (first.status, first.json["code"]) == (201 if whole else 200, code), (asked, first.raw)
    assert ("Preference-Applied" in first.headers) == asked.is_short
    for one in again:
        assert (one.raw, one.headers["Idempotent-Replayed"]) == (first.raw, "true")
    if asked.skips or asked.rehearses or asked.is_short or stage.by_key:
        expected = [outcome, "failed" if asked.fails else outcome]
        assert [row["outcome"] for row in first.data] == expected, (asked, first.raw)
    for row in first.data:
        name = ("common/envelope", "itemOutcome") if "outcome" in row else None
        form(*(name or (stage.resource.name, "document"))).validate(row)
    return not asked.rehearses


of_each_operation = pytest.mark.parametrize(
    ("resource", "operation", "by_key"),
    [
        *((one, operation, False) for one in MASTER_RECORDS for operation in OPERATIONS),
        *((one, operation, True) for one in WITH_OWN_KEY for operation in ("replace", "merge")),
    ],
    ids=lambda one: getattr(one, "name", str(one)),
)


@of_each_operation
async def test_every_switch_beside_every_other(
    resource: MasterRecord, operation: str, by_key: bool, shared_api: Api
) -> None:
    known = await generate.references(shared_api)
    stage = Stage(shared_api, resource, known, operation, by_key)
    await {"create": creates, "delete": deletes}.get(operation, changes)(stage)


async def creates(stage: Stage) -> None:
    count, made = await stage.count(), list[Any]()
    for asked in EVERY:
        second = stage.new() | ({"unheardOf": 1} if asked.fails else {})
        got = await stage.send(asked, [stage.new(), second])
        if answers(stage, asked, got):
            made += [record["id"] for record in got[0].data[: 2 - asked.fails]]
        assert await stage.count() == count + len(made), asked
    await stage.clear(made)


async def deletes(stage: Stage) -> None:
    stranger = {"id": str(NOBODYS) if stage.resource.string_ids else NOBODYS}
    records = await stage.made()
    for asked in EVERY:
        got = await stage.send(asked, [records[0], stranger if asked.fails else records[1]])
        done = 2 - asked.fails if answers(stage, asked, got) else 0
        states = [one and one.get("state", "active") for one in await stage.stored(records)]
        assert [one in (None, "deleted") for one in states] == [n < done for n in (0, 1)], asked
        if done:
            await stage.clear([record["id"] for record in records[done:]])
            records = await stage.made()
    await stage.clear([record["id"] for record in records])


async def changes(stage: Stage) -> None:
    records = await stage.made()
    before = await stage.stored(records)
    for asked in EVERY:
        wanted = [one | generate.altered(stage.resource, one, stage.known) for one in before]
        items = [
            (after if stage.operation == "replace" else changed(one, after))
            | stage.named(record, after)
            for record, one, after in zip(records, before, wanted, strict=True)
        ]
        items[1] |= {"unheardOf": 1} if asked.fails else {}
        got = await stage.send(asked, items)
        done = 2 - asked.fails if answers(stage, asked, got) else 0
        after = await stage.stored(records)
        assert after == wanted[:done] + before[done:], asked
        before = after
    await stage.clear([record["id"] for record in records])


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The members that differ."""
    return {name: value for name, value in after.items() if value != before[name]}


@of_each_resource
async def test_match_is_for_what_names_records_that_have_keys(
    resource: MasterRecord, shared_api: Api
) -> None:
    """Creating names none, deleting does so by id, and some records have no own key."""
    root, params = f"/api/{resource.name}", {"match": resource.own_key or "id"}
    refused = [shared_api.post(root, [{}], params=params)]
    refused.append(shared_api.delete(root, [*params.items(), ("ids", "1")]))
    if not resource.own_key:
        refused.append(shared_api.put(root, [{}], params=params))
        refused.append(shared_api.patch(root, [{}], params=params))
    for answer in refused:
        assert (await answer).details[0] == ("validation_error.unknown_parameter", "match")
