"""Query plans of parts for a new organization, which the statistics lack.

Until PostgreSQL analyzes the tables it takes such an organization for one without rows. A plan may
then read all its rows for each record, so that every write is slower than the one before.
"""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import orjson
import pytest

from service.resources.registry import MASTER_RECORDS, MEASUREMENTS, PARTS
from tests.contract.test_page_query_plans import handled, nodes
from tests.support.databases import demo_database, fresh_database
from tests.support.sampling import Sample

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Parts"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

NEW = 3
STYLES, LINES, SIZES = 300, 6, 4
#: More than the rows of one chart, far fewer than the 1,800 lines or 7,200 values.
MOST_ROWS = 4 * LINES * SIZES
PAGE = "select 1 as page_order, null as sort_values, r.* from record r where r.id = $2::bigint"
CHARTS = next(part for part in PARTS if part.name == "measurement-charts")


@pytest.fixture(scope="module", params=Sample(__name__)(["others known", "never analyzed"], 1))
async def connection(
    request: pytest.FixtureRequest, server_dsn: str, worker_id: str
) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database whose statistics do not know the organization, for reads."""
    is_known = request.param == "others known"
    dsn = (demo_database if is_known else fresh_database)(server_dsn, f"new_{worker_id}")
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    if is_known:
        await connection.execute("analyze")
    await connection.execute("insert into organization (id, name) values ($1, 'New')", NEW)
    for text in (
        "insert into size_range (organization_id, id, name) values ($1, 1, 'Run')",
        f"""insert into size_range_size (organization_id, id, size_range_id, name)
        select $1, n, 1, 'S' || n from generate_series(1, {SIZES}) n""",
        f"""insert into style (organization_id, id, number, name)
        select $1, n, 'N-' || n, 'Style' from generate_series(1, {STYLES}) n""",
        f"""insert into measurement_line (organization_id, id, style_id, name)
        select $1, n, (n - 1) / {LINES} + 1, 'Line ' || n
        from generate_series(1, {STYLES * LINES}) n""",
        """insert into measurement_line_value
            (organization_id, measurement_line_id, size_range_size_id, value)
        select $1, line.id, size.id, 1 from measurement_line line, size_range_size size
        where line.organization_id = $1 and size.organization_id = $1""",
        f"""insert into sample_request (organization_id, id, style_id, name)
        select $1, n, n, 'Proto' from generate_series(1, {STYLES}) n""",
        f"""insert into sample_request_size (organization_id, sample_request_id, size_range_size_id)
        select $1, n, size from generate_series(1, {STYLES}) n, generate_series(1, {SIZES}) size""",
        """insert into sample_request_measurement (
            organization_id, sample_request_id, size_range_size_id, measurement_line_id
        )
        select $1, requested.sample_request_id, requested.size_range_size_id, line.id
        from sample_request_size requested
        join measurement_line line
            on line.organization_id = $1 and line.style_id = requested.sample_request_id
        where requested.organization_id = $1""",
    ):
        await connection.execute(text, NEW)
    yield connection
    await connection.close()


async def explained(connection: asyncpg.Connection, text: str, *arguments: str) -> list[Any]:
    """Return the nodes of the custom plan and of the generic plan."""
    await connection.execute(f"prepare asked as {text}")
    plans = list[Any]()
    for mode in ("force_custom_plan", "force_generic_plan"):
        await connection.execute(f"set plan_cache_mode = {mode}")
        explanation = await connection.fetchval(
            f"explain (analyze, timing off, format json) execute asked({', '.join(arguments)})"
        )
        plans += nodes(orjson.loads(explanation)[0]["Plan"])
    await connection.execute("deallocate asked")
    return plans


async def test_the_values_of_a_chart_are_reached_by_their_lines(
    connection: asyncpg.Connection,
) -> None:
    documents = CHARTS.statements["documents"].fill(page=PAGE)
    stored_values = CHARTS.statements["stored_requested"].text
    for text, argument in ((documents, "7"), (stored_values, "'{37,42}'")):
        plan = await explained(connection, text, str(NEW), argument)
        for node in plan:
            if node.get("Relation Name") == "measurement_line_value":
                assert "measurement_line_id" in node["Index Cond"], node
                assert handled(node) <= MOST_ROWS, node
        assert any(node.get("Relation Name") == "measurement_line_value" for node in plan)


SAMPLES = next(resource for resource in MASTER_RECORDS if resource.name == "sample-requests")
#: By statement: its text, its arguments after the organization, and the key that reaches its rows.
OF_SAMPLES = {
    "documents": (SAMPLES.statements["documents"].fill(page=PAGE), ["7"]),
    "writables": (SAMPLES.statements["writables"].fill(page=PAGE), ["7"]),
    "measured lines": (MEASUREMENTS.statements["measured_lines"].text, ["'{7}'", "'{2}'"]),
}


@pytest.mark.parametrize("name", OF_SAMPLES)
async def test_the_sizes_of_a_sample_request_are_reached_by_it(
    name: str, connection: asyncpg.Connection
) -> None:
    text, arguments = OF_SAMPLES[name]
    plan = await explained(connection, text, str(NEW), *arguments)
    scans = [node for node in plan if node.get("Relation Name", "").startswith("sample_request_")]
    for node in scans:
        if "Scan" in node["Node Type"]:
            assert "sample_request_id" in node["Index Cond"], node
            assert handled(node) <= MOST_ROWS, node
    assert scans
