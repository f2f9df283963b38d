"""Reference policy: fields with ids name their target, which export and import follow."""

from collections.abc import Iterator

from service import schemas
from service.extras.tables.fields import Field
from service.extras.transfer.collections import transfer_collections
from service.records.reference_targets import TARGETS, referred
from service.records.writable_resource import WritableResource
from service.resources.registry import MASTER_RECORDS, PARTS
from service.schemas import ResolvedSchema
from tests.support.offenders import in_each

_IDS = ("common/scalars.json#/$defs/id", "sub-suppliers.json#/$defs/id")
_NUMBERS = {"gradingGroupId"}
"""Ids of nothing that is kept: numbers that callers choose."""
_TABLES = {resource.table: resource.name for resource in MASTER_RECORDS}
_TABLES["size_range_size"] = "size-ranges/sizes"
_TABLES["language"] = "languages"
_WRITTEN = [
    *((resource.name, "create") for resource in MASTER_RECORDS),
    *((part.name, "replace") for part in PARTS),
]


def silent(located: ResolvedSchema, path: str = "") -> Iterator[str]:
    """Yield the id fields of an item without a target; own ids are called ``id``."""
    for name, schema in located.schema.get("properties", {}).items():
        if isinstance(schema, dict) and name not in {"id", *_NUMBERS}:
            part = located.properties[name]
            is_said = "x-refers-to" in part.schema
            here = f"{path}{name}"
            for said in (schema, schema.get("items", {})):
                if str(said.get("$ref", "")).removesuffix("OrNull").endswith(_IDS) and not is_said:
                    yield here
            yield from silent(part.items if "array" in part.types else part, f"{here}.")


@in_each(("file", "form"), _WRITTEN)
def test_every_field_with_an_id_says_of_what(file: str, form: str) -> None:
    located = schemas.definition(file, form)
    assert [*silent(located.items if "array" in located.types else located)] == []


@in_each("resource", [*MASTER_RECORDS, *PARTS], label=lambda resource: resource.name)
def test_it_says_what_is_looked_for_in_the_database(resource: WritableResource) -> None:
    for reference in resource.references:
        *way, name = reference.field.split(".")
        form = "replace" if way else "create"
        located = schemas.definition(resource.name, form)
        schema = (located.items if way else located).properties[name].schema
        assert schema["x-refers-to"] == _TABLES[reference.table], reference


def test_every_target_can_be_named_by_its_own_key() -> None:
    """Beside allowed values, which the custom fields themselves look up."""
    named = {*referred([*schemas.load().values()])}
    assert named - {"style-custom-fields/allowedValues"} <= TARGETS.keys()
    for name, target in TARGETS.items():
        if "/" not in name and name != "languages":
            [resource] = [record for record in MASTER_RECORDS if record.name == name]
            assert (target.table, target.key) == (resource.table, resource.own_key)
            assert target.has_text_ids == resource.string_ids


def referred_by(field: Field) -> set[str]:
    return {target for target in [field.refers_to] if target}.union(
        *map(referred_by, (*field.members.values(), *filter(None, [field.items])))
    )


def test_referenced_collections_are_transferred() -> None:
    """And comes before, or in the same file; only languages come with the service."""
    places, order = {"languages"}, ["languages"]
    for name, collection in transfer_collections().items():
        order.append(name)
        targets = referred_by(collection.fields)
        assert {target.partition("/")[0] for target in targets} <= {*order}
        places |= {name, *(part.path for part in collection.parts)}
        places |= {*owners(collection.fields)}
        assert targets <= places, name


def owners(field: Field) -> Iterator[str]:
    for part in field.members.values():
        if part.items and part.items.owner:
            yield part.items.owner
