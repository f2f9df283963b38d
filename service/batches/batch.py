"""Batch: entries of one write that are in one collection, and the errors of a request's items.

A request index counts all items of the request from 0, an index those of one batch.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import not_
from typing import Any, Final, TypeAlias

import asyncpg
import orjson

from service.batches.change_recorder import CREATED, DELETED, Image, ImageKey
from service.batches.entry import UPSERT, Edit, Entry, EntryOperation, Item
from service.database.connections import Connection
from service.database.statements import id_array
from service.errors import MAX_COLLECTED, ApiError, ErrorDetail, Path, in_request_order
from service.limits import MAX_LISTED
from service.organizations.caller import Caller

FAILED_CREATOR: Final = "Entry {}, which creates it, fails."
"""Message of items that depend on a failed item, given its request index."""
PathLocator: TypeAlias = Callable[[int, Path], Path]
"""Maps an item's request index and a path within the item to the path within the request."""


def body_path(_: int, path: Path) -> Path:
    """Return the path in a request whose body is the item itself."""
    return path


def list_path(name: str) -> PathLocator:
    """Return a locator for a request whose body is the list that items store under ``name``."""
    return lambda _, path: path[1:] if path[:1] == (name,) else path


@dataclass(frozen=True, slots=True)
class RequestItems:
    """Parsed items of a request, with the errors that the request alone reveals."""

    items: Sequence[Any]
    """All items in request order, failed ones included, which may be no objects."""
    locate: PathLocator = body_path
    details: Mapping[int, list[ErrorDetail]] = field(default_factory=dict)
    """Errors by request index; their paths start at the item."""
    is_bulk: bool = False
    """Whether the request is a bulk write, whatever its number of items."""
    operation: EntryOperation = UPSERT
    """Operation of all items; transactions have one for each entry."""
    is_by_id: bool = True
    """Whether the items name their records by id, not by own key."""
    edit: Edit | None = None
    """What an operation ``edit`` does."""


class ItemErrors:
    """Collector of the errors of one request's items, by request index."""

    def __init__(self, request_items: RequestItems) -> None:
        self._request_items = request_items
        self._edited_items = dict[int, Any]()
        self._aliases = defaultdict[int, dict[Path, Path]](dict)
        self._closed = set[tuple[int, Path]]()
        self._own_keys = dict[int, str]()
        self._details = {
            request_index: [*details] for request_index, details in request_items.details.items()
        }
        self._collected = sum(map(len, self._details.values()))
        self._types = {detail.type for details in self._details.values() for detail in details}

    def __contains__(self, request_index: int) -> bool:
        return request_index in self._details

    def __bool__(self) -> bool:
        return bool(self._details)

    def add(self, request_index: int, type_: str, path: Path, message: str) -> None:
        """Add an error to the item at ``request_index``.

        ``path`` starts at the item. After ``MAX_COLLECTED`` errors, add only an item's first error
        and the first error of a type: these change the counts or the status. Paths that are
        closed get no more errors.
        """
        if (request_index, path) in self._closed:
            return
        if path == ("id",):
            path = (self._own_keys.get(request_index, "id"),)
        aliases = self._aliases.get(request_index, {})
        for length in range(len(path), 0, -1) if aliases else ():
            if path[:length] in aliases:
                path = (*aliases[path[:length]], *path[length:])
                break
        if (
            self._collected < MAX_COLLECTED
            or request_index not in self._details
            or type_ not in self._types
        ):
            self._details.setdefault(request_index, []).append(ErrorDetail(type_, path, message))
            self._types.add(type_)
            self._collected += 1

    def close(self, request_index: int, path: Path) -> None:
        """Ignore further errors of an item at ``path``, whose value is known to be wrong."""
        self._closed.add((request_index, path))

    def name_by(self, own_key: str, request_indexes: Iterable[int]) -> None:
        """Report errors at the id of items that have none at their own key, which names them."""
        self._own_keys |= dict.fromkeys(request_indexes, own_key)

    def report_at(self, request_index: int, path: Path, alias: Path) -> None:
        """Report later errors of an item below ``path`` at ``alias``, as it was sent."""
        self._aliases[request_index][path] = alias

    def order_by(self, request_index: int, item: Item) -> None:
        """Sort the errors of one item by the members of ``item``, not of the request's item."""
        self._edited_items[request_index] = item

    def raise_any(self) -> None:
        """Raise the ApiError of ``error`` if any item has an error."""
        if self:
            raise self.error()

    def error(self) -> ApiError:
        """Return the ApiError with all errors; there must be at least one.

        The rows that ``listed`` returns come first, in request order, so that truncation drops no
        item's first row. Then come the others, in request order. Paths start at the request.
        """
        listed, rest = self._split()
        first = [detail for details in listed.values() for detail in details]
        return ApiError(first + rest, failed_items=len(self._details))

    def listed(self) -> dict[int, list[ErrorDetail]]:
        """Return the rows to show for each failed item, at least one, by request index.

        They are at most ``MAX_LISTED`` in all, or one of each if more items failed.
        """
        return self._split()[0]

    def details_of(self, request_index: int) -> list[ErrorDetail]:
        """Return the errors of an item; their paths start at the item."""
        return [*self._details[request_index]]

    def _split(self) -> tuple[dict[int, list[ErrorDetail]], list[ErrorDetail]]:
        """Split the errors into those that fit into ``MAX_LISTED`` rows, by item, and the rest."""
        listed, rest = dict[int, list[ErrorDetail]](), list[ErrorDetail]()
        free_rows = max(MAX_LISTED - len(self._details), 0)
        for request_index in sorted(self._details):
            first, *others = self._item_details(request_index)
            listed[request_index] = [first, *others[:free_rows]]
            rest += others[free_rows:]
            free_rows -= min(free_rows, len(others))
        return listed, rest

    def _item_details(self, request_index: int) -> list[ErrorDetail]:
        item = self._edited_items.get(request_index, self._request_items.items[request_index])
        details = in_request_order(item, self._details[request_index])
        return [
            replace(detail, path=self._request_items.locate(request_index, detail.path))
            for detail in details
        ]


