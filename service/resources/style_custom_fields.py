"""Style custom fields (contract, Style custom fields)."""

from collections.abc import Iterable, Iterator, Mapping

import orjson

from service.database.connections import Connection
from service.database.statements import Statement
from service.error_types import ErrorType
from service.queries.batch import Batch
from service.queries.bound_statements import WritePlan
from service.queries.keyed_references import KeyMatches, fail_key
from service.queries.links import link_statements
from service.queries.usage import named_records
from service.queries.write_set import WriteSet
from service.resources.allowed_values import (
    AllowedValueEntry,
    NamedValue,
    ValueDifferences,
    allowed_value_entries,
)
from service.resources.associations import Association
from service.resources.custom_fields import CustomFields, related_fields

_BRANDS = Association("associatedBrands", "brand", noun="brand", key="customId")
_GROUPS = Association("associatedGroups", "style_group", noun="group", key="userDefinedId")
_CATEGORIES = Association(
    "associatedStyleCategories",
    "style_category",
    noun="style category",
    key="userDefinedId",
)
_ASSOCIATIONS = (_BRANDS, _GROUPS, _CATEGORIES)
_POINTER = "parentAllowedValueId"
_KEY = "parentKey"
"""Member of values with the key object that named the parent value."""


class StyleCustomFields(CustomFields):
    """Custom fields of all styles, or of those of associated brands, groups and categories.

    The parent is set at creation only. An allowed value may refer to a value of the parent field
    (``parentAllowedValueId``), by id or by a key object.
    """

    name = "style-custom-fields"
    table = "style_custom_field"
    kind = "style"
    parent_is_fixed = True
    written_separately = ("allowedValues", *(association.field for association in _ASSOCIATIONS))
    related = (
        *related_fields("style", {"parentAllowedValueId": "parent_allowed_value_id"}),
        *(association.related for association in _ASSOCIATIONS),
    )
    value_pointer = _POINTER
    value_removals = ("forget_parent_values", *CustomFields.value_removals)

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements; documents and writables include the associations."""
        parts = {
            "brands": _BRANDS.documents,
            "groups": _GROUPS.documents,
            "categories": _CATEGORIES.documents,
        }
        loaded = super()._load_statements()
        shapes = {name: loaded[name].bind(**parts) for name in ("documents", "writables")}
        return {**loaded, **shapes}

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the writes of allowed values and of associations that differ.

        Lock the associated records. Report the errors of ``CustomFields``, and associations with no
        record, several records or the record of an earlier entry.
        """
        if not write_set.upserts.items:
            return await super().check(connection, write_set)
        sets = {
            association.links: await association.resolve(connection, write_set.upserts)
            for association in _ASSOCIATIONS
        }
        plan = await super().check(connection, write_set)
        return plan + await link_statements(connection, write_set.upserts, sets)

    async def resolve_values(self, connection: Connection, batch: Batch) -> None:
        """Replace key objects of parent values by ids; report those of none and of several.

        Keys mean the parent field's values as the request leaves them. The lists of allowed values
        become copies, in which values can get new ids (``AllowedValues.after_request``).
        """
        entries = [*_keyed_entries(batch)]
        if not entries:
            return
        for item in batch.items:
            # The request's own lists stay, because a transaction that is repeated starts from them.
            item["allowedValues"] = [*(item.get("allowedValues") or ())]
        parents = await self._parents(connection, batch, entries)
        parent_ids = {parent_id for parent_id in parents.values() if parent_id}
        values = await self.values.after_request(connection, batch, parent_ids)
        for entry in _keyed_entries(batch):
            _resolve(batch, entry, values.get(parents[entry.field_id] or 0, []))

    async def _parents(
        self, connection: Connection, batch: Batch, entries: list[AllowedValueEntry]
    ) -> dict[int, int | None]:
        """Return the parents of the fields of allowed values, by the id of the field, or None.

        The parent of a stored field is the stored one.
        """
        fields = {entry.field_id: batch.items[entry.item_index] for entry in entries}
        rows = await connection.fetch(
            self.statements["reliances"].text,
            batch.caller.organization_id,
            [*fields],
            [item.get("parentCustomFieldId") for item in fields.values()],
        )
        sent = {field_id: item.get("parentCustomFieldId") for field_id, item in fields.items()}
        return {
            # The parent of a new field may be new, too.
            row["id"]: row["parent_id"] or (sent[row["id"]] if row["is_live"] is None else None)
            for row in rows
        }

    async def check_values(
        self, connection: Connection, write_set: WriteSet, differences: ValueDifferences
    ) -> None:
        """Report references from allowed values to values that the parent field does not have.

        Also report removed values to which values of live fields refer after the request.
        """
        child_values = [*allowed_value_entries(write_set.upserts, having=_POINTER)]
        new_ids = {entry.value.get("id") for entry in differences.new}
        stored = [entry for entry in child_values if entry.value[_POINTER] not in new_ids]
        if stored:
            await self._check_parent_values(connection, write_set.upserts, stored)
        if differences.removed:
            await self._check_removed_values(
                connection, write_set, child_values, differences.removed
            )

    async def _check_parent_values(
        self, connection: Connection, batch: Batch, child_values: list[AllowedValueEntry]
    ) -> None:
        """Report values that refer to a value that the parent field has not stored."""
        unknown = await connection.fetch(
            self.statements["unknown_parent_values"].text,
            batch.caller.organization_id,
            [entry.field_id for entry in child_values],
            [batch.items[entry.item_index].get("parentCustomFieldId") for entry in child_values],
            [entry.value[_POINTER] for entry in child_values],
        )
        for (ordinality,) in unknown:
            message = "The parent field has no such allowed value."
            child_values[ordinality - 1].fail(batch, _POINTER, message)

    async def _check_removed_values(
        self,
        connection: Connection,
        write_set: WriteSet,
        child_values: list[AllowedValueEntry],
        removed: list[int],
    ) -> None:
        """Report removed values to which values of live child fields refer after the request.

        The error is ``conflict.in_use``, at ``allowedValues`` of the item that removes them.
        """
        batch = write_set.upserts
        needed = await connection.fetch(
            self.statements["needed_values"].text,
            batch.caller.organization_id,
            removed,
            [entry.field_id for entry in child_values],
            [entry.value[_POINTER] for entry in child_values],
            [*batch.ids, *write_set.deletes.ids],
        )
        indexes = {record_id: index for index, record_id in enumerate(batch.ids)}
        type_, field = ErrorType.CONFLICT_IN_USE, "allowedValues"
        for field_id, used, first in needed:
            message = f"{used} of {named_records(map(orjson.loads, first))}."
            batch.fail(indexes[field_id], type_, field, message=message)


