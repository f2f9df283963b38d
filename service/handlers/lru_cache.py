"""LRU cache bounded by the weight of its values, such as bytes, instead of their number."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MAX_VALUE_SHARE: Final = 64
"""A value heavier than 1/64 of the capacity is not cached: it would evict too many others."""


class WeightedLruCache(Generic[K, V]):
    """Least recently used cache of the values of ``make``, up to ``max_weight`` in total.

    ``weigh`` returns the weight of a key with its value; it is called once per value. A value that
    weighs more than 1/64 of ``max_weight`` is returned, but not cached. Not for several threads.
    """

    def __init__(
        self, make: Callable[[K], V], weigh: Callable[[K, V], int], max_weight: int
    ) -> None:
        self._make = make
        self._weigh = weigh
        self._max_weight = max_weight
        self._weight = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __call__(self, key: K) -> V:
        """Return the value of a key; on a miss make it, and raise what ``make`` raises.

        Errors are not cached. A cached value is shared: callers do not change it.
        """
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
            return entry[0]
        value = self._make(key)
        weight = self._weigh(key, value)
        if weight * _MAX_VALUE_SHARE <= self._max_weight:
            self._entries[key] = value, weight
            self._weight += weight
            while self._weight > self._max_weight:
                self._weight -= self._entries.popitem(last=False)[1][1]
        return value

    def clear(self) -> None:
        """Remove all values."""
        self._entries.clear()
        self._weight = 0
