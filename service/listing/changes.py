"""Query of the change feed: its parameters and its cursor (contract, Changes)."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from service.errors import ApiError, ErrorDetail, in_query_order
from service.limits import DEFAULT_LIMIT, MAX_LIMIT, MAX_WAIT
from service.listing import cursor

_VERSION: Final = 1
_LARGEST: Final = 2**62
_WHOLE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_ONCE: Final = ("recordId", "limit", "from", "wait", "documents", "cursor")


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """Position in the change feed: the reader has read all transactions before ``n``.

    Without a collection it has also read transaction ``n``. With a collection it has read ``n`` up
    to that record, in the order of collections and ids.
    """

    n: int
    collection: str | None = None
    record: int = 0


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Filter and form of the changes that a reader requests."""

    collections: tuple[str, ...] = ()
    """Empty for all collections."""
    record: int | None = None
    """Stored id of a record of the only collection; None for all records."""
    limit: int = DEFAULT_LIMIT
    documents: bool = False


@dataclass(frozen=True, slots=True)
class ChangesRequest:
    """Request for one page of the change feed."""

    filter: ChangeFilter
    after: FeedPosition | None
    """None to start at the end of the feed."""
    epoch: int | None = None
    """Epoch of the feed that issued the cursor; None without a cursor."""
    wait: int = 0
    """Timeout of the long poll in seconds."""


@dataclass
class _ChangesReader:
    """Reader of one query string; collects an error detail for each wrong parameter."""

    pairs: Sequence[tuple[str, str]]
    errors: list[ErrorDetail] = field(default_factory=list)

    def fail(self, kind: str, name: str, message: str) -> None:
        self.errors.append(ErrorDetail(f"validation_error.{kind}", (name,), message))

    def only(self, *names: str) -> None:
        """Report parameters that are not among ``names``, and duplicates of single ones."""
        for name in dict.fromkeys(name for name, _ in self.pairs):
            if name not in names:
                shown = name.replace("\0", "\\0")
                self.fail("unknown_parameter", shown, "There is no such parameter.")
            elif name in _ONCE and len(self.all(name)) > 1:
                self.fail("duplicate", name, "Give this parameter once.")

    def all(self, name: str) -> list[str]:
        return [text for key, text in self.pairs if key == name]

    def number(self, name: str, default: int, low: int, high: int) -> int:
        for text in self.all(name)[:1]:
            if not _WHOLE.fullmatch(text):
                self.fail("invalid_value", name, "Use a whole number.")
            elif not low <= int(text) <= high:
                self.fail("out_of_range", name, f"Use a number from {low} to {high}.")
            else:
                return int(text)
        return default

    def choice(self, name: str, *choices: str) -> str:
        """Return the value of the parameter, by default the first choice."""
        for text in self.all(name)[:1]:
            if text in choices:
                return text
            self.fail("invalid_value", name, f"Use {' or '.join(choices)}.")
        return choices[0]


def read(
    pairs: Sequence[tuple[str, str]], resources: Mapping[str, Any], scope: str
) -> ChangesRequest:
    """Parse a query string of the change feed; ``resources`` are those in the feed, by name.

    Raises ApiError with a detail for each wrong parameter (contract, Changes).
    """
    reader = _ChangesReader(pairs)
    reader.only("collection", *_ONCE)
    wait = reader.number("wait", 0, 0, MAX_WAIT)
    if reader.all("cursor"):
        request = _from_cursor(reader, resources, scope, wait)
    else:
        request = ChangesRequest(_filter(reader, resources), _start(reader), wait=wait)
    if reader.errors:
        raise ApiError(in_query_order(pairs, reader.errors))
    return request


def encode(change_filter: ChangeFilter, after: FeedPosition, epoch: int, scope: str) -> str:
    """Return the cursor of a position, which carries the filter."""
    position = [after.n, after.collection, after.record]
    members = [
        change_filter.collections,
        change_filter.record,
        change_filter.limit,
        change_filter.documents,
    ]
    return cursor.seal(orjson.dumps([_VERSION, epoch, position, members]), scope)


def _start(reader: _ChangesReader) -> FeedPosition | None:
    return None if reader.choice("from", "oldest", "now") == "now" else FeedPosition(0)


def _filter(reader: _ChangesReader, resources: Mapping[str, Any]) -> ChangeFilter:
    collections = tuple(dict.fromkeys(reader.all("collection")))
    for name in collections:
        if name not in resources:
            reader.fail("invalid_value", "collection", f"Use one of {', '.join(resources)}.")
            break
    limit = reader.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    documents = reader.choice("documents", "false", "true") == "true"
    return ChangeFilter(collections, _record(reader, resources, collections), limit, documents)


def _record(
    reader: _ChangesReader, resources: Mapping[str, Any], collections: Sequence[str]
) -> int | None:
    for text in reader.all("recordId")[:1]:
        if len(collections) != 1:
            reader.fail("required_field", "collection", "Name one collection beside recordId.")
        elif collections[0] in resources:
            try:
                return int(resources[collections[0]].stored_id(text))
            except ValueError as error:
                reader.fail("invalid_value", "recordId", str(error))
    return None


def _from_cursor(
    reader: _ChangesReader, collections: Collection[str], scope: str, wait: int
) -> ChangesRequest:
    """Return the request that a cursor continues; report parameters other than ``wait``."""
    for name in dict.fromkeys(name for name, _ in reader.pairs):
        if name in ("collection", *_ONCE) and name not in ("cursor", "wait"):
            reader.fail("exclusive_parameters", name, "Leave this out: the cursor has it.")
    try:
        payload = orjson.loads(cursor.unseal(reader.all("cursor")[0], scope))
        version, epoch, position, members = payload
        if version != _VERSION:
            raise ValueError("unknown version")
        after = _position(collections, *position)
        change_filter = _filter_of_cursor(collections, *members)
        return ChangesRequest(change_filter, after, _whole(epoch), wait)
    except (ValueError, TypeError, *cursor.UNREADABLE):
        reader.errors += cursor.invalid().details
        return ChangesRequest(ChangeFilter(), None)


def _position(collections: Collection[str], n: Any, collection: Any, record: Any) -> FeedPosition:
    if collection is not None and collection not in collections:
        raise ValueError("no such collection")
    return FeedPosition(_whole(n), collection, _whole(record))


def _filter_of_cursor(
    known_collections: Collection[str], collections: Any, record: Any, limit: Any, documents: Any
) -> ChangeFilter:
    if not isinstance(collections, list) or not isinstance(documents, bool):
        raise TypeError("wrong form")
    if not all(isinstance(name, str) and name in known_collections for name in collections):
        raise ValueError("no such collection")
    if record is not None and len(collections) != 1:
        raise ValueError("a record without its collection")
    if not 1 <= _whole(limit) <= MAX_LIMIT:
        raise ValueError("limit out of range")
    chosen = tuple(dict.fromkeys(collections))
    return ChangeFilter(chosen, None if record is None else _whole(record), limit, documents)


def _whole(value: Any) -> int:
    """Return the value; raise ValueError unless it is an integer from 0 to 2**62."""
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise ValueError("no number")
    return value
