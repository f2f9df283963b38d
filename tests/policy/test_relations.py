"""Policy for relations: the graph of the schemas agrees with the database and with declarations."""

import asyncpg
import pytest

from service import schemas
from service.records.master_record import MasterRecord
from service.records.reference_targets import TARGETS
from service.records.relations import RELATIONS, OnDelete, Relation, relations_to
from service.resources.plain_records import PlainRecord
from service.resources.registry import MASTER_RECORDS
from tests.support.offenders import in_each

#: Relations of which a statement of the resource counts the users, by its name.
_IN_USE = {"compliance-custom-fields", "style-custom-fields", "size-ranges"}
_KEYS = """
select source.relname || '.' || attribute.attname, target.relname
from pg_constraint key
join pg_class source on source.oid = key.conrelid
join pg_class target on target.oid = key.confrelid
join pg_attribute attribute
    on attribute.attrelid = key.conrelid and attribute.attnum = any(key.conkey)
where key.contype = 'f' and attribute.attname <> 'organization_id'"""


def label(relation: Relation) -> str:
    return f"{relation.source}.{relation.field}"


def table_of(target: str) -> str:
    if target == "style-custom-fields/allowedValues":
        return "style_allowed_value"
    return TARGETS[target].table if target in TARGETS else schemas.table(target)


async def test_relations_are_foreign_keys(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    keys = {tuple(row) for row in await connection.fetch(_KEYS)}
    await connection.close()
    declared = {(f"{each.tables[0]}.{each.column}", table_of(each.target)) for each in RELATIONS}
    assert declared - keys == set()


@in_each("resource", MASTER_RECORDS, label=lambda resource: resource.name)
def test_relations_agree_with_declared_uses(resource: MasterRecord) -> None:
    declared = {
        (use.collection, use.link or use.table, use.column, use.through)
        for use in resource.uses
        if (resource.name, use.collection) != ("styles", "style-skus")  # of its style colors
    }
    refused = {
        (each.owner, each.tables[0], each.column, each.tables[1:-1])
        for each in relations_to(resource.name)
        if each.on_delete is OnDelete.REFUSE
        and resource.name not in _IN_USE
        and each.source != "style-prices"  # counted by a statement
    }
    assert refused == declared


@in_each("resource", [each for each in MASTER_RECORDS if isinstance(each, PlainRecord)])
def test_relations_agree_with_declared_counts(resource: PlainRecord) -> None:
    counted = {
        each.field: each.target
        for each in RELATIONS
        if each.source == resource.name and each.is_counted
    }
    assert counted == dict(resource.counted_by)


@pytest.mark.parametrize(
    ("source", "field", "on_delete"),
    [("facilities", "subSupplierId", "with"), ("suppliers", "subSupplierIds", "hide")],
)
def test_deletes_are_declared_at_the_reference(source: str, field: str, on_delete: str) -> None:
    [relation] = [each for each in RELATIONS if label(each) == f"{source}.{field}"]
    assert relation.on_delete == on_delete
