"""Query plans of documents: lists and exports read rows in proportion to the records they return.

The planner takes an organization that the statistics do not know for one without rows. A child
table that is aggregated once may then be aggregated once for each record of a page.
"""

from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import asyncpg
import orjson
import psycopg
import pytest

from service.database.planner_statistics import children
from service.listing.page_sql import export_page
from service.records.resource import Resource
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS, REFERENCE_LISTS
from tests.contract.test_page_query_plans import handled, nodes
from tests.policy.sources import tenant_tables
from tests.support.databases import DEMO_TEMPLATE, PREFIX, fresh_database
from tests.support.sampling import Sample, examples

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Lists", "Exports"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

NEW = 3
OWNERS = examples(1_000, 10_000)
LIST, EXPORT = 100, 500
#: Most rows for a record: a chart has 6 lines with 4 values each, a request 4 sizes with 6 lines.
MOST = 160
#: A scan may read a table whole that is smaller than random reads would be: once for a page. The
#: longest is that of prices, 12 of each style; as many of their colors may be looked up.
WHOLE_TABLE = 24 * OWNERS
#: The join that sorts by the related style reads half of the organization's styles for each record.
#: The numbers of a range may be sought among all barcodes before the first vacuum.
QUADRATIC = {"style-relations", "barcode-ranges"}
JOINED_ONCE = {"colors"}  # by full joins, which compare no row with each other one
TENANT_TABLES = tenant_tables()
ADMINISTRATIVE = {
    "api_key",
    "audit_chain",
    "audit_entry",
    "barcode_block",
    "change",
    "change_feed",
    "deleted_record",
    "idempotency_key",
    "record_version",
    "webhook",
    "writer_lock",
}
CARE_TEXTS = ("material", "icon", "layer")
_NAMED = ("brand", "color", "color_group", "item_category", "size_range", "style_category",
    "style_group", "sub_supplier", "supplier")  # fmt: skip
_LINKS = ("channel_price_list", "color_in_group", "custom_field_brand", "custom_field_group",
    "custom_field_style_category", "supplier_sub_supplier")  # fmt: skip
