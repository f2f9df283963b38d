"""Sender leases: one sender at a time for each subscription, among all workers and instances.

A lease has a number. A sender whose lease has expired, or was taken away, finds another number in
the row and stores nothing.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from service.database.connections import Connection
from service.resources.registry import WEBHOOKS

SQL: Final = WEBHOOKS.statements

Work: TypeAlias = Callable[[Connection], Awaitable[object]]
"""Function that runs in a transaction."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Lease of a subscription, for LEASE_SECONDS after the claim or the last renewal."""

    organization_id: int
    webhook_id: int
    number: int

    @property
    def key(self) -> tuple[int, int, int]:
        """First parameters of statements that need the lease."""
        return self.organization_id, self.webhook_id, self.number

    async def execute(self, connection: Connection, statement: str, *parameters: Any) -> bool:
        """Execute the named statement, which needs the lease; return False if the lease is lost."""
        text = SQL[statement].text
        return await connection.fetchval(text, *self.key, *parameters) is not None


async def claim(connection: Connection, organization_id: int, webhook_id: int) -> Lease | None:
    """Lease a subscription; return None if it is leased, paused, deleted or not due."""
    row = await connection.fetchrow(SQL["claim"].text, organization_id, webhook_id)
    return None if row is None else Lease(organization_id, webhook_id, row["lease"])
