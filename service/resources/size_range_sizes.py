"""Sizes: part of a size range, with relations between sizes (contract, Sizes)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import ClassVar

import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.queries.batch import Batch
from service.queries.bound_statements import WritePlan
from service.queries.child_list import (
    ChildList,
    MatchedChildren,
    StoredChildren,
    missing_ids,
    rows_json,
)
from service.queries.keyed_references import KeyMatches, fail_key
from service.queries.matching import Row
from service.queries.parts import RecordPart
from service.queries.references import Reference
from service.resources.size_ranges import IS_LIVE, SizeRanges

_RELATED = "relatedSizeRangeSizeId"
_MEMBERS = ("name", "sizeId", _RELATED, "gradingGroupId")
_SIZES = ChildList(
    "sizes",
    "id",
    "size_range_size",
    "size",
    _MEMBERS,
    # Sizes without an id match by the whole row, then by the customer's reference, then by name.
    match_keys=(lambda row: row, lambda row: row[1] or None, lambda row: row[0]),
)


class SizeRangeSizes(RecordPart):
    """Set of sizes that a write replaces as a whole.

    A size that is left out is deactivated if it is in use, else deleted. Uses are sample requests,
    values of measurement charts, and relations from sizes that stay, of any size range. A size
    without an id is matched by all its fields but ``isDefaultGrading``, else by ``sizeId``, else by
    name; active sizes take precedence over deactivated ones.
    """

    name = "size-range-sizes"
    owner = SizeRanges
    segment = SizeRanges.name
    below = "/sizes"
    list_name = _SIZES.name
    named_once = (_SIZES.key, "isDefaultGrading")
    scope_field = "id"
    resolves_scope = True
    references = (
        Reference(f"sizes.{_RELATED}", _SIZES.table, "size", IS_LIVE, within=SizeRanges.table),
    )
    own_descriptions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the sizes of a size range",
            "All sizes of the size range. `isDeactivated` marks deactivated ones.",
        ),
        "replace": (
            "Replace the sizes of a size range",
            "Replaces the whole set. A removed size that is used elsewhere is deactivated; send "
            "its id to reactivate it. An entry with `isDeactivated` counts as left out.",
        ),
    }

    @property
    def fan_outs(self) -> Mapping[str, Mapping[str, Statement]]:
        """Fan-out statements by cause, with one for sizes that are deactivated or reactivated.

        Measured values show whether a size is deactivated; sample requests show names only.
        """
        measurements = "measurements"
        return {
            **super().fan_outs,
            f"{self.name}.isDeactivated": {measurements: self.shown_in[measurements]},
        }

    def shapes(self) -> Mapping[str, Statement]:
        """Return the statements of both forms: only writables have members that are null."""
        documents = load(self.name.replace("-", "_"))["documents"]
        values = {
            "sizeId": "to_json(size.size_id)::text",
            _RELATED: "size.related_size_range_size_id::text",
            "gradingGroupId": "size.grading_group_id::text",
        }
        shapes = {
            "documents": "coalesce(',\"{name}\":' || {value}, '')",
            "writables": "',\"{name}\":' || coalesce({value}, 'null')",
        }
        return {
            form: documents.bind(
                nullable=" || ".join(
                    shape.format(name=name, value=value) for name, value in values.items()
                )
            )
            for form, shape in shapes.items()
        }

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the writes of the sizes, which change only those that differ.

        Lock the stored sizes, so that no other write starts to use them. Report unknown sizes,
        related ones included, and more than ``MAX_CHILDREN`` sizes, deactivated ones included.
        """
        rows = await self.fetch(connection, batch, "stored", batch.id_array)
        lists = await _SIZES.match(connection, batch, StoredChildren.by_owner(rows))
        _resolve_related(batch, lists)
        await self._check_related(connection, batch, lists)
        needed = await self._needed(connection, batch, lists)
        deactivated, removed = _SIZES.remove(batch, lists, needed)
        for sizes in lists:
            was_filled, is_filled = bool(sizes.stored.all), bool(sizes.total)
            batch.note_part(self.name, sizes.owner_id, was_filled=was_filled, is_filled=is_filled)
        new = [(sizes, sizes.new) for sizes in lists if sizes.new]
        existing = [(sizes, sizes.existing) for sizes in lists if sizes.existing]
        defaults = [(sizes.owner_id, _default_id(sizes)) for sizes in lists]
        return [
            *([self.bound("insert", rows_json(new))] if new else ()),
            *([self.bound("update", rows_json(existing))] if existing else ()),
            *([self.bound("deactivate", deactivated)] if deactivated else ()),
            *([self.bound("remove", removed)] if removed else ()),
            self.bound("mark_default", orjson.dumps(defaults).decode()),
        ]

    async def _check_related(
        self, connection: Connection, batch: Batch, lists: Sequence[MatchedChildren]
    ) -> None:
        """Lock the related sizes; report unknown ones, and those of deleted size ranges.

        Relations within the size range, and those that the stored size has already, may lead to a
        deleted size range.
        """
        new_ids = {size_id for sizes in lists for size_id in sizes.new}
        related = [
            (sizes, index, entry[_RELATED])
            for sizes in lists
            for index, entry in enumerate(batch.items[sizes.index][_SIZES.name])
            if entry.get(_RELATED) and entry[_RELATED] not in new_ids
        ]
        if not related:
            return
        [reference] = self.references
        ids = sorted({related_id for _, _, related_id in related})
        rows = await reference.find(connection, batch.caller, ids)
        for sizes, index, related_id in related:
            row = rows.get(related_id)
            is_own = row is not None and row["owner_id"] == sizes.owner_id
            if row and (row["is_live"] or is_own or _relates_already(batch, sizes, index)):
                continue
            path, message = (_SIZES.name, index, _RELATED), "There is no such size."
            batch.fail(sizes.index, ErrorType.UNKNOWN_REFERENCE, *path, message=message)

    async def _needed(
        self, connection: Connection, batch: Batch, lists: Sequence[MatchedChildren]
    ) -> set[int]:
        """Return the ids of omitted sizes that are in use, or that remaining sizes relate to.

        These remain, too, and so do the sizes that they relate to.
        """
        missing = missing_ids(lists)
        if not missing:
            return set()
        rows = await self.fetch(connection, batch, "needed", missing, batch.ids)
        stored = {size_id: row for sizes in lists for size_id, row in sizes.stored.all.items()}
        pending: list[int | None] = [row["id"] for row in rows]
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


