"""Sender leases: one sender at a time has the lease of a subscription, among all instances.

A lease has a number. A claim after the lease has expired or was released, and a rewind, give the
row another number: the former sender's statements find no row and store nothing. Its last message
may still be under way beside the new sender's. A lease that has expired or ended works until the
next claim.
"""

from dataclasses import dataclass
from typing import Any, Final

from service.database.connections import Connection
from service.resources.registry import WEBHOOKS

SQL: Final = WEBHOOKS.statements
"""Statements of ``sql/webhooks.sql``, by name."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Lease of a subscription, for LEASE_SECONDS after the claim or the last renewal.

    The statements ``renew``, ``dispatch`` and ``advance`` renew it. ``release`` and ``fail`` end
    it.
    """

    organization_id: int
    webhook_id: int
    number: int
    """Number that the claim gave it; each claim of the subscription has a larger one."""

    @property
    def key(self) -> tuple[int, int, int]:
        """First three parameters of statements that need the lease: both ids, and the number."""
        return self.organization_id, self.webhook_id, self.number

    async def execute(self, connection: Connection, statement: str, *parameters: Any) -> bool:
        """Execute the named statement, which needs the lease; return False if the lease is lost.

        It is lost, too, if the subscription was deleted; for ``dispatch``, also if it is paused.
        """
        return await connection.fetchval(SQL[statement].text, *self.key, *parameters) is not None


async def claim(connection: Connection, organization_id: int, webhook_id: int) -> Lease | None:
    """Lease a subscription; return None if it is leased, paused, deleted or not due.

    Not due is one whose next retry is in the future; the claim does not look for changes.
    """
    row = await connection.fetchrow(SQL["claim"].text, organization_id, webhook_id)
    return None if row is None else Lease(organization_id, webhook_id, row["lease"])
