"""What finding records by their own keys costs: an index leads to them (contract, Own keys)."""

from typing import Any

import asyncpg
import orjson
import pytest

from service.listing.pages import column_of
from service.queries.master_record import MasterRecord
from service.queries.own_keys import finding
from service.resources.colors import Colors
from service.resources.facilities import Facilities
from service.resources.registry import MASTER_RECORDS
from tests.contract.test_plans import nodes

RECORDS, KEYS = 60_000, 200
CHOSEN = [n * 291 for n in range(1, KEYS + 1)]
COLORS = """
insert into color (organization_id, id, name, user_defined_id, state)
select 1, n, 'Color', 'C-' || n, 'active' from generate_series(1, $1::integer) as n"""
FACILITIES = """
with owner as (
    insert into sub_supplier (organization_id, id, name, state, avatar_color)
    select 1, n, 'Mill', 'active', '#2f6f8f' from generate_series(0, 299) as n
)
insert into facility (organization_id, id, sub_supplier_id, name, state)
select 1, n, n % 300, 'F-' || n / 300, 'active' from generate_series(1, $1::integer) as n"""


@pytest.mark.parametrize(
    ("resource", "made", "keys"),
    [
        (Colors(), COLORS, [[f"C-{n}" for n in CHOSEN], [None] * KEYS]),
        (Facilities(), FACILITIES, [[f"F-{n // 300}" for n in CHOSEN], [n % 300 for n in CHOSEN]]),
    ],
    ids=["alone", "within"],
)
async def test_keys_are_found_by_an_index(
    resource: MasterRecord, made: str, keys: list[Any], dsn: str
) -> None:
    """However many records share a name elsewhere, or an owner."""
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    await connection.execute("insert into organization (id, name) values (1, 'An organization')")
    await connection.execute(made, RECORDS)
    await connection.execute(f"analyze {resource.table}")
    row = await connection.fetchval(f"explain (analyze, format json) {finding(resource)}", 1, *keys)
    plan: dict[str, Any] = orjson.loads(row)[0]["Plan"]
    await connection.close()
    used = {node.get("Index Name") for node in nodes(plan)}
    assert f"{resource.table}_by_own_key" in used
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
