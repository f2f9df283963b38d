"""Feed state: tells whether an organization's records have changed, for the response cache."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from service.database.connections import Connection
from service.database.errors import OrganizationMissingError
from service.database.statements import load

FeedVersion: TypeAlias = tuple[int, int]
"""Epoch of a feed, and the number of changes committed in it so far, numbered or not."""

MAX_UNNUMBERED: Final = 100
"""Number of changes without a sequence number up to which a state has a version."""

_STATE: Final = load("changes")["state"].text


@dataclass(frozen=True, slots=True)
class FeedState:
    """State of an organization's feed at one moment."""

    epoch: int
    """0 until sequence numbers are assigned for the first time, which begins the feed."""
    last: int
    """Last sequence number; 0 if there is none. Later statements see all changes up to it."""
    unnumbered: int
    """Number of committed changes without a sequence number, at most ``MAX_UNNUMBERED`` + 1."""

    @property
    def version(self) -> FeedVersion | None:
        """Return the version of the organization's records.

        Equal versions mean equal records: every transaction of the service that changes one inserts
        a change, and assigning sequence numbers leaves the sum equal. Changes of webhooks and
        features, and SQL that bypasses the service, may leave the version equal. Return None beyond
        ``MAX_UNNUMBERED`` changes without a number: they must be numbered first.
        """
        is_counted = self.unnumbered <= MAX_UNNUMBERED
        return (self.epoch, self.last + self.unnumbered) if is_counted else None


async def read_state(connection: Connection, organization_id: int) -> FeedState:
    """Return the state of an organization's feed, of one snapshot.

    Raise OrganizationMissingError for an organization that is not there.
    """
    row = await connection.fetchrow(_STATE, organization_id, MAX_UNNUMBERED + 1)
    if row is None:
        raise OrganizationMissingError
    return FeedState(*row)
