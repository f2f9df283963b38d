"""Query plans of large styles: a read of one grows with its SKUs, not with their square."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Final, NamedTuple

import asyncpg
import orjson
import pytest

from service.listing.parameters import read_query
from service.records.resource import Resource
from service.resources.assortment.products import MISSING
from service.resources.registry import COMPLETENESS, EFFECTIVE_PRICES, PASSPORTS, PRODUCTS
from tests.contract.test_page_query_plans import nodes
from tests.support.counted_plans import rows_of
from tests.support.databases import fresh_database
from tests.support.sampling import examples

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Completeness", "Products", "Effective prices", "Passports"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

NEW, LISTS = 3, 3
SKUS: Final = examples(1_000, 10_000)
MOST_ROWS: Final = 150
"""Most rows for an SKU, its barcode and prices, values of two fields, and their joins."""
REQUIREMENTS: Final = (
    "brand season category supplier description countryOfOrigin hsCode netWeight colors sizeRange"
    " skus barcodes prices image imagePerColor care composition translations customFields"
)


class Shape(NamedTuple):
    """Number of colors and sizes of the style."""

    colors: int
    sizes: int


SHAPES: Final = (Shape(SKUS // 5, 5), Shape(4, SKUS // 4))
TABLES: Final = (
    "insert into organization (id, name) values ($1, 'New')",
    "insert into color (organization_id, id, name) select $1, n, 'C' || n from {colors} as n",
    "insert into size_range (organization_id, id, name) values ($1, 1, 'Sizes')",
    """insert into size_range_size (organization_id, id, size_range_id, name)
    select $1, s, 1, 'S' || s from {sizes} as s""",
    """insert into style (organization_id, id, number, name, status, size_range_id)
    values ($1, 1, 'N-1', 'Style', 'published', 1)""",
    """insert into style_color (organization_id, id, style_id, color_id)
    select $1, c, 1, c from {colors} as c""",
    """insert into style_sku
        (organization_id, id, sku, style_color_id, style_id, color_id, size_range_size_id)
    select $1, (c - 1) * {most_sizes} + s, 'N-' || c || '-' || s, c, 1, c, s
    from {colors} as c, {sizes} as s""",
    """insert into barcode
        (organization_id, id, barcode, type, gtin14, style_sku_id, is_primary)
    select $1, n, to_char(n, 'FM00000000000000'), 'gtin14', to_char(n, 'FM00000000000000'), n, true
    from {skus} as n""",
    """insert into price_list
        (organization_id, id, name, type, currency_code, includes_tax, country_codes)
    select $1, n, 'List ' || n, 'retail', 'EUR', true, '{{}}' from {lists} as n""",
    """insert into style_price (
        organization_id, style_id, price_list_id, style_color_id, size_range_size_id,
        minimum_quantity, amount
    )
    select $1, 1, list, c, s, 1, 9.90 from {lists} as list, {colors} as c, {sizes} as s""",
    """insert into style_file
        (organization_id, id, style_id, style_color_id, file_name, category, url, is_main)
    select $1, c, 1, c, 'F' || c, 'image', 'https://example.com', false from {colors} as c""",
    """insert into care_instruction_layer (organization_id, id, text, position)
    values ($1, 1, 'Shell', 1)""",
    """insert into style_care_set (organization_id, id, style_id, style_color_id)
    select $1, c, 1, c from {colors} as c""",
    """insert into style_care_layer
        (organization_id, id, style_care_set_id, care_instruction_layer_id)
    select $1, c, c, 1 from {colors} as c""",
    """insert into style_custom_field (
        organization_id, id, name, type, position, diff_per_color, diff_per_size, is_mandatory,
        parent_custom_field_id
    )
    values
        ($1, 1, 'Parent', 'allowedValue', 1, true, true, true, null),
        ($1, 2, 'Child', 'allowedValue', 2, false, false, true, 1)""",
    """insert into style_allowed_value
        (organization_id, id, custom_field_id, value, parent_allowed_value_id)
    values ($1, 1, 1, 'Value', null), ($1, 2, 2, 'Value', 1)""",
    """insert into custom_field_value (
        organization_id, style_id, custom_field_id, style_color_id, size_range_size_id,
        allowed_value_id
    )
    select $1, 1, field, c, s, field
    from generate_series(1, 2) as field, {colors} as c, {sizes} as s
    where field = 1 or c <= 2""",
    f"""insert into channel (organization_id, id, name, requirements)
    values ($1, 1, 'Shop', string_to_array('{REQUIREMENTS}', ' '))""",
    "insert into channel_price_list select $1, 1, n from {lists} as n",
)


class Statement(NamedTuple):
    """Statement, with the types and values of its parameters as SQL."""

    text: str
    types: str
    values: str


def _page(resource: Resource, parameter: str, types: str, values: str) -> Statement:
    """Return the statement of the first page of a list, of a channel or a price list."""
    list_request = read_query([(parameter, "1"), ("pageSize", "100")], resource.properties)
    query = resource.compile_list(list_request)
    assert not query.parameters
    return Statement(query.text, types, values)


TODAY: Final = f"'{date.today()}'"
STATEMENTS: Final = {
    "completeness": Statement(
        COMPLETENESS.statements["complete"].fill(**MISSING),
        "bigint, bigint, date, bigint",
        f"{NEW}, 1, {TODAY}, 1",
    ),
    "passport": Statement(
        PASSPORTS[0].statements["documents"].text,
        "bigint, bigint, date, bigint, bigint",
        f"{NEW}, null, {TODAY}, 1, null",
    ),
    "products": _page(PRODUCTS, "channelId", "bigint, bigint, date", f"{NEW}, 1, {TODAY}"),
    "effective prices": _page(
        EFFECTIVE_PRICES, "priceListId", "bigint, bigint, date", f"{NEW}, 1, {TODAY}"
    ),
}


@pytest.fixture(scope="module", params=SHAPES, ids=str)
async def connection(
    request: pytest.FixtureRequest, server_dsn: str, worker_id: str
) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database with a large style, which the statistics do not know."""
    shape: Shape = request.param
    dsn = fresh_database(server_dsn, f"large_{worker_id}")
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    await connection.execute("set session_replication_role = replica")
    series = {"colors": shape.colors, "sizes": shape.sizes, "skus": SKUS, "lists": LISTS}
    slots = {name: f"generate_series(1, {number})" for name, number in series.items()}
    for text in TABLES:
        filled = text.format(**slots, most_sizes=shape.sizes)
        await connection.execute(filled.replace("$1", str(NEW)))
    yield connection
    await connection.close()


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("name", STATEMENTS)
async def test_rows_read_grow_with_the_skus(
    name: str, mode: str, connection: asyncpg.Connection
) -> None:
    """Rows count as often as any node of the plan returns or throws them away."""
    statement = STATEMENTS[name]
    await connection.execute(f"set plan_cache_mode = {mode}")
    await connection.execute(f"prepare asked({statement.types}) as {statement.text}")
    explanation = await connection.fetchval(
        f"explain (analyze, timing off, format json) execute asked({statement.values})"
    )
    await connection.execute("deallocate asked")
    plan = orjson.loads(explanation)[0]["Plan"]
    assert plan["Actual Rows"] == 1
    assert sum(map(rows_of, nodes(plan))) <= MOST_ROWS * SKUS
