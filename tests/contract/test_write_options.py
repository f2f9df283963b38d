"""Tests of every combination of bulk write options, for each resource (contract, Outcomes).

Two items, the second of which may be wrong: what is answered, and what is stored afterwards.
"""

from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple
from uuid import uuid4

import pytest

from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from tests.support import generate
from tests.support.api import Answer, Api
from tests.support.openapi_validation import form
from tests.support.parametrize import WITH_OWN_KEY, of_each_resource

pytestmark = pytest.mark.contract("Outcomes", "Skipping failing items", "Dry runs", "Own keys")

OPERATIONS: Final = {
    "create": ("POST", "created"),
    "replace": ("PUT", "updated"),
    "merge": ("PATCH", "updated"),
    "delete": ("DELETE", "deleted"),
}
"""The method of each, and what becomes of an item."""
NOBODYS: Final = 10**15


class WriteCase(NamedTuple):
    """Combination of write options."""

    fails: bool
    """Whether the second item is wrong."""
    skips: bool
    is_dry_run: bool
    is_short: bool
    is_repeatable: bool


EVERY: Final = [WriteCase(*chosen) for chosen in product((False, True), repeat=5)]


@dataclass(frozen=True)
class WriteEnvironment:
    """Operation on the records of a resource, by id or by own key."""

    api: Api
    resource: MasterRecord
    references: generate.References
    operation: str
    by_key: bool

    @property
    def root(self) -> str:
        return f"/api/{self.resource.name}"

    async def send(self, case: WriteCase, items: list[Any]) -> list[Answer]:
        """Send the write, twice if it has an idempotency key; return the responses."""
        params = [("onError", "skip")] * case.skips + [("dryRun", "true")] * case.is_dry_run
        params += [("match", str(self.resource.own_key))] * self.by_key
        body: Any = items
        if self.operation == "delete":
            body, params = None, params + [("ids", str(item["id"])) for item in items]
        headers = {"Prefer": "return=minimal"} if case.is_short else {}
        headers |= {"Idempotency-Key": str(uuid4())} if case.is_repeatable else {}
        method = OPERATIONS[self.operation][0]
        return [
            await self.api.call(method, self.root, body, params=params, headers=headers)
            for _ in range(1 + case.is_repeatable)
        ]

    def new(self) -> dict[str, Any]:
        """Return a body to create a record by, with a key of its own."""
        made = generate.body(self.resource, "create", self.references, Random(5))
        if self.resource not in WITH_OWN_KEY:
            return made
        return made | {str(self.resource.own_key): f"key {uuid4()}"}

    async def made(self) -> list[Any]:
        """Return two new records."""
        answer = await self.api.post(self.root, [self.new(), self.new()])
        assert answer.status == 201, answer.raw
        return list(answer.data)

    async def stored(self, records: list[Any]) -> list[Any]:
        """Return the records as callers write them; None where nothing is left."""
        responses = [
            await self.api.get(f"{self.root}/{record['id']}", {"form": "writable"})
            for record in records
        ]
        return [answer.data if answer.status == 200 else None for answer in responses]

    async def count(self) -> int:
        """Return the number of stored records."""
        headers = {"Prefer": "count=exact"}
        answer = await self.api.get(self.root, {"pageSize": 1}, headers=headers)
        return int(answer.headers["Total-Count"])

    async def clear(self, ids: list[Any]) -> None:
        for start in range(0, len(ids), 100):
            params = [("ids", str(record_id)) for record_id in ids[start : start + 100]]
            assert (await self.api.delete(self.root, params)).status == 200

    def named(self, record: Any, writable: dict[str, Any]) -> dict[str, Any]:
        """Return the members that name a record in bulk."""
        if self.by_key:
            return generate.key_of(self.resource, writable)
        return {"id": record["id"]}


