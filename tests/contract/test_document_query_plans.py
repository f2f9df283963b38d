"""Query plans of documents: rows read grow with the records shown, not with their square.

The planner takes an organization that the statistics do not know for one without rows. A child
table that is aggregated once may then be aggregated once for each record of a page.
"""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import orjson
import pytest

from service.listing.page_sql import export_page
from service.queries.resource import Resource
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS, REFERENCE_LISTS
from tests.contract.test_page_query_plans import nodes
from tests.support.sampling import examples

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Lists", "Exports"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

NEW = 3
OWNERS = examples(400, 10_000)
FEW, MANY = 10, 200
#: Rows that are read for 200 records may be 20 times those for 10, and this many times that.
MOST = 2.5
#: A hash join may read a table that is looked up whole: once, however many records there are.
WHOLE_TABLE = 10 * OWNERS
_OWNERS = f"generate_series(1, {OWNERS}) as n"
_FILLED = (
    "insert into organization (id, name, multiple_language) values ($1, 'New', true)",
    f"insert into brand (organization_id, id, name) select $1, n, 'B' || n from {_OWNERS}",
    f"insert into style_category (organization_id, id, name) select $1, n, 'C' || n from {_OWNERS}",
    f"insert into style_group (organization_id, id, name) select $1, n, 'G' || n from {_OWNERS}",
    f"insert into item_category (organization_id, id, name) select $1, n, 'I' || n from {_OWNERS}",
    f"""insert into item (organization_id, id, number, name, item_category_id)
    select $1, n, 'N' || n, 'Item', n from {_OWNERS}""",
    f"insert into color_group (organization_id, id, name) select $1, n, 'CG' || n from {_OWNERS}",
    f"insert into color (organization_id, id, name) select $1, n, 'Color ' || n from {_OWNERS}",
    f"""insert into color_in_group select $1, n, (n + other) % {OWNERS} + 1
    from {_OWNERS}, generate_series(1, 3) as other""",
    f"""insert into color_language (organization_id, color_id, language_id, color_name)
    select $1, n, l.id, 'Name' from {_OWNERS}, (select id from language order by id limit 10) l""",
    *(
        text
        for table in ("care_instruction", "care_instruction_material")
        for text in (
            f"""insert into {table} (organization_id, id, text, position)
            select $1, n, 'Text', n from {_OWNERS}""",
            f"""insert into {table}_translation (organization_id, {table}_id, language_id, text)
            select $1, n, l.id, 'Text'
            from {_OWNERS}, (select id from language order by id limit 10) l""",
        )
    ),
    *(
        text
        for kind in ("compliance", "style")
        for text in (
            f"""insert into {kind}_custom_field (organization_id, id, name, type, position)
            select $1, n, 'F' || n, 'allowedValue', n from {_OWNERS}""",
            f"""insert into {kind}_allowed_value (organization_id, custom_field_id, value)
            select $1, n, 'V' || v from {_OWNERS}, generate_series(1, 10) as v""",
        )
    ),
    *(
        f"""insert into custom_field_{kind} select $1, n, (n + other) % {OWNERS} + 1
        from {_OWNERS}, generate_series(1, 3) as other"""
        for kind in ("brand", "group", "style_category")
    ),
    f"insert into size_range (organization_id, id, name) select $1, n, 'R' || n from {_OWNERS}",
    f"""insert into size_range_size (organization_id, id, size_range_id, name)
    select $1, n * 10 + s, n, 'S' || s from {_OWNERS}, generate_series(1, 6) as s""",
    f"insert into sub_supplier (organization_id, id, name) select $1, n, 'S' || n from {_OWNERS}",
    f"""insert into sub_supplier_contact (organization_id, sub_supplier_id, first_name)
    select $1, n, 'C' || c from {_OWNERS}, generate_series(1, 4) as c""",
    f"""insert into facility (organization_id, id, sub_supplier_id, name)
    select $1, n, n, 'F' || n from {_OWNERS}""",
    f"""insert into style (organization_id, id, number, name, brand_id, style_category_id)
    select $1, n, 'N-' || n, 'Style', n, n from {_OWNERS}""",
    f"""insert into style_in_group (organization_id, group_id, style_id)
    select $1, (n + other) % {OWNERS} + 1, n from {_OWNERS}, generate_series(1, 3) as other""",
    f"""insert into style_relation (organization_id, id, style_id, related_style_id)
    select $1, n, n, n % {OWNERS} + 1 from {_OWNERS}""",
    f"""insert into measurement_line (organization_id, id, style_id, name)
    select $1, n * 10 + line, n, 'Line ' || line from {_OWNERS}, generate_series(1, 6) as line""",
    f"""insert into measurement_line_value
        (organization_id, measurement_line_id, size_range_size_id, value)
    select $1, n * 10 + line, n * 10 + s, 1
    from {_OWNERS}, generate_series(1, 6) as line, generate_series(1, 4) as s""",
    f"""insert into sample_request (organization_id, id, style_id, name)
    select $1, n, n, 'Proto' from {_OWNERS}""",
    f"""insert into sample_request_size (organization_id, sample_request_id, size_range_size_id)
    select $1, n, n * 10 + s from {_OWNERS}, generate_series(1, 4) as s""",
    f"""insert into sample_request_measurement (
        organization_id, sample_request_id, size_range_size_id, measurement_line_id
    )
    select $1, n, n * 10 + s, n * 10 + line
    from {_OWNERS}, generate_series(1, 6) as line, generate_series(1, 4) as s""",
)