_OWNERS = f"generate_series(1, {OWNERS}) as n"
_FILLED = (
    "insert into organization (id, name, multiple_language) values ($1, 'New', true)",
    *(
        f"insert into {table} (organization_id, id, name) select $1, n, 'N' || n from {_OWNERS}"
        for table in _NAMED
    ),
    f"""insert into item (organization_id, id, number, name, item_category_id)
    select $1, n, 'N' || n, 'Item', n from {_OWNERS}""",
    f"""insert into color_language (organization_id, color_id, language_id, color_name)
    select $1, n, l.id, 'Name' from {_OWNERS}, (select id from language order by id limit 10) l""",
    *(
        text
        for table in ("care_instruction", *(f"care_instruction_{of}" for of in CARE_TEXTS))
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
        f"""insert into {table} select $1, n, (n + other) % {OWNERS} + 1
        from {_OWNERS}, generate_series(1, 3) as other"""
        for table in _LINKS
    ),
    f"""insert into size_range_size (organization_id, id, size_range_id, name)
    select $1, n * 10 + s, n, 'S' || s from {_OWNERS}, generate_series(1, 6) as s""",
    f"""insert into facility (organization_id, id, sub_supplier_id, name)
    select $1, n, n, 'F' || n from {_OWNERS}""",
    *(
        f"""insert into {table}_contact (organization_id, {table}_id, first_name)
        select $1, n, 'C' || c from {_OWNERS}, generate_series(1, 4) as c"""
        for table in ("supplier", "sub_supplier")
    ),
    *(
        f"""insert into {table} (organization_id, id, name, position)
        select $1, n, 'S' || n, n from {_OWNERS}"""
        for table in ("sample_type", "season")
    ),
    f"""insert into style (
        organization_id, id, number, name, brand_id, style_category_id, season_id, supplier_id,
        size_range_id
    )
    select $1, n, 'N-' || n, 'Style', n, n, n, n, n from {_OWNERS}""",
    f"""insert into style_contact (organization_id, style_id, role, type, name)
    select $1, n, 'R' || c, 'other', 'C' from {_OWNERS}, generate_series(1, 4) as c""",
    f"""insert into style_supplier_facility
        (organization_id, style_id, process, supplier_id, sub_supplier_id, facility_id)
    select $1, n, 'other', n, n, n from {_OWNERS}, generate_series(1, 4) as step""",
    f"""insert into style_translation (organization_id, style_id, language_id, name)
    select $1, n, l.id, 'Name' from {_OWNERS}, (select id from language order by id limit 10) l""",
    f"""insert into style_color (organization_id, id, style_id, color_id)
    select $1, n * 10 + c, n, (n + c) % {OWNERS} + 1
    from {_OWNERS}, generate_series(1, 4) as c""",
    f"""insert into style_color_in_season select $1, n * 10 + c, (n + other) % {OWNERS} + 1
    from {_OWNERS}, generate_series(1, 4) as c, generate_series(1, 3) as other""",
    f"""insert into style_sku
        (organization_id, id, sku, style_color_id, style_id, color_id, size_range_size_id)
    select $1, n * 10 + c, 'N-' || n || c, n * 10 + c, n, (n + c) % {OWNERS} + 1, n * 10 + 1
    from {_OWNERS}, generate_series(1, 4) as c""",
    f"""insert into barcode_range (
        organization_id, id, name, type, company_prefix, first_reference, last_reference, brand_id
    )
    select $1, n, 'R' || n, 'gtin13', to_char(n, 'FM0000000'), 0, 99, n from {_OWNERS}""",
    f"""insert into barcode (
        organization_id, id, barcode, type, gtin14, barcode_range_id, style_sku_id, is_primary
    )
    select
        $1, n * 10 + c, 'B', 'gtin13', to_char(n * 10 + c, 'FM00000000000000'), n, n * 10 + c, true
    from {_OWNERS}, generate_series(1, 4) as c""",
    f"""insert into price_list (
        organization_id, id, name, type, currency_code, includes_tax, country_codes, supplier_id
    )
    select $1, n, 'P' || n, 'cost', 'EUR', false, '{{}}', n from {_OWNERS}""",
    f"""insert into channel (organization_id, id, name, requirements)
    select $1, n, 'C' || n, '{{}}' from {_OWNERS}""",
    f"""insert into channel_language select $1, n, l.id
    from {_OWNERS}, (select id from language order by id limit 10) l""",
    f"""insert into style_file
        (organization_id, id, style_id, style_color_id, file_name, category, url, is_main)
    select $1, n * 10 + c, n, n * 10 + c, 'F' || c, 'image', 'https://example.com', false
    from {_OWNERS}, generate_series(1, 4) as c""",
    f"""insert into style_price
        (organization_id, style_id, price_list_id, style_color_id, minimum_quantity, amount)
    select $1, n, (n + other) % {OWNERS} + 1, n * 10 + color, 1, 9.90
    from {_OWNERS}, generate_series(1, 3) as other, generate_series(1, 4) as color""",
    f"""insert into style_in_group (organization_id, group_id, style_id)
    select $1, (n + other) % {OWNERS} + 1, n from {_OWNERS}, generate_series(1, 3) as other""",
    f"""insert into custom_field_value
        (organization_id, style_id, custom_field_id, style_color_id, text)
    select $1, n, (n + field) % {OWNERS} + 1, n * 10 + 1, 'Text'
    from {_OWNERS}, generate_series(1, 5) as field""",
    f"""insert into style_item
        (organization_id, id, style_id, item_id, care_instruction_layer_id, supplier_id, quantity)
    select $1, n * 10 + line, n, (n + line) % {OWNERS} + 1, n, n, 1
    from {_OWNERS}, generate_series(1, 4) as line""",
    f"""insert into style_item_color
        (organization_id, style_item_id, style_color_id, color_id, item_id)
    select $1, n * 10 + line, n * 10 + c, n, (n + c) % {OWNERS} + 1
    from {_OWNERS}, generate_series(1, 4) as line, generate_series(1, 2) as c""",
    f"""insert into style_item_size (organization_id, style_item_id, size_range_size_id, quantity)
    select $1, n * 10 + line, n * 10 + s, 1
    from {_OWNERS}, generate_series(1, 4) as line, generate_series(1, 2) as s""",
    f"""insert into style_care_set (organization_id, id, style_id, style_color_id)
    select $1, n * 10 + c, n, n * 10 + c from {_OWNERS}, generate_series(1, 2) as c""",
    f"""insert into style_care_icon
    select $1, n * 10 + c, (n + icon) % {OWNERS} + 1
    from {_OWNERS}, generate_series(1, 2) as c, generate_series(1, 3) as icon""",
    f"""insert into style_care_instruction
    select $1, n * 10 + c, (n + care) % {OWNERS} + 1
    from {_OWNERS}, generate_series(1, 2) as c, generate_series(1, 3) as care""",
    f"""insert into style_care_layer
        (organization_id, id, style_care_set_id, care_instruction_layer_id)
    select $1, n * 100 + c * 10 + layer, n * 10 + c, (n + layer) % {OWNERS} + 1
    from {_OWNERS}, generate_series(1, 2) as c, generate_series(1, 2) as layer""",
    f"""insert into style_care_material
    select $1, n * 100 + c * 10 + layer, (n + material) % {OWNERS} + 1, 50
    from {_OWNERS}, generate_series(1, 2) as c, generate_series(1, 2) as layer,
        generate_series(1, 2) as material""",
    f"""insert into style_relation (organization_id, id, style_id, related_style_id)
    select $1, n, n, n % {OWNERS} + 1 from {_OWNERS}""",
    f"""insert into measurement_line (organization_id, id, style_id, name)
    select $1, n * 10 + line, n, 'Line ' || line from {_OWNERS}, generate_series(1, 6) as line""",
    f"""insert into measurement_line_value
        (organization_id, measurement_line_id, size_range_size_id, value)
    select $1, n * 10 + line, n * 10 + s, 1
    from {_OWNERS}, generate_series(1, 6) as line, generate_series(1, 4) as s""",
    f"""insert into sample_request (organization_id, id, style_id, name, sample_type_id)
    select $1, n, n, 'Proto', n from {_OWNERS}""",
    f"""insert into sample_request_size (organization_id, sample_request_id, size_range_size_id)
    select $1, n, n * 10 + s from {_OWNERS}, generate_series(1, 4) as s""",
    f"""insert into sample_request_measurement (
        organization_id, sample_request_id, size_range_size_id, measurement_line_id
    )
    select $1, n, n * 10 + s, n * 10 + line
    from {_OWNERS}, generate_series(1, 6) as line, generate_series(1, 4) as s""",
)


