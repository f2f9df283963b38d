"""Keyed references: replaces objects with own keys by the ids of their records.

Wherever a write takes the id of another record, an object with that record's own key may stand in
its place (contract, References). Such objects cause a statement for each collection or nested list
to which they refer, and another one for the keys that the first one did not find, unless they are
keys of the written collection itself.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import NoneType
from typing import Any

import orjson

from service.batches.batch import Batch, RequestItems
from service.batches.entry import IMPORT, Entry, Item
from service.batches.write_set import WriteSet
from service.database.statements import SHARED
from service.error_types import ErrorType
from service.listing.properties import stored_id
from service.records.keyed_values import (
    CopiedItems,
    FieldKeys,
    Key,
    KeyedField,
    direct_keys,
    keyed_fields,
    sent_places,
    values_at,
)
from service.records.reference_targets import SIZES, TARGETS
from service.records.writable_resource import WritableResource
from service.schemas.messages import LISTED_TWICE, duplicate_indexes
from service.writing.key_look_ups import (
    Ids,
    KeyLookUps,
    KeyMatches,
    canonical_key,
    fail_key,
)


async def with_ids(resource: WritableResource, batch: Batch, values: Sequence[Item]) -> list[Item]:
    """Return the items of ``values`` with ids in place of key objects, for the batch's record.

    An item with a key that does not name one record is returned as it is.
    """
    [entry] = batch.items
    items = RequestItems([{**value, "id": entry["id"]} for value in values])
    of_values = Batch.of(batch.connection, batch.caller, items, batch.request_id, batch.parents)
    for each in of_values.items:
        each.stored = entry.stored
    references = KeyedReferences.of(resource, of_values)
    if references:
        await references.replace_keys(of_values)
    return [
        value if index in of_values.errors else {name: item[name] for name in value}
        for index, (value, item) in enumerate(zip(values, of_values.items, strict=True))
    ]


@dataclass(slots=True)
class KeyedReferences:
    """Key objects of a batch, and the ids of the records that they name."""

    resource: WritableResource
    fields: Sequence[KeyedField]
    """Fields that have key objects."""
    look_ups: KeyLookUps
    missing_type: ErrorType = ErrorType.UNKNOWN_REFERENCE
    """Error type of keys that name no record."""
    spares_deletes: bool = False
    """Whether records to delete need not be there, nor their parents."""
    _unknown_ids: Iterator[int] = field(default_factory=lambda: count(-1, -1))
    """Ids that no record has, each taken once."""

    @classmethod
    def of(
        cls, resource: WritableResource, batch: Batch, names: Collection[str] = ()
    ) -> "KeyedReferences":
        """Return the key objects of a batch, or those of the fields in ``names`` alone.

        Keep the members that have some in the entries, as they were ``sent``.
        """
        fields, keyed_only = list[KeyedField](), set[str]()
        for keyed in keyed_fields(resource.name, resource.list_name):
            if not names or keyed.names[0] in names:
                types = {*map(type, values_at(batch.items, keyed.names))} - {NoneType}
                if dict in types:
                    fields.append(keyed)
                if types == {dict}:
                    keyed_only.add(".".join(keyed.names))
        members = {keyed.names[0] for keyed in fields}
        for entry in batch.items if fields else ():
            entry.sent = {name: entry[name] for name in members if name in entry}
        finds_deleted = any(entry.operation is IMPORT for entry in batch.items if fields)
        return cls(resource, fields, KeyLookUps(resource, keyed_only, finds_deleted))

    def __bool__(self) -> bool:
        """Return whether there are key objects."""
        return bool(self.fields)

    async def resolve(self, batch: Batch, write_set: WriteSet | None = None) -> None:
        """Replace key objects as ``replace_keys`` does; add the errors that these concealed.

        They are those of equal ids in a list, and those of the resource's ``item_errors``.
        """
        await self.replace_keys(batch, write_set)
        self._check_items(batch)

    async def replace_keys(self, batch: Batch, write_set: WriteSet | None = None) -> None:
        """Replace the key objects of a batch by ids; add errors for missing and ambiguous keys.

        Keys with errors become ids that no record has, so that the checks that follow find only
        other errors. Members with key objects become copies: a repeated transaction starts from
        the request's own values.

        ``batch`` is that of ``of``, or a subset. Keys of the resource's own records mean these as
        ``write_set`` leaves them, without one the stored records; call it again after items were
        dropped. Key objects stay whose parent is unknown, or is a size range of the batch, which
        resolves keys of its own sizes; an id replaces the key object of their parent.
        """
        for item in batch.items:
            item.update(item.sent)
        copied = CopiedItems(batch.items)
        fields = [(keyed, copied.key_objects(keyed)) for keyed in self.fields]
        direct = [keys for each in fields for keys in direct_keys(*each)]
        direct_ids = await self._look_up(batch, direct, write_set)
        inner_ids = {}
        for each, ids in zip(direct, direct_ids, strict=True):
            inner_ids[each.field, each.member] = ids
            if not each.member:
                copied.replace(each.field, ids)
        # Only now the members have the ids that the scopes of keys without a parent come from. The
        # scopes of sizes may be style colors, whose keys are within a parent themselves.
        for of_sizes in (False, True):
            scoped = list[FieldKeys]()
            for keyed, objects in fields:
                if keyed.target.within and (keyed.target.table == SIZES.table) is of_sizes:
                    pairs = await self._with_scopes(batch, keyed, objects)
                    scoped.append(self._scoped_keys(batch, keyed, pairs, inner_ids))
            scoped_ids = await self._look_up(batch, scoped, write_set)
            for each, ids in zip(scoped, scoped_ids, strict=True):
                values = [
                    object_ if id_ is None else id_
                    for object_, id_ in zip(each.objects, ids, strict=True)
                ]
                copied.replace(each.field, values)

    def _scoped_keys(
        self,
        batch: Batch,
        keyed: KeyedField,
        objects: Iterable[tuple[Item, int | None]],
        inner_ids: Mapping[tuple[KeyedField, str], Iterable[Any]],
    ) -> FieldKeys:
        """Return the keys within parents; None if the parent is unknown or of the batch's own.

        ``inner_ids`` are the ids of the parents and own keys that are key objects, in their order.
        """
        within, own_key = keyed.target.within, keyed.target.key
        is_of_own = (keyed.target.table, self.resource.table) == (SIZES.table, "size_range")
        own_ids = {*batch.ids} if is_of_own else set[int]()
        remaining, keys_left = (iter(inner_ids[keyed, member]) for member in (within, own_key))
        keys, sent = list[Key | None](), list[Item]()
        for object_, scope in objects:
            parent, within_id = object_.get(within), scope
            if parent is not None:
                within_id = stored_id(next(remaining) if type(parent) is dict else parent)
            key = object_[own_key]
            key = next(keys_left) if type(key) is dict else key
            is_own = within_id in own_ids
            keys.append(None if within_id is None or is_own else (key, within_id))
            sent.append({**object_, within: within_id} if is_own else object_)
        return FieldKeys(keyed, keyed.target, sent, keys)

    async def _with_scopes(
        self, batch: Batch, keyed: KeyedField, objects: Sequence[Item]
    ) -> list[tuple[Item, int | None]]:
        """Return each key object of a field with the parent's id that it has if it names none.

        That is the scope of its item, or the size range of this style, 0 if it has none (reported).
        """
        is_given = [object_.get(keyed.target.within) is not None for object_ in objects]
        if all(is_given):
            return [(object_, None) for object_ in objects]
        sent = sent_places([item.sent for item in batch.items], keyed)
        scopes = [self._scope(batch, index) for index, _ in sent]
        if self.resource.sizes_of and keyed.target.table == SIZES.table:
            text = SHARED[self.resource.sizes_of].text
            ids = sorted({scope for scope in scopes if scope})
            rows = await batch.fetch(text, ids)
            ranges: dict[int | None, int | None] = dict(map(tuple, rows))
            for has_parent, scope, (index, path) in zip(is_given, scopes, sent, strict=True):
                if not has_parent and ranges.get(scope) is None:
                    if scope in ranges:
                        message = "Give the style a size range first."
                        batch.fail(index, ErrorType.CONFLICT_INCOMPLETE, *path, message=message)
                    batch.errors.close(batch.items[index].index, path)
            scopes = [ranges.get(scope) or 0 for scope in scopes]
        return [*zip(objects, scopes, strict=True)]

    def _scope(self, batch: Batch, index: int) -> int | None:
        """Return the scope of the keys of an item that name no parent.

        It is in the path, else in the ``scope_field`` of the item, else of the stored record.
        """
        item, name = batch.items[index], self.resource.scope_field
        scope = batch.parents[0] if batch.parents else item.get(name)
        row = item.stored
        if type(scope) is not int and row is not None:
            scope = row["within_id"] or orjson.loads(row["fields"] or b"{}").get(name)
        return scope if type(scope) is int else None

    async def _look_up(
        self, batch: Batch, fields: Sequence[FieldKeys], write_set: WriteSet | None
    ) -> list[list[int | str | None]]:
        """Return the ids of the key objects of each field, by one look-up for each target."""
        keys, ids = defaultdict[str, set[Key | None]](set), dict[str, Mapping[Key, Ids]]()
        for each in fields:
            keys[each.target.name].update(each.keys)
        for name, keys_of_target in keys.items():
            sent = [key for key in keys_of_target if key is not None]
            ids[name] = await self.look_ups.ids(batch, TARGETS[name], sent, write_set)
        return [self._ids(batch, each, ids[each.target.name]) for each in fields]

    def _ids(
        self, batch: Batch, field_keys: FieldKeys, ids_by_key: Mapping[Key, Ids]
    ) -> list[int | str | None]:
        """Return the id of each key object of a field; None for those that stay.

        Add an error for each key without exactly one id; it gets an id that no record has.
        """
        single = dict[Key | None, int | str](
            (key, ids[0]) for key, ids in ids_by_key.items() if len(ids) == 1
        )
        ids = [*map(single.get, field_keys.keys)]
        failed_owners = batch.transaction.failed_parts.get(field_keys.target.table, {})
        for position, key in enumerate(field_keys.keys if failed_owners else ()):
            if type(key) is tuple and key[1] in failed_owners:
                ids[position] = None
        if failed_owners or len(single) < len(ids_by_key):
            self._fail(batch, field_keys, ids_by_key, ids)
        return ids

    def _fail(
        self,
        batch: Batch,
        field_keys: FieldKeys,
        ids_by_key: Mapping[Key, Ids],
        ids: list[int | str | None],
    ) -> None:
        """Add the errors of keys whose id is None in ``ids``, and put unknown ids in there."""
        looked_up = field_keys.target
        failed_owners = batch.transaction.failed_parts.get(looked_up.table, {})
        sent = sent_places([item.sent for item in batch.items], field_keys.field, field_keys.member)
        rows = zip(sent, field_keys.objects, field_keys.keys, strict=True)
        for position, ((index, path), object_, key) in enumerate(rows):
            if key is not None and ids[position] is None:
                shown = orjson.dumps(object_).decode()
                creator, key_ids = (
                    batch.transaction.failed_creator(looked_up.name, key),
                    ids_by_key[key],
                )
                if creator is None:
                    creator = batch.transaction.failed_creator(
                        looked_up.name, canonical_key(object_)
                    )
                if type(key) is tuple and key[1] in failed_owners:
                    creator, key_ids = failed_owners[key[1]], []
                if key_ids or creator is not None or not self._may_lack(batch.items[index]):
                    matches = KeyMatches(looked_up.noun, shown, key_ids, creator)
                    fail_key(batch, index, path, matches, self.missing_type)
                    batch.errors.close(batch.items[index].index, path)
                unknown_id = next(self._unknown_ids)
                ids[position] = str(unknown_id) if looked_up.has_text_ids else unknown_id

    def _may_lack(self, entry: Entry) -> bool:
        """Return whether an entry may name what is not there; imports create it."""
        return self.spares_deletes and entry.deletes and entry.operation is not IMPORT

    def _check_items(self, batch: Batch) -> None:
        """Add the errors of equal ids in a list, and of rules beyond the schema."""
        resource = self.resource
        lists = sorted({k.names[0] for k in self.fields if k.is_list and len(k.names) == 1})
        for index, item in enumerate(batch.items):
            for name in lists:
                for repeated in duplicate_indexes(item.get(name) or []):
                    batch.fail(index, ErrorType.DUPLICATE, name, repeated, message=LISTED_TWICE)
            for detail in resource.item_errors(item):
                batch.fail(index, detail.type, *detail.path, message=detail.message or "")
