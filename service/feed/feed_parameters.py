"""Change feed requests: query parameters and cursors, read and written (contract, Changes).

Nothing here uses the database: whether a position has expired, and which epoch the feed has, is
checked when the page is read.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import orjson

from service.error_types import ErrorType
from service.limits import DEFAULT_LIMIT, MAX_LIMIT, MAX_TRANSACTION_ENTRIES, MAX_WAIT
from service.listing import cursor
from service.listing.query_reader import QueryReader

_VERSION: Final = 1
_LARGEST: Final = 2**62
"""Maximum of sequence numbers, epochs and record ids."""
PATH: Final = "/api/changes"
CURSOR, AFTER, EPOCH = "cursor", "after", "epoch"
_REQUEST_ID: Final = "requestId"
_CARRIED: Final = (
    *("collection", "recordId", _REQUEST_ID, "limit", "from", "documents", AFTER, EPOCH),
)
"""Parameters that a cursor carries."""


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """Position in the change feed: the reader has read all transactions before ``n``.

    Without a collection it has also read transaction ``n``. With a collection it has read ``n`` up
    to that record, the record included, in the order of collection names and ids. ``n`` 0 is the
    position before the oldest change that is kept.
    """

    n: int
    """Sequence number of the transaction."""
    collection: str | None = None
    record_id: int = 0
    """Stored id of the record that was read last; 0 without a collection."""

    @property
    def last_complete(self) -> int:
        """Return the number of the last transaction that the reader has read completely."""
        return self.n if self.collection is None else self.n - 1

    def begin_of(self, n: int) -> "FeedPosition":
        """Return from where to read a transaction: this position, or before its first entry."""
        return self if n == self.n else FeedPosition(n, "", 0)

    def id_within(self, collection: str) -> int:
        """Return the id after which the entries of a collection are read."""
        return self.record_id if collection == self.collection else 0


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Changes that a reader requests: filter, page size and whether they carry documents.

    A cursor carries all of it.
    """

    collections: tuple[str, ...] = ()
    """Empty for all collections."""
    record_id: int | None = None
    """Stored id of a record of the only collection; None for all records."""
    limit: int = DEFAULT_LIMIT
    """Maximum number of entries of a page, 1 to MAX_LIMIT.

    With ``whole_transactions`` the first transaction of a page may exceed it.
    """
    documents: bool = False
    """Whether entries have the record's document."""
    whole_transactions: bool = False
    """Whether pages end with a transaction, for readers who continue by a number (``after``)."""
    request_id: str | None = None
    """Id of the request whose changes are requested; None for those of all."""

    @property
    def max_first_entries(self) -> int:
        """Maximum number of entries of a page's first transaction."""
        return MAX_TRANSACTION_ENTRIES if self.whole_transactions else self.limit

    def has(self, collection: str) -> bool:
        """Return whether entries of a collection are requested."""
        return not self.collections or collection in self.collections


@dataclass(frozen=True, slots=True)
class ChangesRequest:
    """Request for one page of the change feed."""

    filter: ChangeFilter
    after: FeedPosition | None
    """Position that the page follows; None for the end of the feed (``from=now``)."""
    epoch: int | None = None
    """Epoch of the position, from ``cursor`` or ``epoch``; None without."""
    position_name: str = ""
    """Parameter that names the position, for errors: ``cursor``, ``after``, or "" for none."""
    wait: int = 0
    """Timeout of the long poll in seconds, 0 to MAX_WAIT; 0 does not wait."""


_INVALID: Final = ChangesRequest(ChangeFilter(), None)
"""Request in place of one whose cursor is invalid; its errors are raised instead."""


