"""Keyed references: replaces objects with own keys by the ids of their records.

Wherever a write takes the id of another record, an object with that record's own key may stand in
its place (contract, References). A request without such objects causes no statement here. Others
cause one for each collection or nested list to which they refer by key, and another one for the
keys that the first one did not find, unless they are keys of the written collection itself.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, NamedTuple, TypeAlias

import orjson

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.listing.properties import stored_id
from service.queries.batch import Batch, Item
from service.queries.keyed_values import KeyedValue, KeyedValues, keyed_fields, keyed_values
from service.queries.outcomes import sent_key
from service.queries.path_keys import listed_ids
from service.queries.reference_targets import FOR_KEY_SHARE, TARGETS, ReferenceTarget
from service.queries.writable_resource import WritableResource
from service.queries.write_set import LockedRow, WriteSet
from service.schemas.messages import LISTED_TWICE, duplicate_indexes

_LOOK_UPS: Final = 2
"""Maximum look-ups of a key: a concurrent rename can hide its record from the first one."""

_Key: TypeAlias = tuple[str, int | None]
"""Own key, in lower case if the target ignores case, and the id of its parent or None."""
_Ids: TypeAlias = list[int | str]


class _Match(NamedTuple):
    """Stored record with an own key."""

    id: int
    is_live: bool
    """Whether it meets the target's ``is_live``."""


