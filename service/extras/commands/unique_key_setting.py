"""Setting of unique own keys: checks that no two live records share a key, before and after.

Only own keys that are texts are checked, in every collection that has them. Keys that are unique
within a parent may recur in others.
"""

from asyncio import sleep
from collections.abc import Sequence

import asyncpg

from service.extras.commands import CommandError
from service.limits import KEY_CACHE_SECONDS
from service.resources.registry import MASTER_RECORDS
from service.writing import unique_keys


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


async def require_unique_everywhere(connection: asyncpg.Connection, organization_id: int) -> None:
    """Check again after 5 s, when all workers know that the setting is on.

    Until then a worker that did not may have written a key twice.
    """
    await sleep(KEY_CACHE_SECONDS)
    await require_unique(connection, organization_id)


def _named(collection: str, key: str, ids: Sequence[int]) -> str:
    return f"{collection} {key} (ids {', '.join(map(str, ids))})"
