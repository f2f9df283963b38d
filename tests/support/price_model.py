"""Model of effective prices, day by day: what SKUs cost, from prices as requests have them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Final

FIRST: Final = date(2026, 12, 1)
LAST: Final = date(2027, 3, 31)
_DAYS: Final = (LAST - FIRST).days
Price = dict[str, Any]


@dataclass
class Model:
    """Prices of a style in one price list."""

    prices: list[Price] = field(default_factory=list)
    valid_from: date | None = None
    valid_to: date | None = None
    is_active: bool = True

    def effective(self, color: int, size: int, day: date) -> dict[str, Any] | None:
        """Return the effective price of an SKU; None without one."""
        winner = self._winner(color, size, day)
        if not self.is_active or winner is None:
            return None
        amount, began = Decimal(winner["amount"]), day
        while began >= FIRST and self._amount(color, size, began - timedelta(1)) == amount:
            began -= timedelta(1)
        before = [self._amount(color, size, began - timedelta(n)) for n in range(1, 31)]
        earlier = [] if began < FIRST else [each for each in before if each is not None]
        level = winner["styleColorId"], winner["sizeRangeSizeId"]
        tiers = [
            (price["minimumQuantity"], Decimal(price["amount"]))
            for price in self._valid(day)
            if price["minimumQuantity"] > 1
            and (price["styleColorId"], price["sizeRangeSizeId"]) == level
        ]
        return {
            "amount": amount,
            "lowestAmount30Days": min(earlier, default=None),
            "validTo": winner["validTo"],
            "tiers": sorted(tiers),
        }

    def _winner(self, color: int, size: int, day: date) -> Price | None:
        valid = [price for price in self._valid(day) if price["minimumQuantity"] == 1]
        for level in ((color, size), (color, None), (None, size), (None, None)):
            for price in valid:
                if (price["styleColorId"], price["sizeRangeSizeId"]) == level:
                    return price
        return None

    def _amount(self, color: int, size: int, day: date) -> Decimal | None:
        winner = self._winner(color, size, day)
        return Decimal(winner["amount"]) if winner else None

    def _valid(self, day: date) -> Iterator[Price]:
        if (self.valid_from or day) <= day <= (self.valid_to or day):
            for price in self.prices:
                first, last = (price[name] or str(day) for name in ("validFrom", "validTo"))
                if first <= str(day) <= last:
                    yield price


def period(random: Random, longest: int) -> tuple[date | None, date | None]:
    """Return first and last day, each of which may be open."""
    first = FIRST + timedelta(random.randrange(_DAYS))
    last = min(first + timedelta(random.randrange(longest)), LAST)
    return (None if random.random() < 0.15 else first, None if random.random() < 0.15 else last)


def generated(random: Random, colors: list[int], sizes: list[int]) -> Model:
    """Return a model with prices that do not overlap, most of few amounts."""
    made, taken = Model(), dict[Any, set[int]]()
    if random.random() < 0.2:
        made.valid_from, made.valid_to = period(random, 120)
    made.is_active = random.random() < 0.95
    for _ in range(random.randrange(1, 25)):
        key = (
            random.choice([None, *colors]),
            random.choice([None, *sizes]),
            random.choice((1, 1, 1, 5, 10)),
        )
        first, last = period(random, random.choice((5, 20, 60)))
        days = {
            *range((first or FIRST - timedelta(99)).toordinal(), (last or LAST).toordinal() + 1)
        }
        if days.isdisjoint(taken.setdefault(key, set())):
            taken[key] |= days
            made.prices.append(
                {
                    **dict(
                        zip(
                            ("styleColorId", "sizeRangeSizeId", "minimumQuantity"), key, strict=True
                        )
                    ),
                    "amount": random.choice(("10", "10.00", "9.5", "12", "7.25")),
                    "validFrom": first and str(first),
                    "validTo": last and str(last),
                }
            )
    return made
