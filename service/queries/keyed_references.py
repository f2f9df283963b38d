"""Keyed references: replaces objects with own keys by the ids of their records.

Wherever a write takes the id of another record, an object with that record's own key may stand in
its place (contract, References). A request without such objects causes no statement here. Others
cause one for each collection to which they refer by key.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import Path
from service.listing.properties import stored_id
from service.queries.batch import Batch, Item
from service.queries.keyed_values import KeyedValue, keyed_fields, keyed_values
from service.queries.outcomes import sent_key
from service.queries.path_keys import listed_ids
from service.queries.reference_targets import FOR_KEY_SHARE, ReferenceTarget
from service.queries.writable_resource import WritableResource
from service.queries.write_set import LockedRow, WriteSet
from service.schemas.messages import LISTED_TWICE, duplicate_indexes

_LOOK_UPS: Final = 2
"""Look-ups of a missing key, because a concurrent rename can hide a record from the first one."""

_Key: TypeAlias = tuple[str, int | None]
"""Own key, and the id of the parent within which it is looked up."""


class _Match(NamedTuple):
    """Stored record with an own key."""

    id: int
    is_live: bool


class _Pending(NamedTuple):
    """Key object of an item that has not failed, with the item's index in the batch."""

    item_index: int
    value: KeyedValue
    key: _Key


class KeyMatches(NamedTuple):
    """Ids of the records that a key object names; an error unless there is exactly one."""

    noun: str
    sent: str
    """Key object as JSON."""
    ids: Sequence[int]


def fail_key(
    batch: Batch,
    index: int,
    path: Path,
    matches: KeyMatches,
    missing_type: ErrorType = ErrorType.UNKNOWN_REFERENCE,
) -> None:
    """Add the error of a key that names no record, or several, to an item."""
    if matches.ids:
        type_ = ErrorType.CONFLICT_AMBIGUOUS_KEY
        message = f"Records {listed_ids(matches.ids)} have this key: {matches.sent}."
    else:
        type_ = missing_type
        message = f"There is no such {matches.noun}: {matches.sent}."
    batch.fail(index, type_, *path, message=message)


@dataclass(slots=True)
class _WrittenRecords:
    """Records of a write set, as it leaves them."""

    ids: set[int] = field(default_factory=set)
    """Ids of all records, deleted ones included."""
    by_key: dict[str | None, list[_Match]] = field(default_factory=lambda: defaultdict(list))
    """Live records by own key."""

    @classmethod
    def of(cls, resource: WritableResource, write_set: WriteSet) -> "_WrittenRecords":
        """Return the records of a write set."""
        written = cls({*write_set.batch.subset().ids})
        for item in write_set.upserts.items:
            if item.get("state") != "deleted":
                written.by_key[sent_key(resource, item)].append(_Match(item["id"], True))
        return written


