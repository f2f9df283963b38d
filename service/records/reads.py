"""Reads: one record by its path, or all records below a path."""

from collections.abc import AsyncIterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from service.database.connections import Connection
from service.database.statements import SHARED, load
from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.limits import MAX_BATCH_BYTES, byte_size
from service.listing.page_sql import all_records, export_page
from service.organizations.caller import Caller
from service.records.resource import DocumentRequest, Resource


async def read_document(
    connection: Connection, resource: Resource, caller: Caller, path: Sequence[int], form: str
) -> bytes:
    """Return one document, or its writable form; deleted records have both, too.

    ``path`` has the ids of the parents and the record's own; ``form`` is ``documents`` or
    ``writables``. Raise ``not_found`` for the first id of the path without a record, or
    ``forbidden.organization`` for another organization's record, if the resource reveals these.
    """
    *parents, record_id = path
    request = DocumentRequest([record_id], form, parents)
    documents = await resource.render(connection, caller, request)
    if documents:
        return documents[record_id]
    raise await missing_record(connection, resource, caller, path)


async def missing_record(
    connection: Connection, resource: Resource, caller: Caller, path: Sequence[int]
) -> ApiError:
    """Return the error for a path without a record; raise it for a parent that does not exist."""
    *parents, record_id = path
    await resource.require_parents(connection, caller, parents)
    if await ids_of_others(connection, resource, [record_id]):
        return api_error(ErrorType.FORBIDDEN_ORGANIZATION, "id")
    return api_error(ErrorType.NOT_FOUND, resource.key)


async def read_all(
    connection: Connection, resource: Resource, caller: Caller, parents: Sequence[int]
) -> bytes:
    """Return the documents of all records below the parents, in order, joined by commas.

    Without records return b"", or raise ``not_found`` if a parent does not exist. Raise
    ``out_of_range`` if the documents exceed ``MAX_BATCH_BYTES``.
    """
    row = await connection.fetchrow(all_text(resource), caller.organization_id, *parents)
    if not row["found"]:
        await resource.require_parents(connection, caller, parents)
    if row["documents"] is None:
        message = f"The response exceeds {byte_size(MAX_BATCH_BYTES)}. Read single records."
        raise api_error(ErrorType.OUT_OF_RANGE, message=message)
    documents: bytes = row["documents"]
    return documents


async def ids_of_others(connection: Connection, resource: Resource, ids: list[int]) -> set[int]:
    """Return those of the ids that have a record, if the resource may reveal it; else an empty set.

    The caller's organization has none of these ids: the records belong to others.
    """
    if resource.table is None or not resource.foreign_is_forbidden:
        return set()
    return {row["id"] for row in await connection.fetch(owned_by_any_text(resource.table), ids)}


def all_text(resource: Resource) -> str:
    """Return the statement that reads the documents of all records: organization, parents' ids."""
    order = resource.statements.get("order_of_all", SHARED["order_of_all"]).text
    return SHARED["collect_all"].fill(
        documents=resource.statements["documents"].fill(page=all_records(order, resource.listed)),
        max_bytes=str(MAX_BATCH_BYTES),
    )


def owned_by_any_text(table: str) -> str:
    """Return the statement that returns those of the ids ``$1`` that any organization has."""
    return SHARED["owned_by_any"].fill(table=table)


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
    connection: Connection,
    caller: Caller,
    resource: Resource,
    source: str | None = None,
    *,
    is_bare: bool = False,
) -> AsyncIterator[ExportBatch]:
    """Yield the records that a collection's list shows without a filter, or of a source, by id.

    Each line is an object of ``collection`` and ``document`` (NDJSON). With ``is_bare`` it is the
    document alone, with a comma behind it, the last one included. Each batch is a statement of its
    own: the caller's transaction makes all of them see the same moment.
    """
    of_source, last_id = () if source is None else (source,), 0
    text = export_text(resource, is_bare=is_bare, has_source=bool(of_source))
    while True:
        row = await connection.fetchrow(text, caller.organization_id, last_id, *of_source)
        if not row["found"]:
            return
        last_id = row["last_id"]
        yield ExportBatch(row["lines"], row["found"])


@cache
def export_text(resource: Resource, *, is_bare: bool = False, has_source: bool = False) -> str:
    """Return the statement that reads one batch after an id: organization ``$1``, id ``$2``.

    With ``has_source``, ``$3`` is the source of the records.
    Its row has ``lines``, ``found`` (number of records, 0 at the end) and ``last_id``.
    """
    conditions = [resource.listed] if resource.listed else []
    conditions += ["record.source = $3::text"] if has_source else []
    page = export_page(_BATCH_SIZE, " and ".join(conditions))
    return _SQL["lines"].fill(
        documents=resource.statements["documents"].fill(page=page),
        line=_JOINED if is_bare else _LINE % resource.collection,
        max_bytes=str(_CHUNK_BYTES),
    )
