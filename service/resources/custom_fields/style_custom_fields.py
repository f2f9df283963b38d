"""Style custom fields (contract, Style custom fields)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from types import NoneType
from typing import Any

import orjson

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.batches.entry import Item, LockedRow
from service.batches.write_set import WriteSet
from service.database.statements import Statement
from service.error_types import ErrorType
from service.records.child_list import ChildList
from service.records.links import link_statements
from service.records.matched_children import MatchedChildren
from service.records.reference_targets import own_references
from service.records.usage import may_name, named_records
from service.resources.custom_fields.associations import Association, resolve_all
from service.resources.custom_fields.base import CustomFields, allowed_values, related_values
from service.writing.key_look_ups import KeyMatches, fail_key

_ASSOCIATIONS = tuple(
    Association(field, target)
    for field, target in own_references("style-custom-fields").items()
    if field.startswith("associated")
)
_POINTER = "parentAllowedValueId"
_KEY = "parentKey"
"""Member of values with the key object that named the parent value."""


@dataclass(frozen=True, slots=True)
class _ChildValue:
    """Allowed value in a request that refers to a value of the parent field."""

    item_index: int
    value_index: int
    field_id: int
    """Id of the custom field, which is that of the item."""
    values: list[Item]
    """List of allowed values, a copy of the request's if it has key objects."""

    @property
    def value(self) -> Item:
        """Allowed value itself."""
        return self.values[self.value_index]

    def restore_key(self) -> None:
        """Put the key object back that an earlier check has resolved, or remember it.

        After items were dropped, it may name another value. The request's own values stay, because
        a transaction that is repeated starts from them.
        """
        key = self.value.get(_KEY) or self.value[_POINTER]
        if isinstance(key, dict):
            self.values[self.value_index] = self.value | {_POINTER: key, _KEY: key}

    def resolve(self, batch: Batch, parent_values: Iterable[tuple[int, Any, Any]]) -> None:
        """Replace the key object by the id of the parent value that it names.

        ``parent_values`` are ids, values and ``userDefinedId``s. For a key of no value, or of
        several, add an error and set null.
        """
        key = self.value[_KEY]
        column, text = (2, key["userDefinedId"]) if "userDefinedId" in key else (1, key["value"])
        ids = [each[0] for each in parent_values if each[column] == text]
        self.value[_POINTER] = ids[0] if len(ids) == 1 else None
        if len(ids) != 1:
            path, sent = ("allowedValues", self.value_index, _POINTER), orjson.dumps(key).decode()
            matches = KeyMatches("value of the parent field", sent, ids)
            fail_key(batch, self.item_index, path, matches)

    def fail(self, batch: Batch, message: str) -> None:
        """Add ``unknown_reference`` to the batch, at the reference."""
        path = ("allowedValues", self.value_index, _POINTER)
        batch.fail(self.item_index, ErrorType.UNKNOWN_REFERENCE, *path, message=message)


def _child_values(batch: Batch) -> Iterator[_ChildValue]:
    """Yield the allowed values of all items that refer to a parent value.

    Lists with key objects become copies first.
    """
    lists = [item.get("allowedValues") or [] for item in batch.items]
    if {*map(type, map(dict.get, chain.from_iterable(lists), repeat(_POINTER)))} <= {NoneType}:
        return  # as in most requests
    for item_index, (item, values) in enumerate(zip(batch.items, lists, strict=True)):
        pointers = [value.get(_POINTER) for value in values]
        if pointers.count(None) == len(pointers):
            continue
        if dict in map(type, pointers):
            item["allowedValues"] = values = [*values]
        for value_index, pointer in enumerate(pointers):
            if pointer is not None:
                yield _ChildValue(item_index, value_index, item["id"], values)


def _turned(item: Item, row: LockedRow | None) -> Iterator[str]:
    """Yield the names of the flags of a stored field that an item changes."""
    stored = orjson.loads(row["fields"] or "{}") if row else item
    for name in ("diffPerColor", "diffPerSize"):
        if bool(item.get(name)) != bool(stored.get(name)):
            yield name


