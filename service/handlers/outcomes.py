"""Outcome responses: one outcome for each item instead of documents (contract, Outcomes)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import orjson

from service.batches.batch import ItemErrors, RequestItems
from service.batches.change_recorder import CREATED
from service.batches.entry import ItemOutcome
from service.handlers.write_options import MINIMAL
from service.http.envelope import ApiResponse, success
from service.http.negotiation import APPLIED
from service.records.writable_resource import WritableResource
from service.writing.outcomes import FAILED, WriteOptions, WriteResult, sent_key

_NO_RECORD: Final = ItemOutcome(FAILED, None, None)
Row: TypeAlias = dict[str, Any]
"""Outcome of an item, as JSON members."""


def outcomes(
    resource: WritableResource,
    request_items: RequestItems,
    result: WriteResult,
    options: WriteOptions,
) -> ApiResponse:
    """Return the response with the outcomes in request order, or with the one of a single write.

    The status is 201 if all items created records, except in a dry run; else 200, also if items
    failed: then the code is ``partial``. Failed items have their error details, all together up to
    MAX_LISTED or one for each. With ``options.preview`` each outcome has ``changes``.
    """
    indexes = range(len(request_items.items))
    rows = [*outcome_rows(resource, request_items, result, options, indexes)]
    add_details(rows, result.batch.errors)
    return response(rows if request_items.is_bulk else rows[0], outcomes_of(rows), options)


def outcomes_of(rows: Iterable[Row]) -> set[str]:
    """Return the kinds of outcomes in rows."""
    return {row["outcome"] for row in rows}


def response(data: Any, outcomes: set[str], options: WriteOptions) -> ApiResponse:
    """Return the response with ``data``, and a status by the outcomes of all items."""
    return success(
        orjson.dumps(data),
        created=outcomes == {CREATED} and not options.dry_run,
        partial=FAILED in outcomes,
        headers={APPLIED: MINIMAL} if options.return_minimal else {},
    )


def outcome_rows(
    resource: WritableResource,
    request_items: RequestItems,
    result: WriteResult,
    options: WriteOptions,
    indexes: Iterable[int],
) -> Iterator[Row]:
    """Yield the outcomes of the items with these request indexes, without the errors."""
    entries = {entry.index: entry for entry in result.batch.items}
    for request_index in indexes:
        entry = entries.get(request_index)
        outcome = (entry and entry.outcome) or _NO_RECORD
        if outcome.outcome == FAILED:
            key = sent_key(resource, request_items.items[request_index])
            outcome = outcome._replace(key=key or outcome.key)
        outcome = outcome._replace(key=_key_text(result, outcome.key))
        row = _row(resource, outcome, is_dry_run=options.dry_run)
        if options.preview:
            row["changes"] = [change._asdict() for change in entry.changes] if entry else []
        yield row


def add_details(rows: Sequence[Row] | Mapping[int, Row], errors: ItemErrors) -> None:
    """Set the errors of failed items in the outcomes, given by request index."""
    for request_index, details in errors.listed().items():
        rows[request_index]["details"] = [detail.row() for detail in details]


def _key_text(result: WriteResult, key: Any) -> str | None:
    """Return the text of an own key; None without one, and for a reference to no record."""
    text: str | None = result.key_texts.get(key, key if isinstance(key, str) else None)
    return text


def _row(resource: WritableResource, outcome: ItemOutcome, *, is_dry_run: bool) -> dict[str, Any]:
    """Return the outcome as JSON members; a dry run's created records have no id."""
    record_id: int | str | None = outcome.id
    if is_dry_run and outcome.outcome == CREATED:
        record_id = None
    elif record_id is not None and resource.string_ids:
        record_id = str(record_id)
    return {"outcome": outcome.outcome, "id": record_id, "key": outcome.key, "details": []}
