"""Bills of materials of styles (contract, Items of styles)."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.entry import Item
from service.database.statements import Statement
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.records.child_list import ChildList
from service.records.matched_children import MatchedChildren
from service.records.parts import NestedLists, RecordPart
from service.records.relation_statements import IS_SHOWN
from service.resources.assortment.style_entries import COLOR, SIZE, check_names
from service.resources.styles import Styles

_PRIMARY: Final = "isPrimary"


class _Colors(ChildList):
    def entry_errors(self, entry: Item, *path: str | int) -> Iterator[ErrorDetail]:
        """Yield the errors of colors that omit the item, and name another one or its color."""
        is_named = any(type(entry.get(name)) in (int, dict) for name in ("colorId", "itemId"))
        if is_named and entry.get("isOmitted") is True:
            message = "Leave it out beside `colorId` and `itemId`."
            yield ErrorDetail(ErrorType.INVALID_VALUE, (*path, "isOmitted"), message)


_COLORS: Final = _Colors(
    name="colors",
    noun="color",
    key=COLOR,
    order="entry.style_color_id",
)
_SIZES: Final = ChildList(name="sizes", noun="size", key=SIZE, order="entry.size_range_size_id")


class StyleItems(RecordPart):
    """Items that a style is made of; a write replaces the lines as a whole.

    Lines keep references to deleted records. What differs in deleted style colors is hidden. Items
    show the number of live styles that use them.
    """

    name = "style-items"
    owner = Styles
    scope_field = "id"
    sizes_of = "size_ranges_of_style"
    below = "/items"
    list_name = "lines"
    children: ClassVar[ChildList] = ChildList(
        noun="line",
        once=(_PRIMARY,),
        order="entry.sort_order, entry.id",
        nested=(_COLORS, _SIZES),
    )

    def _own_statements(self) -> Mapping[str, Statement]:
        own = dict(super()._own_statements())
        used = own.pop("used").fill(is_shown=IS_SHOWN)
        return {name: statement.bind(used=used) for name, statement in own.items()}

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the writes, and that of the changes of items whose number of styles differs."""
        rows = await self._fetch(batch, "items", batch.ids)
        plan = await super().plan(batch)
        if not plan:
            return []
        former = orjson.dumps([(row["style_id"], row["item_id"]) for row in rows]).decode()
        return [*plan, self.bound("tell_items", batch.ids, former)]

    async def _match(self, batch: Batch) -> list[MatchedChildren]:
        """Match the lines; the primary one stays so unless a line says otherwise."""
        lists = await super()._match(batch)
        primary = self.children.members.index(_PRIMARY)
        for children in lists:
            is_taken = any(line.get(_PRIMARY) for line in children.sent.entries)
            for line_id, line in children.existing.items():
                if line.get(_PRIMARY) is None and not is_taken:
                    stored = children.stored.all[line_id]
                    children.existing[line_id] = line | {_PRIMARY: stored[primary]}
        return lists

    async def check_nested(self, batch: Batch, nested: NestedLists) -> None:
        """Report new colors and sizes that are none of the style."""
        entries = [
            (children, children.request_indexes[record_id], {nested.child.key: record_id})
            for children in nested.lists
            for record_id in children.new
        ]
        await check_names(batch, entries)
