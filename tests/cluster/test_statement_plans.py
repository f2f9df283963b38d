"""Tests of every statement on a cluster: one task on one node, nothing pulled, nothing refused."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, Final

import asyncpg
import orjson
import pytest
from aiohttp.test_utils import TestClient

from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS, PRODUCTS
from service.routes import collection_path
from tests.cluster.test_one_node import serve_every_route
from tests.policy.sources import sql_files
from tests.support import sql_recorder
from tests.support.api import Api, issue_key
from tests.support.serving import serving
from tests.support.statement_names import PARAMETERS, name_of
from tests.support.statement_spy import record_statements

#: Statements about all organizations, of the operator's commands and of background work.
OF_ALL: Final = frozenset(
    {
        "administration.is_empty",
        "administration.list_organizations",
        "administration.organization_named",
        "system.ending_keys",
        "system.ending_ranges",
        "system.late_webhooks",
        "system.most_stored",
        "stored_answers.organizations",
        "webhooks.active",
    }
)
_ARGUMENTS: Final = {
    "bool": False,
    "bytea": b"",
    "date": date(2026, 1, 1),
    "float8": 1.0,
    "int2": 1,
    "int4": 1,
    "int8": 1,
    "jsonb": "[]",
    "text": "{}",
    "timestamptz": datetime(2026, 1, 1, tzinfo=UTC),
}
"""Values of parameters by type; a text can also be an array of ids.

None is null: a comparison with null is false for the planner, which then asks one shard, not all.
"""


async def plan_of(
    connection: asyncpg.Connection, text: str, arguments: Sequence[Any] | None
) -> dict[str, Any]:
    """Return the plan of a statement, after executing it; without arguments for organization 1.

    Some errors come only then. Constraints may be violated, and the sequence of no table be asked.
    """
    statement = await connection.prepare(text)
    if arguments is None:
        types = statement.get_parameters()
        arguments = [[] if each.kind == "array" else _ARGUMENTS[each.name] for each in types]
    transaction = connection.transaction()
    await transaction.start()
    with suppress(asyncpg.IntegrityConstraintViolationError, asyncpg.UndefinedTableError):
        await statement.fetch(*arguments)
    await transaction.rollback()
    plan: dict[str, Any]
    plan = orjson.loads(await connection.fetchval(f"explain (format json) {text}", *arguments))[0]
    return plan


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every node of Citus in a plan, those of subplans included."""
    if isinstance(value, list):
        for part in value:
            yield from nodes(part)
    elif isinstance(value, dict):
        if "Custom Plan Provider" in value:
            yield value
        for part in value.values():
            yield from nodes(part)


def faults(plan: dict[str, Any]) -> Iterator[str]:
    """Yield what makes a plan cost more than one command to one node."""
    for node in nodes(plan):
        tasks = node.get("Distributed Query", {}).get("Job", {}).get("Task Count", 1)
        if tasks != 1:
            yield f"{tasks} tasks"
        if "INSERT" in node["Custom Plan Provider"]:
            yield "rows pulled to the coordinator"


async def faults_by_name(
    dsn: str, statements: Iterable[tuple[str, str, Sequence[Any] | None]]
) -> dict[str, set[str]]:
    """Return the faults of statements by name; an error is a fault, too.

    Statements are given by name, text and arguments.
    """
    refusals = dict[str, set[str]]()
    connection = await asyncpg.connect(dsn)
    for name, text, arguments in statements:
        try:
            of_text = {*faults(await plan_of(connection, text, arguments))}
        except asyncpg.PostgresError as error:
            of_text = {str(error)}
            await connection.reset()
        if of_text:
            refusals.setdefault(name, set()).update(of_text)
    await connection.close()
    return refusals


async def test_every_statement_without_slots_asks_one_shard(dsn: str) -> None:
    statements = [
        (each.name, each.text, [[1]] if PARAMETERS[each.name] == ["organization_ids"] else None)
        for file in sql_files()
        for each in file.values()
        if each.name in PARAMETERS and not each.slots
    ]
    expected = {name: {"4 tasks"} for name in OF_ALL}
    assert await faults_by_name(dsn, statements) == expected


@pytest.mark.parametrize("name", sql_recorder.RECORDED)
async def test_every_sent_statement_asks_one_shard(name: str, demo_dsn: str) -> None:
    operations = await sql_recorder.record(name, demo_dsn)
    sent = {text: text.arguments for operation in operations for text in operation.statements}
    statements = [(str(name_of(text)), str(text), arguments) for text, arguments in sent.items()]
    assert await faults_by_name(demo_dsn, statements) == {}


async def test_every_statement_of_every_route_asks_one_shard(
    demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of transactions, products, completeness and passports, and of lists of what changed."""
    with record_statements(monkeypatch) as sent:
        async with serving(demo_dsn) as server, TestClient(server) as client:
            api = Api(client, await issue_key(demo_dsn, 1))
            assert await serve_every_route(api, demo_dsn) == []
            for resource in (*MASTER_RECORDS, *PART_COLLECTIONS, PRODUCTS):
                since = {"changedSince": "2026-01-01T00:00:00Z"}
                channel = {"channelId": "1"} if resource is PRODUCTS else {}
                answer = await api.get(collection_path(resource), since | channel)
                assert answer.status == 200, answer.raw
    distinct = {str(text): text.arguments for text in sent if not text.startswith("set ")}
    statements = [
        (named.name, text, arguments)
        for text, arguments in distinct.items()
        if (named := name_of(text))
    ]
    assert len(statements) > 500
    assert await faults_by_name(demo_dsn, statements) == {}
