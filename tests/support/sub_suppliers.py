"""Helpers for sub-suppliers with contacts and facilities."""

from typing import Any

import asyncpg

from tests.support.api import Api

SUPPLIERS = "/api/sub-suppliers"
BARE = {"name": "Bare", "state": "active"}


async def create(api: Api, **fields: Any) -> str:
    """Create a sub-supplier; return its path."""
    answer = await api.post(SUPPLIERS, {"name": "Northgate Trims", **fields})
    assert answer.status == 201, answer.raw
    return str(answer.headers["Location"])


async def full(api: Api) -> dict[str, Any]:
    """Return a live sub-supplier of the demo data with contacts and more than one facility."""
    shown = (await api.get(SUPPLIERS, {"pageSize": 100})).data
    return next(
        supplier
        for supplier in shown
        if len(supplier["contacts"]) > 1 and supplier["facilityCount"] > 1
    )


async def facilities(dsn: str, supplier: str) -> list[tuple[str, bool]]:
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(
            "select state, state_before is not null from facility "
            "where sub_supplier_id = $1 order by id",
            int(supplier),
        )
        return [tuple(row) for row in rows]
    finally:
        await connection.close()
