"""Organizations and API keys, as the operator's command line manages them."""

from datetime import UTC, datetime
from typing import Final

import asyncpg

from service.database.statements import load
from service.organizations import keys

_SQL: Final = load("administration")


async def is_empty(connection: asyncpg.Connection) -> bool:
    """Return whether there is no organization yet, so that nothing can have been stored."""
    return bool(await connection.fetchval(_SQL["is_empty"].text))


async def create_organization(
    connection: asyncpg.Connection, name: str, *, multiple_language: bool, pro: bool
) -> int:
    """Return the id of a new organization."""
    statement = _SQL["create_organization"].text
    return int(await connection.fetchval(statement, name, multiple_language, pro))


async def set_organization(
    connection: asyncpg.Connection,
    organization_id: int,
    *,
    name: str | None,
    multiple_language: bool | None,
    pro: bool | None,
) -> bool | None:
    """Change what is not None; return whether what records show of it is another now.

    None means that there is no such organization.
    """
    statement = _SQL["set_organization"].text
    arguments = (organization_id, name, multiple_language, pro)
    is_shown: bool | None = await connection.fetchval(statement, *arguments)
    return is_shown


async def organization_named(
    connection: asyncpg.Connection, name: str, *, but: int | None = None
) -> int | None:
    """Return the id of an organization of this name, whatever its case, that is not ``but``."""
    found: int | None = await connection.fetchval(_SQL["organization_named"].text, name, but)
    return found


async def list_organizations(connection: asyncpg.Connection) -> list[asyncpg.Record]:
    """Return id, name, multiple_language and pro of each, by id."""
    return list(await connection.fetch(_SQL["list_organizations"].text))


async def issue_key(
    connection: asyncpg.Connection,
    organization_id: int,
    *,
    name: str,
    scope: str,
    expires_at: datetime | None = None,
) -> str | None:
    """Return a new key, which is nowhere stored, or None when there is no such organization."""
    secret = keys.new_secret()
    arguments = (organization_id, name, scope, keys.digest(secret), expires_at)
    key_id: int | None = await connection.fetchval(_SQL["create_key"].text, *arguments)
    return None if key_id is None else keys.compose(organization_id, key_id, secret)


async def is_live_key(connection: asyncpg.Connection, key: str) -> bool:
    """Return whether a key would let a caller in."""
    parts = keys.parse(key)
    if parts is None:
        return False
    organization_id, key_id, secret = parts
    statement = _SQL["is_live_key"].text
    return bool(await connection.fetchval(statement, organization_id, key_id, keys.digest(secret)))


async def list_keys(
    connection: asyncpg.Connection, organization_id: int | None
) -> list[asyncpg.Record]:
    """Return the keys of one organization or of all, without their secrets."""
    return list(await connection.fetch(_SQL["list_keys"].text, organization_id))


async def revoke_key(connection: asyncpg.Connection, key_id: int) -> bool:
    """Revoke a key, for good; return whether there is such a key."""
    statement = _SQL["revoke_key"].text
    return await connection.fetchval(statement, key_id, datetime.now(UTC)) is not None
