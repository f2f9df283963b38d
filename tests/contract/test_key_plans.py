"""What finding records by their own keys costs: an index leads to them (contract, Own keys)."""

from typing import Any

import asyncpg
import orjson
import pytest

from service.listing.pages import column_of
from service.queries.own_keys import finding
from service.resources.colors import Colors
from service.resources.registry import MASTER_RECORDS
from tests.contract.test_plans import nodes

COLORS, KEYS = 60_000, 200


async def test_keys_are_found_by_an_index(dsn: str) -> None:
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    await connection.execute("insert into organization (id, name) values (1, 'An organization')")
    await connection.execute(
        """insert into color (organization_id, id, name, user_defined_id, state)
        select 1, n, 'Color', 'C-' || n, 'active' from generate_series(1, $1::integer) as n""",
        COLORS,
    )
    await connection.execute("analyze color")
    text = finding(Colors())
    keys = [f"C-{n * 291}" for n in range(1, KEYS + 1)]
    row = await connection.fetchval(f"explain (analyze, format json) {text}", 1, keys)
    plan: dict[str, Any] = orjson.loads(row)[0]["Plan"]
    await connection.close()
    used = {node.get("Index Name") for node in nodes(plan)}
    assert "color_by_own_key" in used
    for node in nodes(plan):
        assert node["Actual Rows"] * node["Actual Loops"] <= KEYS


@pytest.mark.parametrize("resource", MASTER_RECORDS, ids=lambda one: one.name)
async def test_every_own_key_has_its_index(resource: Any, shared_dsn: str) -> None:
    connection = await asyncpg.connect(shared_dsn)
    found = await connection.fetch(
        "select indexdef from pg_indexes where tablename = $1", resource.table
    )
    await connection.close()
    columns = [column_of(name) for name in reversed(resource.key_fields)]
    wanted = f"({', '.join(('organization_id', *columns, 'id'))})"
    assert any(row["indexdef"].endswith(wanted) for row in found)
