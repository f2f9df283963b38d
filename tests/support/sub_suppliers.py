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
    """Return a new sub-supplier with contacts and two facilities, beside a deleted one."""
    path = await create(api, contacts=[{"role": "Sales"}, {"role": "Desk"}])
    mill = {"subSupplierId": path.rpartition("/")[2]}
    made = await api.post("/api/facilities", [{"name": name, **mill} for name in "ABC"])
    assert (await api.delete(f"/api/facilities/{made.data[2]['id']}")).status == 200
    supplier: dict[str, Any] = (await api.get(path)).data
    assert supplier["facilityCount"] == 2
    return supplier


async def facilities(connection: asyncpg.Connection, supplier: str) -> list[tuple[str, bool]]:
    text = (
        "select state, state_before is not null from facility "
        "where sub_supplier_id = $1 order by id"
    )
    return [tuple(row) for row in await connection.fetch(text, int(supplier))]
