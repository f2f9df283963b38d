"""Keyed references: replaces objects with own keys by the ids of their records.

Wherever a write takes the id of another record, an object with that record's own key may stand in
its place (contract, References). A request without such objects causes no statement here. Others
cause one for each collection or nested list to which they refer by key, and another one for the
keys that the first one did not find, unless they are keys of the written collection itself.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import NoneType
from typing import NamedTuple

import orjson

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import Path
from service.listing.properties import stored_id
from service.queries.batch import Batch, Item
from service.queries.key_look_ups import Ids, Key, KeyLookUps
from service.queries.keyed_values import (
    CopiedItems,
    KeyedField,
    KeyedValue,
    keyed_fields,
    places,
    split_parents,
    values_at,
)
from service.queries.path_keys import listed_ids
from service.queries.reference_targets import TARGETS, ReferenceTarget
from service.queries.writable_resource import WritableResource
from service.queries.write_set import LockedRow, WriteSet
from service.schemas.messages import LISTED_TWICE, duplicate_indexes


class _FieldKeys(NamedTuple):
    """Key objects of a field, or those of their parents, and their keys in the same order."""

    names: tuple[str, ...]
    """Names of the members that lead to the field."""
    target: ReferenceTarget
    values: Sequence[KeyedValue]
    keys: Sequence[Key | None]
    """Keys to look up; None for key objects that stay."""


class KeyMatches(NamedTuple):
    """Ids of the records that a key object names: exactly one, or it is an error."""

    noun: str
    sent: str
    """Key object as JSON."""
    ids: Sequence[int | str]


def fail_key(
    batch: Batch,
    index: int,
    path: Path,
    matches: KeyMatches,
    missing_type: ErrorType = ErrorType.UNKNOWN_REFERENCE,
) -> None:
    """Add the error of a key that names no record, or several, to the item at ``index``.

    Without ids the type is ``missing_type``, else ``conflict.ambiguous_key``. The message has the
    key and up to 5 of the ids.
    """
    if matches.ids:
        type_ = ErrorType.CONFLICT_AMBIGUOUS_KEY
        message = f"Records {listed_ids(matches.ids)} have this key: {matches.sent}."
    else:
        type_ = missing_type
        message = f"There is no such {matches.noun}: {matches.sent}."
    batch.fail(index, type_, *path, message=message)


@dataclass(slots=True)
class KeyedReferences:
    """Key objects of a batch, and the ids of the records that they name."""

    resource: WritableResource
    fields: Sequence[KeyedField]
    """Fields that have key objects."""
    sent: Mapping[int, Item]
    """Members of each item with ``fields``, as they were sent, by the identity of the item."""
    look_ups: KeyLookUps
    stored: Mapping[int, LockedRow] = field(default_factory=dict)
    """Locked rows of the batch's records, by id, which have the parents of scoped keys."""
    missing_type: ErrorType = ErrorType.UNKNOWN_REFERENCE
    """Error type of keys that name no record."""
    _unknown_ids: Iterator[int] = field(default_factory=lambda: count(-1, -1))
    """Ids that no record has, each taken once."""

    @classmethod
    def of(
        cls, resource: WritableResource, batch: Batch, names: Collection[str] = ()
    ) -> "KeyedReferences":
        """Return the key objects of a batch, or those of the fields in ``names`` alone.

        The caller sets ``stored`` before ``resolve`` if the records are locked.
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
        sent = {
            id(item): {name: item[name] for name in members if name in item}
            for item in (batch.items if fields else ())
        }
        return cls(resource, fields, sent, KeyLookUps(resource, keyed_only))

    def __bool__(self) -> bool:
        """Return whether there are key objects."""
        return bool(self.fields)

    async def resolve(
        self, connection: Connection, batch: Batch, write_set: WriteSet | None = None
    ) -> None:
        """Replace key objects as ``replace_keys`` does; add the errors that these concealed.

        They are those of equal ids in a list with key objects, and those that ``item_errors`` and
        ``list_errors`` of the resource return.
        """
        await self.replace_keys(connection, batch, write_set)
        self._check_items(batch)

    async def replace_keys(
        self, connection: Connection, batch: Batch, write_set: WriteSet | None = None
    ) -> None:
        """Replace the key objects of a batch by ids; add errors for missing and ambiguous keys.

        Keys with errors become ids that no record has, so that the checks that follow find the
        other errors of their items, and no second one of the key. Members with key objects become
        copies: the request's own values stay, because a transaction that is repeated starts from
        them.

        ``batch`` is that of ``of``, or a subset. Keys of the resource's own records mean these as
        ``write_set`` leaves them, so call it again after items were dropped: stored records are not
        read again. Without a write set they mean the stored records. Key objects stay whose parent
        is unknown, or that the resource resolves itself (``resolves_scope``); an id replaces the
        key object of their parent.
        """
        for item in batch.items:
            item.update(self.sent[id(item)])
        copied = CopiedItems(batch.items)
        direct, scoped = list[_FieldKeys](), list[tuple[KeyedField, list[KeyedValue]]]()
        for keyed in self.fields:
            names, target, values = keyed.names, keyed.target, copied.values(keyed.names)
            if not target.within:
                direct.append(_direct_keys(names, target, values))
                continue
            values, parents = split_parents(values, target.within)
            scoped.append((keyed, values))
            if parents:
                direct.append(_direct_keys(names, TARGETS[target.parent], parents))
        await self._replace(connection, batch, direct, write_set)
        # Only now the members have the ids that the scopes of keys without a parent come from.
        scoped_keys = [self._scoped_keys(batch, *each) for each in scoped]
        await self._replace(connection, batch, scoped_keys, write_set)

    def _scoped_keys(
        self, batch: Batch, keyed: KeyedField, values: Sequence[KeyedValue]
    ) -> _FieldKeys:
        """Return the keys within parents; None if the parent is unknown or of the batch's own."""
        names, target, _ = keyed
        own_ids = {*batch.ids} if self.resource.resolves_scope else set[int]()
        keys, scopes = list[Key | None](), dict[int, int | None]()
        for index, _, _, value, _ in values:
            parent = value.get(target.within)
            if parent is None:
                if index not in scopes:
                    scopes[index] = self._scope(batch, batch.items[index])
                parent = scopes[index]
            within_id = None if parent is None else stored_id(parent)
            stays = within_id is None or within_id in own_ids
            keys.append(None if stays else (value[target.key], within_id))
        return _FieldKeys(names, target, values, keys)

    def _scope(self, batch: Batch, item: Item) -> int | None:
        """Return the parent's id of keys without one: ``reference_scope``, else the stored one."""
        scope = self.resource.reference_scope(batch, item)
        row = self.stored.get(item.get("id", 0))
        return row["within_id"] if scope is None and row is not None else scope

    async def _replace(
        self,
        connection: Connection,
        batch: Batch,
        fields: Sequence[_FieldKeys],
        write_set: WriteSet | None,
    ) -> None:
        """Replace key objects by the ids of their records: one look-up for each target."""
        keys, ids = defaultdict[str, set[Key]](set), dict[str, dict[Key, Ids]]()
        for each in fields:
            keys[each.target.name] |= {*filter(None, each.keys)}
        for name, distinct_keys in keys.items():
            target = TARGETS[name]
            ids[name] = await self.look_ups.ids(connection, batch, target, distinct_keys, write_set)
        for each in fields:
            self._put_ids(batch, each, ids[each.target.name])

    def _put_ids(self, batch: Batch, field_keys: _FieldKeys, ids: Mapping[Key, Ids]) -> None:
        """Put ids in the place of a field's key objects; add an error for keys without one id."""
        names, target, values, keys = field_keys
        single_ids = {key: matching[0] for key, matching in ids.items() if len(matching) == 1}
        paths = dict[int, Path]()
        for (index, container, member, named, sent), key in zip(values, keys, strict=True):
            if key in single_ids:
                container[member] = single_ids[key]
            elif key is not None:
                if id(sent) not in paths:
                    members = self.sent[id(batch.items[index])]
                    paths |= {id(object_): path for path, object_ in places(members, names)}
                shown = orjson.dumps(sent if target.within else named).decode()
                matches = KeyMatches(target.noun, shown, ids[key])
                fail_key(batch, index, paths[id(sent)], matches, self.missing_type)
                batch.errors.close(batch.request_indexes[index], paths[id(sent)])
                unknown_id = next(self._unknown_ids)
                container[member] = str(unknown_id) if target.has_text_ids else unknown_id

    def _check_items(self, batch: Batch) -> None:
        """Add the errors of equal ids in a list, and of rules beyond the schema."""
        resource, list_name = self.resource, self.resource.list_name
        lists = [keyed.names[0] for keyed in self.fields if keyed.is_list]
        for index, item in enumerate(batch.items):
            for name in lists:
                for repeated in duplicate_indexes(item.get(name) or []):
                    batch.fail(index, ErrorType.DUPLICATE, name, repeated, message=LISTED_TWICE)
            for detail in resource.item_errors(item):
                batch.fail(index, detail.type, *detail.path, message=detail.message or "")
            for detail in resource.list_errors(item[list_name]) if list_name else ():
                path = (list_name, *detail.path)
                batch.fail(index, detail.type, *path, message=detail.message or "")


def _direct_keys(
    names: tuple[str, ...], target: ReferenceTarget, values: Sequence[KeyedValue]
) -> _FieldKeys:
    """Return the keys of a target whose keys are not within a parent."""
    texts = [key[target.key] for _, _, _, key, _ in values]
    if target.ignores_case:
        texts = [text.lower() for text in texts]
    return _FieldKeys(names, target, values, [(text, None) for text in texts])