def read_request(
    parameters: Iterable[tuple[str, str]], resources: Mapping[str, Any], scope: str
) -> ChangesRequest:
    """Parse a query string of the change feed; ``resources`` are those in the feed, by name.

    The position is that of ``cursor``, or of ``after``, or of ``from``: before the oldest
    change by default. ``scope`` must be that with which the cursor was made. Raise ApiError with a
    detail for each unknown, wrong, missing or exclusive parameter.
    """
    reader = QueryReader(parameters)
    reader.only(CURSOR, "wait", *_CARRIED)
    wait = reader.integer("wait", 0, 0, MAX_WAIT)
    if CURSOR in reader.texts:
        request = _from_cursor(reader, resources, scope, wait)
    elif AFTER in reader.texts:
        request = _after_number(reader, resources, wait)
    else:
        if EPOCH in reader.texts:
            reader.fail(ErrorType.REQUIRED_FIELD, AFTER, message="Name after beside epoch.")
        request = ChangesRequest(_filter(reader, resources), _start(reader), wait=wait)
    reader.raise_errors()
    return request


@lru_cache(maxsize=1024)
def cursor_after(n: int, epoch: int, organization_id: int) -> str:
    """Return the cursor of all changes after transaction ``n``, without a filter or documents.

    Its limit is DEFAULT_LIMIT. Export and lists send it in a header.
    """
    scope = cursor.scope(PATH, organization_id)
    return encode(ChangeFilter(), FeedPosition(n), epoch, scope)


def encode(change_filter: ChangeFilter, after: FeedPosition, epoch: int, scope: str) -> str:
    """Return the cursor of a position in an epoch, which carries the filter, too.

    It is valid for ``scope`` only: the path of the feed and the organization.
    """
    position = [after.n, after.collection, after.record_id]
    members = [
        change_filter.collections,
        change_filter.record_id,
        change_filter.limit,
        change_filter.documents,
        *_optional(change_filter),
    ]
    return cursor.seal(orjson.dumps([_VERSION, epoch, position, members]), scope)


def _optional(change_filter: ChangeFilter) -> list[bool | str]:
    """Return the members of a cursor that most lack: those before the last one that is there."""
    if change_filter.request_id is not None:
        return [change_filter.whole_transactions, change_filter.request_id]
    return [True] if change_filter.whole_transactions else []


def _optional_of(members: list[Any]) -> tuple[bool, str | None]:
    """Return what ``_optional`` writes: whether pages have whole transactions, and a request id."""
    if members in ([], [True]):
        return bool(members), None
    whole, request_id = members
    if not isinstance(whole, bool) or not isinstance(request_id, str):
        raise TypeError("wrong form")
    return whole, request_id


def _after_number(reader: QueryReader, resources: Mapping[str, Any], wait: int) -> ChangesRequest:
    """Return the request of ``after``, with ``epoch`` if it is given; report ``from`` beside it.

    Its pages end with a transaction.
    """
    if "from" in reader.texts:
        message = "Leave this out: after names the position."
        reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, "from", message=message)
    n = reader.integer(AFTER, 0, 0, _LARGEST)
    epoch = reader.integer(EPOCH, 0, 0, _LARGEST) if EPOCH in reader.texts else None
    change_filter = replace(_filter(reader, resources), whole_transactions=True)
    return ChangesRequest(change_filter, FeedPosition(n), epoch, AFTER, wait)


def _start(reader: QueryReader) -> FeedPosition | None:
    """Return the position of ``from``: None for ``now``, else before the oldest change."""
    return None if reader.choice("from", "oldest", "now") == "now" else FeedPosition(0)


