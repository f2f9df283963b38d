"""Query plans of a supplier's key: what is another's is read once for a list, not for each record.

Each supplier of the organization has one style.
"""

from itertools import product
from typing import Any

import asyncpg
import pytest

from service.listing.list_request import ListRequest, SortKey
from service.organizations.caller import Caller
from service.organizations.scopes import OF_STYLES, READ, Scopes
from service.records.resource import Resource
from service.records.supplier_scopes import condition
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS
from tests.contract.test_document_query_plans import LIST, MOST, NEW, OWNERS, WHOLE_TABLE, rows_read
from tests.contract.test_document_query_plans import connection as connection  # a fixture

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Scopes", "Lists"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

SUPPLIER = OWNERS // 2
#: A list of the records of one style reads all others once, and looks the style of each up.
SCANNED = WHOLE_TABLE + 4 * OWNERS
SCOPES = [f"{name}[supplierId={SUPPLIER}]:read" for name in ("styles", "style-prices")]
CALLER = Caller(NEW, 1, Scopes.of(SCOPES), multiple_language=True, pro=True)
RESTRICTED = {
    resource.name: resource
    for resource in (*MASTER_RECORDS, *PART_COLLECTIONS)
    if CALLER.scopes.suppliers(resource.scope(READ))
}


async def rows_of(connection: asyncpg.Connection, resource: Resource) -> list[tuple[Any, ...]]:
    """Return the lists of the resource, and their counts, with the rows that their plans read."""
    by_id = (SortKey(resource.properties[resource.key], descending=False),)
    within = condition(resource, CALLER, READ)
    list_request = ListRequest(sort=by_id, page_size=LIST, within=within)
    queries = {
        "list": resource.compile_list(list_request),
        "count": resource._compile_count(list_request),
    }
    rows = list[tuple[Any, ...]]()
    await connection.execute("set statement_timeout = '20s'")
    for (name, query), mode in product(queries.items(), ("custom", "generic")):
        await connection.execute(f"set plan_cache_mode = force_{mode}_plan")
        await connection.execute(f"prepare asked as {query.text}")
        arguments = ", ".join(map(str, (NEW, *query.parameters)))
        explanation = await connection.fetchval(
            f"explain (analyze, timing off, format json) execute asked({arguments})"
        )
        await connection.execute("deallocate asked")
        rows.append((resource.name, name, mode, rows_read(explanation)))
    return rows


async def test_lists_read_rows_in_proportion(connection: asyncpg.Connection) -> None:
    assert len(RESTRICTED) == len(OF_STYLES) + 2
    read = [row for each in RESTRICTED.values() for row in await rows_of(connection, each)]
    assert [row for row in read if row[-1] > MOST + SCANNED] == []
