"""Administration queries: organizations, API keys and webhooks, for the command line.

Only the command line runs them, never a request. They act on any organization and begin no
transaction: each is one statement, in the transaction of the caller if there is one. Workers may
use cached keys and settings for up to KEY_CACHE_SECONDS more.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, NotRequired, TypedDict, Unpack

import asyncpg

from service.database.statements import load
from service.organizations import caller
from service.organizations.scopes import Scopes

_SQL: Final = load("administration")


async def clock(connection: asyncpg.Connection) -> datetime:
    """Return the time of the database's clock."""
    time: datetime = await connection.fetchval(_SQL["clock"].text)
    return time


async def is_empty(connection: asyncpg.Connection) -> bool:
    """Return whether the database has no organization, and so no records."""
    return bool(await connection.fetchval(_SQL["is_empty"].text))


async def create_organization(
    connection: asyncpg.Connection,
    name: str,
    *,
    multiple_language: bool,
    pro: bool,
    unique_keys: bool = False,
) -> int:
    """Create an organization and return its id.

    The name may be taken: call ``find_organization`` before, if it shall be unique.
    """
    statement = _SQL["create_organization"].text
    arguments = (name, multiple_language, pro, unique_keys)
    return int(await connection.fetchval(statement, *arguments))


class OrganizationSettings(NamedTuple):
    """Settings of an organization to change; those that are None stay."""

    name: str | None = None
    multiple_language: bool | None = None
    pro: bool | None = None
    unique_keys: bool | None = None


async def set_organization(
    connection: asyncpg.Connection, organization_id: int, settings: OrganizationSettings
) -> asyncpg.Record | None:
    """Change settings of an organization.

    Return whether that changes them, and documents of records, which only a change of ``pro`` does;
    None for an unknown organization. The caller must add a change to the change feed in the same
    transaction (``record_settings``). The caller also checks own keys before ``unique_keys`` is
    switched on.
    """
    statement = _SQL["set_organization"].text
    return await connection.fetchrow(statement, organization_id, *settings)


async def lock_settings(
    connection: asyncpg.Connection, organization_id: int
) -> OrganizationSettings | None:
    """Lock an organization and return its settings; None for an unknown one."""
    row = await connection.fetchrow(_SQL["settings"].text, organization_id)
    return None if row is None else OrganizationSettings(*row)


async def find_organization(
    connection: asyncpg.Connection, name: str, *, except_id: int | None = None
) -> int | None:
    """Return the lowest id of an organization with a name, other than ``except_id``.

    Letter case does not matter. Return None if there is none.
    """
    statement = _SQL["organization_named"].text
    organization_id: int | None = await connection.fetchval(statement, name, except_id)
    return organization_id


async def list_organizations(connection: asyncpg.Connection) -> list[asyncpg.Record]:
    """Return id, name and settings of each organization, sorted by id."""
    return list(await connection.fetch(_SQL["list_organizations"].text))


class KeyGrant(TypedDict):
    """Grant of a new key."""

    name: str
    scopes: Sequence[str]
    """Scopes, or the short names ``read`` and ``write``; they must be valid."""
    expires_at: NotRequired[datetime | None]
    """Time of its expiry; by default never."""
    source: NotRequired[str | None]
    """Source of the records that it creates; by default its id as a text."""
    created_by: NotRequired[str]
    """Actor of the audit log."""


async def issue_key(
    connection: asyncpg.Connection, organization_id: int, **grant: Unpack[KeyGrant]
) -> str | None:
    """Create a key and return it; None for an unknown organization, which ends a transaction.

    Only the hash of its secret is stored, so the key cannot be read again.
    """
    secret, scopes = caller.new_secret(), Scopes.of(grant["scopes"])
    arguments = (
        *(organization_id, grant["name"], scopes.name, scopes.texts, caller.digest(secret)),
        *(grant.get("expires_at"), grant.get("source"), grant.get("created_by")),
    )
    try:
        key_id: int = await connection.fetchval(_SQL["create_key"].text, *arguments)
    except asyncpg.ForeignKeyViolationError:
        return None
    return caller.compose(organization_id, key_id, secret)


async def is_live_key(connection: asyncpg.Connection, key: str) -> bool:
    """Return whether a key is valid: issued with this secret, not expired and not revoked.

    A text that has not the format of a key is not valid.
    """
    parts = caller.parse(key)
    if parts is None:
        return False
    organization_id, key_id, secret = parts
    statement = _SQL["is_live_key"].text
    return bool(
        await connection.fetchval(statement, organization_id, key_id, caller.digest(secret))
    )


async def list_keys(
    connection: asyncpg.Connection, organization_id: int | None
) -> list[asyncpg.Record]:
    """Return the keys of an organization, or with None of all, without their secrets.

    Expired and revoked ones are included. The order is by organization, then by id.
    """
    return list(await connection.fetch(_SQL["list_keys"].text, organization_id))


async def organization_of_key(
    connection: asyncpg.Connection, key_id: int, organization_id: int | None = None
) -> int | None:
    """Return the organization of a key, revoked or not; None if it does not exist, in the given."""
    arguments = (key_id, organization_id)
    owner: int | None = await connection.fetchval(_SQL["organization_of_key"].text, *arguments)
    return owner


async def list_webhooks(
    connection: asyncpg.Connection, organization_id: int | None
) -> list[asyncpg.Record]:
    """Return the webhooks of an organization, or with None of all, without their secrets.

    The order is by organization, then by id. ``behind`` is the number of transactions with a
    sequence number after the webhook's position.
    """
    return list(await connection.fetch(_SQL["list_webhooks"].text, organization_id))


async def set_webhook_state(
    connection: asyncpg.Connection, webhook_id: int, state: str, organization_id: int | None = None
) -> int | None:
    """Set the state of a webhook, ``active`` or ``paused``.

    Return its organization; None if the webhook does not exist, in the organization if it is given.
    Also reset its count of failures, so that the next try is not delayed.
    """
    arguments = (webhook_id, state, organization_id)
    changed: int | None = await connection.fetchval(_SQL["set_webhook_state"].text, *arguments)
    return changed
