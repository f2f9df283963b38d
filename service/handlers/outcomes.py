"""Answers that tell what became of each item instead of showing documents (contract, Outcomes)."""

from typing import Any

import orjson

from service.errors import ErrorDetail
from service.handlers.write_options import MINIMAL, RequestOptions
from service.http.api_response import ApiResponse
from service.http.envelope import success
from service.http.prefer import APPLIED
from service.queries.batch import RequestItems
from service.queries.change_recorder import CREATED
from service.queries.master_record import MasterRecord
from service.queries.outcomes import FAILED, ItemOutcome, WriteResult, sent_key


class DryRunRollback(Exception):  # noqa: N818
    """The answer to a rehearsal, raised so that its transaction is rolled back."""

    def __init__(self, answer: ApiResponse) -> None:
        super().__init__("a rehearsal")
        self.answer = answer


def outcomes(
    resource: MasterRecord, sent: RequestItems, written: WriteResult, switches: RequestOptions
) -> ApiResponse:
    """The outcome of each item in request order, or of the one that there is.

    201 where all were created, though not where that was a rehearsal.
    """
    fates = [_fate(resource, sent, written, place) for place in range(len(sent.items))]
    listed = written.failed.listed()
    rows = [
        _row(resource, fate, listed.get(place, []), is_rehearsal=switches.dry_run)
        for place, fate in enumerate(fates)
    ]
    return success(
        orjson.dumps(rows if sent.is_bulk else rows[0]),
        created=not switches.dry_run and all(fate.outcome == CREATED for fate in fates),
        partial=any(fate.outcome == FAILED for fate in fates),
        headers={APPLIED: MINIMAL} if switches.return_minimal else {},
    )


def _fate(
    resource: MasterRecord, sent: RequestItems, written: WriteResult, place: int
) -> ItemOutcome:
    """What became of the item at that place; of one that failed its record, if it was found."""
    if place in written.outcomes:
        return written.outcomes[place]
    record_id, stored_key = written.stored.get(place, (None, None))
    return ItemOutcome(FAILED, record_id, sent_key(resource, sent.items[place]) or stored_key)


def _row(
    resource: MasterRecord, fate: ItemOutcome, failures: list[ErrorDetail], *, is_rehearsal: bool
) -> dict[str, Any]:
    """The outcome as it is sent; what is only rehearsed to be created has no id."""
    named: int | str | None = fate.id
    if is_rehearsal and fate.outcome == CREATED:
        named = None
    elif named is not None and resource.string_ids:
        named = str(named)
    details = [failure.row() for failure in failures]
    return {"outcome": fate.outcome, "id": named, "key": fate.key, "details": details}
