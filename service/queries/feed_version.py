"""Feed state: tells whether an organization's data has changed (contract, Envelope)."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from service.database.connections import Connection
from service.database.statements import load

FeedVersion: TypeAlias = tuple[int, int]
"""Epoch of a feed, and the number of transactions committed so far, numbered or not."""

MAX_UNNUMBERED: Final = 100
"""Maximum number of transactions without a sequence number that are counted."""

_STATE: Final = load("changes")["state"].text


@dataclass(frozen=True, slots=True)
class FeedState:
    """State of an organization's feed at one moment."""

    epoch: int
    """0 before the first change is numbered."""
    last: int
    """Last sequence number. All transactions up to it are visible to later statements."""
    unnumbered: int
    """Number of transactions without a sequence number, counted to ``MAX_UNNUMBERED`` + 1."""

    @property
    def version(self) -> FeedVersion | None:
        """Return the version of the organization's data.

        Equal versions mean equal data, for every committed write adds to the number of
        transactions; assigning sequence numbers does not. Return None beyond ``MAX_UNNUMBERED``
        transactions without a number: they must be numbered first.
        """
        is_counted = self.unnumbered <= MAX_UNNUMBERED
        return (self.epoch, self.last + self.unnumbered) if is_counted else None


async def read_state(connection: Connection, organization_id: int) -> FeedState:
    """Return the state of an organization's feed."""
    row = await connection.fetchrow(_STATE, organization_id, MAX_UNNUMBERED + 1)
    return FeedState(*row)
