"""Policy for soft deletes: foreign keys to such tables are in-use checks or exceptions.

The database itself refuses only deletions for good (contract, States).
"""

import asyncpg
import pytest

from service.resources.registry import MASTER_RECORDS, PARTS
from tests.support.offenders import in_each

_RESOURCES = {resource.name: resource for resource in (*MASTER_RECORDS, *PARTS)}
_SIZE_USERS = (("size-ranges", "in_use"), ("size-range-sizes", "needed"))
#: Table and target of foreign keys whose users a statement of a resource counts.
COUNTED_BY: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("sample_request_size", "size_range_size"): _SIZE_USERS,
    ("measurement_line_value", "size_range_size"): _SIZE_USERS,
    ("size_range_size", "size_range_size"): _SIZE_USERS,
    ("style_sku", "size_range_size"): _SIZE_USERS,
    ("custom_field_value", "size_range_size"): _SIZE_USERS,
    ("style_price", "size_range_size"): _SIZE_USERS,
    ("style_item_size", "size_range_size"): _SIZE_USERS,
    ("style", "size_range"): (("size-ranges", "in_use"),),
    ("sample_request_measurement", "measurement_line"): (("measurement-charts", "needed"),),
    **{
        (f"{kind}_custom_field",) * 2: ((f"{kind}-custom-fields", "in_use"),)
        for kind in ("compliance", "style")
    },
}
ALLOWED = {
    ("custom_field_brand", "brand"): "the restriction goes with the brand",
    ("custom_field_group", "style_group"): "the restriction goes with the group",
    ("custom_field_style_category", "style_category"): "the restriction goes with the category",
    ("style_in_group", "style"): "a link of the style itself",
    ("measurement_line", "style"): "the chart of the style itself",
    ("style_supplier_facility", "sub_supplier"): "the step stays",
    ("style_supplier_facility", "facility"): "the step stays",
    ("barcode", "barcode_range"): "numbers stay when their range goes",
    ("barcode", "style_sku"): "numbers stay with a deleted SKU",
    ("style_sku", "color"): "that of its style color, which protects the color",
    ("style_file", "style"): "deleted and restored with the style",
    ("style_file", "style_color"): "deleted and restored with the style color",
    ("style_color", "style"): "deleted and restored with the style",
    ("style_color_in_season", "style_color"): "a link of the style color itself",
}
_KEYS = """
select distinct source.relname as source, target.relname as target, (
    select string_agg(attname, ',') from pg_attribute
    where attrelid = key.conrelid and attnum = any(key.conkey) and attname <> 'organization_id'
) as column
from pg_constraint key
join pg_class source on source.oid = key.conrelid
join pg_class target on target.oid = key.confrelid
where key.contype = 'f' and key.confdeltype <> 'c' and exists (
    select 1 from pg_attribute
    where attrelid = target.oid and attname in ('state', 'is_deactivated') and not attisdropped
)"""


@pytest.fixture
async def foreign_keys(dsn: str) -> list[tuple[str, str, str]]:
    """Source, target and column of each; what cascades is a part of its target."""
    connection = await asyncpg.connect(dsn)
    rows = await connection.fetch(_KEYS)
    await connection.close()
    return [tuple(row) for row in rows]


async def test_every_reference_to_what_is_deleted_softly_is_looked_at(
    foreign_keys: list[tuple[str, str, str]],
) -> None:
    counted = {
        (use.link or use.table, resource.table, use.column)
        for resource in MASTER_RECORDS
        for use in resource.uses
    }
    pairs = {(source, target) for source, target, _ in foreign_keys}
    assert {("style", "brand"), ("measurement_line_value", "size_range_size")} <= pairs
    assert {*COUNTED_BY, *ALLOWED} <= pairs
    missing = [key for key in foreign_keys if key not in counted]
    assert [key for key in missing if key[:2] not in {*COUNTED_BY, *ALLOWED}] == []


@in_each("pair", COUNTED_BY)
def test_in_use_statements_read_the_users_table(pair: tuple[str, str]) -> None:
    for resource, name in COUNTED_BY[pair]:
        assert pair[0] in _RESOURCES[resource].statements[name].text
