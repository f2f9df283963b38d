"""The bulk PUT of style custom fields with Litestar, msgspec and asyncpg."""

from collections import defaultdict
from typing import Annotated, Literal

import asyncpg
from litestar import put
from litestar.datastructures import State as AppState
from litestar.exceptions import ClientException, HTTPException, NotFoundException
from litestar.params import Body
from litestar_shared import ORGANIZATION, Answer, Id, Name, State, Text
from msgspec import Meta, Struct
from statements import sql

# In the order of the statement's arrays.
WRITABLE = (
    "id",
    "name",
    "userDefinedId",
    "state",
    "internalOnly",
    "isMandatory",
    "isSupplierEditable",
    "isMultiLine",
    "isSortByAllowedValueId",
    "diffPerColor",
    "diffPerSize",
    "useInThumbnailViewGroupBy",
    "maxChar",
    "allowedDecimals",
    "numericVariantCalculationFormula",
)
ASSOCIATIONS = {
    "associatedBrands": "brands",
    "associatedGroups": "style_groups",
    "associatedStyleCategories": "style_categories",
}
Formula = Literal["none", "average", "sum"]


class AllowedValue(Struct, omit_defaults=True):
    id: int
    value: str
    properties: list[str]
    userDefinedId: str | None = None
    parentAllowedValueId: int | None = None


class Association(Struct):
    id: int
    name: str


class StyleCustomField(Struct, omit_defaults=True):
    id: int
    name: str
    type: str
    state: State
    position: int
    internalOnly: bool
    isMandatory: bool
    isSupplierEditable: bool
    isMultiLine: bool
    isSortByAllowedValueId: bool
    diffPerColor: bool
    diffPerSize: bool
    useInThumbnailViewGroupBy: bool
    maxChar: int | None
    numericVariantCalculationFormula: Formula
    allowedValues: list[AllowedValue]
    associatedBrands: list[Association]
    associatedGroups: list[Association]
    associatedStyleCategories: list[Association]
    properties: list[str]
    userDefinedId: str | None = None
    allowedDecimals: int | None = None
    parentCustomFieldId: int | None = None
    parentCustomFieldName: str | None = None


class ValueItem(Struct, forbid_unknown_fields=True):
    value: Name
    id: Id | None = None
    userDefinedId: Text | None = None
    isDefaultValue: bool | None = None
    parentAllowedValueId: Id | None = None
    properties: None = None


class AssociationItem(Struct, forbid_unknown_fields=True):
    id: Id
    name: Text | None = None


Associations = Annotated[list[AssociationItem], Meta(max_length=1000)]


class FieldItem(Struct, forbid_unknown_fields=True):
    id: Id
    name: Name
    state: State
    userDefinedId: Text | None = None
    type: Text | None = None
    position: None = None
    internalOnly: bool | None = None
    isMandatory: bool | None = None
    isSupplierEditable: bool | None = None
    isMultiLine: bool | None = None
    isSortByAllowedValueId: bool | None = None
    diffPerColor: bool | None = None
    diffPerSize: bool | None = None
    useInThumbnailViewGroupBy: bool | None = None
    maxChar: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    allowedDecimals: Annotated[int, Meta(ge=0, le=15)] | None = None
    numericVariantCalculationFormula: Formula | None = None
    parentCustomFieldId: Id | None = None
    parentCustomFieldName: None = None
    allowedValues: Annotated[list[ValueItem], Meta(max_length=1000)] | None = None
    associatedBrands: Associations | None = None
    associatedGroups: Associations | None = None
    associatedStyleCategories: Associations | None = None
    properties: None = None


@put("/api/style-custom-fields")
async def replace_fields(
    state: AppState, data: Annotated[list[FieldItem], Body(min_items=1, max_items=200)]
) -> Answer[list[StyleCustomField]]:
    if len({item.id for item in data}) < len(data):
        raise ClientException("An id stands twice.")
    try:
        async with state.pool.acquire() as db, db.transaction():
            return Answer(await write(db, data))
    except asyncpg.ForeignKeyViolationError as error:
        raise HTTPException("What is removed is in use.", status_code=409) from error