class KeyMatches(NamedTuple):
    """Ids of the records that a key object names: exactly one, or it is an error."""

    noun: str
    sent: str
    """Key object as JSON."""
    ids: Sequence[int | str]

    @classmethod
    def of(cls, value: KeyedValue, ids: Sequence[int | str]) -> "KeyMatches":
        """Return the matches of a key object."""
        return cls(value.target.noun, orjson.dumps(value.sent).decode(), ids)


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
    """Key objects of a batch, and the stored records that have their keys."""

    resource: WritableResource
    values: KeyedValues
    stored: Mapping[int, LockedRow] = field(default_factory=dict)
    """Locked rows of the batch's records, by id, which have the parents of scoped keys."""
    missing_type: ErrorType = ErrorType.UNKNOWN_REFERENCE
    """Error type of keys that name no record."""
    _matches: dict[str, dict[_Key, list[_Match]]] = field(default_factory=lambda: defaultdict(dict))
    """Stored records by key, by the name of the target."""
    _unknown_ids: Iterator[int] = field(default_factory=lambda: count(-1, -1))
    """Ids that no record has, each taken once."""

    @classmethod
    def of(
        cls, resource: WritableResource, batch: Batch, names: Collection[str] = ()
    ) -> "KeyedReferences":
        """Return the key objects of a batch, or those of the fields in ``names`` alone.

        Members of the items that contain key objects become copies (``keyed_values``). The caller
        sets ``stored`` before ``resolve`` if the records are locked.
        """
        fields = keyed_fields(resource.name, resource.list_name)
        if names:
            fields = tuple(keyed for keyed in fields if keyed.names[0] in names)
        return cls(resource, keyed_values(batch.items, fields))

    def __bool__(self) -> bool:
        """Return whether there are key objects."""
        return bool(self.values.direct or self.values.scoped)

    async def resolve(
        self, connection: Connection, batch: Batch, write_set: WriteSet | None = None
    ) -> None:
        """Replace the key objects of a batch by ids; add errors for missing and ambiguous keys.

        Keys with errors become ids that no record has, so that the checks that follow find the
        other errors of their items, and no second one of the key.

        ``batch`` is that of ``of``, or a subset. Keys of the resource's own records mean these as
        ``write_set`` leaves them, so call it again after items were dropped: stored records are not
        read again. Without a write set they mean the stored records. Key objects stay whose parent
        is unknown, or that the resource resolves itself (``resolves_scope``). Of items with key
        objects, also add errors for equal ids in a list, and by ``item_errors``, ``list_errors``.
        """
        indexes = {id(item): index for index, item in enumerate(batch.items)}
        for values in (self.values.direct, self.values.scoped):
            by_target = defaultdict[str, list[KeyedValue]](list)
            for value in values:
                if id(value.item) in indexes:
                    by_target[value.target.name].append(value)
            for name, group in by_target.items():
                keys = self._keys(batch, TARGETS[name], group)
                await self._look_up(connection, batch, TARGETS[name], {*keys})
                ids_by_key = self._ids(TARGETS[name], {*keys}, write_set)
                for value, key in zip(group, keys, strict=True):
                    ids = ids_by_key.get(key)
                    if ids is not None and len(ids) == 1:
                        value.container[value.member] = ids[0]
                    elif ids is not None:
                        self._fail(batch, indexes[id(value.item)], value, ids)
        self._check_items(batch, indexes)

    def _fail(self, batch: Batch, index: int, value: KeyedValue, ids: Sequence[int | str]) -> None:
        """Add the error of a key object to an item, and put an unknown id in its place."""
        matches = KeyMatches.of(value, ids)
        fail_key(batch, index, value.path, matches, self.missing_type)
        batch.errors.close(batch.request_indexes[index], value.path)
        unknown_id = next(self._unknown_ids)
        value.container[value.member] = str(unknown_id) if value.target.has_text_ids else unknown_id

    def _keys(
        self, batch: Batch, target: ReferenceTarget, values: list[KeyedValue]
    ) -> list[_Key | None]:
        """Return the keys to look up; None for one that ``_key_within`` leaves out."""
        if target.within:
            own_ids = {*batch.ids} if self.resource.resolves_scope else set[int]()
            return [self._key_within(batch, value, own_ids) for value in values]
        name = target.key
        if target.ignores_case:
            return [(value.key[name].lower(), None) for value in values]
        return [(value.key[name], None) for value in values]

    def _key_within(self, batch: Batch, value: KeyedValue, own_ids: set[int]) -> _Key | None:
        """Return a key within a parent; None if it is unknown or the resource resolves the key."""
        target, scope = value.target, self._scope(batch, value.item)
        parent = value.key.get(target.within, scope)
        if parent is None or isinstance(parent, dict):
            return None
        within_id = stored_id(parent)
        if within_id in own_ids:
            return None
        return value.key[target.key], within_id

    def _scope(self, batch: Batch, item: Item) -> int | None:
        """Return the parent's id of keys without one: ``reference_scope``, else the stored one."""
        scope = self.resource.reference_scope(batch, item)
        row = self.stored.get(item.get("id", 0))
        return row["within_id"] if scope is None and row is not None else scope

    async def _look_up(
        self,
        connection: Connection,
        batch: Batch,
        target: ReferenceTarget,
        keys: set[_Key | None],
    ) -> None:
        """Read the stored records of the keys that have not been looked up by an earlier call."""
        matches = self._matches[target.name]
        new_keys = [key for key in keys if key is not None and key not in matches]
        for _ in range(1 if target.name == self.resource.name else _LOOK_UPS):
            if missing := [key for key in new_keys if not matches.get(key)]:
                await self._read(connection, batch, target, missing)

    async def _read(
        self, connection: Connection, batch: Batch, target: ReferenceTarget, keys: list[_Key]
    ) -> None:
        """Read the stored records of the keys by one statement; store them in ``_matches``.

        If that replaces the check of all references to the target, lock the records and note these
        references' fields in ``checked_fields`` of the batch.
        """
        matches, fields = self._matches[target.name], self._checked_fields(target)
        matches |= {key: [] for key in keys}
        batch.checked_fields |= fields
        text, organization_id = (
            target.texts[FOR_KEY_SHARE if fields else ""],
            batch.caller.organization_id,
        )
        parameters = zip(*keys, strict=True) if target.within else [[key for key, _ in keys]]
        for row in await connection.fetch(text, organization_id, *parameters):
            record_id, own_key, within_id, is_live = row
            if (is_live or target.finds_others) and (own_key, within_id) in matches:
                matches[own_key, within_id].append(_Match(record_id, is_live))

    def _checked_fields(self, target: ReferenceTarget) -> set[str]:
        """Return the fields of the references to a target if the look-up replaces their checks.

        It does if all of them have key objects alone and take the lock ``for key share``, and if
        the keys are not within a parent. Otherwise return no fields.
        """
        references = [
            reference for reference in self.resource.references if reference.table == target.table
        ]
        if target.within or not all(
            reference.lock == FOR_KEY_SHARE and reference.field in self.values.keyed_only
            for reference in references
        ):
            return set()
        return {reference.field for reference in references}

    def _ids(
        self, target: ReferenceTarget, keys: set[_Key | None], write_set: WriteSet | None
    ) -> dict[_Key | None, _Ids]:
        """Return the ids of the records with these keys, by key: texts if the target has text ids.

        Live records take precedence over others, if the target finds others.
        """
        matches_by_key = {key: self._matches[target.name][key] for key in keys if key is not None}
        if write_set and target.name == self.resource.name:
            matches_by_key = _after(self.resource, write_set, matches_by_key)
        if target.finds_others:
            matches_by_key = {
                key: [match for match in matches if match.is_live] or matches
                for key, matches in matches_by_key.items()
            }
        if target.has_text_ids:
            return {key: [str(id_) for id_, _ in rows] for key, rows in matches_by_key.items()}
        return {key: [id_ for id_, _ in rows] for key, rows in matches_by_key.items()}

    def _check_items(self, batch: Batch, indexes: Mapping[int, int]) -> None:
        """Add the errors that key objects concealed: equal ids in a list, and ``item_errors``."""
        lists = dict[tuple[int, Path], list[object]]()
        items = dict[int, int]()
        for value in (*self.values.direct, *self.values.scoped):
            index = indexes.get(id(value.item))
            if index is not None:
                items[index] = index
                if isinstance(value.member, int):
                    lists[index, value.path[:-1]] = value.container
        for (index, path), members in lists.items():
            for repeated in duplicate_indexes(members):
                batch.fail(index, ErrorType.DUPLICATE, *path, repeated, message=LISTED_TWICE)
        for index in items:
            for detail in self._item_errors(batch.items[index]):
                batch.fail(index, detail.type, *detail.path, message=detail.message or "")

    def _item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield the errors of an item beyond its schema, and of its list if bodies are lists."""
        list_name = self.resource.list_name
        yield from self.resource.item_errors(item)
        if list_name:
            for detail in self.resource.list_errors(item[list_name]):
                yield replace(detail, path=(list_name, *detail.path))


def _after(
    resource: WritableResource,
    write_set: WriteSet,
    matches_by_key: Mapping[_Key, list[_Match]],
) -> dict[_Key, list[_Match]]:
    """Return the records with these keys as the write set leaves them.

    Records of its items count only by the own keys and states that upserts have.
    """
    written_ids = {*write_set.batch.subset().ids}
    after = {
        key: [match for match in matches if match.id not in written_ids]
        for key, matches in matches_by_key.items()
    }
    for item in write_set.upserts.items:
        key = (sent_key(resource, item), None)
        if key in after and item.get("state") != "deleted":
            after[key].append(_Match(item["id"], True))
    return after
