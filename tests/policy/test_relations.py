"""Policy for relations: the graph of the schemas agrees with the database.

The database itself refuses only deletions for good (contract, States).
"""

from typing import Final

import asyncpg
import pytest

from service import schemas
from service.records.master_record import MasterRecord
from service.records.reference_targets import TARGETS
from service.records.relations import RELATIONS, Relation
from service.resources.registry import MASTER_RECORDS, PARTS
from tests.support.offenders import in_each

_RESOURCES: Final = {resource.name: resource for resource in (*MASTER_RECORDS, *PARTS)}
_VALUES: Final = "style-custom-fields/allowedValues"
#: Statements that count the users of entries of lists, by target.
_ENTRIES: Final = {
    "size-ranges/sizes": (("size-ranges", "in_use"), ("size-range-sizes", "needed")),
    "styles/measurement-chart": (("measurement-charts", "needed"),),
    _VALUES: (("style-custom-fields", "chosen_values"), ("style-custom-fields", "needed_values")),
}
#: Foreign keys to what is deleted softly that are no relation, with the reason.
_ALLOWED: Final = {
    ("style_in_group", "style"): "a link of the style itself",
    ("measurement_line", "style"): "the chart of the style itself",
    ("style_color_in_season", "style_color"): "a link of the style color itself",
    ("style_sku", "style"): "that of its style color, which goes with the style",
    ("style_sku", "color"): "that of its style color, which protects the color",
}
_KEYS: Final = """
select
    source.relname as source,
    attribute.attname as column,
    target.relname as target,
    key.confdeltype <> 'c' and exists (
        select 1 from pg_attribute
        where attrelid = target.oid and attname in ('state', 'is_deactivated') and not attisdropped
    ) as is_judged
from pg_constraint key
join pg_class source on source.oid = key.conrelid
join pg_class target on target.oid = key.confrelid
join pg_attribute attribute
    on attribute.attrelid = key.conrelid and attribute.attnum = any(key.conkey)
where key.contype = 'f' and attribute.attname <> 'organization_id'"""


def key_of(relation: Relation) -> tuple[str, str, str]:
    target, tables = relation.target, {_VALUES: "style_allowed_value"}
    table = TARGETS[target].table if target in TARGETS else tables.get(target)
    return relation.tables[0], relation.column, table or schemas.table(target)


@pytest.fixture
async def foreign_keys(dsn: str) -> dict[tuple[str, str, str], bool]:
    """Source, column and target of each; whether the service judges deletes of the target.

    What cascades is a part of its target.
    """
    connection = await asyncpg.connect(dsn)
    rows = await connection.fetch(_KEYS)
    await connection.close()
    return {tuple(row)[:3]: row["is_judged"] for row in rows}


async def test_relations_are_foreign_keys(
    foreign_keys: dict[tuple[str, str, str], bool],
) -> None:
    assert {*map(key_of, RELATIONS)} - foreign_keys.keys() == set()


async def test_foreign_keys_to_what_is_deleted_softly_are_relations(
    foreign_keys: dict[tuple[str, str, str], bool],
) -> None:
    judged = {key for key, is_judged in foreign_keys.items() if is_judged}
    silent = judged - {*map(key_of, RELATIONS)}
    assert {(source, target) for source, _, target in silent} == _ALLOWED.keys()


@in_each("relation", [each for each in RELATIONS if each.on_delete == "refuse"], label=key_of)
def test_every_use_is_counted(relation: Relation) -> None:
    """By a generated statement, or by one of the resource that reads the users' table."""
    resource = _RESOURCES.get(relation.target)
    if isinstance(resource, MasterRecord) and relation in [use.relation for use in resource.uses]:
        return
    counting = _ENTRIES.get(relation.target, ((relation.target, "in_use"),))
    texts = [_RESOURCES[name].statements[statement].text for name, statement in counting]
    reading = [text for text in texts if relation.tables[0] in text]
    assert reading == texts or (reading and relation.target == _VALUES)
