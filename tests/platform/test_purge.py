"""Tests of `selvedge purge`, which removes records that have been deleted for a number of days."""

import asyncio
from argparse import Namespace
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest

from service.extras.commands import purge
from service.routes import collection_path
from tests.support import rows
from tests.support.api import Api
from tests.support.processes import selvedge

pytestmark = pytest.mark.contract("Command line", "States")

LISTS = [collection_path(resource) for resource in purge.PURGED]
#: Tables of an organization without records that can be deleted softly.
OTHERS = {
    *("api_key", "change", "change_feed", "deleted_record", "idempotency_key", "webhook"),
    *("writer_lock", "care_instruction", "care_instruction_translation", "item_category"),
    "barcode_block",
}
AGE = "update deleted_record set seen_at = seen_at - interval '31 days'"


def execute(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def delete_all(dsn: str, organization_id: int = 1) -> None:
    """Delete all records of an organization that have a soft delete, and those without a state."""
    owned = f"where organization_id = {organization_id}"
    hard = [f"delete from {table} {owned}" for table in ("sample_request", "style_relation")]
    soft = [f"update {each.table} set state = 'deleted' {owned}" for each in purge.PURGED]
    execute(dsn, *hard, *soft)


async def run(dsn: str, days: int = 0, organization: int | None = 1) -> tuple[Any, Any]:
    """Purge in this process; return what the command prints."""
    arguments = Namespace(days=days, organization=organization, dry_run=False)
    connection = await asyncpg.connect(dsn)
    try:
        return await purge._purge(connection, arguments)
    finally:
        await connection.close()


def command(data_dir: Path, dsn: str, *arguments: str) -> dict[str, tuple[int, int]]:
    """Run the command; return the numbers of removed and of referenced records by collection."""
    done = selvedge(data_dir, "purge", *arguments, "--yes", DATABASE_URL=dsn)
    titles, *lines = (line.split() for line in done.stdout.splitlines())
    assert (done.returncode, titles) == (0, ["COLLECTION", "REMOVED", "KEPT"]), done.stderr
    return {name: (int(removed), int(referenced)) for name, removed, referenced in lines}


async def test_records_are_removed_with_children_and_links(demo_dsn: str, data_dir: Path) -> None:
    """In all collections, of one organization; a dry run removes nothing."""
    for organization_id in (1, 2):
        delete_all(demo_dsn, organization_id)
    before, others = [await rows.dump(demo_dsn, organization_id=number) for number in (1, 2)]
    counts = {each.name: (len(before[str(each.table)]), 0) for each in purge.PURGED}
    assert all(removed for removed, _ in counts.values())
    arguments = ("--days", "0", "--organization", "1")
    assert command(data_dir, demo_dsn, *arguments, "--dry-run") == counts
    assert await rows.dump(demo_dsn, organization_id=1) == before
    assert command(data_dir, demo_dsn, *arguments) == counts
    after = await rows.dump(demo_dsn, organization_id=1)
    assert {table for table, stored in after.items() if stored} <= OTHERS
    assert all(
        before[table] == after[table]
        for table in OTHERS & after.keys() - {"deleted_record", "writer_lock", "barcode_block"}
    )
    assert await rows.dump(demo_dsn, organization_id=2) == others
    assert command(data_dir, demo_dsn, *arguments) == dict.fromkeys(counts, (0, 0))


async def live(api: Api) -> list[Any]:
    return [(await api.get(path, {"pageSize": "100"})).json for path in LISTS]


async def delete_chain(api: Api) -> list[str]:
    """Delete records that only deleted ones refer to; return their paths, referrers last."""
    brand = (await api.post("/api/brands", {"name": "Old"})).data["id"]
    style = (await api.post("/api/styles", {"number": "X", "name": "X", "brandId": brand})).data
    sizes = (await api.post("/api/size-ranges", {"name": "Old", "isDefault": False})).data["id"]
    listed = await api.put(f"/api/size-ranges/{sizes}/sizes", [{"name": "S"}])
    small = listed.data[0]["id"]
    both = [{"id": small, "name": "S"}, {"name": "M", "relatedSizeRangeSizeId": small}]
    assert (await api.put(f"/api/size-ranges/{sizes}/sizes", both)).status == 200
    requested = [{"sizeRangeSizeId": small, "value": 1}]
    chart = {"unit": "cm", "lines": [{"name": "Waist", "requested": requested}]}
    charted = await api.put(f"/api/styles/{style['id']}/measurement-chart", chart)
    assert charted.status == 200, charted.json
    paths = [f"/api/brands/{brand}", f"/api/size-ranges/{sizes}", f"/api/styles/{style['id']}"]
    for path in reversed(paths):
        assert (await api.delete(path)).status == 200, path
    return paths


@pytest.mark.usefixtures("without_response_cache")
async def test_deleted_records_go_after_so_many_days(api: Api, demo_dsn: str) -> None:
    """Counted from the first run; live records and the feed stay as they were."""
    paths = await delete_chain(api)
    lists, feed = await live(api), (await api.get("/api/changes", {"limit": "1000"})).json["data"]
    for _ in range(2):
        removed, referenced = await run(demo_dsn, 30)
        assert (removed.total(), referenced.total()) == (0, 0)
    execute(demo_dsn, AGE)
    assert {(await api.get(path)).status for path in paths} == {200}
    removed, referenced = await run(demo_dsn, 30)
    assert min(removed[name] for name in ("brands", "size-ranges", "styles")) >= 1
    assert {(await api.get(path)).status for path in paths} == {404}
    assert {(await api.delete(path)).status for path in paths} == {404}
    filtered = {"state": "deleted", "pageSize": "100"}
    assert sum([len((await api.get(path, filtered)).data) for path in LISTS]) == referenced.total()
    assert await live(api) == lists
    assert (await api.get("/api/changes", {"limit": "1000"})).json["data"] == feed


@pytest.mark.usefixtures("without_response_cache")
async def test_referenced_records_stay_and_restored_ones_are_forgotten(
    api: Api, demo_dsn: str
) -> None:
    _, others = await run(demo_dsn)  # Live records of the demo data refer to these.
    brand, sizes, style = await delete_chain(api)
    color = f"/api/colors/{(await api.post('/api/colors', {'name': 'Back'})).data['id']}"
    assert (await api.delete(color)).status == 200
    await run(demo_dsn, 30)
    style_id = style.rpartition("/")[2]
    execute(demo_dsn, f"{AGE} where not (collection = 'styles' and id = {style_id})")
    assert (await api.put(color, {"name": "Back", "state": "active"})).status == 200
    await run(demo_dsn, 60)
    assert (await api.delete(color)).status == 200
    removed, referenced = await run(demo_dsn, 30)
    assert (
        removed.total(),
        referenced["brands"],
        referenced["size-ranges"],
        referenced.total() - others.total(),
    ) == (0, 1, 1, 2)
    assert {(await api.get(path)).status for path in (brand, sizes, style, color)} == {200}
    removed, referenced = await run(demo_dsn)
    assert (removed.total(), referenced) == (4, others)


async def test_size_ranges_that_refer_to_each_other_go_together(api: Api, demo_dsn: str) -> None:
    _, others = await run(demo_dsn)
    ids, sizes = list[int](), list[int]()
    for name in ("A", "B"):
        ids.append(
            (await api.post("/api/size-ranges", {"name": name, "isDefault": False})).data["id"]
        )
        path = f"/api/size-ranges/{ids[-1]}/sizes"
        sizes.append((await api.put(path, [{"name": "S"}])).data[0]["id"])
    for range_id, own, related in zip(ids, sizes, reversed(sizes), strict=True):
        body = [{"id": own, "name": "S", "relatedSizeRangeSizeId": related}]
        answer = await api.put(f"/api/size-ranges/{range_id}/sizes", body)
        assert answer.status == 200, answer.json
    deletes = [{"id": range_id, "state": "deleted", "name": "Old"} for range_id in ids]
    assert (await api.put("/api/size-ranges", deletes)).status == 200
    removed, referenced = await run(demo_dsn)
    assert (removed["size-ranges"], referenced) == (2, others)


@pytest.mark.contract("Barcode ranges")
async def test_numbers_that_are_removed_are_free_again(api: Api, demo_dsn: str) -> None:
    await run(demo_dsn)
    [default] = (await api.get("/api/barcode-ranges", {"isDefault": "true"})).data
    body = [{"barcodeRangeId": default["id"], "count": 5}]
    given = (await api.post("/api/barcodes/allocate", body)).data
    for row in given:
        assert (await api.delete(f"/api/barcodes/{row['id']}")).status == 200
    execute(demo_dsn, "update barcode_range set next_unallocated = 0")
    before = (await api.get(f"/api/barcode-ranges/{default['id']}")).data
    removed, _ = await run(demo_dsn)
    shown = (await api.get(f"/api/barcode-ranges/{default['id']}")).data
    assert shown["free"] - before["free"] == removed["barcodes"] == len(given)


async def test_a_run_can_be_ended_and_repeated(
    demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch is a transaction of its own, and runs at the same time wait for each other."""
    delete_all(demo_dsn)
    monkeypatch.setattr(purge, "BATCH", 7)
    remove, batches = purge._Purge._remove_next, list[int]()

    async def interrupted(*arguments: Any) -> int:
        batches.append(await remove(*arguments))
        if len(batches) == 20:
            raise KeyError
        return batches[-1]

    stored = await rows.dump(demo_dsn, organization_id=1)
    total = sum(len(stored[str(each.table)]) for each in purge.PURGED)
    with monkeypatch.context() as patch:
        patch.setattr(purge._Purge, "_remove_next", interrupted)
        with pytest.raises(KeyError):
            await run(demo_dsn)
    left = await rows.dump(demo_dsn, organization_id=1)
    count = sum(len(left[str(each.table)]) for each in purge.PURGED)
    assert 0 < count < total
    results = await asyncio.gather(run(demo_dsn), run(demo_dsn, organization=None))
    mine = await rows.dump(demo_dsn, organization_id=1)
    assert not any(mine[str(each.table)] for each in purge.PURGED)
    assert sum(removed.total() for removed, _ in results) >= count


@pytest.mark.parametrize(
    "lock",
    [
        "select 1 from organization where id = 1 for no key update",
        "insert into writer_lock values (1, 'colors') on conflict (organization_id, purpose)"
        " do update set purpose = 'colors'",
    ],
)
async def test_a_run_waits_for_writes(demo_dsn: str, lock: str) -> None:
    connection = await asyncpg.connect(demo_dsn)
    async with connection.transaction():
        await connection.execute(lock)
        task = asyncio.create_task(run(demo_dsn))
        await rows.wait_for_waiters(demo_dsn)
        assert not task.done()
    assert (await task)[0].total()
    await connection.close()


def test_wrong_purges(demo_dsn: str, data_dir: Path) -> None:
    urls = {"DATABASE_URL": demo_dsn}
    unconfirmed = selvedge(data_dir, "purge", "--days", "30", **urls)
    assert (unconfirmed.returncode, "add --yes" in unconfirmed.stderr) == (1, True)
    unknown = selvedge(data_dir, "purge", "--days", "30", "--organization", "9", "--yes", **urls)
    assert unknown.stderr == "selvedge: there is no organization 9\n"
    for days in ("-1", "1.5", "x"):
        assert selvedge(data_dir, "purge", "--days", days, "--yes", **urls).returncode == 2
