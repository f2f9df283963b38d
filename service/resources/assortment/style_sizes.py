"""Sizes that entries of a style's parts name: active ones of the style's size range."""

from collections.abc import Iterator, Mapping
from typing import Final

import asyncpg

from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.records.references import Reference

_SIZE: Final = "sizeRangeSizeId"
SIZES: Final = Reference(
    "", "size_range_size", "size", is_live="not record.is_deactivated", within="size_range"
)


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
