"""Write options, and the outcome of each item of a write (contract, Outcomes)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from service.batches.batch import Batch, Item, ItemErrors
from service.batches.change_recorder import CREATED, DELETED, UPDATED
from service.batches.write_set import LockedRow, WriteSet
from service.records.writable_resource import WritableResource
from service.writing.previews import MemberChange

UNCHANGED: Final = "unchanged"
ABSENT: Final = "absent"
FAILED: Final = "failed"

Precondition: TypeAlias = Callable[[AsyncIterator[bytes]], Awaitable[None]]
"""Takes the representations of a stored record; raises ApiError if it may not be written.

They are the document and then the writable form, or nothing if there is no such record. It consumes
only as many of them as it needs.
"""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options of a write; by default it aborts on errors and returns documents."""

    item_precondition: Callable[[str], Precondition]
    """Returns the precondition of an item of a bulk write, given its ``ifMatch``, not null."""
    checks_uses: bool = True
    """Check whether other records use those to delete, and the state after the request.

    Otherwise further batches of the transaction may change both, and ``write_entries`` checks them.
    """
    unlocked: bool = False
    """Begin without the organization's lock (``WriteSet.require_organization_lock``)."""
    skip_failed: bool = False
    """Skip items that fail and write the others; otherwise a failure aborts the write."""
    match_by_key: bool = False
    """Match items to records by own key instead of id."""
    dry_run: bool = False
    """Execute the write, then roll it back."""
    preview: bool = False
    """Return the fields that a write changes; only with ``dry_run``."""
    return_minimal: bool = False
    """The caller of a bulk write prefers a minimal response (RFC 7240)."""
    path_key: str | None = None
    """Own key in place of the path's last id: of the record, a part's owner or a measured size.

    None if the path has that id, or names no record.
    """
    precondition: Precondition | None = None
    """Precondition of a write of a single record, by the headers; None without them."""

    @property
    def outcomes_only(self) -> bool:
        """Whether the write returns outcomes and renders no documents."""
        return self.skip_failed or self.match_by_key or self.dry_run or self.return_minimal


class ItemOutcome(NamedTuple):
    """Outcome of one item, with the id and own key of its record; for a part, of its owner."""

    outcome: str
    id: int | None
    """None if there is no record."""
    key: Any
    """Text, or the id of the record that is the own key, or None."""


@dataclass(slots=True)
class WriteResult:
    """Result of a write: outcomes with ``outcomes_only``, otherwise documents.

    Without ``outcomes_only``, ``outcomes``, ``stored``, ``key_texts`` and ``changes`` are empty.
    """

    ids: list[int]
    """Ids of the records of the items that did not fail and are not absent, in request order."""
    errors: ItemErrors
    """Errors of the failed items; there are some only with ``skip_failed``."""
    outcomes: dict[int, ItemOutcome] = field(default_factory=dict)
    """Outcomes of the items that did not fail, by request index."""
    created_ids: Sequence[int] = ()
    """Those of ``ids`` that the write has created."""
    stored: Mapping[int, tuple[int, Any]] = field(default_factory=dict)
    """Id and own key of the records that items matched which failed later, by request index."""
    key_texts: Mapping[Any, str] = field(default_factory=dict)
    """Texts to show of own keys that are references, by key."""
    changes: Mapping[int, Sequence[MemberChange]] = field(default_factory=dict)
    """Changes of the items that did not fail and are not absent, by request index; in a preview."""
    documents: bytes = b""
    """Documents in request order, joined by commas; empty with ``outcomes_only``."""


def item_outcomes(
    resource: WritableResource,
    write_set: WriteSet,
    stored: Mapping[int, LockedRow],
    changed_ids: Container[int],
) -> dict[int, ItemOutcome]:
    """Return the outcomes of an executed write set, by request index.

    ``changed_ids`` are the ids of the records whose rows the write changed: other upserts are
    ``unchanged``, as are deletes of records that were deleted already.
    """
    outcomes = dict[int, ItemOutcome]()
    live_deletes, created_ids = {*write_set.live_deletes}, {*write_set.created_ids}
    deletes, upserts = write_set.deletes, write_set.upserts
    for request_index, item in zip(deletes.request_indexes, deletes.items, strict=True):
        record_id = item["id"]
        outcome = DELETED if record_id in live_deletes else UNCHANGED
        outcomes[request_index] = ItemOutcome(outcome, record_id, stored[record_id]["key"])
    for request_index, item in zip(upserts.request_indexes, upserts.items, strict=True):
        record_id = outcome_id(write_set.batch, item)
        outcome = UPDATED if record_id in changed_ids else UNCHANGED
        if record_id in created_ids:
            outcome = CREATED
        key = _key_after(resource, item, stored.get(item["id"]))
        outcomes[request_index] = ItemOutcome(outcome, record_id, key)
    return outcomes


def outcome_id(batch: Batch, item: Item) -> int:
    """Return the id of the record that an outcome names; for a part below parents, its owner."""
    record_id: int = batch.parents[-1] if batch.parents else item["id"]
    return record_id


def absent_outcomes(resource: WritableResource, batch: Batch) -> dict[int, ItemOutcome]:
    """Return ``absent`` for deletes by own key that match no record, by request index."""
    return {
        request_index: ItemOutcome(ABSENT, None, sent_key(resource, item))
        for request_index, item in zip(batch.request_indexes, batch.items, strict=True)
        if "id" not in item and request_index not in batch.errors
    }


def _key_after(resource: WritableResource, item: Item, row: LockedRow | None) -> Any:
    """Return the own key of the record after the write.

    If the item has none, it is the stored one where replaces keep it, as for a part's owner
    (``keeps_omitted``), else None.
    """
    key = sent_key(resource, item)
    return row["key"] if key is None and row and resource.keeps_omitted else key


def sent_key(resource: WritableResource, item: Any) -> Any:
    """Return the own key in an item, a text or an id; None without one and for a key object.

    The item may be any JSON value.
    """
    if not isinstance(item, dict) or resource.own_key is None:
        return None
    key = item.get(resource.own_key)
    return key if isinstance(key, str | int) else None