class WriteTransaction:
    """What the batches of one transaction share: one collection, of which others know nothing."""

    def __init__(self) -> None:
        self.locks = set[str]()
        """Writer locks, by collection, and the organization's, that the transaction has."""
        self.look_ups = defaultdict[str, dict[Any, Any]](dict)
        """Records that the transaction has found by own key, by statement, then by key."""
        self.images = dict[ImageKey, Image]()
        """Writable forms before the transaction of the records that it changes."""
        self.failed_parts = dict[str, dict[int, int]]()
        """Request indexes of failed entries of parts, by the table of their entries, then owner."""

    def failed_creator(self, _collection: str, _key: Any) -> int | None:
        """Return the request index of the failed entry that would create a record with the key."""
        return None

    def deleted_keys(self, _collection: str) -> Mapping[Any, int]:
        """Return the records of a collection that the transaction deletes: ids by own key."""
        return {}

    async def begin(self) -> None:
        """Take the locks that come before those of the records of any collection."""

    async def note_failed_parts(self, collection: str) -> None:
        """Note the failed entries of a collection that those of others need."""


@dataclass(slots=True, eq=False)
class Batch:
    """Entries of one write, in request order.

    Subsets of a batch share its errors, ``checked_fields`` and the like, and entries; the write
    changes these in place. An entry that fails stays in the batch; ``subset`` returns a batch
    without it.
    """

    connection: Connection
    """Connection of the transaction that the batch is written in."""
    caller: Caller
    items: list[Entry]
    errors: ItemErrors
    request_id: str = ""
    parents: Sequence[int] = ()
    """The path's ids of the parent records, outermost first."""
    transaction: WriteTransaction = field(default_factory=WriteTransaction)
    checked_fields: set[str] = field(default_factory=set)
    """References whose records the write has found live and locked, by dotted path."""
    part_operations: dict[str, dict[str, set[int]]] = field(default_factory=dict)
    """Ids of owners whose part is filled or emptied, by part and operation."""
    deactivating: dict[int, Any] = field(default_factory=dict)
    """Matched children of the owners whose part loses entries in use, by the owner's id."""
    _json: dict[tuple[str, ...], str] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        connection: Connection,
        caller: Caller,
        request_items: RequestItems,
        request_id: str = "",
        parents: Sequence[int] = (),
    ) -> "Batch":
        """Return the batch of the items without errors, as shallow copies, and of all errors."""
        errors, operation = ItemErrors(request_items), request_items.operation
        is_by_id, edit = request_items.is_by_id, request_items.edit
        items = [
            Entry(item, index, operation, is_by_id=is_by_id, edit=edit)
            for index, item in enumerate(request_items.items)
            if index not in errors
        ]
        return cls(connection, caller, items, errors, request_id, parents)

    async def fetch(self, text: str, *parameters: Any) -> Sequence[asyncpg.Record]:
        """Return the rows of a statement, whose first parameter is the organization."""
        rows: Sequence[asyncpg.Record] = await self.connection.fetch(
            text, self.caller.organization_id, *parameters
        )
        return rows

    @property
    def ids(self) -> list[int]:
        """Return the ids of the records, in request order; raise KeyError if one is not known."""
        return [item["id"] for item in self.items]

    @property
    def id_array(self) -> str:
        """Return the ids of the records as one statement parameter, the text of an id array."""
        return id_array(self.ids)

    def json(self, without: tuple[str, ...] = ()) -> str:
        """Return the items as a JSON parameter, without the fields named in ``without``.

        The text is cached for this batch, not for subsets: call it only when the items are
        complete, as later changes of items would be missing.
        """
        if without not in self._json:
            items = [item.copy() for item in self.items] if without else self.items
            for name in without:
                for item in items:
                    item.pop(name, None)
            self._json[without] = orjson.dumps(items).decode()
        return self._json[without]

    def subset(self, includes: Callable[[Entry], bool] | None = None) -> "Batch":
        """Return the items without errors that ``includes`` accepts; the batch itself if all are.

        ``includes`` is not called for failed items; without it, all others are returned.
        """
        if not self.errors and includes is None:
            return self
        items = [
            entry
            for entry in self.items
            if entry.index not in self.errors and (not includes or includes(entry))
        ]
        return self if len(items) == len(self.items) else self.of_entries(items)

    def identified(self) -> "Batch":
        """Return the entries without errors whose ids are known; the batch itself if all are."""
        items = [entry for entry in self.subset().items if "id" in entry]
        return self if len(items) == len(self.items) else self.of_entries(items)

    def split(self, includes: Callable[[Entry], bool]) -> tuple["Batch", "Batch"]:
        """Return the accepted items and the others; the batch itself for all. Failures stay."""
        is_accepted = [*map(includes, self.items)]
        accepted = [*compress(self.items, is_accepted)]
        others = [*compress(self.items, map(not_, is_accepted))]
        return (
            self.of_entries(accepted) if others else self,
            self.of_entries(others) if accepted else self,
        )

    def of_entries(self, items: list[Entry]) -> "Batch":
        """Return a batch of some of the entries, or of others in the same collection."""
        return replace(self, items=items)

    def of_collection(self, items: list[Entry]) -> "Batch":
        """Return a batch of entries in another collection, of the same transaction."""
        own = (items, self.errors, self.request_id, (), self.transaction)
        return Batch(self.connection, self.caller, *own)

    def empty(self) -> "Batch":
        """Return an empty subset of the batch."""
        return self.of_entries([])

    def note_part(self, part: str, owner_id: int, *, was_filled: bool, is_filled: bool) -> None:
        """Note in ``part_operations`` if the write fills an owner's empty part, or empties it."""
        if was_filled != is_filled:
            operations = self.part_operations.setdefault(part, {})
            operations.setdefault(CREATED if is_filled else DELETED, set()).add(owner_id)

    def fail(self, index: int, type_: str, *path: str | int, message: str) -> None:
        """Add an error to the item at ``index``, at ``path`` within the item."""
        self.errors.add(self.items[index].index, type_, path, message)

    def fail_records(self, messages: Mapping[int, str], type_: str, key: str = "id") -> None:
        """Add an error to each item whose record id has a message, at the field ``key``.

        All items must have an ``id``.
        """
        for index, item in enumerate(self.items):
            if item["id"] in messages:
                self.fail(index, type_, key, message=messages[item["id"]])

    def fail_all(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add an error for each row of a check statement.

        ``item`` counts this batch's items from 1, ``path`` is a JSON array within the item.
        """
        for row in rows:
            path = orjson.loads(row["path"])
            self.fail(row["item"] - 1, row["type"], *path, message=row["message"])
