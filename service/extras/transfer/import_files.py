"""File import: sends the lines of all files as transactions (tools, Files).

Collections are read in the order of their references, because a transaction finds only what it
writes itself or earlier ones have written. Within a transaction the order does not matter.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final

import orjson

import selvedge_client
from service.error_types import ErrorType
from service.extras.transfer.errors import CHECKED, REFUSED, TransferError
from service.extras.transfer.files import Line, Source
from service.extras.transfer.reference_keys import LineTranslation, ReferenceKeys, is_deleted
from service.extras.transfer.reference_names import ReferenceNames, is_keyed
from service.extras.transfer.rejects import Rejects

_ENTRY: Final = re.compile(r"^\[[0-9]+\](\.item)?\.?")
"""Beginning of the field of an error, before the path in the item."""
_READY: Final = "isReadyForExport"
_DUPLICATE: Final = ErrorType.DUPLICATE
_ABSENT: Final = (ErrorType.UNKNOWN_REFERENCE, ErrorType.NOT_FOUND)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of an import."""

    skip: bool = False
    """Whether rejected lines are left out; otherwise the first rejected line ends the import."""
    dry_run: bool = False
    """Whether every transaction is a dry run."""
    merge: bool = False
    """Whether lines are merged into their records: fields that a line lacks stay."""
    missing: selvedge_client.MissingOptions | None = None
    """Options of the deletes of the key's source's records that their file lacks; None for none."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """Line that is ready to be sent."""

    source: Source
    line: Line
    item: dict[str, Any]
    keyed: Sequence[str]
    """Paths of references to lines of the files."""
    final: dict[str, Any] | None = None
    """Item to send after all lines, if the first one is without what depends on others.

    That of a part, some entries of which are deactivated then; that of a style that is ready.
    """
    is_copy: bool = False
    """Whether the record is deleted, or refers to a deleted one, as it was where it comes from."""
    first_outcome: str = ""
    """Outcome of the item that was sent before ``final``."""


@dataclass
class Import:
    """Import of files, for one run; the order of ``sources`` is that of their references."""

    client: selvedge_client.Client
    sources: Sequence[Source]
    rejects: Rejects
    options: ImportOptions
    on_start: Callable[[int], object]
    """Called with the number of lines before the first one is sent."""
    on_progress: Callable[[int], object]
    """Called with the number of lines that are done; parts that are members are lines, too."""
    not_deleted: list[str] = field(default_factory=list)
    """Reasons for which missing records were not deleted, a line for each."""
    _counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _sent: dict[str, selvedge_client.SentRecords] = field(default_factory=dict)
    """What the files have, by collection of records."""
    _finals: list[_Entry] = field(default_factory=list)
    _has_sent: bool = False
    _has_failed: bool = False

    async def run(self) -> dict[str, Counter[str]]:
        """Import all files. Return the number of lines and deleted records by outcome.

        They are by collection; those without a count are left out. Rejected lines are ``failed``;
        unless they are skipped, the first transaction with one ends the import, without an
        exception. Raise TransferError for what the operator can mend: an unreadable file, before
        anything is sent, or a key that may only read.
        Raise SelvedgeError for any other refusal or failure of a request.
        """
        count, lines = 0, ((each, line) for each in self.sources for line in self._lines(each))
        for source, line in lines:
            self._keys.add(source.collection, line.document)
            self._names.add(source.collection, line)
            count += 1
        await self._names.look_up()
        self.on_start(count)
        entries = (entry for source in self.sources for entry in self._entries(source))
        while not self._is_stopped and (chunk := [*islice(entries, selvedge_client.MAX_ENTRIES)]):
            await self._send(chunk)
        if not self._is_stopped:
            await self._send(self._finals)
        if self.options.missing is not None and not self._is_stopped:
            await self._delete_missing({**self.options.missing, "dry_run": self.options.dry_run})
        names = (source.collection.name for source in self.sources)
        return {name: self._counts[name] for name in names if self._counts[name]}

    @cached_property
    def _keys(self) -> ReferenceKeys:
        return ReferenceKeys({source.collection.name for source in self.sources})

    @cached_property
    def _names(self) -> ReferenceNames:
        return ReferenceNames(self.client)

    @property
    def _is_stopped(self) -> bool:
        """Whether an entry failed and nothing more is to be written."""
        return (self._has_failed or self.rejects.count > 0) and not self.options.skip

    def _lines(self, source: Source) -> Iterator[Line]:
        """Yield the lines; those of members get their owner, whose own line fails without a key."""
        for line in source.lines():
            if source.owner:
                owner = self._keys.key_of(source.owner.name, line.record)
                if owner is None:
                    continue
                line.document[source.collection.id_field] = owner
            yield line

    def _entries(self, source: Source) -> Iterator[_Entry]:
        """Yield the entries of a file, and reject the lines that cannot be sent."""
        collection, first_lines = source.collection, dict[bytes, int]()
        if not collection.owner:
            self._sent[collection.name] = selvedge_client.SentRecords(collection.name)
        for line in self._lines(source):
            if line.problems:
                self._reject_problems(source, line)
                continue
            ambiguous = self._names.resolve(collection, line)
            document = {name: value for name, value in line.document.items() if name != "id"}
            translation, final = LineTranslation(self._keys, sends_active=True), None
            item = translation.item(collection.fields, document)
            if not self.options.merge and "state" in collection.fields.members:
                item.setdefault("state", "active")
            if translation.has_deactivated:
                final = LineTranslation(self._keys).item(collection.fields, document)
            elif item.get(_READY) is True and not is_deleted(line.document):
                # Values of custom fields, without which a style is not ready, come after styles.
                final, item = item, {name: item[name] for name in item if name != _READY}
            is_copy = translation.has_deleted or is_deleted(line.document)
            entry = _Entry(source, line, item, translation.keyed, final, is_copy)
            details = [*ambiguous, *translation.missing] or [*_key_errors(entry, first_lines)]
            if is_deleted(line.document) and [each.type for each in details] == [_DUPLICATE]:
                # By its own key it is the record of an earlier line.
                self._counts[collection.name]["unchanged"] += 1
                self.on_progress(1)
            elif details:
                self._reject(entry, details)
            else:
                yield entry

    async def _send(self, entries: Sequence[_Entry]) -> None:
        """Send entries as transactions, and count their outcomes.

        After a failure that ends the import, only look for further entries that fail. A failed
        transaction, of which nothing is written, may name only some of them: a dry run finds all.
        """
        error = None
        dry_run = self.options.dry_run or self._is_stopped
        batch = self._batch((), dry_run=True, skip=True)
        try:
            entries = await self._without_unchanged_finals(entries)
            batch = self._batch(entries, dry_run=dry_run, skip=dry_run or self.options.skip)
            await batch.send()
        except selvedge_client.FailureError as failure:
            error = failure
            if error.type == ErrorType.FORBIDDEN_SCOPE:
                message = f"{error.details[0].value} Issue a key with --scope write."
                raise TransferError(message) from error
        self._store(entries, [outcome for _, outcome in batch.outcomes])
        self._has_sent, left = True, entries[len(batch.outcomes) :]
        rejected = self.rejects.count
        if error and error.failed_items and not self._has_failed:
            self._has_failed = True
            await self._send(left)
        elif error and error.status == ErrorType.PAYLOAD_TOO_LARGE.status:
            self._reject(left[0], error.details)
            await self._send(left[1:])
        if error and self.rejects.count == rejected:
            raise error

    def _batch(
        self, entries: Iterable[_Entry], *, dry_run: bool, skip: bool
    ) -> selvedge_client.Transaction:
        batch = self.client.transaction(splits=True, dry_run=dry_run, skip=skip)
        for entry in entries:
            operation = "import" if entry.is_copy else "upsert"
            collection = entry.source.collection
            operation = (
                "merge" if self.options.merge or is_keyed(collection, entry.item) else operation
            )
            batch.add(collection.name, operation, entry.item)
        return batch

    async def _without_unchanged_finals(self, entries: Sequence[_Entry]) -> Sequence[_Entry]:
        """Return the entries; those that are stored in their final form already have that alone."""
        finals = [replace(entry, item=entry.final, final=None) for entry in entries if entry.final]
        outcomes = await self._batch(finals, dry_run=True, skip=True).send()
        pairs = zip(finals, outcomes, strict=True)
        stored = {id(final.line): final for final, (_, o) in pairs if o.outcome == "unchanged"}
        return [stored.get(id(entry.line), entry) for entry in entries]

    def _store(
        self, entries: Sequence[_Entry], outcomes: Sequence[selvedge_client.Outcome]
    ) -> None:
        """Reject the entries that failed, and count the outcomes of the others."""
        pairs = [*zip(entries, map(self._forgiven, entries, outcomes), strict=False)]
        for entry, outcome in pairs:
            if outcome.outcome == "failed":
                self._reject(entry, outcome.details)
        for entry, outcome in pairs:
            name, counted = entry.source.collection.name, outcome.outcome
            if self._is_stopped or counted == "failed":
                continue
            if name in self._sent:
                self._sent[name].collect(outcome)
            if entry.final and not self.options.dry_run:
                final = replace(entry, item=entry.final, final=None, first_outcome=counted)
                self._finals.append(final)
            else:
                if entry.first_outcome not in ("", "unchanged"):
                    counted = entry.first_outcome
                self._counts[name][CHECKED if entry.final else counted] += 1
                self.on_progress(1)

    def _forgiven(self, entry: _Entry, outcome: selvedge_client.Outcome) -> selvedge_client.Outcome:
        """Return ``checked`` if an entry failed only by what earlier dry runs have not written."""
        fields = {_ENTRY.sub("", row.field or "") for row in outcome.details if row.type in _ABSENT}
        is_earlier = self.options.dry_run and self._has_sent and fields <= {*entry.keyed}
        if is_earlier and 0 < len(outcome.details) == len(fields):
            return replace(outcome, outcome=CHECKED, details=())
        return outcome

    def _reject_problems(self, source: Source, line: Line) -> None:
        """Reject a line with cells that have no value; its members are rejected with it."""
        if source.owner:
            self.on_progress(1)
            return
        details = [
            selvedge_client.Detail(ErrorType.INVALID_VALUE, each.column_name or None, each.message)
            for each in line.problems
        ]
        self._reject(_Entry(source, line, line.document, ()), details)

    def _reject(self, entry: _Entry, details: Sequence[selvedge_client.Detail]) -> None:
        """Reject and count a line; its record is not missing. Unless skipped, end the import."""
        collection, rows = entry.source.collection, list[selvedge_client.Detail]()
        for row in details:
            field = _ENTRY.sub("", row.field or "") or None
            if entry.source.owner:
                field = collection.field_of_owner(field)
            rows.append(replace(row, field=field))
        if collection.name in self._sent:
            self._sent[collection.name].fail(entry.item)
        self._counts[collection.name]["failed"] += 1
        self.rejects.add(entry.source, entry.line, rows)
        self.on_progress(1)

    async def _delete_missing(self, options: selvedge_client.MissingOptions) -> None:
        """Delete the live records of the key's source that no line has, in collections with a file.

        Those that others use, or that are too many, are ``refused`` and stay. A dry run counts
        records in use as ``checked``: the lines, which it does not write, may free them.
        """
        in_use = CHECKED if self.options.dry_run else REFUSED
        for name, row in await self.client.delete_missing(self._sent.values(), **options):
            outcome = in_use if row.outcome == "failed" else row.outcome
            self._counts[name][outcome] += 1
            if outcome == REFUSED:
                reasons = "; ".join(str(detail.value) for detail in row.details)
                self.not_deleted.append(f"{name} {row.id}: {reasons}")


def _key_errors(entry: _Entry, first_lines: dict[bytes, int]) -> Iterator[selvedge_client.Detail]:
    """Yield the error of a line without an own key, or of a record that another line has."""
    key = {name: entry.item.get(name) for name in entry.source.collection.key_fields}
    for name in [name for name, value in key.items() if value in (None, "")][:1]:
        message = f"Give the record its own key, {name}: an import finds it by that."
        yield selvedge_client.Detail(ErrorType.REQUIRED_FIELD, name, message)
        return
    file_id = entry.line.document.get("id")
    names = {next(iter(key)): key} | ({} if file_id is None else {"id": str(file_id)})
    for name, identity in names.items():
        first = first_lines.setdefault(orjson.dumps(identity), entry.line.number)
        if first != entry.line.number:
            message = f"Line {first} has the same record: remove one of the two."
            yield selvedge_client.Detail(ErrorType.DUPLICATE, name, message)
            return