@dataclass(slots=True)
class KeyedReferences:
    """Key objects of a batch, and the stored records that have their keys."""

    resource: WritableResource
    values: list[KeyedValue]
    stored: Mapping[int, LockedRow] = field(default_factory=dict)
    """Locked rows of the batch's records, by id."""
    missing_type: ErrorType = ErrorType.UNKNOWN_REFERENCE
    """Error type of keys that name no record."""
    _matches: dict[str, dict[_Key, list[_Match]]] = field(default_factory=lambda: defaultdict(dict))
    """Stored records by key, by the name of the target."""

    @classmethod
    def of(
        cls, resource: WritableResource, batch: Batch, names: Collection[str] = ()
    ) -> "KeyedReferences":
        """Return the key objects of a batch, or those of the fields in ``names`` alone.

        The caller sets ``stored`` once the records are locked.
        """
        fields = keyed_fields(resource.name, resource.list_name)
        if names:
            fields = tuple(keyed for keyed in fields if keyed.names[0] in names)
        return cls(resource, keyed_values(batch.items, fields))

    async def resolve(
        self, connection: Connection, batch: Batch, write_set: WriteSet | None = None
    ) -> None:
        """Replace the key objects of a batch by ids; add errors for missing and ambiguous keys.

        Keys of the resource's own records mean these as ``write_set`` leaves them: call it again
        after items were dropped.
        """
        written = _WrittenRecords.of(self.resource, write_set) if write_set else _WrittenRecords()
        resolved = defaultdict[int, list[KeyedValue]](list)
        # Keys within a parent are looked up once the id of the parent is known.
        for is_within in (False, True):
            pending = [*self._pending(batch, is_within=is_within)]
            await self._look_up(connection, batch, pending)
            for index, value, key in pending:
                if self._replace(batch, index, value, self._ids(value.target, key, written)):
                    resolved[index].append(value)
        for index, values in resolved.items():
            self._check_duplicates(batch, index, values)

    def _pending(self, batch: Batch, *, is_within: bool) -> Iterator[_Pending]:
        """Yield the key objects with keys within a parent, or those without."""
        indexes = {id(item): index for index, item in enumerate(batch.items)}
        for value in self.values:
            index = indexes.get(id(value.item))
            if index is not None and bool(value.target.within) is is_within:
                key = self._key(batch, value)
                if key is not None:
                    yield _Pending(index, value, key)

    def _key(self, batch: Batch, value: KeyedValue) -> _Key | None:
        """Return the key to look up; None if its parent is unknown or the resource resolves it."""
        target = value.target
        if not target.within:
            return target.key_of(value.key), None
        scope = self._scope(batch, value.item)
        parent = value.key.get(target.within, scope)
        if parent is None or isinstance(parent, dict):
            return None
        within_id = stored_id(parent)
        if self.resource.resolves_scope and within_id in batch.ids:
            return None
        return target.key_of(value.key), within_id

    def _scope(self, batch: Batch, item: Item) -> int | None:
        """Return the id of the parent of keys that have none; that of a stored record stays."""
        scope = self.resource.reference_scope(batch, item)
        row = self.stored.get(item.get("id", 0))
        return row["within_id"] if scope is None and row is not None else scope

    async def _look_up(
        self, connection: Connection, batch: Batch, pending: Sequence[_Pending]
    ) -> None:
        """Read the stored records of the keys, with one statement for each target."""
        keys_by_target = defaultdict[ReferenceTarget, set[_Key]](set)
        for _, value, key in pending:
            if key not in self._matches[value.target.name]:
                keys_by_target[value.target].add(key)
        for target, keys in keys_by_target.items():
            matches = self._matches[target.name]
            look_ups = 1 if target.name == self.resource.name else _LOOK_UPS
            for _ in range(look_ups):
                if missing := sorted(key for key in keys if not matches.get(key)):
                    await self._read(connection, batch, target, missing)

    async def _read(
        self, connection: Connection, batch: Batch, target: ReferenceTarget, keys: list[_Key]
    ) -> None:
        """Read the stored records of the keys; lock them if that is all that their check does."""
        matches, lock = self._matches[target.name], self._lock(target)
        matches |= {key: [] for key in keys}
        parameters = zip(*keys, strict=True) if target.within else [[text for text, _ in keys]]
        organization_id = batch.caller.organization_id
        for row in await connection.fetch(target.texts[lock], organization_id, *parameters):
            match = _Match(row["id"], row["is_live"])
            key = (row["key"], row["within_id"])
            if key in matches and (match.is_live or target.finds_others):
                matches[key].append(match)
                if lock and match.is_live:
                    batch.locked_ids[target.table].add(match.id)

    def _lock(self, target: ReferenceTarget) -> str:
        """Return the row lock of a look-up, which saves the check of these references."""
        locks = {
            reference.lock
            for reference in self.resource.references
            if reference.table == target.table
        }
        return FOR_KEY_SHARE if locks == {FOR_KEY_SHARE} and not target.within else ""

    def _ids(self, target: ReferenceTarget, key: _Key, written: _WrittenRecords) -> list[int]:
        """Return the ids of the records that a key names: live ones, else others if allowed."""
        matches = self._matches[target.name][key]
        if target.name == self.resource.name:
            matches = [match for match in matches if match.id not in written.ids]
            matches += written.by_key.get(key[0], ())
        live = [match.id for match in matches if match.is_live]
        return live or [match.id for match in matches]

    def _replace(self, batch: Batch, index: int, value: KeyedValue, ids: list[int]) -> bool:
        """Replace a key object by the only id, or add an error; return whether it was replaced."""
        if len(ids) != 1:
            matches = KeyMatches(value.target.noun, value.sent, ids)
            fail_key(batch, index, value.path, matches, self.missing_type)
            return False
        value.container[value.member] = value.target.document_id(ids[0])
        return True

    def _check_duplicates(self, batch: Batch, index: int, values: list[KeyedValue]) -> None:
        """Add the errors of an item that its key objects concealed: equal ids."""
        item, list_name = batch.items[index], self.resource.list_name
        for detail in self.resource.item_errors(item):
            batch.fail(index, detail.type, *detail.path, message=detail.message or "")
        for detail in self.resource.list_errors(item[list_name]) if list_name else ():
            path = (list_name, *detail.path)
            batch.fail(index, detail.type, *path, message=detail.message or "")
        lists = {value.path[:-1]: value.container for value in values if type(value.member) is int}
        for path, members in lists.items():
            for repeated in duplicate_indexes(members):
                message = LISTED_TWICE
                batch.fail(index, ErrorType.DUPLICATE, *path, repeated, message=message)
