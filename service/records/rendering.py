"""Rendering: SQL texts that return a batch's documents as JSON, and readers of their rows."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import asyncpg
import orjson

from service.database.statements import SHARED, Statement
from service.error_types import ErrorType
from service.errors import api_error
from service.limits import MAX_BATCH_BYTES, byte_size


def json_rows(row: asyncpg.Record) -> list[dict[str, Any]]:
    """Return the rows in the row of a statement of :func:`json_text`; [] if it returned none."""
    _, [json] = row
    return orjson.loads(json) if json else []


def rendered(row: asyncpg.Record) -> dict[int, bytes]:
    """Return the documents in the row of a statement of :func:`batch_text`, by id.

    Raise ApiError ``too_many_items`` if several exceed its ``max_bytes`` together. Its
    ``max_bytes`` must be ``MAX_BATCH_BYTES``, which the message names.
    """
    documents = documents_by_id(row)
    if documents is None:
        message = f"The response exceeds {byte_size(MAX_BATCH_BYTES)}. Send fewer items."
        raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)
    return documents


def documents_by_id(row: asyncpg.Record) -> dict[int, bytes] | None:
    """Return the documents like :func:`rendered`; None if several exceed ``max_bytes`` together."""
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

    ``page``, the SQL that selects the records, fills the slot ``page`` of ``documents``. If several
    documents exceed ``max_bytes`` together, the row has the ids and null. A single document has no
    limit of bytes: no caller could ask for fewer. Texts are cached, as most writes and reads of
    single records need one.
    """
    return SHARED["collect_batch"].fill(
        documents=documents.fill(page=page), max_bytes=str(max_bytes)
    )


@cache
def json_text(statement: str) -> str:
    """Return the text that returns the rows of a statement as JSON, in the columns of a batch.

    It returns one row. The columns are the same because a batch's documents and such rows are read
    in one round trip, whose statements must have the same columns (``fetch_in_turn``).
    """
    return SHARED["rows_as_json"].fill(statement=statement)
