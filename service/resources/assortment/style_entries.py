"""Entries of parts of styles: the style colors and sizes that they name, and other records.

Live styles protect the other records.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import asyncpg

from service.batches.batch import Batch
from service.database.connections import Connection
from service.database.statements import SHARED, load
from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.records.matched_children import MatchedChildren
from service.records.references import Reference
from service.records.usage import ReferencedBy

_SQL: Final = load("custom_field_values")
IS_SHOWN: Final = _SQL["is_shown"].text
"""SQL condition of entries that no deleted style color hides."""
BY_SIZE: Final = """(
    select (size.size_range_id, size.position)
    from size_range_size size
    where size.organization_id = $1::bigint and size.id = entry.size_range_size_id
), entry.size_range_size_id"""
"""SQL of the order of entries by size."""
SIZES: Final = Reference(
    "", "size_range_size", "size", is_live="not record.is_deactivated", within="size_range"
)
_SIZE: Final = "sizeRangeSizeId"
Named: TypeAlias = tuple[MatchedChildren, Path, int]
"""List of entries, path in it, and the id there of a style color or size."""


def named(lists: Sequence[MatchedChildren], member: str) -> list[Named]:
    """Return the new entries of lists whose ids are those of the member's records."""
    return [
        (children, (children.request_indexes[record_id], member), record_id)
        for children in lists
        for record_id in children.new
    ]


async def check_colors(connection: Connection, batch: Batch, names: Sequence[Named]) -> None:
    """Report style colors of other styles."""
    ids = sorted({color_id for *_, color_id in names})
    parameters = (batch.caller.organization_id, ids)
    rows = await connection.fetch(_SQL["color_styles"].text, *parameters) if ids else ()
    styles = {row["id"]: row["style_id"] for row in rows}
    for children, path, color_id in names:
        style_id = batch.items[children.index]["id"]
        if styles.get(color_id, style_id) != style_id:
            message = "This is a color of another style."
            children.fail(batch, ErrorType.INVALID_VALUE, *path, message=message)


async def check_sizes(connection: Connection, batch: Batch, names: Sequence[Named]) -> None:
    """Report sizes that are unknown, or no active ones of the style's size range."""
    if not names:
        return
    sizes = await SIZES.find(connection, batch.caller, sorted({size_id for *_, size_id in names}))
    parameters = (batch.caller.organization_id, batch.ids)
    rows = await connection.fetch(SHARED["size_ranges_of_style"].text, *parameters)
    ranges = {row["id"]: row["size_range_id"] for row in rows}
    for children, path, size_id in names:
        size_range_id = ranges[batch.items[children.index]["id"]]
        for error in size_errors(size_id, sizes, size_range_id):
            children.fail(batch, error.type, *path, message=error.message or "")


def size_errors(
    size_id: int | None, sizes: Mapping[int, asyncpg.Record], size_range_id: int | None
) -> Iterator[ErrorDetail]:
    """Yield the error of a size that is unknown, or no active one of the style's size range.

    ``sizes`` are the rows that ``SIZES`` finds, by id.
    """
    size = sizes.get(size_id or 0)
    if size_id is not None and size is None:
        yield ErrorDetail(ErrorType.UNKNOWN_REFERENCE, (_SIZE,), "There is no such size.")
    elif size is not None and not (size["is_live"] and size["owner_id"] == size_range_id):
        message = "This is no active size of the style's size range."
        yield ErrorDetail(ErrorType.INVALID_VALUE, (_SIZE,), message)


def of_lines(column: str) -> ReferencedBy:
    """Return the use by lines of bills of materials."""
    return ReferencedBy("styles", column, "style_item", users="style items")


def of_line_colors(column: str) -> ReferencedBy:
    """Return the use by what differs in a color of a line."""
    users = "colors of style items"
    return ReferencedBy("styles", column, "style_item_color", ("style_item",), users)


def of_care_sets(link: str, column: str, *within: str) -> ReferencedBy:
    """Return the use by care sets; ``within`` has the tables between ``link`` and the sets."""
    through, users = (*within, "style_care_set"), "style care instructions"
    return ReferencedBy("styles", column, link, through, users)