@pytest.fixture(params=Sample(__name__)(["others known", "never analyzed", "known"], 1))
async def connection(
    request: pytest.FixtureRequest, server_dsn: str, worker_id: str
) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database with a large organization, known to the statistics or not."""
    template = f"filled_{worker_id}"
    if _last_filled != [request.param]:
        await _fill(server_dsn, template, request.param)
        _last_filled[:] = [request.param]
    dsn = fresh_database(server_dsn, f"test_{worker_id}", PREFIX + template)
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    yield connection
    await connection.close()


_last_filled: list[str] = []
"""What the statistics know in the worker's template; to fill it takes seconds."""


async def _fill(server_dsn: str, name: str, statistics: str) -> None:
    others = [DEMO_TEMPLATE] if statistics == "others known" else []
    connection = await asyncpg.connect(fresh_database(server_dsn, name, *others))
    if others:
        await connection.execute("analyze")
    await connection.execute("set session_replication_role = replica")  # checks take most time
    for text in _FILLED:
        await connection.execute(text, NEW)
    if statistics == "known":
        await connection.execute("analyze")
    await connection.close()


def rows_read(explanation: str) -> float:
    """Return the rows of tenants' tables that a plan has read, with those that it has thrown away.

    A reference list has a fixed number of rows, however often it is read.
    """
    total = 0.0
    for node in nodes(orjson.loads(explanation)[0]["Plan"]):
        if node.get("Relation Name") in TENANT_TABLES:
            removed = sum(node[name] for name in node if name.startswith("Rows Removed"))
            total += (node["Actual Rows"] + removed) * node["Actual Loops"]
    return total


async def offenses(connection: asyncpg.Connection, resource: Resource, name: str) -> list[Any]:
    """Return the plans, custom and generic, that read more rows than their records account for."""
    offending = list[Any]()
    for mode, size in product(("force_custom_plan", "force_generic_plan"), (LIST, EXPORT)):
        await connection.execute(f"set plan_cache_mode = {mode}")
        text = resource.statements[name].fill(page=export_page(size, resource.listed))
        await connection.execute(f"prepare asked(bigint, bigint) as {text}")
        explanation = await connection.fetchval(
            f"explain (analyze, timing off, format json) execute asked({NEW}, {OWNERS // 2 - 1})"
        )
        await connection.execute("deallocate asked")
        plan = nodes(orjson.loads(explanation)[0]["Plan"])
        if resource.name in JOINED_ONCE and max(map(handled, plan)) > MOST * size:
            offending.append((resource.name, name, mode, size, "each with each"))
        if (rows := rows_read(explanation)) > MOST * size + WHOLE_TABLE:
            offending.append((resource.name, name, mode, size, rows))
    return offending


async def test_rows_read_are_in_proportion_to_the_records(
    connection: asyncpg.Connection, sample: Sample
) -> None:
    listed = sample([*MASTER_RECORDS, *PART_COLLECTIONS, *REFERENCE_LISTS], 8)
    offending = [
        offense
        for resource in listed
        for name in ("documents", "writables")
        if name in resource.statements and resource.name not in QUADRATIC
        for offense in await offenses(connection, resource, name)
    ]
    assert offending == []


def test_children_have_no_statistics_of_organizations(shared_dsn: str) -> None:
    """A table is a collection of its own, or an administrative one, or of children."""
    collections = {resource.table for resource in MASTER_RECORDS}
    with psycopg.connect(shared_dsn) as connection:
        owners = children(connection)
    assert tenant_tables() - collections - ADMINISTRATIVE == owners.keys() - collections
    assert owners.keys() & collections == {"style_custom_field", "compliance_custom_field"}
    some = {"style_in_group": "style_id", "style_custom_field": "parent_custom_field_id"}
    assert some.items() <= owners.items()
