"""Sizes: part of a size range, with relations between sizes (contract, Sizes)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.database.statements import Statement
from service.error_types import ErrorType
from service.records.child_list import ChildList
from service.records.matched_children import MatchedChildren, Row, missing_ids
from service.records.parts import RecordPart
from service.records.references import Reference
from service.resources.size_ranges import IS_LIVE, SizeRanges
from service.writing.key_look_ups import KeyMatches, fail_key

_RELATED = "relatedSizeRangeSizeId"
_SIZES = ChildList(
    name="sizes",
    noun="size",
    once=("isDefaultGrading",),
    computed=("isDefaultGrading",),
    lock="for update",
    also=SizeRanges.name,
    shown=("name",),
    cause="size-range-sizes",
    turned="size-range-sizes.isDeactivated",
    is_ordered=True,
).bound("size-range-sizes", "size_range")
_RELATION = _SIZES.members.index(_RELATED)
"""Index of the value in a row."""
_KEYS: Final = {name: _SIZES.members.index(name) for name in ("name", "sizeId")}
"""Members by which relations name a size, with the index of their values in a row."""
_Ids: TypeAlias = defaultdict[tuple[str, str | None], list[int]]


class SizeRangeSizes(RecordPart):
    """Set of sizes that a write replaces as a whole.

    A size that is left out is deactivated if it is in use, else deleted. Uses are sample requests,
    SKUs, values of measurement charts, and relations from sizes that stay, of any size range. A
    size without an id is matched by all its fields but ``isDefaultGrading``, else by ``sizeId``,
    else by name; active sizes take precedence over deactivated ones.
    """

    name = "size-range-sizes"
    owner = SizeRanges
    below = "/sizes"
    children = _SIZES
    list_name = _SIZES.name
    scope_field = "id"
    references = (
        Reference(f"sizes.{_RELATED}", _SIZES.table, "size", IS_LIVE, within=SizeRanges.table),
    )

    @property
    def fan_outs(self) -> Mapping[str, Mapping[str, Statement]]:
        """Fan-out statements by cause: names, and deactivations and reactivations.

        Measured values show all of them, sample requests and SKUs names. What shows the order is
        found by the write.
        """
        turned = {"measurements": self.shown_in["measurements"]}
        return {self.name: self.shown_in, str(_SIZES.turned): turned}

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the writes of the sizes and of the ones that grading starts from.

        Report unknown sizes, related ones included, and more than ``MAX_CHILDREN`` sizes,
        deactivated ones included.
        """
        lists = await self._match(batch)
        _resolve_related(batch, lists)
        await self._check_related(batch, lists)
        plan = await self._list_plan(batch, lists)
        moves = [sizes.positions().items() - sizes.stored.positions.items() for sizes in lists]
        if moved := {size_id: position for pairs in moves for size_id, position in pairs}:
            plan.insert(0, self.bound("tell_order", [*moved], [*moved.values()]))
        self._note(batch, lists)
        defaults = [(sizes.owner_id, _default_id(sizes)) for sizes in lists]
        return [*plan, self.bound("mark_default", orjson.dumps(defaults).decode())]

    async def _check_related(self, batch: Batch, lists: Sequence[MatchedChildren]) -> None:
        """Lock the related sizes; report unknown ones, and those of deleted size ranges.

        Relations within the size range, and those that the stored size has already, may lead to a
        deleted size range.
        """
        related = [*_related(lists)]
        if not related:
            return
        [reference] = self.references
        ids = sorted({related_id for _, _, related_id in related})
        rows = await reference.find(batch, ids)
        for sizes, index, related_id in related:
            row = rows.get(related_id)
            is_own = row is not None and row["owner_id"] == sizes.owner_id
            if row and (row["is_live"] or is_own or _relates_already(sizes, index)):
                continue
            path, message = (index, _RELATED), "There is no such size."
            sizes.fail(batch, ErrorType.UNKNOWN_REFERENCE, *path, message=message)

    async def _used(self, batch: Batch, lists: Sequence[MatchedChildren]) -> set[int]:
        """Return the ids of omitted sizes that are in use, or that remaining sizes relate to.

        These remain, too, and so do the sizes that they relate to.
        """
        missing = missing_ids(lists)
        if not missing:
            return set()
        stored = {size_id: row for sizes in lists for size_id, row in sizes.stored.all.items()}
        pending: list[int | None] = [*await super()._used(batch, lists)]
        for sizes in lists:
            pending += (entry.get(_RELATED) for entry in sizes.all.values())
            pending += (_related_id(stored[size_id]) for size_id in sizes.staying)
        needed, removable = set[int](), {*missing}
        while pending:
            size_id = pending.pop()
            if size_id in removable and size_id not in needed:
                needed.add(size_id)
                pending.append(_related_id(stored[size_id]))
        return needed


