"""References: fields of records, and of entries of their lists, that refer to records.

A writer locks the records that it refers to (``for key share`` or stronger). A delete locks its
record ``for update`` before it looks for references. Of two concurrent writers, one therefore sees
the other's work.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import asyncpg

from service.batches.batch import Batch
from service.batches.entry import IMPORT
from service.database.statements import SHARED, load
from service.error_types import ErrorType
from service.listing.properties import stored_id
from service.records.child_table import ChildTable
from service.records.keyed_values import places, values_at
from service.records.matched_children import MatchedChildren
from service.records.reference_targets import FOR_KEY_SHARE, TARGETS, ReferenceTarget
from service.records.relations import OnDelete, relations_of, table_of

_LIVE = "state <> 'deleted'"
_UNKNOWN_LANGUAGES: Final = load("child_lists")["unknown_languages"].text


@dataclass(frozen=True, slots=True)
class Reference:
    """Field with the id of a live record, or a list of such ids; it may be null or missing."""

    field: str
    """Dotted path of the field through lists and objects: ``lines.requested.sizeRangeSizeId``."""
    table: str
    noun: str
    """Name of the record in messages."""
    is_live: str = _LIVE
    """SQL condition of the records that can be referred to.

    With ``within``, their row is ``record`` and their owner's is ``owner``.
    """
    lock: str = FOR_KEY_SHARE
    """Lock strength; ``for no key update`` serializes the writers that refer to a record.

    It is "" for languages, which belong to no organization and are never deleted.
    """
    within: str = ""
    """Table of the referenced records' owners, if any, which are locked too."""

    @property
    def text(self) -> str:
        """Statement that locks the records of the ids ``$2``; rows have ``id`` and ``is_live``.

        With ``within`` they also have ``owner_id``.
        """
        return _referred(self.table, self.is_live, self.lock, self.within)

    async def find(self, batch: Batch, ids: list[int]) -> dict[int, asyncpg.Record]:
        """Lock the records of these ids until the end of the transaction.

        Return the rows of those that exist, deleted ones included, by id.
        """
        return {row["id"]: row for row in await batch.fetch(self.text, ids)}

    async def check(self, batch: Batch, restored_ids: Collection[int] = ()) -> None:
        """Lock the referenced records; add ``unknown_reference`` for missing and deleted ones.

        It is added to the batch at each place, of ``restored_ids`` at ``state``. Items that leave
        their record deleted may refer to deleted records. Do nothing if the look-up of own keys has
        checked the field already (``Batch.checked_fields``).
        """
        if self.field in batch.checked_fields:
            return
        ids = {*values_at(batch.items, self.field.split("."))} - {None}
        referenced_ids = {*map(stored_id, ids)}
        if not referenced_ids:
            return
        rows = await self.find(batch, sorted(referenced_ids))
        is_live_by_id = {record_id: row["is_live"] for record_id, row in rows.items()}
        if len(is_live_by_id) < len(referenced_ids) or not all(is_live_by_id.values()):
            self._report(batch, is_live_by_id, restored_ids)

    def _report(
        self, batch: Batch, is_live_by_id: dict[int, bool], restored_ids: Collection[int]
    ) -> None:
        type_ = ErrorType.UNKNOWN_REFERENCE
        for index, item in enumerate(batch.items):
            stays_deleted = item.get("state") == "deleted"
            for path, value in places(item, self.field.split(".")):
                record_id = stored_id(value)
                if not is_live_by_id.get(record_id, False) and not (
                    stays_deleted and record_id in is_live_by_id
                ):
                    message = f"There is no such {self.noun}."
                    if record_id in is_live_by_id and self.is_live == _LIVE:
                        message = f"The {self.noun} {record_id} is deleted. Restore it first."
                    path = ("state",) if item.get("id") in restored_ids else path
                    batch.fail(index, type_, *path, message=message)


def reference_to(target: ReferenceTarget, source: str, field: str) -> Reference:
    """Return the reference of a source's field.

    If it protects a record that is deleted with another one, it locks this one, too.
    """
    relation = relations_of(source).get(field)
    protects = relation is not None and relation.on_delete is OnDelete.REFUSE
    owners = [
        table_of(each.target)
        for each in relations_of(target.name).values()
        if protects and each.on_delete is OnDelete.WITH
    ]
    within = owners[0] if owners else ""
    return Reference(field, target.table, target.noun, lock=target.lock, within=within)


@cache
def _referred(table: str, is_live: str, lock: str, within: str) -> str:
    if within:
        is_live = f"record.{_LIVE}" if is_live == _LIVE else is_live
        return SHARED["referred_within"].fill(
            table=table, is_live=is_live, lock=lock, within=within
        )
    if not lock:
        return SHARED["referred_language"].text
    return SHARED["referred"].fill(table=table, is_live=is_live, lock=lock)


async def check_references(
    batch: Batch, table: ChildTable, references: Mapping[str, str], lists: Sequence[MatchedChildren]
) -> None:
    """Lock the records that entries refer to anew; report those that are not live.

    ``references`` has what members refer to. Entries may keep references to deleted records, and
    those of imported items may have some from the start (``keeps_deleted``).
    """
    for name, target_name in references.items():
        target = TARGETS.get(target_name)
        # Entries of lists are looked up by their parts.
        if target is not None and target_name.replace("-", "").isalpha():
            await _check_member(batch, table, name, target, [*_referring(table, name, lists)])


def _referring(
    table: ChildTable, name: str, lists: Iterable[MatchedChildren]
) -> Iterator[tuple[MatchedChildren, int, int]]:
    """Yield the lists and ids of the entries that refer to a record anew, with the record's id."""
    column = table.members.index(name) if name in table.members else None
    for children in lists:
        for child_id, entry in children.all.items():
            value = entry.get(name)
            if value is not None:
                record_id = stored_id(value)
                if not _is_stored(children, child_id, column, record_id):
                    yield children, child_id, record_id


async def _check_member(
    batch: Batch,
    table: ChildTable,
    name: str,
    target: ReferenceTarget,
    referring: Sequence[tuple[MatchedChildren, int, int]],
) -> None:
    """Lock the records to which a member of entries refers; report those that are not live."""
    if not referring:
        return
    ids = sorted({record_id for *_, record_id in referring})
    field = table.name if table.linked else f"{table.name}.{name}"
    is_live = await _are_live(batch, reference_to(target, table.resource, field), ids)
    for children, child_id, record_id in referring:
        may_be_deleted = (
            name in table.keeps_deleted and batch.items[children.index].operation is IMPORT
        )
        if not (is_live.get(record_id) or (may_be_deleted and record_id in is_live)):
            index = children.request_indexes[child_id]
            path = (index,) if table.linked else (index, name)
            message = f"There is no such {target.noun}."
            children.fail(batch, ErrorType.UNKNOWN_REFERENCE, *path, message=message)


def _is_stored(
    children: MatchedChildren, child_id: int, column: int | None, record_id: int
) -> bool:
    """Return whether the stored entry has the same reference, in ``column`` or as its key."""
    row = children.stored.all.get(child_id)
    return row is not None and (column is None or row[column] == record_id)


async def _are_live(batch: Batch, reference: Reference, ids: list[int]) -> dict[int, bool]:
    """Return whether the records that exist are live, by id; they stay locked, but for languages.

    Languages are shared, and always live.
    """
    if not reference.lock:
        unknown = {row["id"] for row in await batch.fetch(_UNKNOWN_LANGUAGES, ids)}
        return dict.fromkeys({*ids} - unknown, True)
    records = await reference.find(batch, ids)
    return {record_id: row["is_live"] for record_id, row in records.items()}
