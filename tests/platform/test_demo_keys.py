"""Tests of demo keys: only the demo's organizations have them (operating, Starting)."""

from pathlib import Path

import asyncpg
import pytest

from service.extras.commands import demo_data
from service.organizations import administration, audit
from tests.support.databases import DEMO_TEMPLATE, fresh_database
from tests.support.inserted_rows import execute

pytestmark = pytest.mark.contract("Starting")


async def ensured(dsn: str, data_dir: Path) -> dict[int, str]:
    """Return the keys that a start shows, which the file has as well."""
    connection = await asyncpg.connect(dsn)
    try:
        by_organization = await demo_data.ensure(connection, data_dir)
    finally:
        await connection.close()
    path = data_dir / "demo-keys"
    assert (path.read_text().split() if path.exists() else []) == [*by_organization.values()]
    return by_organization


async def test_other_organizations_with_their_ids_get_no_keys(
    server_dsn: str, worker_id: str, tmp_path: Path
) -> None:
    """Such as those of a backup that was restored into the data folder of a demo."""
    real = fresh_database(server_dsn, f"real_keys_{worker_id}")
    connection = await asyncpg.connect(real)
    for name in ("Real", "Also real"):
        await administration.create_organization(
            connection, name, multiple_language=False, pro=False
        )
    await connection.close()
    assert await ensured(real, tmp_path) == {}
    demo = fresh_database(server_dsn, f"demo_keys_{worker_id}", DEMO_TEMPLATE)
    assert (await ensured(demo, tmp_path)).keys() == {1, 2}
    connection = await asyncpg.connect(demo)
    for organization_id in (1, 2):
        [entry] = await audit.page(connection, organization_id, 0, 10)
        assert (entry["action"], entry["details"]["name"]) == ("key.created", "demo")
    await connection.close()
    assert await ensured(real, tmp_path) == {}


async def test_a_renamed_organization_keeps_its_key(
    server_dsn: str, worker_id: str, tmp_path: Path
) -> None:
    demo = fresh_database(server_dsn, f"demo_keys_{worker_id}", DEMO_TEMPLATE)
    first = await ensured(demo, tmp_path)
    await execute(demo, "update organization set name = 'Renamed' where id = 1")
    assert await ensured(demo, tmp_path) == first
    await execute(demo, "update api_key set revoked_at = now()")
    assert (await ensured(demo, tmp_path)).keys() == {2}
