"""Feed version: tells whether an organization's data has changed (contract, Envelope)."""

from typing import Final, TypeAlias

from service.database.connections import Connection
from service.database.statements import load

FeedVersion: TypeAlias = tuple[int, int]
"""Epoch of a feed, and the number of transactions committed so far, numbered or not."""

MAX_UNNUMBERED: Final = 100
"""Maximum number of transactions without a sequence number that are counted."""

_VERSION: Final = load("changes")["version"].text


async def read_version(connection: Connection, organization_id: int) -> FeedVersion | None:
    """Return the version of an organization's data.

    Equal versions mean equal data, for every committed write adds to the number of transactions;
    assigning sequence numbers does not. Return None beyond ``MAX_UNNUMBERED`` transactions without
    a number: they must be numbered first.
    """
    epoch, last, unnumbered = await connection.fetchrow(
        _VERSION, organization_id, MAX_UNNUMBERED + 1
    )
    return None if unnumbered > MAX_UNNUMBERED else (epoch, last + unnumbered)
