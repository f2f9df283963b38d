"""The items of one write, where each stands in the request, and what is wrong with them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson

from service.errors import ApiError, Row
from service.faults import RequestOrder
from service.organizations.caller import Caller

Item: TypeAlias = dict[str, Any]


@dataclass
class Batch:
    """Items with their stored ``id``; a part of a batch shares its failures with the whole.

    ``places`` are the items' places in a bulk request, written into field paths by ``path``:
    ``[{}].`` in a body, ``ids[{}]`` in a query; a single request has neither.
    """

    caller: Caller
    items: list[Item]
    places: Sequence[int]
    path: str = ""
    failures: list[tuple[list[int], Row]] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    """Ids of the records that the same request deletes, which the others need not mind."""
    found: dict[Any, Any] = field(default_factory=dict)
    """What checks found in the database that the writes go by, by who keeps it there."""

    _texts: dict[tuple[str, ...], str] = field(default_factory=dict)

    def json(self, written_separately: tuple[str, ...] = ()) -> str:
        """The items as statements take them, without the fields that are written separately.

        Not to be asked for before the items are complete.
        """
        if written_separately not in self._texts:
            items = [item.copy() for item in self.items] if written_separately else self.items
            for name in written_separately:
                for item in items:
                    item.pop(name, None)
            self._texts[written_separately] = orjson.dumps(items).decode()
        return self._texts[written_separately]

    @property
    def ids(self) -> list[int]:
        """The stored ids, in request order."""
        return [item["id"] for item in self.items]

    def only(self, wanted: Callable[[Item], bool]) -> "Batch":
        """The part whose items are wanted."""
        return self._part([n for n, item in enumerate(self.items) if wanted(item)])

    def split(self, gone: Callable[[Item], bool]) -> "tuple[Batch, Batch]":
        """The parts that stay and that go."""
        leaving = [n for n, item in enumerate(self.items) if gone(item)]
        staying = sorted({*range(len(self.items))} - {*leaving})
        self.gone = [self.items[n]["id"] for n in leaving]
        return self._part(staying), self._part(leaving)

    def _part(self, chosen: list[int]) -> "Batch":
        if len(chosen) == len(self.items):
            return self
        return Batch(
            self.caller,
            [self.items[n] for n in chosen],
            [self.places[n] for n in chosen],
            self.path,
            self.failures,
            self.gone,
        )

    def fail(self, number: int, kind: str, name: str | None, value: str | None) -> None:
        """Report what is wrong with the item of that number, at the named field of it."""
        place = self.places[number]
        parts = re.findall(r"\w+", name or "")
        path = [int(part) if part.isdigit() else part for part in parts]
        order = [place, *RequestOrder(self.items[number])(path)]
        self.failures.append((order, Row(kind, self.field(place, name), value)))

    def fail_record(self, record_id: int, kind: str, value: str | None) -> None:
        """Report what is wrong with a record itself, by its id."""
        number = next(n for n, item in enumerate(self.items) if item["id"] == record_id)
        self.fail(number, kind, "id", value)

    def field(self, place: int, name: str | None) -> str | None:
        """The path in the request of an item's field."""
        if name is None or not self.path:
            return name
        prefix = self.path.format(place)
        return prefix + name if prefix.endswith(".") else prefix

    def raise_failures(self) -> None:
        """Raise ApiError with everything reported so far, in request order, if anything was."""
        if self.failures:
            self.failures.sort(key=lambda failed: failed[0])
            raise ApiError([row for _, row in self.failures])