def _keyed_entries(batch: Batch) -> Iterator[AllowedValueEntry]:
    """Yield the allowed values that name their parent value by a key object, resolved or not."""
    for entry in allowed_value_entries(batch, having=_POINTER):
        if _KEY in entry.value or isinstance(entry.value.get(_POINTER), dict):
            yield entry


def _resolve(batch: Batch, entry: AllowedValueEntry, parent_values: Iterable[NamedValue]) -> None:
    """Replace the key of a parent value by its id, in a copy of the value.

    The copy retains the key: after items were dropped, it may name another value. For a key of no
    value, or of several, add an error and set null.
    """
    key = entry.value.get(_KEY) or entry.value[_POINTER]
    if "userDefinedId" in key:
        ids = [value.id for value in parent_values if value.reference == key["userDefinedId"]]
    else:
        ids = [value.id for value in parent_values if value.value == key["value"]]
    pointer = ids[0] if len(ids) == 1 else None
    values = batch.items[entry.item_index]["allowedValues"]
    values[entry.value_index] = values[entry.value_index] | {_POINTER: pointer, _KEY: key}
    if pointer is None:
        path = ("allowedValues", entry.value_index, _POINTER)
        sent = orjson.dumps(key).decode()
        fail_key(batch, entry.item_index, path, KeyMatches("value of the parent field", sent, ids))
