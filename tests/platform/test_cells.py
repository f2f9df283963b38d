"""Tests of cells: `selvedge cell`, and `selvedge move` of an organization to another one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from aiohttp.test_utils import TestClient

from service.extras.commands import installation_cells
from service.resources.registry import MASTER_RECORDS
from service.routes import collection_path
from tests.support import rows, webhooks
from tests.support.api import Api, issue_key, replacing
from tests.support.databases import DEMO_TEMPLATE, fresh_database
from tests.support.processes import selvedge
from tests.support.sampling import Sample
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Command line")

COLORS = "/api/colors"
FEED = "/api/changes"
LISTS = [collection_path(resource) for resource in MASTER_RECORDS]
INSTALLATION = "select id::text from installation"


class Cells(NamedTuple):
    """Databases of cell 0, which has organizations, and of cell 3, which has none."""

    source: str
    target: str

    def move(self, organization: int, folder: Path, *, back: bool = False) -> tuple[int, str]:
        """Move an organization by the command; return its status and what it printed."""
        source, target = reversed(self) if back else self
        urls = {"DATABASE_URL": source, "TARGET_DATABASE_URL": target}
        done = selvedge(folder, "move", str(organization), "--yes", **urls)
        return done.returncode, done.stdout + done.stderr


def installation(dsn: str) -> str:
    """Return the id of a database's installation."""
    with psycopg.connect(dsn) as connection:
        (identity,) = connection.execute(INSTALLATION).fetchall()[0]
        return str(identity)


@pytest.fixture
def two_cells(server_dsn: str, worker_id: str, data_dir: Path) -> Cells:
    """Cells of one installation."""
    source = fresh_database(server_dsn, f"cell_0_{worker_id}", DEMO_TEMPLATE)
    target = fresh_database(server_dsn, f"cell_3_{worker_id}")
    command = ("cell", "3", "--installation", installation(source))
    made = selvedge(data_dir, *command, DATABASE_URL=target)
    assert (made.returncode, made.stdout) == (0, "cell 3\n"), made.stderr
    return Cells(source, target)


@asynccontextmanager
async def caller(dsn: str, key: str) -> AsyncIterator[Api]:
    """Serve a cell, and call it by a key."""
    async with serving(dsn) as server, TestClient(server) as client:
        yield Api(client, key)


async def read_all(api: Api, cursor: str) -> list[Any]:
    """Return the identity, all records, and the changes after a cursor."""
    answers = [await api.get(path, {"pageSize": "100"}) for path in LISTS]
    answers.append(await api.get(FEED, {"cursor": cursor}))
    assert {answer.status for answer in answers} == {200}
    me = (await api.get("/api/me")).data
    return [me["installation"], me["organization"], *(answer.json for answer in answers)]


async def write(api: Api) -> None:
    """Leave rows of several kinds: an answer for a retry, a webhook, and some changes."""
    await webhooks.ensure_one(api)
    created = await api.post(COLORS, {"name": "Kept"}, headers={"Idempotency-Key": "once"})
    assert created.status == 201
    path = f"{COLORS}/{created.data['id']}"
    assert (await api.patch(path, replacing("/name", "Kept, too"))).status == 200
    unused = (await api.post(COLORS, {"name": "Deleted"})).data["id"]
    assert (await api.delete(f"{COLORS}/{unused}")).status == 200


async def test_an_organization_moves_with_its_keys_ids_and_cursors(
    two_cells: Cells, data_dir: Path
) -> None:
    key = await issue_key(two_cells.source, 1)
    async with caller(two_cells.source, key) as api:
        feed = {"from": "oldest", "documents": "true", "limit": "1"}
        cursor = (await api.get(FEED, feed)).json["pagination"]["cursor"]
        await write(api)
        page = (await api.get(COLORS, {"pageSize": "2"})).json["pagination"]["cursor"]
        following = (await api.get(COLORS, {"cursor": page})).json
        before = await read_all(api, cursor)
    stored = await rows.dump(two_cells.source, organization_id=1)
    others = await rows.dump(two_cells.source, organization_id=2)

    status, printed = await asyncio.to_thread(two_cells.move, 1, data_dir)
    # Those of the tables that the dump leaves out have a row each.
    count = sum(map(len, stored.values())) + len(("organization", "change_feed"))
    assert (status, printed.startswith(f"{count:,} rows of organization 1 in ")) == (0, True), (
        printed
    )

    assert await rows.dump(two_cells.target, organization_id=1) == stored
    assert not any((await rows.dump(two_cells.source, organization_id=1)).values())
    assert await rows.dump(two_cells.source, organization_id=2) == others
    async with caller(two_cells.target, key) as api:
        assert await read_all(api, cursor) == before
        assert (await api.get(COLORS, {"cursor": page})).json == following
        again = await api.post(COLORS, {"name": "Kept"}, headers={"Idempotency-Key": "once"})
        assert again.headers["Idempotent-Replayed"] == "true"
        new = (await api.post(COLORS, {"name": "New"})).data
        assert new["id"] > 3 * installation_cells.CELL_IDS
    async with caller(two_cells.source, key) as api:
        assert (await api.get(COLORS)).status == 401

    status, printed = await asyncio.to_thread(two_cells.move, 1, data_dir, back=True)
    assert status == 0, printed
    async with caller(two_cells.source, key) as api:
        assert (await api.get(f"{COLORS}/{new['id']}")).data == new
        newer = (await api.post(COLORS, {"name": "Newer"})).data
        assert newer["id"] < installation_cells.CELL_IDS


