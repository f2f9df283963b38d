"""Rendering: texts and rows of the statements that return the documents of a batch."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import asyncpg
import orjson

from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.errors import api_error
from service.limits import MAX_BATCH_BYTES, byte_size

_SHARED: Final = load("shared")


def json_rows(row: asyncpg.Record) -> list[dict[str, Any]]:
    """Return the rows in the row of a statement of :func:`json_text`; [] if it returned none."""
    _, [json] = row
    return orjson.loads(json) if json else []


def rendered(row: asyncpg.Record) -> dict[int, bytes]:
    """Return the documents in the row of a statement of :func:`batch_text`, by id.

    Raise ``too_many_items`` if several exceed its ``max_bytes``, which is ``MAX_BATCH_BYTES``.
    """
    documents = documents_by_id(row)
    if documents is None:
        message = f"The response exceeds {byte_size(MAX_BATCH_BYTES)}. Send fewer items."
        raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)
    return documents


def documents_by_id(row: asyncpg.Record) -> dict[int, bytes] | None:
    """Return the documents by id; None if several exceed the limit of :func:`batch_text`."""
    ids, documents = row
    if ids and documents is None:
        return None
    return dict(zip(ids or (), documents or (), strict=True))


def joined(documents: Mapping[int, bytes], ids: list[int]) -> bytes:
    """Return the documents that exist, in the order of ``ids``, joined by commas."""
    return b",".join([documents[record_id] for record_id in ids if record_id in documents])


@cache
def batch_text(documents: Statement, page: str, max_bytes: int) -> str:
    """Return the text of the statement of a batch's documents: one row of ids and documents.

    ``documents`` has the slot ``page``. A single document has no limit of bytes: no caller could
    ask for fewer. The text is cached, as every write needs it.
    """
    return _SHARED["collect_batch"].fill(
        documents=documents.fill(page=page), max_bytes=str(max_bytes)
    )


@cache
def json_text(statement: str) -> str:
    """Return the text that returns the rows of a statement as JSON, in the columns of a batch.

    It returns one row. Statements of one round trip must have the same columns.
    """
    return _SHARED["rows_as_json"].fill(statement=statement)
