"""Transaction handler: entries of several collections, written as one change.

Errors of the request as a whole raise ApiError, 400. Those of an entry are stored under its index,
so that the others can be checked further.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

import orjson
from aiohttp import hdrs, web

from service.batches.batch import Batch, ItemErrors, RequestItems
from service.batches.entry import EntryOperation, Item
from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ApiError, CollectedErrors, ErrorDetail, Path, unavailable
from service.handlers import write_options
from service.handlers.outcomes import (
    Row,
    add_details,
    outcome_rows,
    outcomes_of,
    response,
)
from service.handlers.parameters import idempotent_request, refuse_preconditions
from service.handlers.request_items import (
    BulkBody,
    Details,
    add_repeated_values,
    identify_objects,
    readable_objects,
)
from service.handlers.write_requests import WriteRequest, bulk_error_counts, respond
from service.http.context import REQUEST_ID, caller_of
from service.http.envelope import ApiResponse
from service.http.headers import NDJSON, is_sent_as
from service.limits import MAX_TRANSACTION_SECONDS, MAX_TRANSACTION_VALUES
from service.organizations.scopes import DELETE, WRITE, Scopes, require_all
from service.records.master_record import MasterRecord
from service.records.writable_resource import WritableResource
from service.resources.transaction import Transactions
from service.schemas.parsing import malformed, parse, parse_lines
from service.shares.body_scheduler import BODY_SCHEDULER
from service.shares.fair_queue import LeaseKind
from service.writing import writes
from service.writing.outcomes import FAILED, UNCHANGED, WriteOptions, WriteResult
from service.writing.transaction import CollectionEntries, SeveralCollections, key_as_sent

_CHUNK: Final = 200
"""Items that are validated at a time; other bodies may start in between."""
_TOO_SLOW: Final = (
    f"The transaction took more than {MAX_TRANSACTION_SECONDS} seconds: send fewer entries."
)
_FORMS: Final = {
    EntryOperation.UPSERT: ("bulkReplace", "bulkReplaceByKey"),
    EntryOperation.MERGE: ("bulkMerge", "bulkMergeByKey"),
    EntryOperation.IMPORT: ("bulkReplace", "bulkReplaceByKey"),
    EntryOperation.CREATE: ("bulkCreate", "bulkCreate"),
    EntryOperation.DELETE: ("bulkMerge", "bulkMergeByKey"),
}
"""Forms of the items by id and by own key, by operation."""

_Groups: TypeAlias = Mapping[tuple[WritableResource, EntryOperation, bool], list[int]]
"""Request indexes by resource, operation, and whether items name their records by id."""


async def write(resource: Transactions, request: web.Request, raw: bytes) -> ApiResponse:
    """Write the entries of a body, an array or lines; return an outcome for each."""
    is_lines = is_sent_as(request.headers[hdrs.CONTENT_TYPE], NDJSON)
    read = partial(parse_lines if is_lines else parse, max_values=MAX_TRANSACTION_VALUES)
    body = BulkBody.of(raw, read)
    with bulk_error_counts("transaction", body.total_items):
        require_all(caller_of(request).scopes, _needed_scopes(resource, body), Scopes.opens)
        with CollectedErrors() as errors:
            options = errors.of(write_options.read, request, resource, write_options.BULK)
            errors.of(write_options.check, request, write_options.BULK)
            errors.of(refuse_preconditions, request)
            idempotency = errors.of(idempotent_request, request, raw)
            malformed_entries = errors.of(_entry_errors, resource, body)
        options = replace(options, match_by_key=True, checks_uses=False)
        entries = _Entries(resource, body.items, malformed_entries)
        await entries.validate(request, options)
        kind, work = LeaseKind(bulk=True, exclusive=True), partial(_write, entries)
        write_request = WriteRequest(
            *(request, options, idempotency, entries.items, kind, work),
            seconds=float(MAX_TRANSACTION_SECONDS),
        )
        try:
            return await respond(write_request)
        except ApiError as error:
            if type(error.__cause__) is TimeoutError:
                raise unavailable(_TOO_SLOW) from error
            raise


def _needed_scopes(resource: Transactions, body: BulkBody) -> Iterator[tuple[str, Path]]:
    """Yield the scopes that entries need, with the paths of their errors."""
    for index, entry in body.objects():
        collection = resource.collections.get(_collection_of(entry) or "")
        if collection is None:
            continue
        item, deletes = entry.get("item"), entry.get("operation") == EntryOperation.DELETE
        if deletes or (isinstance(item, dict) and item.get("state") == "deleted"):
            path = ("operation",) if deletes else ("item", "state")
            yield collection.scope(DELETE), (index, *path)
        else:
            yield collection.scope(WRITE), (index, "collection")


def _entry_errors(resource: Transactions, body: BulkBody) -> Details:
    """Return the errors of the entries themselves; raise ApiError for those of the body."""
    body.raise_parse_errors()
    return resource.validator.errors_of_items(body.items, b"")


class _Entries:
    """Entries of a request, with the errors that the request alone reveals."""

    def __init__(self, resource: Transactions, entries: Sequence[Any], malformed: Details) -> None:
        self._entries, self._malformed = entries, malformed
        groups = defaultdict[tuple[WritableResource, EntryOperation, bool], list[int]](list)
        operations = defaultdict[str, dict[int, EntryOperation]](dict)
        items: list[Item] = [{}] * len(entries)
        for index, entry in enumerate(entries):
            if index not in malformed:
                name, items[index] = entry["collection"], entry["item"]
                operation = EntryOperation(entry.get("operation", EntryOperation.UPSERT))
                operations[name][index] = operation
                collection = resource.collections[name]
                by_id = not isinstance(collection, MasterRecord) or "id" in items[index]
                groups[collection, operation, by_id].append(index)
        self._groups: _Groups = groups
        self.items = RequestItems(items, self._locate, malformed, is_bulk=True)
        self.collections = [
            CollectionEntries(collection, operations[name])
            for name, collection in resource.collections.items()
            if name in operations
        ]
        """In the order of their references."""

    def _locate(self, index: int, path: Path) -> Path:
        return (index, *path) if index in self._malformed else (index, "item", *path)

    async def validate(self, request: web.Request, options: WriteOptions) -> None:
        """Validate the items; set the stored ids of those that name their records by id."""
        details: Details = {}
        for (resource, operation, by_id), indexes in self._groups.items():
            form = _FORMS[operation][0 if by_id else 1]
            for start in range(0, len(indexes), _CHUNK):
                organization_id = caller_of(request).organization_id
                await request.app[BODY_SCHEDULER].enter(organization_id, again=True)
                chunk = indexes[start : start + _CHUNK]
                for index, errors in self._errors(resource, operation, form, chunk):
                    details[index] = errors
        for entries in self.collections:
            self._identify(entries, details, options)
        self.items = replace(self.items, details={**self._malformed, **details})

    def _errors(
        self, resource: WritableResource, operation: EntryOperation, form: str, indexes: list[int]
    ) -> Iterator[tuple[int, list[ErrorDetail]]]:
        """Yield the errors of items by the schema of their form, with their request indexes."""
        items = [self.items.items[index] for index in indexes]
        if operation is EntryOperation.DELETE and form == "bulkMergeByKey":
            items = [item | {"state": "deleted"} for item in items]
        try:
            raw = orjson.dumps(items)
        except orjson.JSONEncodeError:
            raise malformed("Send JSON with less nesting: the body is nested too deeply.") from None
        for position, errors in resource.validators[form].errors_of_items(items, raw).items():
            yield indexes[position], errors

    def _identify(
        self, entries: CollectionEntries, details: Details, options: WriteOptions
    ) -> None:
        """Compare the items of a collection with each other, and set stored ids."""
        resource, by_id, by_key, created = entries.resource, list[Any](), list[Any](), list[Any]()
        for index, operation in entries.operations.items():
            item = self.items.items[index]
            if not isinstance(resource, MasterRecord) or "id" in item:
                by_id.append((index, item))
            elif operation is EntryOperation.CREATE:
                created.append((index, item))
            else:
                is_deleted = operation is EntryOperation.DELETE
                by_key.append((index, item | {"state": "deleted"} if is_deleted else item))
        for items, is_keyed in ((by_id, False), (by_key, True)):
            readable = readable_objects(items, details)
            identify_objects(resource, readable, details, replace(options, match_by_key=is_keyed))
        for index, other in [*_created_again(resource, created, by_key)]:
            message = f"Entry {other} gives a record this key, too."
            error = ErrorDetail(ErrorType.DUPLICATE, (str(resource.own_key),), message)
            details.setdefault(index, []).append(error)
        live = [
            (index, self.items.items[index])
            for index, operation in entries.operations.items()
            if operation is not EntryOperation.DELETE
        ]
        live = readable_objects(live, details)
        add_repeated_values(resource, live, details, options, without=resource.own_key)

    def rows(self, results: Sequence[WriteResult], options: WriteOptions) -> dict[int, Row]:
        """Return the outcomes to show, by request index, given the results of the collections."""
        by_index: dict[int, Row] = {
            index: {"outcome": FAILED, "id": None, "key": None, "details": []}
            for index in self._malformed
        }
        for entries, result in zip(self.collections, results, strict=True):
            indexes = [*entries.operations]
            if options.return_minimal:
                indexes = sorted({*indexes} - result.unchanged)
            rows = outcome_rows(entries.resource, self.items, result, options, indexes)
            by_index |= zip(indexes, rows, strict=True)
        return {
            index: {
                "index": index,
                "collection": _collection_of(self._entries[index]),
                **by_index[index],
            }
            for index in sorted(by_index)
        }


def _created_again(
    resource: WritableResource,
    created: Sequence[tuple[int, Item]],
    by_key: Sequence[tuple[int, Item]],
) -> Iterator[tuple[int, int]]:
    """Yield the request indexes of a create and of an item by own key that give one key.

    Each pair comes both ways round.
    """
    others = {
        key_as_sent(resource, item): index
        for index, item in (by_key if created else ())
        if item.get("state") != "deleted"
    }
    for index, item in created:
        key = key_as_sent(resource, item)
        if key is not None and (other := others.get(key)) is not None:
            yield index, other
            yield other, index


def _collection_of(entry: Any) -> str | None:
    """Return the collection that an entry names; it may be any JSON value."""
    name = entry.get("collection") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


async def _write(
    entries: _Entries, write_request: WriteRequest, connection: Connection
) -> ApiResponse:
    """Return the response to the transaction."""
    request, items, options = write_request.request, write_request.items, write_request.options
    root = Batch(connection, caller_of(request), [], ItemErrors(items), request[REQUEST_ID])
    transaction = SeveralCollections(items, entries.collections)
    results = await writes.write(transaction.batches(root), options)
    rows = entries.rows(results, options)
    add_details(rows, root.errors)
    outcomes = outcomes_of(rows.values())
    if len(rows) < len(items.items):
        outcomes.add(UNCHANGED)  # of entries that are not shown
    return response([*rows.values()], outcomes, options)
