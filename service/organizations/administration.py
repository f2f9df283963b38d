"""Administration queries: organizations, API keys and webhooks, for the command line.

Only the command line runs them, never a request. They act on any organization and begin no
transaction: each is one statement, in the transaction of the caller if there is one. Workers may
use cached keys and settings for up to KEY_CACHE_SECONDS more.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, NotRequired, TypedDict, Unpack

import asyncpg

from service.database.new_ids import next_ids
from service.database.statements import load
from service.organizations import caller
from service.organizations.scopes import Scopes

_SQL: Final = load("administration")


async def rows(
    connection: asyncpg.Connection, statement: str, *parameters: Any
) -> list[asyncpg.Record]:
    """Return the rows of a statement of ``sql/administration.sql``."""
    return list(await connection.fetch(_SQL[statement].text, *parameters))


async def value(connection: asyncpg.Connection, statement: str, *parameters: Any) -> Any:
    """Return the first value of a statement; None if it returns no row."""
    return await connection.fetchval(_SQL[statement].text, *parameters)


async def create_organization(
    connection: asyncpg.Connection,
    name: str,
    *,
    multiple_language: bool,
    pro: bool,
    unique_keys: bool = False,
) -> int:
    """Create an organization and return its id.

    The name may be taken: see ``organization_named`` before, if it shall be unique.
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
    return await connection.fetchrow(_SQL["set_organization"].text, organization_id, *settings)


async def lock_settings(
    connection: asyncpg.Connection, organization_id: int
) -> OrganizationSettings | None:
    """Lock an organization and return its settings; None for an unknown one."""
    row = await connection.fetchrow(_SQL["settings"].text, organization_id)
    return None if row is None else OrganizationSettings(*row)


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
    (key_id,) = await next_ids(connection, "api_key", 1)
    arguments = (
        *(organization_id, key_id, grant["name"], scopes.name, scopes.texts),
        caller.digest(secret),
        *(grant.get("expires_at"), grant.get("source"), grant.get("created_by")),
    )
    try:
        await connection.fetchval(_SQL["create_key"].text, *arguments)
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
