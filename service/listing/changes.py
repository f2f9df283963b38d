"""What a reader of changes asks for, and its cursor (contract, Changes)."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from service.errors import ApiError, ErrorDetail, in_query_order
from service.listing import cursor

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
MAX_WAIT: Final = 30
_VERSION: Final = 1
_LARGEST: Final = 2**62
_WHOLE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_ONCE: Final = ("recordId", "limit", "from", "wait", "documents", "cursor")


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """Where a reader has come to: all transactions up to ``n`` are read.

    With a collection ``n`` itself is read up to that record, in the order of collections and ids.
    """

    n: int
    collection: str | None = None
    record: int = 0


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Which changes a reader wants, and how."""

    collections: tuple[str, ...] = ()
    """Empty for all of them."""
    record: int | None = None
    """Of the one collection."""
    limit: int = DEFAULT_LIMIT
    documents: bool = False


@dataclass(frozen=True, slots=True)
class ChangesRequest:
    """A request for changes."""

    filter: ChangeFilter
    after: FeedPosition | None
    """None for those from now on."""
    epoch: int | None = None
    """What the place is of; None for a place that is no cursor's."""
    wait: int = 0
    """Seconds."""


@dataclass
class _Reader:
    """Reads one query string and gathers everything that is wrong with it."""

    pairs: Sequence[tuple[str, str]]
    failures: list[ErrorDetail] = field(default_factory=list)

    def fail(self, kind: str, name: str, message: str) -> None:
        self.failures.append(ErrorDetail(f"validation_error.{kind}", (name,), message))

    def only(self, *known: str) -> None:
        """Report parameters that are not there, and those that stand twice."""
        for name in dict.fromkeys(name for name, _ in self.pairs):
            if name not in known:
                shown = name.replace("\0", "\\0")
                self.fail("unknown_parameter", shown, "There is no such parameter.")
            elif name in _ONCE and len(self.all(name)) > 1:
                self.fail("duplicate", name, "Give this parameter once.")

    def all(self, name: str) -> list[str]:
        return [text for known, text in self.pairs if known == name]

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
        """The value sent, or else the first choice."""
        for text in self.all(name)[:1]:
            if text in choices:
                return text
            self.fail("invalid_value", name, f"Use {' or '.join(choices)}.")
        return choices[0]


def read(pairs: Sequence[tuple[str, str]], known: Mapping[str, Any], scope: str) -> ChangesRequest:
    """What the query asks for; ``known`` are the resources that change, by name.

    Raises ApiError with everything that is wrong with it.
    """
    reader = _Reader(pairs)
    reader.only("collection", *_ONCE)
    wait = reader.number("wait", 0, 0, MAX_WAIT)
    if reader.all("cursor"):
        found = _continued(reader, known, scope, wait)
    else:
        found = ChangesRequest(_wanted(reader, known), _start(reader), wait=wait)
    if reader.failures:
        raise ApiError(in_query_order(pairs, reader.failures))
    return found


def encode(wanted: ChangeFilter, after: FeedPosition, epoch: int, scope: str) -> str:
    """The cursor of a place, which carries what is wanted."""
    place = [after.n, after.collection, after.record]
    asked = [wanted.collections, wanted.record, wanted.limit, wanted.documents]
    return cursor.seal(orjson.dumps([_VERSION, epoch, place, asked]), scope)


def _start(reader: _Reader) -> FeedPosition | None:
    return None if reader.choice("from", "oldest", "now") == "now" else FeedPosition(0)


def _wanted(reader: _Reader, known: Mapping[str, Any]) -> ChangeFilter:
    collections = tuple(dict.fromkeys(reader.all("collection")))
    for name in collections:
        if name not in known:
            reader.fail("invalid_value", "collection", f"Use one of {', '.join(known)}.")
            break
    limit = reader.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    documents = reader.choice("documents", "false", "true") == "true"
    return ChangeFilter(collections, _record(reader, known, collections), limit, documents)


def _record(reader: _Reader, known: Mapping[str, Any], collections: Sequence[str]) -> int | None:
    for text in reader.all("recordId")[:1]:
        if len(collections) != 1:
            reader.fail("required_field", "collection", "Name one collection beside recordId.")
        elif collections[0] in known:
            try:
                return int(known[collections[0]].stored_id(text))
            except ValueError as error:
                reader.fail("invalid_value", "recordId", str(error))
    return None


def _continued(reader: _Reader, known: Collection[str], scope: str, wait: int) -> ChangesRequest:
    """What a cursor continues; only ``wait`` stands beside it."""
    for name in dict.fromkeys(name for name, _ in reader.pairs):
        if name in ("collection", *_ONCE) and name not in ("cursor", "wait"):
            reader.fail("exclusive_parameters", name, "A cursor carries the whole query.")
    try:
        version, epoch, place, asked = orjson.loads(cursor.unseal(reader.all("cursor")[0], scope))
        if version != _VERSION:
            raise ValueError("unknown version")
        after, wanted = _place(known, *place), _carried(known, *asked)
        return ChangesRequest(wanted, after, _whole(epoch), wait)
    except (ValueError, TypeError, *cursor.UNREADABLE):
        reader.failures += cursor.invalid().details
        return ChangesRequest(ChangeFilter(), None)


def _place(known: Collection[str], n: Any, collection: Any, record: Any) -> FeedPosition:
    if collection is not None and collection not in known:
        raise ValueError("no such collection")
    return FeedPosition(_whole(n), collection, _whole(record))


def _carried(
    known: Collection[str], collections: Any, record: Any, limit: Any, documents: Any
) -> ChangeFilter:
    if not isinstance(collections, list) or not isinstance(documents, bool):
        raise TypeError("wrong form")
    if not all(isinstance(name, str) and name in known for name in collections):
        raise ValueError("no such collection")
    if record is not None and len(collections) != 1:
        raise ValueError("a record without its collection")
    if not 1 <= _whole(limit) <= MAX_LIMIT:
        raise ValueError("limit out of range")
    chosen = tuple(dict.fromkeys(collections))
    return ChangeFilter(chosen, None if record is None else _whole(record), limit, documents)


def _whole(value: Any) -> int:
    """The value; ValueError where it is no number that the database could hold."""
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise ValueError("no number")
    return value