def _related(lists: Sequence[MatchedChildren]) -> Iterator[tuple[MatchedChildren, int, int]]:
    """Yield the lists and indexes of entries that relate to a stored size, with its id."""
    new_ids = {size_id for sizes in lists for size_id in sizes.new}
    for sizes in lists:
        for index, entry in enumerate(sizes.sent.entries):
            if entry.get(_RELATED) and entry[_RELATED] not in new_ids:
                yield sizes, index, entry[_RELATED]


def _resolve_related(batch: Batch, lists: Sequence[MatchedChildren]) -> None:
    """Replace key objects of sizes of the batch's size ranges by ids, in the entries.

    A key means the active size that has it after the request, else a stored size that is or gets
    deactivated. For keys of no size, and of several, add an error and set null.
    """
    named = [
        (sizes, index, entry)
        for sizes in lists
        for index, entry in enumerate(sizes.sent.entries)
        if isinstance(entry.get(_RELATED), dict)
    ]
    keys = {sizes.owner_id: _ids_by_key(sizes) for sizes in lists} if named else {}
    for sizes, index, entry in named:
        key = entry[_RELATED]
        active, others = keys[key.get("sizeRangeId", sizes.owner_id)]
        own_key = next((name, key[name]) for name in _KEYS if name in key)
        size_ids = active.get(own_key) or others.get(own_key, [])
        if len(size_ids) == 1:
            entry[_RELATED] = size_ids[0]
        else:
            matches = KeyMatches("size", orjson.dumps(key).decode(), size_ids)
            fail_key(batch, sizes.index, (_SIZES.name, index, _RELATED), matches)
            entry[_RELATED] = None


def _ids_by_key(sizes: MatchedChildren) -> tuple[_Ids, _Ids]:
    """Return the ids of a size range's sizes by own key: those active after the write, and others.

    The others are stored sizes that are deactivated or left out; they have their stored keys.
    """
    active, others = _Ids(list), _Ids(list)
    for name, index in _KEYS.items():
        for size_id, entry in sizes.all.items():
            active[name, entry.get(name)].append(size_id)
        for size_id, row in sizes.stored.all.items():
            if size_id not in sizes.existing:
                others[name, row[index]].append(size_id)
    return active, others


def _related_id(row: Row) -> int | None:
    """Return the id of the size that a stored size relates to; None without a relation."""
    related_id: int | None = row[_RELATION]
    return related_id


def _relates_already(sizes: MatchedChildren, index: int) -> bool:
    """Return whether the stored size of an entry has the entry's relation; False for a new size."""
    entry = sizes.sent.entries[index]
    size_ids = {index: size_id for size_id, index in sizes.request_indexes.items()}
    stored = sizes.stored.all.get(size_ids.get(index) or entry.get(_SIZES.key) or 0)
    return stored is not None and _related_id(stored) == entry[_RELATED]


def _default_id(sizes: MatchedChildren) -> int | None:
    """Return the id of the size from which grading starts (``isDefaultGrading``), if any."""
    marked = (size_id for size_id, size in sizes.all.items() if size.get("isDefaultGrading"))
    return next(marked, None)
