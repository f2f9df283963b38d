"""What is asked again and again, remembered within a bound that is weighed, not counted."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_SHARE: Final = 64
"""One value may weigh this part of all: a few heavy ones would drive everything else out."""


class WeightedLruCache(Generic[K, V]):
    """The values of a function that were asked for last, as many as weigh ``most`` together."""

    def __init__(self, make: Callable[[K], V], weigh: Callable[[K, V], int], most: int) -> None:
        self._make = make
        self._weigh = weigh
        self._most = most
        self._weight = 0
        self._known: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __call__(self, key: K) -> V:
        """The value of a key, made unless it is remembered; raises what making it raises."""
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known[0]
        value = self._make(key)
        weight = self._weigh(key, value)
        if weight * _SHARE <= self._most:
            self._known[key] = value, weight
            self._weight += weight
            while self._weight > self._most:
                self._weight -= self._known.popitem(last=False)[1][1]
        return value

    def clear(self) -> None:
        """Remember nothing."""
        self._known.clear()
        self._weight = 0