def _filter(reader: QueryReader, resources: Mapping[str, Any]) -> ChangeFilter:
    collections = tuple(dict.fromkeys(reader.texts.get("collection", ())))
    if not all(name in resources for name in collections):
        reader.fail_choice(resources, "collection")
    limit = reader.integer("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    documents = reader.boolean("documents")
    record_id = _record_id(reader, resources, collections)
    request_id = reader.text(_REQUEST_ID)
    return ChangeFilter(collections, record_id, limit, documents, request_id=request_id)


def _record_id(
    reader: QueryReader, resources: Mapping[str, Any], collections: Sequence[str]
) -> int | None:
    """Return the stored id of ``recordId``, which needs exactly one collection; None without."""
    text = reader.single("recordId")
    if text is None:
        return None
    if len(collections) != 1:
        message = "Name one collection beside recordId."
        reader.fail(ErrorType.REQUIRED_FIELD, "collection", message=message)
    elif collections[0] in resources:
        try:
            return int(resources[collections[0]].stored_id(text))
        except ValueError as error:
            reader.fail(ErrorType.INVALID_VALUE, "recordId", message=str(error))
    return None


def _from_cursor(
    reader: QueryReader, resources: Mapping[str, Any], scope: str, wait: int
) -> ChangesRequest:
    """Return the request that a cursor continues; report parameters that differ from its own."""
    request = _read_cursor(reader, resources, scope, wait)
    carried = _carried(reader, resources, request)
    for name in reader.texts:
        if name in _CARRIED and name not in carried:
            reader.fail_beside_cursor(name)
    return request


def _carried(
    reader: QueryReader, resources: Mapping[str, Any], request: ChangesRequest
) -> Collection[str]:
    """Return the parameters beside a cursor that have the cursor's own values.

    Tools repeat the parameters of the first page on every page. ``from`` and ``after`` never are
    among them. Report malformed ones.
    """
    if request is _INVALID or not reader.texts.keys() & {*_CARRIED}:
        return ()
    own, beside = request.filter, _filter(reader, resources)
    is_same = {
        "collection": {*own.collections} == {*beside.collections},
        "recordId": own.record_id == beside.record_id,
        _REQUEST_ID: own.request_id == beside.request_id,
        "limit": own.limit == beside.limit,
        "documents": own.documents == beside.documents,
        EPOCH: EPOCH in reader.texts and request.epoch == reader.integer(EPOCH, 0, 0, _LARGEST),
    }
    return [name for name in is_same if is_same[name]]


def _read_cursor(
    reader: QueryReader, collections: Collection[str], scope: str, wait: int
) -> ChangesRequest:
    """Return the request of a cursor; report an invalid one and return _INVALID.

    Another organization's cursor is invalid, as is one of another path.
    """
    text = reader.single(CURSOR)
    if text is None:
        return _INVALID
    try:
        payload = orjson.loads(cursor.unseal(text, scope))
        version, epoch, position, members = payload
        if version != _VERSION:
            raise ValueError("unknown version")
        after = _position(collections, *position)
        change_filter = _filter_of_cursor(collections, *members)
        return ChangesRequest(change_filter, after, _whole(epoch), CURSOR, wait)
    except (ValueError, TypeError, *cursor.UNREADABLE):
        reader.fail(ErrorType.INVALID_CURSOR, CURSOR)
        return _INVALID


def _position(
    collections: Collection[str], n: Any, collection: Any, record_id: Any
) -> FeedPosition:
    """Return the position in a cursor; raise ValueError if it is invalid."""
    if collection is not None and collection not in collections:
        raise ValueError("no such collection")
    return FeedPosition(_whole(n), collection, _whole(record_id))


def _filter_of_cursor(
    known_collections: Collection[str], collections: Any, record_id: Any, limit: Any, *flags: Any
) -> ChangeFilter:
    """Return the filter in a cursor; raise ValueError or TypeError if it is invalid."""
    documents, *optional = flags
    whole, request_id = _optional_of(optional)
    if not isinstance(collections, list) or not isinstance(documents, bool):
        raise TypeError("wrong form")
    if not {*collections} <= {*known_collections}:
        raise ValueError("no such collection")
    if record_id is not None and len(collections) != 1:
        raise ValueError("a record without its collection")
    if not 1 <= _whole(limit) <= MAX_LIMIT:
        raise ValueError("limit out of range")
    chosen = tuple(dict.fromkeys(collections))
    stored_id = None if record_id is None else _whole(record_id)
    return ChangeFilter(chosen, stored_id, limit, documents, whole, request_id)


def _whole(value: Any) -> int:
    """Return the value; raise ValueError unless it is an integer from 0 to 2**62."""
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise ValueError("no number")
    return value