def _resolve_related(batch: Batch, lists: Sequence[MatchedChildren]) -> None:
    """Replace key objects of sizes of the batch's size ranges by ids, in the entries.

    A name means the active size that has it after the request, else a stored size that is or gets
    deactivated. For names of no size, and of several, add an error and set null.
    """
    named = [
        (sizes, index, entry)
        for sizes in lists
        for index, entry in enumerate(batch.items[sizes.index][_SIZES.name])
        if isinstance(entry.get(_RELATED), dict)
    ]
    names = {sizes.owner_id: _ids_by_name(sizes) for sizes in lists} if named else {}
    for sizes, index, entry in named:
        key = entry[_RELATED]
        active, others = names[key.get("sizeRangeId", sizes.owner_id)]
        size_ids = active.get(key["name"]) or others.get(key["name"], [])
        if len(size_ids) == 1:
            entry[_RELATED] = size_ids[0]
        else:
            matches = KeyMatches("size", orjson.dumps(key).decode(), size_ids)
            fail_key(batch, sizes.index, (_SIZES.name, index, _RELATED), matches)
            entry[_RELATED] = None


def _ids_by_name(sizes: MatchedChildren) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Return the ids of a size range's sizes by name: of those active after the write, and others.

    The others are stored sizes that are deactivated or left out; they have their stored names.
    """
    active, others = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for size_id, entry in sizes.all.items():
        active[entry["name"]].append(size_id)
    for size_id, row in sizes.stored.all.items():
        if size_id not in sizes.existing:
            others[row[_MEMBERS.index("name")]].append(size_id)
    return active, others


def _related_id(row: Row) -> int | None:
    """Return the id of the size that a stored size relates to; None without a relation."""
    related_id: int | None = row[_MEMBERS.index(_RELATED)]
    return related_id


def _relates_already(batch: Batch, sizes: MatchedChildren, index: int) -> bool:
    """Return whether the stored size of an entry has the entry's relation; False for a new size."""
    entry = batch.items[sizes.index][_SIZES.name][index]
    size_ids = {index: size_id for size_id, index in sizes.request_indexes.items()}
    stored = sizes.stored.all.get(size_ids.get(index) or entry.get(_SIZES.key) or 0)
    return stored is not None and _related_id(stored) == entry[_RELATED]


def _default_id(sizes: MatchedChildren) -> int | None:
    """Return the id of the size from which grading starts (``isDefaultGrading``), if any."""
    marked = (size_id for size_id, size in sizes.all.items() if size.get("isDefaultGrading"))
    return next(marked, None)
