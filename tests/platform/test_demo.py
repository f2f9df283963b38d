"""Tests of the demo data set (operating, Demo data)."""

import asyncpg
import pytest

from service.extras.demo import DemoDataError, load
from tests.support.databases import fresh_database
from tests.support.demo.rows import build, files, read

pytestmark = pytest.mark.contract("Demo data")

PAGED = {
    "brand": 30,
    "care_instruction": 30,
    "care_instruction_icon": 30,
    "care_instruction_layer": 30,
    "care_instruction_material": 30,
    "color": 249,
    "color_group": 30,
    "compliance_custom_field": 30,
    "compliance_category": 30,
    "item": 30,
    "item_category": 30,
    "sample_type": 30,
    "size_range": 30,
    "style": 30,
    "style_category": 30,
    "style_custom_field": 30,
    "style_group": 30,
    "style_relation": 999,
    "sub_supplier": 30,
}
"""Lists by table, with a number of live records that each organization exceeds."""

TYPES = {"text", "numeric", "allowedValue", "nestedAllowedValue"}

PRESENT = {
    "a group in use": "style_group t join style_in_group s"
    " on s.organization_id = t.organization_id and s.group_id = t.id",
    "a group not in use": "style_group t where state = 'active'"
    " and not exists (select 1 from style_in_group s"
    " where s.organization_id = t.organization_id and s.group_id = t.id)",
    "an item category in use": "item_category t join item i"
    " on i.organization_id = t.organization_id and i.item_category_id = t.id",
    "an item category not in use": "item_category t where state = 'active'"
    " and not exists (select 1 from item i"
    " where i.organization_id = t.organization_id and i.item_category_id = t.id)",
    "a nested value under its parent's": "style_allowed_value t where parent_allowed_value_id > 0",
    "a default size range with a grading size": "size_range t"
    " join size_range_size s on s.organization_id = t.organization_id"
    " and s.id = t.default_grading_size_id and s.size_range_id = t.id"
    " where t.is_default and t.state = 'active'",
    "a related size": "size_range_size t where related_size_range_size_id > 0",
    "a deactivated requested size": "sample_request_size t"
    " join size_range_size s on s.organization_id = t.organization_id"
    " and s.id = t.size_range_size_id where s.is_deactivated",
    "a deactivated measured line": "sample_request_measurement t"
    " join measurement_line l on l.organization_id = t.organization_id"
    " and l.id = t.measurement_line_id where l.is_deactivated",
    "an approved sample": "sample_request_size t where is_approved",
    "a sample for the designer only": "sample_request_size t where is_designer_visible_only",
    "a sample request without unit": "sample_request t where unit is null",
    "a value with a trailing zero": "sample_request_measurement t"
    " where requested_measurement::text = '52.50'",
    "a located sub-supplier": "sub_supplier t where latitude is not null and longitude is not null",
    "a contact": "sub_supplier_contact t",
    "a facility": "facility t where state = 'active'",
    "a second page of a style's sample requests": "(select organization_id from sample_request"
    " group by organization_id, style_id having count(*) > 30) t",
    "a second page of a style's relations": "(select organization_id from style_relation"
    " group by organization_id, style_id having count(*) > 30) t",
}
"""What a caller is to find in each organization, as the rest of a query over `t`."""

NEVER = {
    "a deleted group with styles": "style_group g join style_in_group s"
    " on s.organization_id = g.organization_id and s.group_id = g.id where g.state = 'deleted'",
    "a deleted parent of a live field": "style_custom_field p join style_custom_field c"
    " on c.organization_id = p.organization_id and c.parent_custom_field_id = p.id"
    " where p.state = 'deleted' and c.state <> 'deleted'",
    "a value under another field's than the parent's": "style_allowed_value v"
    " join style_allowed_value p on p.organization_id = v.organization_id"
    " and p.id = v.parent_allowed_value_id"
    " join style_custom_field f on f.organization_id = v.organization_id"
    " and f.id = v.custom_field_id"
    " where p.custom_field_id <> f.parent_custom_field_id",
    "an address that may be someone's": "sub_supplier_contact where email not like '%@example.com'",
    "an unknown country": "sub_supplier where country_code not in (select code from country)",
    "a negative tolerance": "measurement_line where tolerance < 0",
}


