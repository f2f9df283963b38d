"""Deleted records that an export needs: those to which its lines refer, directly or not."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

from service.extras.tables.fields import Field, shown_lists
from service.extras.transfer.collections import TransferCollection
from service.schemas.key_forms import KEEPS_DELETED

KEPT_NUMBERS: Final = {"barcodes"}
"""Collections whose deleted records hold their own key: no later record can have it."""


class DeletedIds(NamedTuple):
    """Ids of records of one collection, which may be deleted."""

    collection: str
    values: list[int | str]


@dataclass
class DeletedReferences:
    """References to records that no line has, of the collections of an export.

    Live records refer to deleted ones by few of their fields (``x-keeps-deleted``), deleted ones by
    all.
    """

    collections: Collection[str]
    targets: Collection[str]
    """Collections to which live records can refer while the record is deleted."""
    referring: Collection[str]
    """Collections of these live records."""
    _live: dict[str, set[Any]] = field(default_factory=lambda: defaultdict(set))
    _pending: dict[str, set[Any]] = field(default_factory=lambda: defaultdict(set))
    _taken: dict[str, set[Any]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, collections: Iterable[TransferCollection]) -> Self:
        """Return the references of collections, none of which has been read."""
        collections = [*collections]
        targets = {each.name: {*_kept_targets(each.fields)} for each in collections}
        return cls(
            {each.name for each in collections if not each.owner},
            {target for names in targets.values() for target in names},
            {name for name, names in targets.items() if names},
        )

    def note(self, collection: TransferCollection, line: dict[str, Any]) -> None:
        """Note a line of a live record; those to which it refers are noted before."""
        if collection.name in self.targets:
            self._live[collection.name].add(line["id"])
        if collection.name in self.referring:
            self._add(_references(collection.fields, line, keeps_deleted=True))

    def note_deleted(self, collection: TransferCollection, document: dict[str, Any]) -> None:
        """Note a deleted record, all references of which are needed to store it."""
        self._taken[collection.name].add(document["id"])
        self._add(_references(collection.fields, document, keeps_deleted=False))

    def take(self, most: int) -> DeletedIds | None:
        """Return the next ids to read, at most so many; None if there are no more."""
        for name, ids in self._pending.items():
            if ids:
                values = sorted(ids)[:most]
                ids.difference_update(values)
                self._taken[name].update(values)
                return DeletedIds(name, values)
        return None

    def _add(self, references: Iterable[tuple[str, Any]]) -> None:
        for name, record_id in references:
            seen = self._live[name], self._taken[name]
            if name in self.collections and not any(record_id in ids for ids in seen):
                self._pending[name].add(record_id)


def _references(fields: Field, value: Any, *, keeps_deleted: bool) -> Iterator[tuple[str, Any]]:
    """Yield the collections and ids to which a value refers; key objects are left out."""
    if isinstance(value, list) and fields.items:
        for each in value:
            yield from _references(fields.items, each, keeps_deleted=keeps_deleted)
    elif isinstance(value, dict) and fields.members:
        members = value | shown_lists(fields, value)
        for name, member in fields.members.items():
            yield from _references(member, members.get(name), keeps_deleted=keeps_deleted)
    elif keeps_deleted and KEEPS_DELETED not in fields.limits:
        return
    elif fields.refers_to and isinstance(value, int | str):
        yield fields.refers_to, value


def _kept_targets(fields: Field) -> Iterator[str]:
    """Yield the collections of references that live records keep to deleted ones."""
    if fields.refers_to and KEEPS_DELETED in fields.limits:
        yield fields.refers_to
    for member in (*fields.members.values(), *([fields.items] if fields.items else ())):
        yield from _kept_targets(member)