async def write(db: asyncpg.Connection, items: list[FieldItem]) -> list[StyleCustomField]:
    ids = [item.id for item in items]
    locked = {row["id"]: row for row in await db.fetch(sql("lock_fields"), ORGANIZATION, ids)}
    if len(locked) < len(ids):
        raise NotFoundException("There is no such custom field.")
    check_fixed(items, locked)
    await check_values(db, items, locked)
    links = {
        kind: [(item.id, linked.id) for item in items for linked in getattr(item, name) or ()]
        for name, kind in ASSOCIATIONS.items()
    }
    for kind, pairs in links.items():
        linked_ids = {linked_id for _, linked_id in pairs}
        if len(await db.fetch(sql(f"known_{kind}"), ORGANIZATION, linked_ids)) < len(linked_ids):
            raise ClientException(f"Not all of these {kind.replace('_', ' ')} exist.")
    columns = ([getattr(item, name) for item in items] for name in WRITABLE)
    await db.execute(sql("update_fields"), ORGANIZATION, *columns)
    await write_values(db, items)
    for kind, pairs in links.items():
        left, right = [field_id for field_id, _ in pairs], [linked_id for _, linked_id in pairs]
        await db.execute(sql(f"remove_field_{kind}"), ORGANIZATION, ids, left, right)
        await db.execute(sql(f"add_field_{kind}"), ORGANIZATION, left, right)
    return await fields(db, ids)


def check_fixed(items: list[FieldItem], locked: dict[int, asyncpg.Record]) -> None:
    for item in items:
        for name in ("type", "parentCustomFieldId"):
            sent = getattr(item, name)
            if sent is not None and sent != locked[item.id][name]:
                raise ClientException(f"{name} is set at creation only.")


async def check_values(
    db: asyncpg.Connection, items: list[FieldItem], locked: dict[int, asyncpg.Record]
) -> None:
    values = [(item.id, value) for item in items for value in item.allowedValues or ()]
    own = [value.id for _, value in values if value.id is not None]
    parents = [value.parentAllowedValueId for _, value in values if value.parentAllowedValueId]
    defaults = [field for field, value in values if value.isDefaultValue]
    if len(set(own)) < len(own):
        raise ClientException("The id of an allowed value stands twice.")
    if len(set(defaults)) < len(defaults):
        raise ClientException("A field has one default at most.")
    rows = await db.fetch(sql("known_values"), ORGANIZATION, own + parents)
    field_of = {row["id"]: row["fieldId"] for row in rows}
    for field, value in values:
        if value.id is not None and field_of.get(value.id) != field:
            raise ClientException("The field has no such allowed value.")
        if value.parentAllowedValueId is not None:
            parent = field_of.get(value.parentAllowedValueId)
            if parent is None or parent != locked[field]["parentCustomFieldId"]:
                raise ClientException("The parent field has no such allowed value.")


async def write_values(db: asyncpg.Connection, items: list[FieldItem]) -> None:
    values = [(item.id, value) for item in items for value in item.allowedValues or ()]
    stored = [(value.id, value) for _, value in values if value.id is not None]
    new = [(field, value) for field, value in values if value.id is None]
    stored_ids = [id_ for id_, _ in stored]
    await db.execute(sql("update_values"), ORGANIZATION, *columns_of(stored))
    await db.execute(sql("remove_values"), ORGANIZATION, [item.id for item in items], stored_ids)
    await db.execute(sql("add_values"), ORGANIZATION, *columns_of(new))


def columns_of(values: list[tuple[int, ValueItem]]) -> tuple[list[object], ...]:
    return (
        [id_ for id_, _ in values],
        [value.value for _, value in values],
        [value.userDefinedId for _, value in values],
        [value.isDefaultValue for _, value in values],
        [value.parentAllowedValueId for _, value in values],
    )


async def fields(db: asyncpg.Connection, ids: list[int]) -> list[StyleCustomField]:
    rows = {row["id"]: row for row in await db.fetch(sql("fields_by_id"), ORGANIZATION, ids)}
    values = defaultdict(list)
    for field_id, id_, value, *rest in await db.fetch(sql("values_of_fields"), ORGANIZATION, ids):
        values[field_id].append(AllowedValue(id_, value, [], *rest))
    linked = {name: defaultdict(list) for name in ASSOCIATIONS}
    for name, kind in ASSOCIATIONS.items():
        for field_id, *target in await db.fetch(sql(f"{kind}_of_fields"), ORGANIZATION, ids):
            linked[name][field_id].append(Association(*target))
    return [
        StyleCustomField(
            **rows[id_],
            allowedValues=values[id_],
            **{name: associations[id_] for name, associations in linked.items()},
            properties=[],
        )
        for id_ in ids
    ]
