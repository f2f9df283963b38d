"""Query plans of the search: words are found by the index of a collection (contract, Search)."""

import asyncpg
import orjson
import pytest

from service.listing.list_request import Condition, ListRequest, SortKey
from service.listing.operators import OPERATORS
from service.listing.search import RELEVANCE, Search
from service.records.resource import Resource
from service.resources.registry import SHARED_LISTS
from tests.contract.test_page_query_plans import nodes
from tests.contract.test_search import LISTS, of_each_list

pytestmark = [pytest.mark.contract("Search"), pytest.mark.plain_postgresql]

#: Copies of a record with other names and keys, so that the planner has a choice.
_COPIES = """
    insert into {table} ({columns})
    select {columns} from (
    select (jsonb_populate_record(one, jsonb_build_object(
        'id', 10000000 + n, 'name', md5(n::text), 'text', md5(n::text), 'number', md5(n::text),
        'user_defined_id', md5(n::text), 'custom_id', md5(n::text),
        'barcode', md5(n::text), 'gtin14', lpad(n::text, 14, '0'), 'file_name', md5(n::text)
    ))).*
    from {table} as one
    cross join generate_series(1, 3000) as n
    where one.organization_id = 1
        and one.id = (select min(id) from {table} where organization_id = 1)
    ) as copy;
    analyze {table};
"""
_COLUMNS = """
    select string_agg(quote_ident(attname), ', ') from pg_attribute
    where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''
"""


async def _copy(connection: asyncpg.Connection, table: str) -> None:
    columns = await connection.fetchval(_COLUMNS, table)
    await connection.execute(_COPIES.format(table=table, columns=columns))


@of_each_list
async def test_words_are_found_by_an_index(shared_dsn: str, resource: Resource) -> None:
    """The index serves both orders, whatever the number of records."""
    if resource in SHARED_LISTS:
        return
    columns = resource.properties.search
    assert columns
    by_id = SortKey(resource.properties["id"], descending=False)
    connection = await asyncpg.connect(shared_dsn)
    try:
        table = columns.related[0] if columns.related else resource.table
        assert table
        if table.endswith("_custom_field"):
            return  # Custom fields are few: the planner reads those of the organization.
        await connection.execute("begin")
        await _copy(connection, table)
        for sort in ((by_id,), (SortKey(RELEVANCE, descending=False), by_id)):
            list_request = ListRequest(sort=sort, search=Search("navy blue", columns))
            query = resource.compile_list(list_request)
            plan = orjson.loads(
                await connection.fetchval(
                    f"explain (format json) {query.text}", 1, *query.parameters
                )
            )
            indexes = {node.get("Index Name", "") for node in nodes(plan[0]["Plan"])}
            assert any(index.endswith("_by_word") for index in indexes), indexes
    finally:
        await connection.execute("rollback")
        await connection.close()


@pytest.mark.parametrize("is_filtered", [False, True])
async def test_a_ranked_search_is_planned_without_its_text(
    shared_dsn: str, *, is_filtered: bool
) -> None:
    """One plan then serves all texts. With a filter the number of matches decides on the index."""
    colors = next(resource for resource in LISTS if resource.name == "colors")
    columns = colors.properties.search
    assert columns
    note = Condition(colors.properties["colorNote"], OPERATORS["eq"], ("Lab dip",))
    sort = tuple(SortKey(key, descending=False) for key in (RELEVANCE, colors.properties["id"]))
    list_request = ListRequest((note,) * is_filtered, sort, search=Search("zzz", columns))
    query = colors.compile_list(list_request)
    connection = await asyncpg.connect(shared_dsn)
    try:
        await connection.execute("begin")
        await _copy(connection, "color")
        plan = orjson.loads(
            await connection.fetchval(f"explain (format json) {query.text}", 1, *query.parameters)
        )
    finally:
        await connection.execute("rollback")
        await connection.close()
    (condition,) = {
        node["Index Cond"]
        for node in nodes(plan[0]["Plan"])
        if node.get("Index Name") == "color_by_word"
    }
    assert ("zzz" in condition) is is_filtered


async def test_a_prefix_is_found_by_an_index(shared_dsn: str) -> None:
    connection = await asyncpg.connect(shared_dsn)
    colors = next(resource for resource in LISTS if resource.name == "colors")
    try:
        await connection.execute("begin")
        await _copy(connection, "color")
        for operator, text in (("startsWith", "deep n"), ("contains", "p navy")):
            condition = Condition(colors.properties["name"], OPERATORS[operator.lower()], (text,))
            sort = (SortKey(colors.properties["id"], descending=False),)
            query = colors.compile_list(ListRequest((condition,), sort))
            plan = orjson.loads(
                await connection.fetchval(
                    f"explain (format json) {query.text}", 1, *query.parameters
                )
            )
            assert "color_by_word" in {node.get("Index Name") for node in nodes(plan[0]["Plan"])}
    finally:
        await connection.execute("rollback")
        await connection.close()
