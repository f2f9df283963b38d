"""Write options, and the outcome of each item of a write (contract, Outcomes)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from service.batches.batch import Batch
from service.batches.change_recorder import CREATED, DELETED, UPDATED
from service.batches.entry import ItemOutcome
from service.records.writable_resource import WritableResource

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


@dataclass(slots=True)
class WriteResult:
    """Result of the write of one collection: entries with outcomes, otherwise documents."""

    batch: Batch
    """All entries whose records were looked up."""
    ids: list[int] = field(default_factory=list)
    """Ids of the records of the items that did not fail and are not absent, in request order."""
    created_ids: Sequence[int] = ()
    """Those of ``ids`` that the write has created."""
    key_texts: Mapping[Any, str] = field(default_factory=dict)
    """Texts to show of own keys that are references, by key; with ``outcomes_only``."""
    documents: bytes = b""
    """Documents in request order, joined by commas; empty with ``outcomes_only``."""


def set_outcomes(resource: WritableResource, batch: Batch, changed_ids: Container[int]) -> None:
    """Set the outcomes of the entries of an executed write.

    ``changed_ids`` are the ids of the records whose rows the write changed: other upserts are
    ``unchanged``, as are deletes of records that were deleted already.
    """
    for entry in batch.items:
        row, record_id = entry.stored, entry.get("id")
        stored_key = row["key"] if row else None
        if batch.parents:
            record_id = batch.parents[-1]  # of a part, its owner
        if entry.index in batch.errors:
            entry.outcome = ItemOutcome(FAILED, record_id if row else None, stored_key)
        elif "id" not in entry:
            entry.outcome = ItemOutcome(ABSENT, None, sent_key(resource, entry))
        elif entry.deletes:
            kind = UNCHANGED if entry.was_deleted else DELETED
            entry.outcome = ItemOutcome(kind, record_id, stored_key)
        else:
            kind = CREATED if entry.is_new else UPDATED
            kind = kind if entry.is_new or record_id in changed_ids else UNCHANGED
            key = sent_key(resource, entry)
            # Replaces may keep it, as for a part's owner.
            key = stored_key if key is None and resource.keeps_omitted else key
            entry.outcome = ItemOutcome(kind, record_id, key)


def sent_key(resource: WritableResource, item: Any) -> Any:
    """Return the own key in an item, a text or an id; None without one and for a key object.

    The item may be any JSON value.
    """
    if not isinstance(item, dict) or resource.own_key is None:
        return None
    key = item.get(resource.own_key)
    return key if isinstance(key, str | int) else None
