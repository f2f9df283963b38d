"""Key look-ups: find the stored records that have the own keys of a request's references."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from service.batches.batch import FAILED_CREATOR, Batch
from service.batches.write_set import WriteSet
from service.error_types import ErrorType
from service.errors import Path
from service.records.keyed_values import Key
from service.records.path_keys import listed_ids
from service.records.reference_targets import FOR_KEY_SHARE, ReferenceTarget
from service.records.writable_resource import WritableResource
from service.schemas.visible_text import Fold, as_sent, normal, normal_forms
from service.writing.outcomes import sent_key
from service.writing.unique_keys import is_own_key_unique

_LOOK_UPS: Final = 2
"""Maximum look-ups of a key: a concurrent rename can hide its record from the first one."""

_IS_LIVE: Final = itemgetter(3)
"""Returns whether the record of a row of a look-up is live."""

Ids: TypeAlias = list[int | str]


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
    creator: int | None = None
    """Request index of the failed item that would create the record, if there is one."""


def canonical_key(key: Mapping[str, Any]) -> bytes:
    """Return a key object as JSON, to be compared with others of the same form."""
    return orjson.dumps(key, option=orjson.OPT_SORT_KEYS)


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
    elif matches.creator is not None:
        type_ = ErrorType.UNKNOWN_REFERENCE
        message = FAILED_CREATOR.format(matches.creator)
    else:
        type_ = missing_type
        message = f"There is no such {matches.noun}: {matches.sent}."
    batch.fail(index, type_, *path, message=message)


@dataclass(slots=True)
class KeyLookUps:
    """Stored records with the keys to which a write of ``resource`` refers, each read once."""

    resource: WritableResource
    keyed_only: Collection[str]
    """Dotted paths of the fields that have key objects, and no ids, in all items together."""
    finds_deleted: bool = False
    """Whether keys may mean deleted records: those of imports may, where stored ones may stay."""
    _targets: dict[str, "_TargetKeys"] = field(default_factory=dict)
    """Keys that have been looked up, by the name of the target."""

    async def ids(
        self,
        batch: Batch,
        target: ReferenceTarget,
        keys: Collection[Key],
        write_set: WriteSet | None,
    ) -> dict[Key, Ids]:
        """Return the ids of the records with these keys, by key: texts if the target has text ids.

        Live records take precedence over others, if the target finds others; with
        ``finds_deleted`` the last deleted one comes after them. Keys of the resource's own records
        mean these as ``write_set`` leaves them, if there is one.
        """
        if target.name not in self._targets:
            self._targets[target.name] = self._of(batch, target)
        of_target = self._targets[target.name]
        await of_target.look_up(batch, keys)
        matches_by_key = {key: of_target.matches[key] for key in keys}
        if write_set and of_target.is_own:
            matches_by_key = _after(self.resource, write_set, matches_by_key, of_target.fold)
        id_type = str if target.has_text_ids else int
        return {
            key: [id_type(match.id) for match in of_target.preferred(matches)]
            for key, matches in matches_by_key.items()
        }

    def _of(self, batch: Batch, target: ReferenceTarget) -> "_TargetKeys":
        """Return the keys of a target, none looked up yet.

        A transaction finds the records of other collections once: what it writes of these is stored
        before (``reference_order``). Not so entries of the written record itself, as the lines of a
        chart, which it may rename.
        """
        fields = set[str]() if self.finds_deleted else self._checked_fields(target)
        text = target.texts[FOR_KEY_SHARE if fields else ""]
        is_own = target.name == self.resource.name
        is_of_record = target.within and not target.parent
        is_alone = is_own or is_of_record or self.finds_deleted
        shared = {} if is_alone else batch.transaction.look_ups[text]
        fold = _fold(batch, target)
        return _TargetKeys(target, text, fields, shared, fold, is_own, self.finds_deleted)

    def _checked_fields(self, target: ReferenceTarget) -> set[str]:
        """Return the fields of the references to a target whose checks the look-up replaces.

        They have key objects alone and take the lock ``for key share``. There are none if the keys
        are within a parent.
        """
        if target.within:
            return set()
        return {
            reference.field
            for reference in self.resource.references
            if (reference.table, reference.lock) == (target.table, FOR_KEY_SHARE)
            if reference.field in self.keyed_only and not reference.within
        }


@dataclass(slots=True)
class _TargetKeys:
    """Keys of one target that a write has looked up, and the records that have them."""

    target: ReferenceTarget
    text: str
    """Statement that finds records by key."""
    fields: set[str]
    """References whose checks the look-up replaces: then it locks the records."""
    shared: dict[Key, list[_Match]]
    """Records that the transaction has found by the statement, by key."""
    fold: Fold
    """Makes keys equal that are one key of the target."""
    is_own: bool
    """Whether the records are those of the written collection."""
    finds_deleted: bool
    matches: dict[Key, list[_Match]] = field(default_factory=dict)

    async def look_up(self, batch: Batch, keys: Collection[Key]) -> None:
        """Read the stored records of the keys that have not been looked up by an earlier call.

        Keys that no record has by then mean the records that the transaction deletes: parts of
        these are written. Note the ``fields`` in ``checked_fields`` of the batch.
        """
        new_keys = [key for key in keys if key not in self.matches]
        if not new_keys:
            return
        batch.checked_fields |= self.fields
        self.matches |= {key: self.shared.get(key) or [] for key in new_keys}
        for _ in range(1 if self.is_own else _LOOK_UPS):
            await self._read(batch, self._missing(new_keys))
        if missing := self._missing(new_keys):
            self._take_deleted(batch, missing)

    def _take_deleted(self, batch: Batch, keys: Collection[Key]) -> None:
        """Let keys mean the records that the transaction deletes, which are not checked."""
        deleted = batch.transaction.deleted_keys(self.target.name)
        if gone := deleted.keys() & keys:
            self.matches |= {key: [_Match(deleted[key], is_live=False)] for key in gone}
            batch.checked_fields -= self.fields

    def _missing(self, keys: Iterable[Key]) -> list[Key]:
        """Return those of the keys that no record has."""
        return [key for key in keys if not self.matches[key]]

    async def _read(self, batch: Batch, keys: list[Key]) -> None:
        """Read the stored records of the keys by one statement; do nothing without keys."""
        if not keys:
            return
        sent = _by_folded(keys, self.fold)
        forms = keys if self.fold is as_sent else [form for key in keys for form in _forms(key)]
        parameters = zip(*forms, strict=True) if self.target.within else [forms]
        rows = await batch.fetch(self.text, *parameters)
        takes_all = self.target.finds_others or self.finds_deleted
        for record_id, own_key, within_id, is_live in rows if takes_all else filter(_IS_LIVE, rows):
            key = (own_key, within_id) if self.target.within else own_key
            for sent_form in sent.get(self.fold(key), ()):
                self.matches[sent_form].append(_Match(record_id, is_live))
        self.shared |= {key: self.matches[key] for key in keys if self.matches[key]}

    def preferred(self, matches: list[_Match]) -> list[_Match]:
        """Return the live records; without any, others if these are found."""
        live = [match for match in matches if match.is_live]
        if live or not matches or not (self.target.finds_others or self.finds_deleted):
            return live or matches
        return sorted(matches) if self.target.finds_others else sorted(matches)[-1:]


def _fold(batch: Batch, target: ReferenceTarget) -> Fold:
    """Return the function that makes keys equal that are one key of the target."""
    return _normal_key if is_own_key_unique(target.name, batch.caller) else as_sent


def _normal_key(key: Key) -> Key:
    return (normal(key[0]), key[1]) if isinstance(key, tuple) else normal(key)


def _forms(key: Key) -> list[Key]:
    """Return a key in its normal forms."""
    if isinstance(key, tuple):
        return [(form, key[1]) for form in normal_forms(key[:1])]
    return normal_forms([key])


def _by_folded(keys: Iterable[Key], fold: Fold) -> Mapping[Key, list[Key]]:
    """Return the keys by what they are folded to."""
    by_folded = defaultdict[Key, list[Key]](list)
    for key in keys:
        by_folded[fold(key)].append(key)
    return by_folded


def _after(
    resource: WritableResource,
    write_set: WriteSet,
    matches_by_key: Mapping[Key, list[_Match]],
    fold: Fold,
) -> dict[Key, list[_Match]]:
    """Return the records with these keys as the write set leaves them.

    Records of its items count only by the own keys and states that upserts have.
    """
    written_ids = {*write_set.batch.subset().ids}
    after = {
        key: [match for match in matches if match.id not in written_ids]
        for key, matches in matches_by_key.items()
    }
    sent = _by_folded(after, fold)
    for item in write_set.upserts.items:
        if item.get("state") != "deleted":
            for key in sent.get(fold(sent_key(resource, item)), ()):
                after[key].append(_Match(item["id"], True))
    return after
