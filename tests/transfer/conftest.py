"""Fixtures of transfers: one service with the demo data, an empty organization per test."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import orjson
import pytest
from yarl import URL

from selvedge_client import Client, RetryPolicy
from service.extras.transfer.collections import transfer_collections
from service.extras.transfer.files import sources
from service.extras.transfer.import_files import Import, ImportOptions
from service.extras.transfer.rejects import Rejects
from service.organizations import administration
from tests.support.api import issue_key
from tests.support.databases import demo_database
from tests.support.serving import serving


class TransferEnvironment(NamedTuple):
    """Running service, and its database."""

    url: URL
    dsn: str


@pytest.fixture(scope="session")
async def environment(server_dsn: str, worker_id: str) -> AsyncIterator[TransferEnvironment]:
    """The service."""
    dsn = demo_database(server_dsn, f"transfer_{worker_id}")
    async with serving(dsn) as server:
        yield TransferEnvironment(server.make_url("/"), dsn)


@pytest.fixture
async def keys(environment: TransferEnvironment, request: pytest.FixtureRequest) -> dict[str, str]:
    """Keys of a new organization that has every feature, by scope."""
    dsn, connection = environment.dsn, await asyncpg.connect(environment.dsn)
    organization_id = await administration.create_organization(
        connection, request.node.nodeid, multiple_language=True, pro=True
    )
    await connection.close()
    return {scope: await issue_key(dsn, organization_id, scope) for scope in ("write", "read")}


@pytest.fixture
async def client(environment: TransferEnvironment, keys: dict[str, str]) -> AsyncIterator[Client]:
    """A client of the new organization."""
    async with Client(str(environment.url), keys["write"]) as client:
        yield client


@dataclass
class ImportFolder:
    """Folder of an import's files and its rejects."""

    path: Path
    rejected: list[dict[str, Any]] = field(default_factory=list)
    """Of the last import."""
    not_deleted: list[str] = field(default_factory=list)
    """Reasons for which the last import did not delete missing records."""

    def write(self, name: str, *lines: dict[str, Any] | str) -> None:
        """Write a file, of objects or of texts."""
        texts = (line if isinstance(line, str) else orjson.dumps(line).decode() for line in lines)
        (self.path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    async def import_records(
        self,
        client: Client,
        subfolder: str = "",
        options: ImportOptions | None = None,
        encoding: str | None = None,
    ) -> dict[str, Counter[str]]:
        """Import all files, or one; return the number of lines by outcome."""
        said, chosen = self.path / "rejects.ndjson", options or ImportOptions()
        with Rejects(said) as rejects:
            files = sources(self.path / subfolder, transfer_collections(), encoding)
            try:
                self.not_deleted = []
                run = Import(client, files, rejects, chosen, int, int, self.not_deleted)
                return await run.run()
            finally:
                lines = said.read_text(encoding="utf-8").splitlines() if said.exists() else []
                self.rejected = [orjson.loads(line) for line in lines]

    def details(self) -> list[tuple[int, str, str | None]]:
        """Return line, type and field of each rejected value of the last import."""
        return [
            (reject["line"], row["type"], row["field"])
            for reject in self.rejected
            for row in reject["details"]
        ]


@pytest.fixture
def folder(tmp_path: Path) -> ImportFolder:
    """An empty one."""
    return ImportFolder(tmp_path)


async def listed(client: Client, collection: str) -> list[dict[str, Any]]:
    """Return all records of a collection."""
    return [record async for record in client.collection(collection).records(page_size=100)]


ONCE = RetryPolicy(attempts=1)
"""Nothing is tried again: as if the process had ended."""
