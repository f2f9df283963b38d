"""Entries of parts of styles: the style colors and sizes that they name, and other records.

Live styles protect the other records.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self, TypeAlias

import asyncpg

from service.batches.batch import Batch
from service.batches.entry import Item
from service.database.statements import SHARED, load
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.records.matched_children import MatchedChildren
from service.records.references import Reference

_SQL: Final = load("custom_field_values")
_SIZES: Final = Reference(
    "", "size_range_size", "size", is_live="not record.is_deactivated", within="size_range"
)
COLOR, SIZE = "styleColorId", "sizeRangeSizeId"
NamedEntry: TypeAlias = tuple[MatchedChildren, int, Item]
"""Entry, with its list and its index there."""


class StyleNames(NamedTuple):
    """Style colors and sizes that entries of styles name."""

    colors: Mapping[int, int]
    """Style of each live style color."""
    sizes: Mapping[int, asyncpg.Record]
    ranges: Mapping[int, int | None]
    """Size range of each style, if entries name sizes."""

    @classmethod
    async def find(cls, batch: Batch, entries: Collection[Item], style_ids: list[int]) -> Self:
        """Look up what the entries name, and lock the sizes."""
        color_ids, size_ids = (
            sorted({entry[name] for entry in entries if entry.get(name)}) for name in (COLOR, SIZE)
        )
        texts = _SQL["color_styles"].text, SHARED["size_ranges_of_style"].text
        colors, ranges = [
            await batch.fetch(text, ids) if ids else ()
            for text, ids in zip(texts, (color_ids, size_ids and style_ids), strict=True)
        ]
        return cls(
            {row["id"]: row["style_id"] for row in colors},
            await _SIZES.find(batch, size_ids) if size_ids else {},
            {row["id"]: row["size_range_id"] for row in ranges},
        )

    def errors(self, style_id: int, entry: Item) -> Iterator[ErrorDetail]:
        """Yield the errors of a color of another style, and of no active size of the size range."""
        if self.colors.get(entry.get(COLOR, 0), style_id) != style_id:
            message = "This is a color of another style."
            yield ErrorDetail(ErrorType.INVALID_VALUE, (COLOR,), message)
        size_id = entry.get(SIZE)
        size = self.sizes.get(size_id or 0)
        if size_id is not None and size is None:
            yield ErrorDetail(ErrorType.UNKNOWN_REFERENCE, (SIZE,), "There is no such size.")
        elif size and size["owner_id"] != self.ranges.get(style_id):
            message = "This is no size of the style's size range."
            yield ErrorDetail(ErrorType.INVALID_VALUE, (SIZE,), message)
        elif size and not size["is_live"]:
            yield ErrorDetail(ErrorType.INVALID_VALUE, (SIZE,), "The size is deactivated.")


async def check_names(batch: Batch, named: Sequence[NamedEntry]) -> None:
    """Report the errors of the style colors and sizes that entries name."""
    entries = [entry for *_, entry in named]
    names = await StyleNames.find(batch, entries, batch.ids)
    for children, index, entry in named:
        for error in names.errors(batch.items[children.index]["id"], entry):
            children.fail(batch, error.type, index, *error.path, message=error.message or "")
