"""Sizes of a size range (contract, Sizes)."""

from collections import defaultdict
from collections.abc import Mapping
from typing import ClassVar

import orjson

from service.database.connections import Connection
from service.database.statements import Statement
from service.error_types import ErrorType
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.child_list import ChildList, MatchedChildren, StoredChildren
from service.queries.keyed_references import KeyMatches, fail_key
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
    """Set of sizes that a write replaces as a whole; a removed size in use is deactivated.

    Uses of a size are sample requests, values of measurement charts, and relations of other sizes.
    """

    name = "size-range-sizes"
    owner = SizeRanges
    segment = SizeRanges.name
    below = "/sizes"
    list_name = _SIZES.name
    named_once = (_SIZES.key, "isDefaultGrading")
    resolves_scope = True
    own_error_types = (ErrorType.UNKNOWN_REFERENCE,)
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

    def load_statements(self) -> Mapping[str, Statement]:
        """Return the statements: documents leave null members out, writables have them."""
        loaded = super().load_statements()
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
            **loaded,
            **{
                form: loaded["documents"].bind(
                    nullable=" || ".join(
                        shape.format(name=name, value=value) for name, value in values.items()
                    )
                )
                for form, shape in shapes.items()
            },
        }

    def reference_scope(self, batch: Batch, item: Item) -> int | None:  # noqa: ARG002
        """Return the id of the size range, whose sizes are named as the request leaves them."""
        size_range_id: int = item["id"]
        return size_range_id

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the writes of the sizes; the stored ones are locked."""
        record_id = self.record_id(batch)
        rows = await self.fetch(connection, batch, "stored", record_id)
        stored = StoredChildren.of(
            (size_id, is_deactivated, tuple(row)) for size_id, is_deactivated, *row in rows
        )
        matched = await _SIZES.match(connection, batch, stored)
        named_indexes = _resolve_related(batch, stored, matched)
        await self._check_related(connection, batch, stored, matched, named_indexes)
        needed = await self._needed(connection, batch, stored, matched)
        deactivated, removed = _SIZES.remove(batch, stored, matched, needed)
        default_id = next(
            (size_id for size_id, size in matched.all.items() if size.get("isDefaultGrading")), None
        )
        return [
            *([self.step("insert", matched.json(matched.new), record_id)] if matched.new else ()),
            *([self.step("update", matched.json(matched.existing))] if matched.existing else ()),
            *([self.step("deactivate", deactivated)] if deactivated else ()),
            *([self.step("remove", removed)] if removed else ()),
            self.step("mark_default", record_id, default_id),
        ]

    async def _check_related(
        self,
        connection: Connection,
        batch: Batch,
        stored: StoredChildren,
        matched: MatchedChildren,
        named_indexes: set[int],
    ) -> None:
        """Report relations to unknown sizes, and to sizes of deleted size ranges.

        A relation within the size range, and one that the size already has, is valid. Relations
        of ``named_indexes`` are within the size range.
        """
        sizes = batch.items[0][_SIZES.name]
        related = {
            index: size[_RELATED]
            for index, size in enumerate(sizes)
            if size.get(_RELATED) and index not in named_indexes
        }
        if not related:
            return
        [reference] = self.references
        rows = await reference.find(connection, batch.caller, sorted({*related.values()}))
        size_ids = {index: size_id for size_id, index in matched.request_indexes.items()}
        before = stored.active | stored.deactivated
        for index, related_id in related.items():
            row = rows.get(related_id)
            size = before.get(size_ids.get(index) or sizes[index].get(_SIZES.key) or 0)
            is_unchanged = size is not None and size[_MEMBERS.index(_RELATED)] == related_id
            if row and (row["is_live"] or row["owner_id"] == self.record_id(batch) or is_unchanged):
                continue
            path, message = (_SIZES.name, index, _RELATED), "There is no such size."
            batch.fail(0, ErrorType.UNKNOWN_REFERENCE, *path, message=message)

    async def _needed(
        self, connection: Connection, batch: Batch, stored: StoredChildren, matched: MatchedChildren
    ) -> set[int]:
        """Return the ids of missing sizes in use, and of those that retained sizes relate to."""
        if not matched.missing:
            return set()
        missing, record_id = sorted(matched.missing), self.record_id(batch)
        rows = await self.fetch(connection, batch, "needed", missing, record_id)
        related_ids = {entry.get(_RELATED) for entry in matched.all.values()}
        for size_id in stored.deactivated.keys() - matched.existing.keys():
            related_ids.add(stored.deactivated[size_id][_MEMBERS.index(_RELATED)])
        needed = {row["id"] for row in rows} | (matched.missing & related_ids)
        pending = [*needed]
        while pending:
            related_id = stored.active[pending.pop()][_MEMBERS.index(_RELATED)]
            if related_id in matched.missing and related_id not in needed:
                needed.add(related_id)
                pending.append(related_id)
        return needed


def _resolve_related(batch: Batch, stored: StoredChildren, matched: MatchedChildren) -> set[int]:
    """Replace names of related sizes of the size range by ids; return the indexes of their entries.

    Names mean the sizes after the request: active ones before deactivated ones. Add errors to the
    batch for names of no size, and of several.
    """
    entries = batch.items[0][_SIZES.name]
    named = {i: entry for i, entry in enumerate(entries) if isinstance(entry.get(_RELATED), dict)}
    if not named:
        return set()
    active, others = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for size_id, entry in matched.all.items():
        active[entry["name"]].append(size_id)
    for size_id, row in (stored.active | stored.deactivated).items():
        if size_id not in matched.existing:
            others[row[_MEMBERS.index("name")]].append(size_id)
    for index, entry in named.items():
        key = entry[_RELATED]
        size_ids = active.get(key["name"]) or others.get(key["name"], [])
        if len(size_ids) == 1:
            entry[_RELATED] = size_ids[0]
        else:
            matches = KeyMatches("size", orjson.dumps(key).decode(), size_ids)
            fail_key(batch, 0, (_SIZES.name, index, _RELATED), matches)
            entry[_RELATED] = None
    return {*named}