class StyleCustomFields(CustomFields):
    """Custom fields of all styles, or of those of associated brands, groups and categories.

    The parent is set at creation only. An allowed value may refer to a value of the parent field
    (``parentAllowedValueId``), by id or by a key object.
    """

    name = "style-custom-fields"
    kind = "style"
    parent_is_fixed = True
    _stored_fields_sql = (
        "case when diff_per_color or diff_per_size then"
        " json_build_object('diffPerColor', diff_per_color, 'diffPerSize', diff_per_size)::text end"
    )
    _written_separately = tuple(association.field for association in _ASSOCIATIONS)
    lists = (
        allowed_values(
            "case when page.is_sort_by_allowed_value_id"
            " then entry.user_defined_id else entry.value end",
        ),
    )
    related = (
        related_values("style", parentAllowedValueId="parent_allowed_value_id"),
        *(association.related for association in _ASSOCIATIONS),
    )

    def _joins(self, form: str, fragments: Mapping[str, Statement]) -> str:
        """Return the SQL that joins the lists of a form, with the associations, to the page."""
        shape = schemas.definition(self.name, form)
        joins = (each.links.join(shape, each.field, each.target) for each in _ASSOCIATIONS)
        return "\n".join([super()._joins(form, fragments), *joins])

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the writes of allowed values and of associations that differ.

        Lock the associated records. Report the errors of ``CustomFields``, and associations with no
        record, several records or the record of an earlier entry.
        """
        if not write_set.upserts.items:
            return await super().check(write_set)
        sets = await resolve_all(write_set.upserts, _ASSOCIATIONS)
        plan = await super().check(write_set)
        return plan + await link_statements(write_set.upserts, sets)

    async def check_result(self, write_set: WriteSet) -> None:
        """Report what the values of live styles do not allow.

        Fields differ per color or size as the values do not, or lose allowed values that they have.
        """
        batch = write_set.upserts
        turned = [
            {"n": number, "id": item["id"], "name": name, "differs": bool(item.get(name))}
            for number, item in enumerate(batch.items, start=1)
            for name in _turned(item, item.stored)
        ]
        if turned:
            parameter = orjson.dumps(turned).decode()
            batch.fail_all(await self._fetch(batch, "turned", parameter))
        if write_set.removed_ids:
            chosen = await self._fetch(batch, "chosen_values", write_set.removed_ids)
            if not may_name(batch.caller.scopes, "styles"):
                chosen = [(field_id, used, ()) for field_id, used, _ in chosen]
            _report_used(batch, chosen)

    async def _list_plan(self, write_set: WriteSet, child: ChildList) -> WritePlan:
        """Return the writes of allowed values.

        Report references to values that the parent field lacks, and removed values to which values
        of live fields refer after the request. References of deleted fields to these are cleared.
        """
        batch = write_set.upserts
        if child_values := [*_child_values(batch)]:
            write_set.require_organization_lock()
        for entry in child_values:
            entry.restore_key()
        matched = await self._match(write_set, child)
        if entries := [entry for entry in child_values if _KEY in entry.value]:
            await self._resolve(batch, child, matched, entries)
            child_values = [each for each in child_values if each.value[_POINTER] is not None]
        new_ids = {value_id for values in matched for value_id in values.new}
        stored = [entry for entry in child_values if entry.value[_POINTER] not in new_ids]
        if stored:
            await self._check_parent_values(batch, stored)
        differences = child.differences(matched)
        rows = differences.pop("remove")
        if removed := sorted(row["id"] for row in rows):
            await write_set.try_organization_lock()
            await self._check_removed_values(write_set, child_values, removed)
            forget = BoundStatement(self.statements["forget_parent_values"].text, (removed,))
            write_set.removals.extend([forget, *child.plan({"remove": rows})])
            write_set.removed_ids.extend(removed)
        return child.plan(differences)

    async def _resolve(
        self,
        batch: Batch,
        child: ChildList,
        matched: Sequence[MatchedChildren],
        entries: list[_ChildValue],
    ) -> None:
        """Replace key objects of parent values by ids; report those of none and of several.

        Keys mean the parent field's values as the request leaves them.
        """
        parents = await self._parents(batch, entries)
        values: dict[int | None, Iterable[tuple[int, Any, Any]]] = {
            each.owner_id: [
                (id_, value["value"], value.get("userDefinedId")) for id_, value in each.all.items()
            ]
            for each in matched
        }
        others = {parent for parent in parents.values() if parent} - values.keys()
        for parent, stored in (await child.stored(batch, others)).items():
            values[parent] = [(id_, *row[:2]) for id_, row in stored.active.items()]
        for entry in entries:
            entry.resolve(batch, values.get(parents[entry.field_id], ()))

    async def _parents(self, batch: Batch, entries: list[_ChildValue]) -> dict[int, int | None]:
        """Return the parents of the fields of allowed values, by the id of the field, or None.

        The parent of a stored field is the stored one.
        """
        fields = {entry.field_id: batch.items[entry.item_index] for entry in entries}
        sent = {field_id: item.get("parentCustomFieldId") for field_id, item in fields.items()}
        rows = await self._fetch(batch, "reliances", [*sent], [*sent.values()])
        return {
            # The parent of a new field may be new, too.
            row["id"]: row["parent_id"] or (sent[row["id"]] if row["is_new"] else None)
            for row in rows
        }

    async def _check_parent_values(self, batch: Batch, child_values: list[_ChildValue]) -> None:
        """Report values that refer to a value that the parent field has not stored."""
        unknown = await self._fetch(
            batch,
            "unknown_parent_values",
            [entry.field_id for entry in child_values],
            [batch.items[entry.item_index].get("parentCustomFieldId") for entry in child_values],
            [entry.value[_POINTER] for entry in child_values],
        )
        for (ordinality,) in unknown:
            child_values[ordinality - 1].fail(batch, "The parent field has no such allowed value.")

    async def _check_removed_values(
        self, write_set: WriteSet, child_values: list[_ChildValue], removed: list[int]
    ) -> None:
        """Report removed values that values of live child fields refer to, after the request."""
        batch = write_set.upserts
        needed = await self._fetch(
            *(batch, "needed_values", removed),
            [entry.field_id for entry in child_values],
            [entry.value[_POINTER] for entry in child_values],
            [*batch.ids, *write_set.deletes.ids],
        )
        _report_used(batch, needed)


def _report_used(batch: Batch, rows: Iterable[Sequence[Any]]) -> None:
    """Report ``conflict.in_use`` at ``allowedValues`` of the items that remove values.

    ``rows`` have the id of the field, the uses, and the first users as JSON.
    """
    indexes = {record_id: index for index, record_id in enumerate(batch.ids)}
    type_, field = ErrorType.CONFLICT_IN_USE, "allowedValues"
    for field_id, used, first in rows:
        named = f" of {named_records(map(orjson.loads, first))}" if first else ""
        batch.fail(indexes[field_id], type_, field, message=f"{used}{named}.")
