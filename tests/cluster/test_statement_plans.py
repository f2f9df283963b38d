"""Tests of every statement on a cluster: one task on one node, nothing pulled, nothing refused."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import asyncpg
import orjson

from service.sql_catalog import catalog

#: Statements about all organizations, of the operator's commands and of background work.
OF_ALL: Final = frozenset(
    {
        "administration.is_empty",
        "administration.list_organizations",
        "administration.organization_named",
        "idempotency.organizations",
        "size-range-sizes-by-owner.foreign",
        "size-range-sizes.foreign",
        "size-ranges.foreign",
        "webhooks.active",
    }
)
_SETTINGS: Final = {"idempotency.claim_timeout", "idempotency.default_timeout"}
_ARGUMENTS: Final = {"bool": False, "bytea": b"", "int4": 1, "int8": 1, "jsonb": "[]", "text": "{}"}
"""Values of parameters by type; a text can also be an array of ids. Other types get null."""


async def plan_of(
    connection: asyncpg.Connection, text: str, names: Sequence[str]
) -> dict[str, Any]:
    """Return the plan of a statement for organization 1, after executing it.

    Some errors come only then. Constraints may be violated, and the sequence of no table be asked.
    """
    statement = await connection.prepare(text)
    types = statement.get_parameters()
    arguments = [[] if each.kind == "array" else _ARGUMENTS.get(each.name) for each in types]
    if names == ("organization_ids",):
        arguments = [[1]]
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


async def faults_by_statement(dsn: str) -> dict[str, set[str]]:
    """Return the faults of each statement of the catalog that has any; an error is a fault, too."""
    refusals = dict[str, set[str]]()
    connection = await asyncpg.connect(dsn)
    for group, entries in catalog().items():
        for entry in entries:
            name = f"{group}.{entry.name}"
            for text in entry.texts if name not in _SETTINGS else ():
                try:
                    of_text = {*faults(await plan_of(connection, text, entry.parameters))}
                except asyncpg.PostgresError as error:
                    of_text = {str(error)}
                    await connection.reset()
                if of_text:
                    refusals.setdefault(name, set()).update(of_text)
    await connection.close()
    return refusals


async def test_every_statement_asks_one_shard(dsn: str) -> None:
    by_statement = await faults_by_statement(dsn)
    expected = {name: {"4 tasks"} for name in OF_ALL}
    assert by_statement == expected
