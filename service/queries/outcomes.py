"""How a write is asked for beside its items, and what became of each (contract, Outcomes)."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from service.queries.batch import Batch, Item, ItemErrors
from service.queries.change_recorder import CREATED, DELETED, UPDATED
from service.queries.master_record import LockedRow, MasterRecord, WriteSet

UNCHANGED: Final = "unchanged"
ABSENT: Final = "absent"
FAILED: Final = "failed"


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a write goes on where items fail, and whether it tells of documents."""

    skip_failed: bool = False
    """Items that fail are left out and the others written; else nothing is written."""
    match_by_key: bool = False
    """Items name records by their own key."""
    outcomes_only: bool = False
    """The outcomes are told, and nobody reads the documents."""


class ItemOutcome(NamedTuple):
    """What became of an item that did not fail."""

    outcome: str
    id: int | None
    key: str | None


@dataclass(slots=True)
class WriteResult:
    """What a write did: the outcomes of a brief one, the documents of any other."""

    ids: list[int]
    """Those of the records that were written, in request order."""
    failed: ItemErrors
    outcomes: dict[int, ItemOutcome] = field(default_factory=dict)
    """By the item's place, of those that did not fail."""
    stored: Mapping[int, tuple[int, str | None]] = field(default_factory=dict)
    """Id and key of the records that items named, by the item's place."""
    documents: bytes = b""
    """In request order, joined by commas."""


def item_outcomes(
    resource: MasterRecord,
    change: WriteSet,
    stored: Mapping[int, LockedRow],
    changed: Container[int],
) -> dict[int, ItemOutcome]:
    """What became of the items of a change that was carried out, by their places."""
    found = dict[int, ItemOutcome]()
    live, new = {*change.live_deletes}, {*change.created_ids}
    for place, item in zip(change.deletes.request_indexes, change.deletes.items, strict=True):
        one, named = item["id"], resource.outcome_id(change.batch, item)
        found[place] = ItemOutcome(DELETED if one in live else UNCHANGED, named, stored[one].key)
    for place, item in zip(change.upserts.request_indexes, change.upserts.items, strict=True):
        one, named = item["id"], resource.outcome_id(change.batch, item)
        outcome = CREATED if one in new else UPDATED if one in changed else UNCHANGED
        found[place] = ItemOutcome(outcome, named, _key_after(resource, item, stored.get(one)))
    return found


def absent_outcomes(resource: MasterRecord, batch: Batch) -> dict[int, ItemOutcome]:
    """What became of the items that had nothing to delete: those that no id was found for."""
    return {
        place: ItemOutcome(ABSENT, None, sent_key(resource, item))
        for place, item in zip(batch.request_indexes, batch.items, strict=True)
        if "id" not in item and place not in batch.errors
    }


def _key_after(resource: MasterRecord, item: Item, before: LockedRow | None) -> str | None:
    """The own key that a kept item leaves its record with."""
    key = sent_key(resource, item)
    return before.key if key is None and before and resource.keeps_omitted else key


def sent_key(resource: MasterRecord, item: Any) -> str | None:
    """The own key that an item says, whatever it is."""
    if not isinstance(item, dict) or resource.own_key is None:
        return None
    key = item.get(resource.own_key)
    return key if isinstance(key, str) else None
