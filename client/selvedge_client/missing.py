"""Missing records: live records of the key's source that a program did not send any more."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .documents import OWN_KEYS
from .errors import Detail, SelvedgeError
from .options import ALWAYS_DELETED, MAX_MISSING_SHARE, MissingOptions
from .records import Document, Form, Outcome
from .transactions import Transaction
from .transport import Request, Transport

TOO_MANY_MISSING: Final = "too_many_missing"
"""Error type of the outcome ``refused``."""
_NUMBERS: Final = "barcodes"
"""Collection whose records the service keeps for good: GTINs of styles that were published."""


@dataclass
class SentRecords:
    """Records of one collection that a program sent, by their outcomes."""

    collection: str
    live: set[str] = field(default_factory=set)
    """Ids of stored records that were sent and stay."""
    gone: set[str] = field(default_factory=set)
    """Ids of those that were sent as deleted. They stay live in a dry run."""
    new: int = 0
    """Number of records that only a real run creates: a dry run has no ids of them."""
    failed_keys: set[str | None] = field(default_factory=set)
    """Own keys of failed records whose ids are not known; None for one that is no text."""

    def collect(self, outcome: Outcome) -> None:
        """Add a record; its last outcome counts."""
        record_id = str(outcome.id)
        if outcome.outcome == "failed" and outcome.id is None:
            self.fail(outcome.record)
        elif outcome.outcome == "absent":
            return
        elif outcome.id is None:
            self.new += 1
        elif outcome.outcome == "deleted" or outcome.record.get("state") == "deleted":
            self.live.discard(record_id)
            self.gone.add(record_id)
        else:
            self.live.add(record_id)
            self.gone.discard(record_id)

    def fail(self, record: Form) -> None:
        """Add a record that failed: the stored record of its key is not missing."""
        key = record.get(next(iter(OWN_KEYS.get(self.collection, {"": ""}))))
        self.failed_keys.add(None if isinstance(key, dict | list) or key is None else str(key))

    def missing(self, stored: Iterable[Document]) -> list[Document]:
        """Return those of the stored records that have an own key and were not sent.

        Return none if a failed record has no text as key, because it may be any of them.
        """
        key, ids = next(iter(OWN_KEYS[self.collection])), self.live | self.gone
        if None in self.failed_keys:
            return []
        return [
            record
            for record in stored
            if record.get(key) is not None
            and str(record["id"]) not in ids
            and str(record[key]) not in self.failed_keys
        ]


def sent_of(sent: Iterable[tuple[str, Outcome] | SentRecords]) -> Iterable[SentRecords]:
    """Return the records that were sent, by collection, given all outcomes or these already."""
    by_name = dict[str, SentRecords]()
    for each in sent:
        if isinstance(each, SentRecords):
            by_name[each.collection] = each
        else:
            by_name.setdefault(each[0], SentRecords(each[0])).collect(each[1])
    return by_name.values()


@dataclass
class _Deletes:
    """Choice of the missing records to delete, by collection."""

    missing: Mapping[str, Sequence[Document]]
    sent: Mapping[str, SentRecords]
    options: MissingOptions
    chosen: dict[str, list[Document]] = field(default_factory=dict)
    refused: list[tuple[str, Outcome]] = field(default_factory=list)

    def choose(self, collection: str) -> None:
        """Choose the records of a collection, and before those that their keys refer to.

        Records that go with such a record, as a link with its style, do not count.
        """
        if collection in self.chosen or collection not in self.missing:
            return
        counted, chosen = list[Document](), self.chosen.setdefault(collection, [])
        for target in filter(None, OWN_KEYS[collection].values()):
            self.choose(target)
        for record in self.missing[collection]:
            (chosen if self._goes_with_other(collection, record) else counted).append(record)
        sent = self.sent[collection]
        total = len(sent.live) + sent.new + len(counted)
        share = self.options.get("at_most", MAX_MISSING_SHARE)
        always = self.options.get("always", ALWAYS_DELETED)
        if len(counted) <= max(share * total, always):
            chosen += counted
            return
        message = (
            f"{len(counted)} of {total} {collection} are missing, more than {share:.2%} and more "
            f"than {always}: check that the source is complete, or raise the bound."
        )
        detail = Detail(TOO_MANY_MISSING, None, message)
        self.refused += [
            (collection, Outcome(record, "refused", record["id"], (detail,))) for record in counted
        ]

    def _goes_with_other(self, collection: str, record: Document) -> bool:
        return any(
            target and record.get(name) in (each["id"] for each in self.chosen.get(target, ()))
            for name, target in OWN_KEYS[collection].items()
        )


async def delete_missing(
    transport: Transport, sent: Iterable[SentRecords], options: MissingOptions
) -> list[tuple[str, Outcome]]:
    """Delete the missing records of the key's source in one transaction; return their outcomes.

    They are ``deleted``, ``failed`` (in use), ``absent`` (gone), ``kept`` (GTINs of styles that
    were published), or ``refused`` if too many of their collection are missing, of which none is
    deleted. Part collections have none.
    """
    by_name = {each.collection: each for each in sent if each.collection in OWN_KEYS}
    if not by_name:
        return []
    stored = dict[str, list[Document]]({name: [] for name in by_name})
    for collection, document in await _of_own_source(transport, [*by_name]):
        stored[collection].append(document)
    missing = {name: by_name[name].missing(records) for name, records in stored.items()}
    kept_numbers = await _kept_numbers(transport, missing.get(_NUMBERS, ()))
    if kept_numbers:
        ids = {outcome.record["id"] for _, outcome in kept_numbers}
        missing[_NUMBERS] = [each for each in missing[_NUMBERS] if each["id"] not in ids]
    deletes = _Deletes(missing, by_name, options)
    for name in missing:
        deletes.choose(name)
    chosen = [(name, record) for name, each in deletes.chosen.items() for record in each]
    outcomes = await _delete(transport, chosen, dry_run=options.get("dry_run", False))
    return [*deletes.refused, *outcomes, *kept_numbers]


async def _kept_numbers(
    transport: Transport, numbers: Iterable[Document]
) -> list[tuple[str, Outcome]]:
    """Return the outcomes ``kept`` of the barcodes that the service would not delete.

    Each night has them again, so that they do not count as missing.
    """
    outcomes = await _delete(transport, [(_NUMBERS, each) for each in numbers], dry_run=True)
    return [
        (name, replace(outcome, outcome="kept"))
        for name, outcome in outcomes
        if {detail.type for detail in outcome.details} == {"conflict.in_use"}
    ]


async def _delete(
    transport: Transport, records: Sequence[tuple[str, Document]], *, dry_run: bool
) -> list[tuple[str, Outcome]]:
    """Delete records of collections in one transaction; return their outcomes."""
    batch = Transaction(transport, skip=True, splits=True, dry_run=dry_run)
    for name, record in records:
        batch.delete(name, {"id": record["id"]})
    outcomes = [outcome for _, outcome in await batch.send()]
    return [
        (name, _of(record, outcome))
        for (name, record), outcome in zip(records, outcomes, strict=True)
    ]


def _of(record: Document, outcome: Outcome) -> Outcome:
    """Return the outcome of the delete of a record."""
    if [detail.type for detail in outcome.details] == ["not_found"]:
        return replace(outcome, record=record, outcome="absent", details=())
    return replace(outcome, record=record)


async def _of_own_source(
    transport: Transport, collections: Sequence[str]
) -> Iterator[tuple[str, Document]]:
    """Return the live records of the key's source, with their collections."""
    me = await transport.send(Request("GET", "/api/me"))
    query = [("collection", name) for name in collections]
    query.append(("source", me.body["data"]["key"]["source"]))
    lines: list[dict[str, Any]] = (
        await transport.send(Request("GET", "/api/export", query, is_lines=True))
    ).body
    if not lines or lines[-1].get("count") != len(lines) - 1:
        raise SelvedgeError("The export is incomplete: nothing was deleted.")
    return ((line["collection"], line["document"]) for line in lines[:-1])
