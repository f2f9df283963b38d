"""The items of one write, where each stands in the request, and what is wrong with them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson

from service.database.id_arrays import id_array
from service.errors import MAX_COLLECTED, MAX_LISTED, ApiError, ErrorDetail, Path, in_request_order
from service.organizations.caller import Caller

Item: TypeAlias = dict[str, Any]
PathLocator: TypeAlias = Callable[[int, Path], Path]
"""From an item's place in the request and a path in the item to the path in the request."""


def body_path(_: int, path: Path) -> Path:
    """Where a field stands in a request whose body is the item."""
    return path


def list_path(name: str) -> PathLocator:
    """Where a field stands in a request whose body is the list that the item has by that name."""
    return lambda _, path: path[1:] if path[:1] == (name,) else path


@dataclass(frozen=True, slots=True)
class RequestItems:
    """The items of a request as they were read, and what the request alone shows to be wrong."""

    items: Sequence[Any]
    locate: PathLocator = body_path
    details: Mapping[int, list[ErrorDetail]] = field(default_factory=dict)
    """By the item's place; paths are those in the item."""
    is_bulk: bool = False
    """Whether items stand in a list, however many there are."""
    parents: Sequence[int] = ()
    """The ids of the path that lead to the records, outermost first."""


class ItemErrors:
    """What is wrong with the items of one request, by their places."""

    def __init__(self, sent: RequestItems) -> None:
        self._sent = sent
        self._ordered = dict[int, Any]()
        self._failures = {place: [*found] for place, found in sent.details.items()}
        self._made = sum(map(len, self._failures.values()))
        self._types = {failure.type for found in self._failures.values() for failure in found}

    def __contains__(self, place: int) -> bool:
        return place in self._failures

    def __bool__(self) -> bool:
        return bool(self._failures)

    def add(self, place: int, kind: str, path: Path, message: str) -> None:
        """Take note of what is wrong with the item at that place.

        Once there is more than can be listed, only of what changes the counts or the status.
        """
        if self._made < MAX_COLLECTED or place not in self._failures or kind not in self._types:
            self._failures.setdefault(place, []).append(ErrorDetail(kind, path, message))
            self._types.add(kind)
            self._made += 1

    def order_by(self, place: int, item: Item) -> None:
        """Tell what is wrong with the item at that place in the order of this one's members."""
        self._ordered[place] = item

    def raise_any(self) -> None:
        """Raise ApiError with every failure, in request order, if there are any."""
        if self:
            raise self.error()

    def error(self) -> ApiError:
        """The error of all that failed; there has to be something."""
        listed, rest = self._split()
        failures = [failure for found in listed.values() for failure in found]
        return ApiError(failures + rest, failed_items=len(self._failures))

    def listed(self) -> dict[int, list[ErrorDetail]]:
        """What is told of each item, by its place; the first of every one is told."""
        return self._split()[0]

    def _split(self) -> tuple[dict[int, list[ErrorDetail]], list[ErrorDetail]]:
        """The failures that are listed, item by item, and those that are too many for that."""
        listed, rest = dict[int, list[ErrorDetail]](), list[ErrorDetail]()
        spare = max(MAX_LISTED - len(self._failures), 0)
        for place in sorted(self._failures):
            first, *others = self._item_details(place)
            listed[place] = [first, *others[:spare]]
            rest += others[spare:]
            spare -= min(spare, len(others))
        return listed, rest

    def _item_details(self, place: int) -> list[ErrorDetail]:
        item = self._ordered.get(place, self._sent.items[place])
        found = in_request_order(item, self._failures[place])
        return [ErrorDetail(f.type, self._sent.locate(place, f.path), f.message) for f in found]


class Batch:
    """Items with their stored ``id``; the parts of a batch share what is wrong with the whole.

    An item has a number, which counts within the batch from 0, and a place, which is the one in the
    request.
    """

    def __init__(
        self,
        caller: Caller,
        items: list[Item],
        places: Sequence[int],
        failed: ItemErrors,
        request_id: str = "",
        parents: Sequence[int] = (),
    ) -> None:
        self.caller = caller
        self.request_id = request_id
        self.parents = parents
        self.items = items
        self.request_indexes = places
        self.errors = failed
        self._texts: dict[tuple[str, ...], str] = {}

    @classmethod
    def of(cls, caller: Caller, sent: RequestItems, request_id: str = "") -> "Batch":
        """The items that can be looked at further: the request alone shows nothing wrong."""
        failed = ItemErrors(sent)
        places = [place for place in range(len(sent.items)) if place not in failed]
        items = [sent.items[place].copy() for place in places]
        return cls(caller, items, places, failed, request_id, sent.parents)

    @property
    def ids(self) -> list[int]:
        """The stored ids, in request order."""
        return [item["id"] for item in self.items]

    @property
    def id_array(self) -> str:
        """The same as one parameter of a statement."""
        return id_array(self.ids)

    def json(self, without: tuple[str, ...] = ()) -> str:
        """The items as statements take them, without the fields that are written separately.

        Not to be asked for before the items are complete.
        """
        if without not in self._texts:
            items = [item.copy() for item in self.items] if without else self.items
            for name in without:
                for item in items:
                    item.pop(name, None)
            self._texts[without] = orjson.dumps(items).decode()
        return self._texts[without]

    def subset(self, belongs: Callable[[Item], bool] | None = None) -> "Batch":
        """Those of the items as a batch, without what has failed; itself where these are all."""
        if self.errors:
            chosen = [n for n, place in enumerate(self.request_indexes) if place not in self.errors]
        elif belongs is None:
            return self
        else:
            chosen = [*range(len(self.items))]
        if belongs is not None:
            chosen = [number for number in chosen if belongs(self.items[number])]
        if len(chosen) == len(self.items):
            return self
        items, places = [self.items[n] for n in chosen], [self.request_indexes[n] for n in chosen]
        return Batch(self.caller, items, places, self.errors, self.request_id, self.parents)

    def empty(self) -> "Batch":
        """A part that has none of them."""
        return Batch(self.caller, [], [], self.errors, self.request_id, self.parents)

    def fail(self, number: int, kind: str, *path: str | int, message: str) -> None:
        """Report what is wrong with the item of that number, at the path in it."""
        self.errors.add(self.request_indexes[number], kind, path, message)

    def fail_records(self, messages: Mapping[int, str], kind: str, key: str = "id") -> None:
        """Report what is wrong with records themselves: a message by id, at the name of these."""
        for number, item in enumerate(self.items):
            if item["id"] in messages:
                self.fail(number, kind, key, message=messages[item["id"]])

    def fail_all(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Report the rows of a statement that checks items: item from 1, type, path, message."""
        for row in rows:
            path = orjson.loads(row["path"])
            self.fail(row["item"] - 1, row["type"], *path, message=row["message"])
