"""Inserted rows: data that the interface alone cannot create."""

from typing import Final

import asyncpg

from tests.support.api import Api

TWINS: Final = """insert into color (organization_id, id, name, user_defined_id, state)
    select 1, id, 'Twin', 'C-TWIN', 'active' from unnest(array[5201, 5377]) as twin(id)
    on conflict (organization_id, id) do update
    set name = excluded.name, user_defined_id = excluded.user_defined_id, state = excluded.state"""
"""Two colors of one own key, with the ids of the documentation's example, whoever had these."""


async def execute(dsn: str, text: str, *parameters: object) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(text, *parameters)
    await connection.close()


async def used_group(api: Api, dsn: str) -> int:
    """Create a group that 18 styles are in; return its id."""
    group: int = (await api.post("/api/groups", {"name": "Delivery"})).data["id"]
    await execute(
        dsn,
        """insert into style_in_group (organization_id, group_id, style_id)
        select 1, $1, id from style where organization_id = 1 order by id limit 18""",
        group,
    )
    return group
