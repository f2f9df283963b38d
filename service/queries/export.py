"""Export: documents of collections, batch by batch in the order of ids (contract, Exports)."""

from collections.abc import AsyncIterator
from functools import cache
from typing import Final, NamedTuple

from service.database.connections import Connection
from service.database.statements import load
from service.listing.page_sql import export_page
from service.organizations.caller import Caller
from service.queries.resource import Resource

_SQL: Final = load("export")
_BATCH_SIZE: Final = 500
"""Maximum number of records in one batch."""
_CHUNK_BYTES: Final = 2**20
"""Bytes of documents at which a batch ends early; the record that reaches them is its last."""
_LINE: Final = """'{"collection":"%s","document":' || document || E'}\\n'"""
_JOINED: Final = "document || E',\\n'"


class ExportBatch(NamedTuple):
    """Lines of one or more records, and the number of these records."""

    lines: bytes
    records: int


async def batches(
    connection: Connection, caller: Caller, resource: Resource, *, is_bare: bool = False
) -> AsyncIterator[ExportBatch]:
    """Yield the records of a collection that its list shows without a filter, by id.

    Each line is an object of ``collection`` and ``document`` (NDJSON). With ``is_bare`` it is the
    document alone, with a comma behind it, the last one included. Each batch is a statement of its
    own: the caller's transaction makes all of them see the same moment.
    """
    text, last_id = export_text(resource, is_bare=is_bare), 0
    while True:
        row = await connection.fetchrow(text, caller.organization_id, last_id)
        if not row["found"]:
            return
        last_id = row["last_id"]
        yield ExportBatch(row["lines"], row["found"])


@cache
def export_text(resource: Resource, *, is_bare: bool = False) -> str:
    """Return the statement that reads one batch after an id: organization ``$1``, id ``$2``.

    Its row has ``lines``, ``found`` (number of records, 0 at the end) and ``last_id``.
    """
    page = export_page(_BATCH_SIZE, resource.listed)
    return _SQL["lines"].fill(
        documents=resource.statements["documents"].fill(page=page),
        line=_JOINED if is_bare else _LINE % resource.collection,
        max_bytes=str(_CHUNK_BYTES),
    )
