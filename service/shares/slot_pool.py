"""Slot pool: slots for outgoing work, of which no organization takes the last ones from others.

Without it receivers and name servers that never answer delay the deliveries of all organizations,
by 45 s instead of 7 (``make attack``: webhooks; ``tests/attacks/test_tar_pit.py``).
An organization gets a further slot while it holds fewer than 1/8 of those that are free, rounded
down, or none. The more slots are taken, the fewer a single organization gets, so that some stay
free for organizations that have none. Nothing waits in a queue, and slots once taken stay.
"""

from collections import Counter
from typing import Final

_SHARE: Final = 8
"""An organization that takes a slot may hold up to 1/8 of the number of free slots."""


class SlotPool:
    """Slots for concurrent work of organizations in one worker, used in its event loop alone."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._taken = Counter[int]()

    @property
    def taken(self) -> int:
        """Number of slots that are taken."""
        return self._taken.total()

    def enter(self, organization_id: int) -> bool:
        """Take a slot for the organization; return False if none is free, or it holds too many.

        It does not wait. After True, the caller frees the slot by ``leave``.
        """
        if self._free == 0 or self._taken[organization_id] >= max(1, self._free // _SHARE):
            return False
        self._free -= 1
        self._taken[organization_id] += 1
        return True

    def leave(self, organization_id: int) -> None:
        """Free a slot that the organization has taken."""
        self._free += 1
        self._taken[organization_id] -= 1
        if not self._taken[organization_id]:
            del self._taken[organization_id]
