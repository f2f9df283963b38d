"""Custom fields: base class of compliance and style custom fields, with values and parents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, Final

import asyncpg

from service.database.connections import Connection
from service.database.statements import Statement, load, load_bound
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.related import Related
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.master_record import MasterRecord
from service.queries.usage import named_record
from service.queries.write_set import Dependency, LockedRow, WriteSet
from service.resources.allowed_values import AllowedValues, ValueDifferences
from service.schemas.extra_checks import duplicate_errors

_PARENT: Final = "parentCustomFieldId"


class CustomFields(MasterRecord):
    """Custom fields with an immutable type, a set of allowed values, and an optional parent.

    A write replaces the whole set; values that match stored ones keep their ids
    (``AllowedValues``). Soft delete, refused while a field that is live after the request has the
    record as its parent. Every write locks the organization.
    """

    locks_organization = True
    kind: ClassVar[str]
    """``compliance`` or ``style``: prefix of the table names and of one file of statements."""
    parent_is_fixed: ClassVar[bool]
    """Whether the parent is set at creation only; a write may then repeat it or leave it out."""
    value_pointer: ClassVar[str] = ""
    """Member of an allowed value with the id of a value of the parent field; "" for none."""
    value_removals: ClassVar[tuple[str, ...]] = ("remove_values",)
    """Names of the statements that remove allowed values, in order; each takes their ids."""
    written_separately: ClassVar[tuple[str, ...]] = ("allowedValues",)

    def __init__(self) -> None:
        super().__init__()
        table = f"{self.kind}_allowed_value"
        self.values = AllowedValues(self.statements, table, self.value_pointer, self.value_removals)

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements of custom fields, of this kind's allowed values, and its own.

        Later ones override earlier ones of the same name.
        """
        is_fixed = str(self.parent_is_fixed).lower()
        values = f"{self.kind}_allowed_values"
        return {
            **load_bound("custom_fields", kind=self.kind, parent_is_fixed=is_fixed),
            **load_bound(values, sent=load(values)["sent"].text),
            **super()._load_statements(),
        }

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each repeated value id, and each default value after the first.

        Items with ``state`` ``deleted`` are not checked.
        """
        values = item.get("allowedValues")
        if not isinstance(values, list) or item.get("state") == "deleted":
            return
        yield from duplicate_errors(enumerate(values), "id", "allowedValues")
        for index in _default_indexes(values)[1:]:
            path = ("allowedValues", index, "isDefaultValue")
            message = "Another value is the default already."
            yield ErrorDetail(ErrorType.DUPLICATE, path, message)

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the writes of allowed values that differ.

        Report changed types, invalid parents, and ids that are not of the field's allowed values.
        """
        plan = await super().check(connection, write_set)
        if not write_set.upserts.items:
            return plan
        await self.resolve_values(connection, write_set.upserts)
        differences = await self.values.compare(connection, write_set)
        for entry in differences.unknown:
            entry.fail(write_set.upserts, "id", "The custom field has no such allowed value.")
        await self.check_values(connection, write_set, differences)
        return plan + self.values.plan(differences)

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether an upsert creates or restores a field, or has a type or a parent.

        Other fields retain their type. They retain or lose their parent, which is live like them.
        """
        items = write_set.upserts.items
        return bool(write_set.created_ids or write_set.restored_ids) or any(
            item.get("type") is not None or item.get(_PARENT) is not None for item in items
        )

    async def resolve_values(self, connection: Connection, batch: Batch) -> None:
        """Replace key objects in allowed values by ids; overridden by kinds that accept them."""

    async def check_values(
        self, connection: Connection, write_set: WriteSet, differences: ValueDifferences
    ) -> None:
        """Report further errors of allowed values; overridden by kinds that have such rules."""

    def record_statements(self, write_set: WriteSet) -> WritePlan:
        """Return the plan for the records: deletes, updates, inserts, updates with new parents.

        The last are updates of stored fields whose parent is created by the same request.
        """
        created_ids = {*write_set.created_ids}

        def has_new_parent(item: Item) -> bool:
            return item["id"] not in created_ids and item.get(_PARENT) in created_ids

        if not created_ids:
            return super().record_statements(write_set)
        last = write_set.upserts.subset(has_new_parent)
        first = write_set.upserts.subset(lambda item: not has_new_parent(item))
        plan = super().record_statements(replace(write_set, upserts=first))
        return [*plan, *self._item_statements(self.updates, last)]

    async def check_unused(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Report deletes of fields that have children which are live after the request."""
        if write_set.live_deletes:
            items = write_set.upserts.json(self.written_separately)
            await self._fail_used(connection, write_set, items)
        return []

    async def dependencies(
        self,
        connection: Connection,
        write_set: WriteSet,
        stored: Mapping[int, LockedRow],
    ) -> Iterable[Dependency]:
        """Return dependencies of children on new and restored parents, of deletes on children.

        A delete depends on the items of its live children, as only these can release the parent.
        """
        items, deleted_ids = write_set.batch.items, {*write_set.deletes.ids}
        rows = await connection.fetch(
            self.statements["reliances"].text,
            write_set.batch.caller.organization_id,
            write_set.batch.ids,
            [item.get(_PARENT) for item in items],
        )
        new_ids = {record_id for record_id in write_set.batch.ids if record_id not in stored}
        on_new = [(item["id"], item[_PARENT]) for item in items if item.get(_PARENT) in new_ids]
        on_restored = [
            (row["id"], row["parent_id"])
            for row in rows
            if row["has_deleted_parent"] and row["id"] not in deleted_ids
        ]
        message = "There is no such custom field, or it is deleted."
        return [
            *(
                Dependency(child_id, parent_id, ErrorType.UNKNOWN_REFERENCE, _PARENT, message)
                for child_id, parent_id in on_new + on_restored
            ),
            *_on_children(rows, deleted_ids, stored),
        ]


def related_fields(
    kind: str, value_ids: Mapping[str, str] = MappingProxyType({})
) -> tuple[Related, ...]:
    """Return the related members that lists of a kind filter by: the parent and allowed values.

    ``value_ids`` are further ids of allowed values: columns by member.
    """
    own_key = {"userDefinedId": "user_defined_id"}
    fields, values = f"{kind}_custom_field", f"{kind}_allowed_value"
    parent_id = {"id": "parent_custom_field_id"}
    return (
        Related("parentCustomField", fields, "id", parent_id, own_key, fields),
        Related("allowedValues", values, "custom_field_id", {"id": "id", **value_ids}, own_key),
    )


def _on_children(
    rows: Sequence[asyncpg.Record], deleted_ids: set[int], stored: Mapping[int, LockedRow]
) -> Iterator[Dependency]:
    """Yield the dependency of each field to delete on each live child in the batch."""
    for row in rows:
        if row["is_live"] and row["stored_parent_id"] in deleted_ids:
            child = named_record(row["id"], stored[row["id"]]["key"])
            message = f"Used by custom fields: 1 ({child})."
            yield Dependency(
                row["stored_parent_id"], row["id"], ErrorType.CONFLICT_IN_USE, "id", message
            )


def _default_indexes(values: list[object]) -> list[int]:
    """Return the indexes of the values whose ``isDefaultValue`` is true."""
    return [
        index
        for index, value in enumerate(values)
        if isinstance(value, dict) and value.get("isDefaultValue") is True
    ]
