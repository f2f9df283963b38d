"""Prices in requests: those of a style in a price list, and their periods."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

import asyncpg

from service.batches.batch import Batch
from service.batches.entry import Item
from service.errors import Path
from service.records import scalar_columns
from service.schemas.formats import error_of

LIST: Final = "priceListId"
COLOR, SIZE, QUANTITY, FROM = KEY = (
    *("styleColorId", "sizeRangeSizeId", "minimumQuantity"),
    "validFrom",
)
"""Members that identify a price of a style in a price list."""
AMOUNTS: Final = ("amount", "compareAtAmount")
MEMBERS: Final = (*KEY, *AMOUNTS, "validTo")
_ALWAYS: Final = ("0000-01-01", "9999-12-31")


@dataclass(slots=True)
class SentPrices:
    """Prices of a style in a price list in a write: the item itself, or an entry of it."""

    index: int
    path: Path
    """Path of the entry in the item."""
    style_id: int
    list_id: int
    prices: list[Item]
    """Prices as sent."""
    was_filled: bool = False
    """Whether there were prices before the write, but for those of deleted style colors."""
    hidden: int = 0
    """Number of stored prices of deleted style colors."""
    changed: dict[int, Item] = field(default_factory=dict)
    """Prices that are not stored like this, by their index."""
    removed_ids: list[int] = field(default_factory=list)

    @property
    def pair(self) -> tuple[int, int]:
        """Ids of the style and the price list."""
        return self.style_id, self.list_id

    @property
    def new_rows(self) -> Iterator[Item]:
        """Rows of the prices to insert, without ids."""
        ids = {"styleId": self.style_id, LIST: self.list_id}
        return (price | ids for price in self.changed.values())

    def match(self, stored: list[asyncpg.Record]) -> None:
        """Match the prices to the stored ones; numbers that equal these keep their digits."""
        shown = {tuple(map(row.get, KEY)): row for row in stored if row["is_shown"]}
        self.was_filled = bool(shown)
        self.hidden, remaining = len(stored) - len(shown), {**shown}
        for index, sent in enumerate(self.prices):
            price: Item = dict(zip(MEMBERS, map(sent.get, MEMBERS), strict=True))
            price[QUANTITY] = price[QUANTITY] or 1
            key = tuple(map(price.get, KEY))
            row = shown.get(key, {})
            for name in AMOUNTS:
                price[name] = scalar_columns.decimal_text(
                    scalar_columns.shortest(sent.get(name)), row.get(name)
                )
            if row and all(price[name] == row[name] for name in MEMBERS):
                remaining.pop(key, None)
            else:
                self.changed[index] = price
        self.removed_ids = [row["id"] for row in remaining.values()]

    def fail(self, batch: Batch, type_: str, *path: str | int, message: str) -> None:
        """Add an error to the item, at ``path`` within the entry."""
        batch.fail(self.index, type_, *self.path, *path, message=message)


def price_lists(batch: Batch) -> Iterator[SentPrices]:
    """Yield the price lists of a batch: items are single ones, or have a list of them."""
    for index, item in enumerate(batch.items):
        if batch.parents:
            yield SentPrices(index, (), batch.parents[-1], item["id"], item["prices"])
        else:
            for number, entry in enumerate(item["priceLists"]):
                path = ("priceLists", number)
                yield SentPrices(index, path, item["id"], entry[LIST], entry["prices"])


def prices_of(item: Item) -> Iterator[tuple[Path, list[Any]]]:
    """Yield the lists of prices of an item or a form, which may violate its schema, with paths."""
    if isinstance(item.get("prices"), list):
        yield ("prices",), item["prices"]
    lists = item.get("priceLists")
    for index, entry in enumerate(lists if isinstance(lists, list) else ()):
        if isinstance(entry, dict) and isinstance(entry.get("prices"), list):
            yield ("priceLists", index, "prices"), entry["prices"]


def overlaps(prices: list[Any]) -> Iterator[tuple[int, int, str]]:
    """Yield the index of each price that overlaps an earlier one, the other's, and a message."""
    periods = defaultdict[Any, list[tuple[str, str, int]]](list)
    for index, price in enumerate(prices):
        first, last = _period(price)
        key = [price.get(name) for name in KEY[:3]] if first else []
        if not key or any(isinstance(value, dict | list) for value in key):
            continue
        others = periods[key[0], key[1], key[2] or 1]
        position = bisect_left(others, (first, last, index))
        near = others[max(position - 1, 0) : position + 1]
        other = next((each for each in near if each[0] <= last and first <= each[1]), None)
        if other is None:
            insort(others, (first, last, index))
        else:
            beginning = "without a beginning" if other[0] == _ALWAYS[0] else f"from {other[0]}"
            yield index, other[2], f"Overlaps the price {beginning}."


def _period(price: Any) -> tuple[str, str]:
    """Return the first and the last day of a price; ("", "") for a wrong one."""
    if not isinstance(price, dict):
        return "", ""
    first, last = _day(price.get(FROM), _ALWAYS[0]), _day(price.get("validTo"), _ALWAYS[1])
    return (first, last) if first and first <= last else ("", "")


def _day(day: Any, default: str) -> str:
    """Return a day, or the default of none; "" for a wrong one."""
    if day is None:
        return default
    return day if isinstance(day, str) and error_of("date", day) is None else ""


def price_errors(price: Any) -> Iterator[tuple[str, str]]:
    """Yield member and message of the errors between the members of a price."""
    if not isinstance(price, dict):
        return
    first, last = _day(price.get(FROM), ""), _day(price.get("validTo"), "")
    if first and last and last < first:
        yield "validTo", f"Use {first} or later."
    amount, compared = (price.get(name) for name in AMOUNTS)
    if all(type(value) in (int, float, str) for value in (amount, compared)):
        texts = [str(value) for value in (amount, compared)]
        if not any(error_of("amount", text) for text in texts) and Decimal(texts[1]) < Decimal(
            texts[0]
        ):
            yield "compareAtAmount", f"Use {amount} or more."
