"""Plan execution: the write plan and the documents of the response, in one round trip."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import asyncpg

from service.batches.batch import Batch
from service.batches.change_recorder import ChangeRecorder, WritePlan
from service.batches.write_set import WriteSet
from service.records.rendering import rendered
from service.records.resource import DocumentRequest
from service.records.writable_resource import WritableResource
from service.writing import before_images
from service.writing.outcomes import WriteOptions
from service.writing.previews import requested_forms

Documents: TypeAlias = dict[int, bytes]
"""Documents, or writable forms, by the ids of their records."""


@contextmanager
def constraint_errors(
    resource: WritableResource, batch: Batch, options: WriteOptions
) -> Iterator[None]:
    """Raise the resource's ApiError for a constraint that the block violates.

    A concurrent write caused the violation after the checks. With ``skip_failed`` raise
    SerializationError instead, so that the transaction is repeated. A violation without an ApiError
    (``constraint_error``) passes through.
    """
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as error:
        if (api_error := resource.constraint_error(batch, error)) is None:
            raise
        if options.skip_failed:
            # A concurrent write violated the constraint after the check. Failing the batch would
            # break onError=skip. Run the transaction again: its check sees the other write.
            raise asyncpg.SerializationError(str(error)) from error
        raise api_error from None


async def execute_plan(
    resource: WritableResource,
    batch: Batch,
    plan: WritePlan,
    requests: tuple[DocumentRequest | None, DocumentRequest | None],
    recorder: ChangeRecorder,
) -> tuple[Documents, Documents]:
    """Execute the plan, with documents read before and after it, in one round trip.

    ``requests`` are those of the documents before and after it; return these, {} without a request.
    The ``recorder`` takes what the statements changed. Raise ``too_many_items`` if several
    documents of one request exceed ``MAX_BATCH_BYTES`` together.
    """
    plan = before_images.expanded(batch, plan)
    before, after = ([_rendering(resource, each)] if each else [] for each in requests)
    writes = [(before_images.text_of(resource, batch, each.text), each.parameters) for each in plan]
    rows = await batch.connection.fetch_in_turn(
        [
            (text, (batch.caller.organization_id, *parameters))
            for text, parameters in (*before, *writes, *after)
        ]
    )
    documents = Documents(), Documents()
    for index, row in enumerate(rows, -len(before)):
        if 0 <= index < len(plan):
            changed = before_images.collect(resource, batch, plan[index].text, row)
            recorder.collect(resource.feed_name, changed)
        else:
            documents[index >= 0].update(rendered(row))
    return documents


def _rendering(resource: WritableResource, request: DocumentRequest) -> tuple[str, Sequence[Any]]:
    statement = resource.render_statement(request)
    return statement.text, statement.parameters


def requested_documents(
    resource: WritableResource, write_set: WriteSet, options: WriteOptions
) -> tuple[DocumentRequest | None, DocumentRequest | None]:
    """Return the requests for what the response shows, before the write and after it.

    Each is None if there is nothing to read. A preview reads the writable forms of its upserts,
    before and after the write. Any other write with ``outcomes_only`` reads nothing. A write
    without it reads the last documents of hard-deleted records before the write, and the documents
    of all other records after it.
    """
    if options.preview:
        return requested_forms(write_set)
    if options.outcomes_only:
        return None, None
    gone = write_set.live_deletes if "last_documents" in resource.statements else []
    last = DocumentRequest(gone, "last_documents") if gone else None
    gone_ids = {*gone}
    ids = [record_id for record_id in write_set.batch.ids if record_id not in gone_ids]
    return last, DocumentRequest(ids, parents=write_set.batch.parents) if ids else None
