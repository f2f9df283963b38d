"""Query plans of products: a page reads rows in proportion to what it shows."""

from dataclasses import replace
from datetime import date

import asyncpg
import orjson
import pytest

from service.feed.changed_since import condition_text
from service.listing.list_request import ChangedRecords, ListRequest
from service.listing.parameters import read_query
from service.resources.registry import CHANGES, PRODUCTS
from tests.contract.test_document_query_plans import NEW, OWNERS, WHOLE_TABLE, rows_read
from tests.contract.test_document_query_plans import connection as connection  # a fixture

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Products"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

SIZE = 100
#: A style has 4 colors with 10 translations each, 4 SKUs and files, and care labels.
MOST = 600
CHANNEL, CHANGED = 7, 20
_SHOWN = (
    "update style set status = 'published' where organization_id = $1",
    """update channel set requirements = array(
        select unnest('{skus, barcodes, prices, imagePerColor, translations, customFields}'::text[])
    ) where organization_id = $1""",
    """insert into change_feed (organization_id, epoch, last_n) values ($1, 1, 1)""",
    f"""insert into change (organization_id, id, n, clock, at, entries, records, causes)
    select $1, 1, 1, 1, now(), 1, jsonb_build_object('size-range-sizes', entries),
        jsonb_build_object('brands', ids, 'suppliers', ids, 'colors', ids)
    from (select jsonb_agg(n) as ids, jsonb_build_object('updated', jsonb_agg(n)) as entries
        from generate_series(1, {CHANGED}) as n) as changed""",
)


@pytest.fixture
async def products(connection: asyncpg.Connection) -> asyncpg.Connection:
    """A connection to a database whose large organization has products, and a few changes."""
    for text in _SHOWN:
        await connection.execute(text, NEW)
    return connection


async def read(connection: asyncpg.Connection, list_request: ListRequest, mode: str) -> float:
    """Return the rows that the statement of a page reads."""
    query = PRODUCTS.compile_list(list_request)
    await connection.execute(f"set plan_cache_mode = {mode}")
    types = "".join(", bigint" for _ in query.parameters)
    await connection.execute(f"prepare asked(bigint, bigint, date{types}) as {query.text}")
    values = "".join(f", {value}" for value in query.parameters)
    explanation = await connection.fetchval(
        "explain (analyze, timing off, format json)"
        f" execute asked({NEW}, {CHANNEL}, '{date.today()}'{values})"
    )
    await connection.execute("deallocate asked")
    assert orjson.loads(explanation)[0]["Plan"]["Actual Rows"] == 1
    return rows_read(explanation)


async def test_rows_read_are_in_proportion_to_the_page(products: asyncpg.Connection) -> None:
    parameters = [("channelId", str(CHANNEL)), ("pageSize", str(SIZE))]
    page = replace(read_query(parameters, PRODUCTS.properties), after=(OWNERS // 2,))
    since = [*parameters, ("changedSince", "2026-01-01T00:00:00Z")]
    changed = ChangedRecords(1, 0, condition_text(CHANGES, PRODUCTS))
    changes = replace(read_query(since, PRODUCTS.properties), changed=changed)
    rows = {
        (name, mode): await read(products, request, mode)
        for name, request in (("page", page), ("changed", changes))
        for mode in ("force_custom_plan", "force_generic_plan")
    }
    assert {name: count for name, count in rows.items() if count > MOST * SIZE + WHOLE_TABLE} == {}
