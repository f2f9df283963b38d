"""Reads: one record by its path, or all records below a path."""

from collections.abc import Sequence

from service.database.connections import Connection
from service.database.statements import SHARED
from service.error_types import ErrorType
from service.errors import api_error
from service.limits import MAX_BATCH_BYTES, byte_size
from service.listing.page_sql import ALL_RECORDS
from service.organizations.caller import Caller
from service.queries.resource import DocumentRequest, Resource


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
    await resource.require_parents(connection, caller, parents)
    if await ids_of_others(connection, resource, [record_id]):
        raise api_error(ErrorType.FORBIDDEN_ORGANIZATION, "id")
    raise api_error(ErrorType.NOT_FOUND, resource.key)


async def read_all(
    connection: Connection, resource: Resource, caller: Caller, parents: Sequence[int]
) -> bytes:
    """Return the documents of all records below the parents, ordered by id, joined by commas.

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
    return SHARED["collect_all"].fill(
        documents=resource.statements["documents"].fill(page=ALL_RECORDS),
        max_bytes=str(MAX_BATCH_BYTES),
    )


def owned_by_any_text(table: str) -> str:
    """Return the statement that returns those of the ids ``$1`` that any organization has."""
    return SHARED["owned_by_any"].fill(table=table)
