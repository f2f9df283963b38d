"""Outcome responses: one outcome for each item instead of documents (contract, Outcomes)."""

from typing import Any

import orjson

from service.errors import ErrorDetail
from service.handlers.write_options import MINIMAL
from service.http.api_response import ApiResponse
from service.http.envelope import success
from service.http.prefer import APPLIED
from service.queries.batch import RequestItems
from service.queries.change_recorder import CREATED
from service.queries.outcomes import FAILED, ItemOutcome, WriteOptions, WriteResult, sent_key
from service.queries.writable_resource import WritableResource


class DryRunRollback(Exception):  # noqa: N818
    """Response of a dry run, raised so that its transaction is rolled back.

    It is no failure: the write handler catches it outside the transaction, and sends the response.
    """

    def __init__(self, response: ApiResponse) -> None:
        super().__init__("dry run")
        self.response = response


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
    item_outcomes = [
        _outcome_of(resource, request_items, result, request_index)
        for request_index in range(len(request_items.items))
    ]
    details = result.errors.listed()
    rows = [
        _row(
            resource,
            outcome._replace(key=_key_text(result, outcome.key)),
            details.get(request_index, []),
            is_dry_run=options.dry_run,
        )
        | ({"changes": _changes(result, request_index)} if options.preview else {})
        for request_index, outcome in enumerate(item_outcomes)
    ]
    all_created = all(outcome.outcome == CREATED for outcome in item_outcomes)
    return success(
        orjson.dumps(rows if request_items.is_bulk else rows[0]),
        created=all_created and not options.dry_run,
        partial=any(outcome.outcome == FAILED for outcome in item_outcomes),
        headers={APPLIED: MINIMAL} if options.return_minimal else {},
    )


def _key_text(result: WriteResult, key: Any) -> str | None:
    """Return the text of an own key; None without one, and for a reference to no record."""
    text: str | None = result.key_texts.get(key, key if isinstance(key, str) else None)
    return text


def _outcome_of(
    resource: WritableResource, request_items: RequestItems, result: WriteResult, request_index: int
) -> ItemOutcome:
    """Return the outcome of an item; ``failed`` has the record's id if the item matched one."""
    if request_index in result.outcomes:
        return result.outcomes[request_index]
    record_id, stored_key = result.stored.get(request_index, (None, None))
    key = sent_key(resource, request_items.items[request_index]) or stored_key
    return ItemOutcome(FAILED, record_id, key)


def _changes(result: WriteResult, request_index: int) -> list[dict[str, Any]]:
    """Return the changes of an item as JSON objects; [] for a failed or absent one."""
    return [change._asdict() for change in result.changes.get(request_index, ())]


def _row(
    resource: WritableResource,
    outcome: ItemOutcome,
    details: list[ErrorDetail],
    *,
    is_dry_run: bool,
) -> dict[str, Any]:
    """Return the outcome as JSON members; a dry run's created records have no id."""
    record_id: int | str | None = outcome.id
    if is_dry_run and outcome.outcome == CREATED:
        record_id = None
    elif record_id is not None and resource.string_ids:
        record_id = str(record_id)
    rows = [detail.row() for detail in details]
    return {"outcome": outcome.outcome, "id": record_id, "key": outcome.key, "details": rows}
