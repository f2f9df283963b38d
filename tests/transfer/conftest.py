"""Organizations to import into, each test its own, of one service with the demo data."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import orjson
import pytest
from yarl import URL

from service.client import Client, RetryPolicy
from service.organizations import administration
from service.transfer.collections import transfer_collections
from service.transfer.files import sources
from service.transfer.id_map import open_id_map
from service.transfer.import_files import Import
from service.transfer.rejects import Rejects
from service.transfer.sender import ImportOptions
from tests.support.databases import DEMO_TEMPLATE, fresh_database
from tests.support.serving import serving


class Stage(NamedTuple):
    """A running service, and its database."""

    url: URL
    dsn: str


@pytest.fixture(scope="session")
async def stage(server_dsn: str, worker_id: str) -> AsyncIterator[Stage]:
    """The service."""
    dsn = fresh_database(server_dsn, f"transfer_{worker_id}", DEMO_TEMPLATE)
    async with serving(dsn) as server:
        yield Stage(server.make_url("/"), dsn)


@pytest.fixture
async def keys(stage: Stage, request: pytest.FixtureRequest) -> dict[str, str]:
    """Keys of a new organization that has every feature, by scope."""
    connection = await asyncpg.connect(stage.dsn)
    try:
        one = await administration.create_organization(
            connection, request.node.nodeid, multiple_language=True, pro=True
        )
        return {
            scope: str(await administration.issue_key(connection, one, name="tests", scope=scope))
            for scope in ("write", "read")
        }
    finally:
        await connection.close()


@pytest.fixture
async def client(stage: Stage, keys: dict[str, str]) -> AsyncIterator[Client]:
    """A client of the new organization."""
    async with Client(str(stage.url), keys["write"]) as client:
        yield client


@dataclass
class Folder:
    """Files of an import, and what is kept beside them."""

    path: Path
    rejected: list[dict[str, Any]] = field(default_factory=list)
    """Of the last import."""

    def write(self, name: str, *lines: dict[str, Any] | str) -> None:
        """Write a file, of objects or of texts."""
        texts = (one if isinstance(one, str) else orjson.dumps(one).decode() for one in lines)
        (self.path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    async def bring(
        self, client: Client, place: str = "", options: ImportOptions | None = None
    ) -> dict[str, Counter[str]]:
        """What became of the lines of all files, or of one."""
        said = self.path / "rejects.ndjson"
        chosen = options or ImportOptions()
        with (
            open_id_map(self.path / "ids.sqlite3", dry_run=chosen.dry_run) as known,
            Rejects(said) as rejects,
        ):
            found, told = sources(self.path / place, transfer_collections()), list[Any]()
            try:
                return await Import(
                    client, found, known, rejects, chosen, told.append, told.append
                ).run()
            finally:
                lines = said.read_text(encoding="utf-8").splitlines() if said.exists() else []
                self.rejected = [orjson.loads(line) for line in lines]

    def details(self) -> list[tuple[int, str, str | None]]:
        """Line, type and field of what the last import rejected."""
        return [
            (one["line"], row["type"], row["field"])
            for one in self.rejected
            for row in one["details"]
        ]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty one."""
    return Folder(tmp_path)


async def listed(client: Client, collection: str) -> list[dict[str, Any]]:
    """All records of a collection."""
    return [one async for one in client.collection(collection).records(page_size=100)]


ONCE = RetryPolicy(attempts=1)
"""Nothing is tried again: as if the process had ended."""
Told = Callable[[str], None]
