"""Write options, and the outcome of each item of a write (contract, Outcomes)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from service.batches.batch import Batch
from service.batches.change_recorder import CREATED, DELETED, UPDATED
from service.batches.entry import Entry, ItemOutcome
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

    @property
    def unchanged(self) -> set[int]:
        """Request indexes of the entries that changed nothing."""
        outcomes = ((entry.index, entry.outcome) for entry in self.batch.items)
        return {index for index, outcome in outcomes if outcome and outcome.outcome == UNCHANGED}


def set_outcomes(resource: WritableResource, batch: Batch, changed_ids: Container[int]) -> None:
    """Set the outcomes of the entries of an executed write.

    ``changed_ids`` are the ids of the records whose rows the write changed: other upserts are
    ``unchanged``, as are deletes of records that were deleted already.
    """
    for entry in batch.items:
        record_id = batch.parents[-1] if batch.parents else entry.get("id")  # of a part, its owner
        if entry.index in batch.errors:
            entry.outcome = _outcome_of_stored(FAILED, entry, record_id)
        elif "id" not in entry:
            entry.outcome = ItemOutcome(ABSENT, None, sent_key(resource, entry))
        elif entry.deletes:
            kind = UNCHANGED if entry.was_deleted else DELETED
            entry.outcome = _outcome_of_stored(kind, entry, record_id)
        else:
            kind = UPDATED if record_id in changed_ids else UNCHANGED
            key = _key_after(resource, entry)
            entry.outcome = ItemOutcome(CREATED if entry.is_new else kind, record_id, key)


def _outcome_of_stored(kind: str, entry: Entry, record_id: int | None) -> ItemOutcome:
    """Return the outcome of an entry whose record stays as it is, or goes; it may have none."""
    if entry.stored is None:
        return ItemOutcome(kind, None, None)
    return ItemOutcome(kind, record_id, entry.stored["key"])


def _key_after(resource: WritableResource, entry: Entry) -> Any:
    """Return the own key of the record after the write.

    If the entry has none, it is the stored one where replaces keep it, as for a part's owner
    (``keeps_omitted``), else None.
    """
    key = sent_key(resource, entry)
    keeps_stored = key is None and entry.stored and resource.keeps_omitted
    return entry.stored["key"] if entry.stored and keeps_stored else key


def sent_key(resource: WritableResource, item: Any) -> Any:
    """Return the own key in an item, a text or an id; None without one and for a key object.

    The item may be any JSON value.
    """
    if not isinstance(item, dict) or resource.own_key is None:
        return None
    key = item.get(resource.own_key)
    return key if isinstance(key, str | int) else None
