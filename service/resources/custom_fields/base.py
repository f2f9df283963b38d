"""Custom fields: base class of compliance and style custom fields, with values and parents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

import asyncpg

from service.batches.change_recorder import WritePlan
from service.batches.entry import Item, LockedRow
from service.batches.write_set import Dependency, WriteSet
from service.database.statements import Statement, load_bound
from service.error_types import ErrorType
from service.listing.related import Related
from service.records.child_list import ChildList
from service.records.usage import named_record
from service.resources.plain_records import PlainRecord

_PARENT: Final = "parentCustomFieldId"


class CustomFields(PlainRecord):
    """Custom fields with an immutable type, a set of allowed values, and an optional parent.

    A write replaces the whole set (``allowed_values``). Soft delete, refused while a field that is
    live after the request has the record as its parent. Writes lock the organization, except for
    replaces that neither remove values nor concern parents or their values.
    """

    locks_organization = (*b'"deleted" "parentCustomFieldId" "parentAllowedValueId"'.split(),)
    _counted_in_use = ("compliance-custom-fields", "style-custom-fields", "custom-field-values")
    kind: ClassVar[str]
    """``compliance`` or ``style``: prefix of the table names."""
    parent_is_fixed: ClassVar[bool]
    """Whether the parent is set at creation only; a write may then repeat it or leave it out."""

    def _own_statements(self) -> dict[str, Statement]:
        """Return the statements of custom fields, and those of this kind alone."""
        own, is_fixed = super()._own_statements(), str(self.parent_is_fixed).lower()
        users = own.pop("in_styles").text if "in_styles" in own else ""
        slots = {"kind": self.kind, "parent_is_fixed": is_fixed, "in_styles": f"\n{users}"}
        return {**load_bound("custom_fields", **slots), **own}

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether an upsert creates or restores a field, or has a type or a parent.

        Other fields retain their type. They retain or lose their parent, which is live like them.
        """
        items = write_set.upserts.items
        has_parents = any(item.get(_PARENT) for item in items)
        if has_parents or write_set.created_ids or write_set.restored_ids:
            write_set.require_organization_lock()
            return True
        return any(item.get("type") is not None for item in items)

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

    async def check_unused(self, write_set: WriteSet) -> WritePlan:
        """Report deletes of fields that have children which are live after the request."""
        if write_set.live_deletes:
            write_set.require_organization_lock()
            items = write_set.upserts.json(self._written_separately)
            await self._fail_used(write_set, items)
        return []

    async def dependencies(self, write_set: WriteSet) -> Iterable[Dependency]:
        """Return dependencies of children on new and restored parents, of deletes on children.

        A delete depends on the items of its live children, as only these can release the parent.
        """
        items, deleted_ids = write_set.batch.items, {*write_set.deletes.ids}
        batch, parents = write_set.batch, [item.get(_PARENT) for item in items]
        stored = write_set.stored
        rows = await self._fetch(batch, "reliances", batch.ids, parents)
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


def allowed_values(order: str) -> ChildList:
    """Return the list of the allowed values of custom fields; ``order`` is that in SQL."""
    return ChildList(
        name="allowedValues",
        noun="allowed value",
        once=("isDefaultValue",),
        own_key="userDefinedId",
        order=f"{order}, entry.id",
    )


def related_values(kind: str, **ids: str) -> Related:
    """Return the members of allowed values that lists of a kind filter by.

    ``ids`` are further ids of allowed values: columns by member.
    """
    own_key = {"userDefinedId": "user_defined_id"}
    values = f"{kind}_allowed_value"
    return Related("allowedValues", values, "custom_field_id", {"id": "id", **ids}, own_key)


def _on_children(
    rows: Sequence[asyncpg.Record], deleted_ids: set[int], stored: Mapping[int, LockedRow]
) -> Iterator[Dependency]:
    """Yield the dependency of each field to delete on each live child in the batch."""
    for row in rows:
        if row["stored_parent_id"] in deleted_ids and stored[row["id"]]["state"] != "deleted":
            child = named_record(row["id"], stored[row["id"]]["key"])
            message = f"Used by custom fields: 1 ({child})."
            yield Dependency(
                row["stored_parent_id"], row["id"], ErrorType.CONFLICT_IN_USE, "id", message
            )
