"""API keys: created, rotated and deleted by callers and operators, who add the returned events.

Each function runs in the transaction of its caller. Workers notice within a second (``Callers``).
"""

from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias, Unpack

import asyncpg

from service.database.connections import Connection
from service.database.statements import load
from service.limits import OVERLAP_SECONDS
from service.organizations import administration, caller
from service.organizations.audit import Actor, AuditEvent
from service.organizations.scopes import Scopes

_SQL: Final = load("keys")
_Connection: TypeAlias = Connection | asyncpg.Connection


async def create(
    connection: _Connection,
    organization_id: int,
    actor: Actor,
    **grant: Unpack[administration.KeyGrant],
) -> tuple[str, int, AuditEvent] | None:
    """Create a key; return it and its id. None for an unknown organization, which ends it all."""
    grant["created_by"] = actor.name
    key = await administration.issue_key(connection, organization_id, **grant)
    if key is None:
        return None
    _, key_id, _ = caller.parse(key) or (0, 0, "")
    expires_at, source = grant.get("expires_at"), grant.get("source")
    details = {
        "name": grant["name"],
        "scopes": Scopes.of(grant["scopes"]).texts,
        "source": source or str(key_id),
        "expiresAt": expires_at and expires_at.isoformat(),
    }
    return key, key_id, AuditEvent("key.created", f"key:{key_id}", details)


async def expiries(
    connection: Connection, organization_id: int, *key_ids: int
) -> dict[int, datetime | None]:
    """Return the times from which keys are refused, by id; None means never."""
    rows = await connection.fetch(_SQL["expiries"].text, organization_id, [*key_ids])
    return {row["id"]: row["expires_at"] for row in rows}


async def lock(connection: _Connection, organization_id: int, key_id: int) -> list[str] | None:
    """Lock a key and return its scopes; None if it does not exist or was deleted."""
    scopes: list[str] | None = await connection.fetchval(_SQL["lock"].text, organization_id, key_id)
    return scopes


async def rotate(
    connection: _Connection, organization_id: int, key_id: int, overlap_seconds: int | None
) -> tuple[str, AuditEvent]:
    """Give a key that is locked a new secret, and return it.

    The former secret is valid for ``overlap_seconds``, the one before that no more.
    """
    secret = caller.new_secret()
    seconds = OVERLAP_SECONDS if overlap_seconds is None else overlap_seconds
    now = datetime.now(UTC)
    arguments = (key_id, caller.digest(secret), now, now + timedelta(seconds=seconds))
    await connection.execute(_SQL["rotate"].text, organization_id, *arguments)
    event = AuditEvent("key.rotated", f"key:{key_id}", {"overlapSeconds": seconds})
    return caller.compose(organization_id, key_id, secret), event


async def delete(connection: _Connection, organization_id: int, key_id: int) -> AuditEvent:
    """Delete a key that is locked, for good, and pause its webhooks."""
    await connection.execute(_SQL["delete"].text, organization_id, key_id, datetime.now(UTC))
    rows = await connection.fetch(_SQL["pause_webhooks"].text, organization_id, key_id)
    paused = sorted(row["id"] for row in rows)
    return AuditEvent("key.deleted", f"key:{key_id}", {"pausedWebhooks": paused})


async def own_webhook(connection: Connection, owner: caller.Caller, webhook_id: int) -> None:
    """Let a webhook be that of a key, whose deletion pauses it."""
    arguments = (owner.organization_id, webhook_id, owner.key_id)
    await connection.execute(_SQL["own_webhook"].text, *arguments)