@pytest.fixture(scope="module")
async def loaded(server_dsn: str, worker_id: str) -> str:
    """A database that holds the demo data; no test changes them."""
    dsn = fresh_database(server_dsn, f"loaded_{worker_id}")
    await load(dsn, progress=False)
    return dsn


async def query(dsn: str, text: str) -> list[asyncpg.Record]:
    """Return the rows of one query on a connection of its own."""
    connection = await asyncpg.connect(dsn)
    try:
        rows: list[asyncpg.Record] = await connection.fetch(text)
        return rows
    finally:
        await connection.close()


async def test_two_organizations_with_opposite_features(loaded: str) -> None:
    rows = await query(loaded, "select id, multiple_language, pro from organization order by id")
    assert list(map(tuple, rows)) == [(1, True, True), (2, False, False)]


@pytest.mark.parametrize("organization", [1, 2])
async def test_every_list_has_a_second_page(loaded: str, organization: int) -> None:
    counts = {}
    for table in PAGED:
        (row,) = await query(
            loaded,
            f"select count(*) from {table} t where organization_id = {organization}"
            " and coalesce(to_jsonb(t) ->> 'state', 'active') <> 'deleted'",
        )
        counts[table] = row["count"]
    assert {table: count for table, count in counts.items() if count <= PAGED[table]} == {}


@pytest.mark.parametrize("organization", [1, 2])
async def test_all_four_types_of_custom_fields(loaded: str, organization: int) -> None:
    for table in ("compliance_custom_field", "style_custom_field"):
        rows = await query(
            loaded, f"select distinct type from {table} where organization_id = {organization}"
        )
        assert {row["type"] for row in rows} == TYPES


async def test_demo_data_have_every_documented_case(loaded: str) -> None:
    missing = []
    for what, rest in PRESENT.items():
        rows = await query(loaded, f"select distinct t.organization_id from {rest} order by 1")
        if [row["organization_id"] for row in rows] != [1, 2]:
            missing.append(what)
    assert missing == []


async def test_demo_data_break_no_rule(loaded: str) -> None:
    violations = [
        what for what, rest in NEVER.items() if await query(loaded, f"select 1 from {rest}")
    ]
    assert violations == []


async def test_ids_are_unique_and_the_sequences_past_them(loaded: str) -> None:
    tables = await query(
        loaded,
        "select table_name from information_schema.columns where table_schema = 'public'"
        " and column_name = 'id' and is_identity = 'YES'"
        " and table_name not in ('api_key', 'change')",
    )
    assert len(tables) > 20
    for (table,) in tables:
        (row,) = await query(
            loaded,
            f"select count(*) as rows, count(distinct id) as ids, max(id) as last,"
            f" nextval(pg_get_serial_sequence('{table}', 'id')) as next from {table}",
        )
        assert row["rows"] == row["ids"], table
        assert row["next"] == (row["last"] or 0) + 1, table


async def test_two_databases_hold_the_same_bytes(server_dsn: str, loaded: str) -> None:
    other = fresh_database(server_dsn, "demo_data_again")
    await load(other, progress=False)
    for table in build().tables:
        text = f"select t::text from {table} t order by 1"
        assert await query(loaded, text) == await query(other, text), table


async def test_is_refused_where_an_organization_exists(loaded: str) -> None:
    before = await query(loaded, "select count(*) from color")
    with pytest.raises(DemoDataError, match="is not empty"):
        await load(loaded, progress=False)
    assert await query(loaded, "select count(*) from color") == before


def test_every_row_of_a_table_has_the_same_columns() -> None:
    for table, rows in build().tables.items():
        assert {tuple(row) for row in rows} == {tuple(rows[0])}, table


def test_names_do_not_repeat_within_an_organization() -> None:
    tables = build().tables
    for table in PAGED.keys() - {"style_relation"}:
        for organization in (1, 2):
            rows = [row for row in tables[table] if row["organization_id"] == organization]
            names = [row["name"] if "name" in row else row["text"] for row in rows]
            assert len(set(names)) == len(names), table


def test_the_files_are_current() -> None:
    """`make demo-files` writes them anew where the demo data have changed."""
    assert read() == dict(files(build()))
