"""Slot pool: slots for outgoing work, of which no organization takes the last ones from others.

An organization may hold as many slots as 1/8 of those that are free, but at least one. The more
slots are taken, the fewer a single organization may hold, so that some stay free for organizations
that have none.
"""

from collections import Counter
from typing import Final

_SHARE: Final = 8
"""An organization may hold 1/8 of the number of free slots."""


class SlotPool:
    """Slots for concurrent work of organizations."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._taken = Counter[int]()

    @property
    def taken(self) -> int:
        """Number of slots that are taken."""
        return self._taken.total()

    def enter(self, organization_id: int) -> bool:
        """Take a slot for the organization; return False if none is free, or it holds too many."""
        if self._free == 0 or self._taken[organization_id] >= max(1, self._free // _SHARE):
            return False
        self._free -= 1
        self._taken[organization_id] += 1
        return True

    def leave(self, organization_id: int) -> None:
        """Free a slot of the organization."""
        self._free += 1
        self._taken[organization_id] -= 1
        if not self._taken[organization_id]:
            del self._taken[organization_id]
