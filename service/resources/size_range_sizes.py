"""The sizes of a size range (contract, Sizes)."""

from collections.abc import Mapping
from typing import ClassVar

from service.database.connections import Connection
from service.database.statements import Statement
from service.error_types import ErrorType
from service.queries.batch import Batch
from service.queries.bound_statements import WritePlan
from service.queries.child_list import ChildList, MatchedChildren, StoredChildren
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
    # Whole, else by the customer's own reference, else by name.
    match_keys=(lambda row: row, lambda row: row[1] or None, lambda row: row[0]),
)


class SizeRangeSizes(RecordPart):
    """A set that is replaced as a whole: what is needed elsewhere is deactivated, not removed.

    Others need a size that samples were requested in, that a chart has values of, or that another
    size relates to.
    """

    name = "size-range-sizes"
    owner = SizeRanges
    segment = SizeRanges.name
    below = "/sizes"
    list_name = _SIZES.name
    named_once = (_SIZES.key, "isDefaultGrading")
    own_failures = (ErrorType.UNKNOWN_REFERENCE,)
    references = (
        Reference(f"sizes.{_RELATED}", _SIZES.table, "size", IS_LIVE, within=SizeRanges.table),
    )
    own_texts: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the sizes of a size range",
            "All of them; of a deactivated one only that says `isDeactivated`.",
        ),
        "replace": (
            "Replace the sizes of a size range",
            "The whole set. One that is needed elsewhere is deactivated instead of removed, and "
            "comes back when its id is sent. An entry with `isDeactivated` is as good as left out.",
        ),
    }

    def load_statements(self) -> Mapping[str, Statement]:
        """The part's own, its two forms being one but for members that are null."""
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

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """What becomes of each size, those that are there being locked."""
        record_id = self.record_id(batch)
        rows = await self.fetch(connection, batch, "stored", record_id)
        stored = StoredChildren.of(
            (one, is_deactivated, tuple(row)) for one, is_deactivated, *row in rows
        )
        sent = await _SIZES.match(connection, batch, stored)
        await self._check_related(connection, batch, stored, sent)
        needed = await self._needed(connection, batch, stored, sent)
        deactivated, removed = _SIZES.remove(batch, stored, sent, needed)
        default = next(
            (one for one, size in sent.all.items() if size.get("isDefaultGrading")), None
        )
        return [
            *([self.step("insert", sent.json(sent.new), record_id)] if sent.new else ()),
            *([self.step("update", sent.json(sent.existing))] if sent.existing else ()),
            *([self.step("deactivate", deactivated)] if deactivated else ()),
            *([self.step("remove", removed)] if removed else ()),
            self.step("mark_default", record_id, default),
        ]

    async def _check_related(
        self, connection: Connection, batch: Batch, stored: StoredChildren, sent: MatchedChildren
    ) -> None:
        """Report relations to sizes that are not there, or whose size range is deleted.

        A relation within the size range, or one that the size has already, may stay.
        """
        sizes = batch.items[0][_SIZES.name]
        related = {index: size[_RELATED] for index, size in enumerate(sizes) if size.get(_RELATED)}
        if not related:
            return
        [reference] = self.references
        rows = await reference.find(connection, batch.caller, sorted({*related.values()}))
        request_indexes = {index: size_id for size_id, index in sent.request_indexes.items()}
        before = stored.active | stored.deactivated
        for index, related_id in related.items():
            row = rows.get(related_id)
            size = before.get(request_indexes.get(index) or sizes[index].get(_SIZES.key) or 0)
            stays = size is not None and size[_MEMBERS.index(_RELATED)] == related_id
            if row and (row["is_live"] or row["owner_id"] == self.record_id(batch) or stays):
                continue
            path, message = (_SIZES.name, index, _RELATED), "There is no such size."
            batch.fail(0, ErrorType.UNKNOWN_REFERENCE, *path, message=message)

    async def _needed(
        self, connection: Connection, batch: Batch, stored: StoredChildren, sent: MatchedChildren
    ) -> set[int]:
        """Which of the sizes that were not sent stay: those needed, and what these relate to."""
        if not sent.missing:
            return set()
        missing, record_id = sorted(sent.missing), self.record_id(batch)
        rows = await self.fetch(connection, batch, "needed", missing, record_id)
        related = {one: entry.get(_RELATED) for one, entry in sent.all.items()}
        kept = stored.deactivated.keys() - sent.existing.keys()
        related |= {one: stored.deactivated[one][_MEMBERS.index(_RELATED)] for one in kept}
        needed = {row["id"] for row in rows} | (sent.missing & {*related.values()})
        waiting = [*needed]
        while waiting:
            one = stored.active[waiting.pop()][_MEMBERS.index(_RELATED)]
            if one in sent.missing and one not in needed:
                needed.add(one)
                waiting.append(one)
        return needed
