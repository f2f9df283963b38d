"""Setting of unique own keys: checks that no two live records share a key, before and after.

Only own keys that are texts are checked, in every collection that has them. Keys that are unique
within a parent may recur in others.
"""

from asyncio import sleep
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import asyncpg

from service.commands import CommandError
from service.limits import KEY_CACHE_SECONDS
from service.organizations import administration as organizations
from service.queries import unique_keys
from service.resources.registry import MASTER_RECORDS


async def require_unique(connection: asyncpg.Connection, organization_id: int) -> None:
    """Raise CommandError with the own keys that several live records have, if there are any.

    It names up to 10 keys of each collection, each with up to 10 ids.
    """
    named = [
        name
        for resource in MASTER_RECORDS
        if unique_keys.have_text_keys(resource)
        for key, ids in await unique_keys.shared_keys(connection, resource, organization_id)
        for name in [_named(resource.name, key, ids)]
    ]
    if named:
        raise CommandError(
            f"several records have one own key: {'; '.join(named)}: "
            "rename or delete all but one of each, then try again"
        )


@asynccontextmanager
async def switched_on(connection: asyncpg.Connection, organization_id: int) -> AsyncIterator[None]:
    """Switch unique own keys on before the block; leave them as they were if it fails.

    No transaction may be open. Raise CommandError if several live records have one own key. They
    are checked before the setting is on, and again after 5 s, when all workers know it: until then
    a worker that did not may have written a key twice. If the second check or the block fails, or
    an interrupt comes, the setting becomes what it was before, unless the connection is lost: then
    it stays on. Do nothing for an unknown organization.
    """
    async with connection.transaction():
        await require_unique(connection, organization_id)
        was_on = await organizations.has_unique_keys(connection, organization_id)
        await _switch(connection, organization_id, unique_keys=True)
    try:
        if was_on is not None:
            await sleep(KEY_CACHE_SECONDS)
            await require_unique(connection, organization_id)
        yield
    except BaseException:
        if was_on is False and not connection.is_closed():
            await _switch(connection, organization_id, unique_keys=False)
        raise


async def _switch(
    connection: asyncpg.Connection, organization_id: int, *, unique_keys: bool
) -> None:
    settings = organizations.OrganizationSettings(unique_keys=unique_keys)
    await organizations.set_organization(connection, organization_id, settings)


def _named(collection: str, key: str, ids: Sequence[int]) -> str:
    return f"{collection} {key} (ids {', '.join(map(str, ids))})"
