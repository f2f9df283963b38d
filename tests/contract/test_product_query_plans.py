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
#: Estimate from which PostgreSQL optimizes and inlines what it compiles (jit_optimize_above_cost).
COMPILED = 500_000
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


async def explain(
    connection: asyncpg.Connection, list_request: ListRequest, options: str = "costs on"
) -> str:
    """Return the plan of the statement of a page."""
    query = PRODUCTS.compile_list(list_request)
    types = "".join(", bigint" for _ in query.parameters)
    await connection.execute(f"prepare asked(bigint, bigint, date{types}) as {query.text}")
    values = "".join(f", {value}" for value in query.parameters)
    explanation = await connection.fetchval(
        f"explain ({options}, format json)"
        f" execute asked({NEW}, {CHANNEL}, '{date.today()}'{values})"
    )
    await connection.execute("deallocate asked")
    return str(explanation)


async def read(connection: asyncpg.Connection, list_request: ListRequest, mode: str) -> float:
    """Return the rows that the statement of a page reads."""
    await connection.execute(f"set plan_cache_mode = {mode}")
    explanation = await explain(connection, list_request, "analyze, timing off")
    assert orjson.loads(explanation)[0]["Plan"]["Actual Rows"] == 1
    return rows_read(explanation)


def changes_of(parameters: list[tuple[str, str]]) -> ListRequest:
    """Return the request of a list of products that have changed."""
    since = [*parameters, ("changedSince", "2026-01-01T00:00:00Z")]
    changed = ChangedRecords(1, 0, condition_text(CHANGES, PRODUCTS))
    return replace(read_query(since, PRODUCTS.properties), changed=changed)


async def test_changes_are_not_estimated_to_be_millions(products: asyncpg.Connection) -> None:
    """Without statistics, and many in the feed: compiling would take longer than reading."""
    await products.execute(
        """insert into change (organization_id, id, n, clock, at, entries, records)
        select $1, n, n, 1, now(), 1, '{}' from generate_series(2, 20000) as n""",
        NEW,
    )
    for mode in ("force_custom_plan", "force_generic_plan"):
        await products.execute(f"set plan_cache_mode = {mode}")
        plan = await explain(products, changes_of([("channelId", str(CHANNEL))]))
        assert orjson.loads(plan)[0]["Plan"]["Total Cost"] < COMPILED


async def test_rows_read_are_in_proportion_to_the_page(products: asyncpg.Connection) -> None:
    parameters = [("channelId", str(CHANNEL)), ("pageSize", str(SIZE))]
    page = replace(read_query(parameters, PRODUCTS.properties), after=(OWNERS // 2,))
    changes = changes_of(parameters)
    rows = {
        (name, mode): await read(products, request, mode)
        for name, request in (("page", page), ("changed", changes))
        for mode in ("force_custom_plan", "force_generic_plan")
    }
    assert {name: count for name, count in rows.items() if count > MOST * SIZE + WHOLE_TABLE} == {}