def answers(environment: WriteEnvironment, case: WriteCase, got: list[Answer]) -> bool:
    """Return whether the write took place; holds the answers against what is promised."""
    first, *again = got
    if case.is_dry_run and case.is_repeatable:
        assert first.details == [("validation_error.exclusive_parameters", "dryRun")]
        return False
    if case.fails and not case.skips:
        status, kind = (
            (404, "not_found") if environment.operation == "delete" else (400, "unknown_field")
        )
        assert (first.status, len(first.details)) == (status, 1), (case, first.raw)
        assert first.details[0][0].endswith(kind)
        assert [response.raw for response in again] == [first.raw] * len(again)
        return False
    outcome = OPERATIONS[environment.operation][1]
    whole = outcome == "created" and not case.is_dry_run and not case.fails
    code = "partial" if case.fails else "created" if whole else "ok"
    assert (first.status, first.json["code"]) == (201 if whole else 200, code), (case, first.raw)
    assert ("Preference-Applied" in first.headers) == case.is_short
    for response in again:
        assert (response.raw, response.headers["Idempotent-Replayed"]) == (first.raw, "true")
    if case.skips or case.is_dry_run or case.is_short or environment.by_key:
        expected = [outcome, "failed" if case.fails else outcome]
        assert [row["outcome"] for row in first.data] == expected, (case, first.raw)
    for row in first.data:
        name = ("common/envelope", "itemOutcome") if "outcome" in row else None
        form(*(name or (environment.resource.name, "document"))).validate(row)
    return not case.is_dry_run


of_each_operation = pytest.mark.parametrize(
    ("resource", "operation", "by_key"),
    [
        *((resource, operation, False) for resource in MASTER_RECORDS for operation in OPERATIONS),
        *(
            (resource, operation, True)
            for resource in WITH_OWN_KEY
            for operation in ("replace", "merge")
        ),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)


@of_each_operation
async def test_every_switch_beside_every_other(
    resource: MasterRecord, operation: str, by_key: bool, shared_api: Api
) -> None:
    references = await generate.references(shared_api)
    environment = WriteEnvironment(shared_api, resource, references, operation, by_key)
    await {"create": creates, "delete": deletes}.get(operation, changes)(environment)


async def creates(environment: WriteEnvironment) -> None:
    count, made = await environment.count(), list[Any]()
    for case in EVERY:
        second = environment.new() | ({"unheardOf": 1} if case.fails else {})
        got = await environment.send(case, [environment.new(), second])
        if answers(environment, case, got):
            made += [record["id"] for record in got[0].data[: 2 - case.fails]]
        assert await environment.count() == count + len(made), case
    await environment.clear(made)


async def deletes(environment: WriteEnvironment) -> None:
    stranger = {"id": str(NOBODYS) if environment.resource.string_ids else NOBODYS}
    records = await environment.made()
    for case in EVERY:
        got = await environment.send(case, [records[0], stranger if case.fails else records[1]])
        done = 2 - case.fails if answers(environment, case, got) else 0
        states = [
            record and record.get("state", "active") for record in await environment.stored(records)
        ]
        assert [state in (None, "deleted") for state in states] == [n < done for n in (0, 1)], case
        if done:
            await environment.clear([record["id"] for record in records[done:]])
            records = await environment.made()
    await environment.clear([record["id"] for record in records])


async def changes(environment: WriteEnvironment) -> None:
    records = await environment.made()
    before = await environment.stored(records)
    for case in EVERY:
        expected = [
            document | generate.altered(environment.resource, document, environment.references)
            for document in before
        ]
        items = [
            (after if environment.operation == "replace" else changed(document, after))
            | environment.named(record, after)
            for record, document, after in zip(records, before, expected, strict=True)
        ]
        items[1] |= {"unheardOf": 1} if case.fails else {}
        got = await environment.send(case, items)
        done = 2 - case.fails if answers(environment, case, got) else 0
        after = await environment.stored(records)
        assert after == expected[:done] + before[done:], case
        before = after
    await environment.clear([record["id"] for record in records])


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the members that differ."""
    return {name: value for name, value in after.items() if value != before[name]}


@of_each_resource
async def test_match_is_for_what_names_records_that_have_keys(
    resource: MasterRecord, shared_api: Api
) -> None:
    """Creating names none, and deleting by keys needs keys of one field."""
    root, params = f"/api/{resource.name}", {"match": str(resource.own_key)}
    unknown = "validation_error.unknown_parameter"
    created = await shared_api.post(root, [{}], params=params)
    assert created.details[0] == (unknown, "match")
    deleted = await shared_api.delete(root, [*params.items(), ("keys", "A"), ("keys", "B")])
    if resource.own_key_within:
        assert deleted.details[:2] == [(unknown, "match"), (unknown, "keys")]
    else:
        assert [row["outcome"] for row in deleted.data] == ["absent", "absent"]