async def test_a_deleted_organization_leaves_nothing(two_cells: Cells, data_dir: Path) -> None:
    dsn = two_cells.source
    async with caller(dsn, await issue_key(dsn, 1)) as api:
        await write(api)
    stored, others = [await rows.dump(dsn, organization_id=number) for number in (1, 2)]
    urls, command = {"DATABASE_URL": dsn}, ("organization", "delete", "1")

    refused = await asyncio.to_thread(selvedge, data_dir, *command, **urls)
    assert (refused.returncode, "add --yes" in refused.stderr) == (1, True)
    assert await rows.dump(dsn, organization_id=1) == stored

    deleted = await asyncio.to_thread(selvedge, data_dir, *command, "--yes", **urls)
    # Those of the tables that the dump leaves out have a row each.
    count = sum(map(len, stored.values())) + len(("organization", "change_feed"))
    assert deleted.stdout == f"{count:,} rows of organization 1 deleted\n", deleted.stderr
    assert not any((await rows.dump(dsn, organization_id=1)).values())
    assert await rows.dump(dsn, organization_id=2) == others
    again = await asyncio.to_thread(selvedge, data_dir, *command, "--yes", **urls)
    assert again.stderr == "selvedge: there is no organization 1\n"


async def test_no_acknowledged_write_is_lost(two_cells: Cells) -> None:
    """Writers go on during the move, although a proxy should keep them off."""
    key, acknowledged = await issue_key(two_cells.source, 1), list[int]()

    async def create(api: Api) -> int:
        while True:
            answer = await api.post(COLORS, {"name": "During the move"})
            if answer.status != 201:
                return answer.status
            acknowledged.append(answer.data["id"])

    def move() -> None:
        with (
            psycopg.connect(two_cells.source, autocommit=True) as source,
            psycopg.connect(two_cells.target, autocommit=True) as target,
        ):
            installation_cells.move(source, target, 1)

    async with caller(two_cells.source, key) as api:
        writers = [asyncio.create_task(create(api)) for _ in range(4)]
        while len(acknowledged) < 20:  # noqa: ASYNC110 -- no event tells of this
            await asyncio.sleep(0.01)
        await asyncio.to_thread(move)
        assert all(status >= 400 for status in await asyncio.gather(*writers))
    with psycopg.connect(two_cells.target) as connection:
        query = "select count(*) from color where organization_id = 1 and id = any(%s)"
        assert connection.execute(query, [acknowledged]).fetchone() == (len(acknowledged),)


@pytest.mark.parametrize("is_written", [False, True], ids=["as it was", "written since"])
async def test_a_move_goes_on_after_the_first_commit(
    two_cells: Cells, data_dir: Path, *, is_written: bool
) -> None:
    """The old cell was lost before its own commit, so that both have the organization."""
    with (
        psycopg.connect(two_cells.source, autocommit=True) as source,
        psycopg.connect(two_cells.target, autocommit=True) as target,
        source.transaction(force_rollback=True),
    ):
        installation_cells.move(source, target, 1)
    stored = await rows.dump(two_cells.target, organization_id=1)
    assert await rows.dump(two_cells.source, organization_id=1) == stored
    if is_written:
        async with caller(two_cells.source, await issue_key(two_cells.source, 1)) as api:
            assert (await api.post(COLORS, {"name": "Written since"})).status == 201
    status, printed = await asyncio.to_thread(two_cells.move, 1, data_dir)
    assert status == is_written, printed
    assert ("another organization 1" in printed) is is_written
    assert any((await rows.dump(two_cells.source, organization_id=1)).values()) is is_written
    assert await rows.dump(two_cells.target, organization_id=1) == stored


@pytest.mark.parametrize(
    ("statement", "reason"),
    Sample(__name__)(
        [
            (
                "update installation set id = '00000000-0000-4000-8000-000000000000'",
                "no cell of this installation",
            ),
            ("select setval('organization_id_seq', 7)", "the same cell"),
            ("delete from _yoyo_migration where migration_id like '0035%'", "different migrations"),
            ("insert into organization (id, name) values (1, 'Other')", "another organization 1"),
            ("alter table color add constraint c check (name = '')", 'check constraint "c'),
        ],
        2,
    ),
)
async def test_a_move_that_fails_moves_nothing(
    two_cells: Cells, data_dir: Path, statement: str, reason: str
) -> None:
    before = await rows.dump(two_cells.source)
    with psycopg.connect(two_cells.target) as connection:
        connection.execute(statement.encode())
    elsewhere = await rows.dump(two_cells.target)
    status, printed = await asyncio.to_thread(two_cells.move, 1, data_dir)
    assert (status, len(printed.splitlines())) == (1, 1), printed
    assert reason in printed
    assert await rows.dump(two_cells.source) == before
    assert await rows.dump(two_cells.target) == elsewhere


def test_commands_that_cannot_run(two_cells: Cells, data_dir: Path) -> None:
    command = ("cell", "4", "--installation", "00000000-0000-4000-8000-000000000000")
    used = selvedge(data_dir, *command, DATABASE_URL=two_cells.source)
    assert (used.returncode, "has organizations" in used.stderr) == (1, True)
    for number in ("0", "256", "x"):
        wrong = selvedge(data_dir, "cell", number, *command[2:], DATABASE_URL=two_cells.target)
        assert (wrong.returncode, "number from 1 to 255" in wrong.stderr) == (2, True)
    nowhere = selvedge(data_dir, "move", "1", "--yes", DATABASE_URL=two_cells.source)
    assert (nowhere.returncode, "TARGET_DATABASE_URL" in nowhere.stderr) == (1, True)
    assert two_cells.move(99, data_dir)[1] == "selvedge: there is no organization 99\n"