@pytest.fixture(params=["others known", "never analyzed", "known"])
async def connection(
    request: pytest.FixtureRequest, dsn: str, demo_dsn: str
) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database with a large organization, known to the statistics or not."""
    name = demo_dsn if request.param == "others known" else dsn
    connection = await asyncpg.connect(name, server_settings={"jit": "off"})
    if request.param == "others known":
        await connection.execute("analyze")
    for text in _FILLED:
        await connection.execute(text, NEW)
    if request.param == "known":
        await connection.execute("analyze")
    yield connection
    await connection.close()


def rows_read(explanation: str) -> float:
    """Return the rows of tables that a plan has read, with those that it has thrown away."""
    total = 0.0
    for node in nodes(orjson.loads(explanation)[0]["Plan"]):
        if "Relation Name" in node:
            removed = sum(node[name] for name in node if name.startswith("Rows Removed"))
            total += (node["Actual Rows"] + removed) * node["Actual Loops"]
    return total


async def offenses(connection: asyncpg.Connection, resource: Resource, name: str) -> list[Any]:
    """Return the plans, custom and generic, whose rows grow faster than the page."""
    offending = []
    for mode in ("force_custom_plan", "force_generic_plan"):
        await connection.execute(f"set plan_cache_mode = {mode}")
        rows = []
        for size in (FEW, MANY):
            text = resource.statements[name].fill(page=export_page(size, resource.listed))
            await connection.execute(f"prepare asked(bigint, bigint) as {text}")
            explanation = await connection.fetchval(
                f"explain (analyze, timing off, format json) execute asked({NEW}, {OWNERS // 2})"
            )
            await connection.execute("deallocate asked")
            rows.append(rows_read(explanation))
        if rows[1] > MOST * MANY / FEW * rows[0] + WHOLE_TABLE:
            offending.append((resource.name, name, mode, *rows))
    return offending


async def test_rows_read_grow_with_the_records(connection: asyncpg.Connection) -> None:
    listed = [*MASTER_RECORDS, *PART_COLLECTIONS, *REFERENCE_LISTS]
    offending = [
        offense
        for resource in listed
        for name in ("documents", "writables")
        if name in resource.statements
        for offense in await offenses(connection, resource, name)
    ]
    assert offending == []
