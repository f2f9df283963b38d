"""Feed state, read after numbering changes where positions or versions need it; and its headers.

Source: contract, Changes.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from service.database.connections import Connection, Database
from service.database.errors import OrganizationMissingError
from service.database.statements import load
from service.errors import ApiError
from service.feed.change_feed import assign_sequence_numbers
from service.feed.feed_parameters import cursor_after
from service.http.headers import X_CHANGES_AFTER, X_CHANGES_CURSOR, X_CHANGES_EPOCH

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
    is_numbered: bool = False
    """Whether all changes that were committed when its reading began have a number."""

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


async def read_numbered_state(
    database: Database, organization_id: int, max_unnumbered: int = MAX_UNNUMBERED
) -> FeedState:
    """Return the state; first assign sequence numbers if the feed has not begun, or to a batch.

    A batch is numbered if more than ``max_unnumbered`` changes lack a number, with 0 all of them.
    If numbering fails, return the state as it was: ``epoch`` may be 0, and ``version`` None. Raise
    ApiError if the state cannot be read at first.
    """
    read = partial(read_state, organization_id=organization_id)
    state = await database.read(read, organization_id)
    if state.epoch and state.unnumbered <= max_unnumbered:
        return state
    number = partial(assign_sequence_numbers, organization_id=organization_id)
    with suppress(ApiError):  # the next reader tries again
        while await database.write(number, organization_id) and not max_unnumbered:
            pass
        numbered = await database.read(read, organization_id)
        return replace(numbered, is_numbered=not max_unnumbered)
    return state


def position_headers(state: FeedState, organization_id: int) -> dict[str, str]:
    """Return the headers from which a reader of records can follow their changes.

    They name the position after ``state.last``: records that are read after the state may show
    later changes, which the feed then repeats. ``state.epoch`` must not be 0.
    """
    return {
        X_CHANGES_CURSOR: cursor_after(state.last, state.epoch, organization_id),
        X_CHANGES_AFTER: str(state.last),
        X_CHANGES_EPOCH: str(state.epoch),
    }
