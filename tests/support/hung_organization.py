"""Hung organization: its statements get no answer, as on a cluster whose node hangs.

A row level policy waits for a lock at each row of organization 1, also in statements about all
organizations. It holds for the tables' owner too, but not for superusers: where the tests connect
as one, a role that inherits its rights connects instead.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import asyncpg

from tests.policy.sources import tenant_tables
from tests.support.api import Api
from tests.support.time_limits import within

HUNG: Final = 1
"""Id of the organization."""
_LOCK: Final = 0x48554E47
_PREPARE: Final = f"""
create function gets_answer(id bigint) returns boolean language plpgsql cost 10000 as $$ begin
    if id = {HUNG} then perform pg_advisory_xact_lock_shared({_LOCK}); end if;
    return true;
end $$;
"""


class HungOrganization:
    """Organization 1 of a database: it hangs from ``hang`` to ``resume`` for users of ``dsn``."""

    def __init__(self, connection: asyncpg.Connection, dsn: str) -> None:
        self._connection = connection
        self.dsn = dsn

    async def hang(self) -> None:
        """Let statements wait from now on."""
        await self._connection.execute("select pg_advisory_lock($1)", _LOCK)

    async def resume(self) -> None:
        """Let them go on."""
        await self._connection.execute("select pg_advisory_unlock_all()")


@asynccontextmanager
async def hung_organization(dsn: str) -> AsyncIterator[HungOrganization]:
    """Prepare a database; statements go on as soon as the context ends."""
    connection = await asyncpg.connect(dsn)
    try:
        statements = _PREPARE
        for table in sorted(tenant_tables() | {"organization"}):
            column = "id" if table == "organization" else "organization_id"
            for how in ("enable", "force"):
                statements += f"alter table {table} {how} row level security;\n"
            statements += f"create policy hung on {table} using (gets_answer({column}));\n"
        await connection.execute(statements)
        async with _without_superuser(connection, dsn) as ordinary:
            yield HungOrganization(connection, ordinary)
    finally:
        await connection.close()


@asynccontextmanager
async def _without_superuser(connection: asyncpg.Connection, dsn: str) -> AsyncIterator[str]:
    """Yield the DSN of a role that is no superuser and has the same rights on tables."""
    query = "select current_user, rolsuper from pg_roles where rolname = current_user"
    owner, is_superuser = await connection.fetchrow(query)
    if not is_superuser:
        yield dsn
        return
    parts = urlsplit(dsn)
    role = f"{parts.path[1:]}_hung"
    await connection.execute(f"create role {role} login password '{role}' in role {owner}")
    try:
        yield parts._replace(netloc=f"{role}:{role}@{parts.netloc.rpartition('@')[2]}").geturl()
    finally:
        await connection.execute(f"drop role {role}")


async def until_served(api: Api) -> None:
    """Wait until an organization is served again: its next probe comes within a second."""
    async with within(10):
        while (await api.get("/api/groups")).status != 200:  # noqa: ASYNC110 - without an event
            await asyncio.sleep(0.1)
