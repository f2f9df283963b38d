"""Query plans of look-ups by own keys: each uses an index (contract, Own keys).

``TEST_RECORDS`` sets the number of records.
"""

import os
from typing import Any

import asyncpg
import orjson
import pytest

from service.listing.page_sql import column_of
from service.records.master_record import MasterRecord
from service.records.path_keys import KeyLookup
from service.records.resource import DocumentRequest
from service.resources.colors import Colors
from service.resources.custom_fields.style_custom_fields import StyleCustomFields
from service.resources.plain_collections import Facilities
from service.resources.registry import MASTER_RECORDS
from service.resources.sample_requests import REQUEST_KEYS, SampleRequests
from service.resources.style_relations import StyleRelations
from tests.contract.test_page_query_plans import nodes
from tests.support.sampling import Sample

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Own keys"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

RECORDS, KEYS = int(os.environ.get("TEST_RECORDS", "10000")), 200
CHOSEN = [n * (RECORDS // (KEYS + 6)) for n in range(1, KEYS + 1)]
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

RELATIONS = """
with made as (
    insert into style (organization_id, id, number, name)
    select 1, n, 'S-' || n, 'Vest' from generate_series(0, greatest(299, $1::integer / 300)) as n
)
insert into style_relation (organization_id, id, style_id, related_style_id)
select 1, n, n % 300, n / 300 from generate_series(1, $1::integer) as n"""
REQUESTS = """
with made as (
    insert into style (organization_id, id, number, name)
    select 1, n, 'S-' || n, 'Vest' from generate_series(0, 299) as n
)
insert into sample_request (organization_id, id, style_id, name)
select 1, n, n % 300, 'R-' || n / 300 from generate_series(1, $1::integer) as n"""
ASSOCIATIONS = """
with made as (insert into brand (organization_id, id, name) values (1, 1, 'Own')), field as (
    insert into style_custom_field (organization_id, id, name, type, position)
    select 1, n, 'Field', 'text', n from generate_series(1, least(300, $1::integer)) as n
)
insert into custom_field_brand select 1, n, 1 from generate_series(1, least(300, $1::integer)) as n
"""
OWNERS = [n % 300 for n in CHOSEN]


KINDS: dict[str, tuple[MasterRecord, str, list[Any]]] = {
    "alone": (Colors(), COLORS, [[f"C-{n}" for n in CHOSEN], [0]]),
    "within": (Facilities(), FACILITIES, [[f"F-{n // 300}" for n in CHOSEN], OWNERS]),
    "relations": (StyleRelations(), RELATIONS, [[n // 300 for n in CHOSEN], OWNERS]),
    "requests": (SampleRequests(), REQUESTS, [[f"R-{n // 300}" for n in CHOSEN], OWNERS]),
}
of_each_kind = pytest.mark.parametrize("kind", Sample(__name__)([*KINDS], 2))


@of_each_kind
async def test_keys_are_found_by_an_index(kind: str, dsn: str) -> None:
    """However many records share a name elsewhere, or an owner."""
    resource, made, keys = KINDS[kind]
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    await connection.execute("insert into organization (id, name) values (1, 'An organization')")
    await connection.execute(made, RECORDS)
    await connection.execute(f"analyze {resource.table}")
    row = await connection.fetchval(
        f"explain (analyze, format json) {resource.locks_by_key['for update']}", 1, *keys
    )
    await connection.close()
    leads_to_keys(resource, row)


@of_each_kind
async def test_so_they_are_by_a_plan_that_was_made_while_there_were_none(
    kind: str, dsn: str
) -> None:
    resource, rows, keys = KINDS[kind]
    statement = resource.locks_by_key["for update"]
    leads_to_keys(resource, await plan_made_while_empty(dsn, resource.table, statement, keys, rows))


async def plan_made_while_empty(
    dsn: str, table: str, statement: Any, keys: list[Any], rows: str
) -> str:
    """Return the plan of a look-up that a session prepared and executed before there were rows.

    It plans a statement a few times and then no more, however the tables grow.
    """
    connection = await asyncpg.connect(dsn, server_settings={"enable_seqscan": "off", "jit": "off"})
    await connection.execute("insert into organization (id, name) values (1, 'An organization')")
    await connection.execute(f"analyze {table}")
    await connection.execute(f"prepare found as {statement}")
    # What a list of keys looks like in Python and in PostgreSQL is the same.
    execution = f"execute found ({', '.join(['1', *(f'array{key}' for key in keys)])})"
    for _ in range(10):
        await connection.execute(execution)
    await connection.execute(rows, RECORDS)
    plan: str = await connection.fetchval(f"explain (analyze, format json) {execution}")
    await connection.close()
    return plan


@pytest.mark.contract("Style custom fields")
async def test_associations_are_read_by_field_if_planned_while_there_were_none(dsn: str) -> None:
    text = StyleCustomFields().render_statement(DocumentRequest([1, 2])).text
    statement = text.replace("$2::text::", "$2::")
    ids = [*range(1, KEYS)]
    plan = await plan_made_while_empty(dsn, "custom_field_brand", statement, [ids], ASSOCIATIONS)
    assert "custom_field_brand_pk" in str(plan)
    assert "custom_field_brand_by_brand" not in str(plan)


@pytest.mark.contract("Paths by own key")
@pytest.mark.parametrize(
    ("resource", "lookup", "made", "key"),
    [
        (Colors(), Colors().key_lookups["id"], COLORS, [["C-291"]]),
        (SampleRequests(), REQUEST_KEYS, REQUESTS, [["R-1"], 7]),
    ],
    ids=["alone", "within"],
)
async def test_keys_in_paths_are_found_by_an_index(
    resource: MasterRecord, lookup: KeyLookup, made: str, key: list[Any], dsn: str
) -> None:
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    await connection.execute("insert into organization (id, name) values (1, 'An organization')")
    await connection.execute(made, RECORDS)
    await connection.execute(f"analyze {resource.table}")
    row = await connection.fetchval(f"explain (analyze, format json) {lookup.text}", 1, *key)
    await connection.close()
    leads_to_keys(resource, row)


def leads_to_keys(resource: MasterRecord, row: str) -> None:
    """Hold the plan against it: the index of own keys is used, and nothing else is read."""
    plan: dict[str, Any] = orjson.loads(row)[0]["Plan"]
    used = {node.get("Index Name") for node in nodes(plan)}
    assert f"{resource.table}_by_own_key" in used
    for node in nodes(plan):
        assert node["Actual Rows"] * node["Actual Loops"] <= KEYS


@pytest.mark.parametrize("resource", MASTER_RECORDS, ids=lambda resource: resource.name)
async def test_every_own_key_has_its_index(
    resource: Any, shared_connection: asyncpg.Connection
) -> None:
    text = "select indexdef from pg_indexes where tablename = $1"
    rows = await shared_connection.fetch(text, resource.table)
    columns = [column_of(name) for name in reversed(resource.key_fields)]
    expected = f"({', '.join(('organization_id', *columns, 'id'))})"
    assert any(row["indexdef"].endswith(expected) for row in rows)
