"""Follower of the change feed, and a snapshot of every readable record."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import asyncpg

from service.database.connections import Connection
from service.organizations.caller import Caller
from service.organizations.scopes import WRITE, Scopes
from service.records.resource import Resource
from service.resources.registry import CHANGES
from service.writing.part_collections import PartCollection
from tests.support.api import Api

PATH = "/api/changes"
Readable: TypeAlias = dict[tuple[str, str], tuple[str, str | None]]
"""By collection and id: the document and the writable form, as JSON."""


class Follower:
    """Follows the changes of its caller's organization by the cursor."""

    def __init__(self, api: Api, **parameters: str) -> None:
        self.api = api
        self.parameters = parameters
        self.cursor = ""

    async def begin(self) -> None:
        """Continue from the present end of the feed."""
        answer = await self.api.get(PATH, {"from": "now", **self.parameters})
        assert (answer.status, answer.data) == (200, []), answer.raw
        self.cursor = answer.json["pagination"]["cursor"]

    async def pages(self) -> AsyncIterator[list[Any]]:
        """Yield the pages that there are now."""
        while True:
            answer = await self.api.get(PATH, {"cursor": self.cursor})
            assert answer.status == 200, answer.raw
            self.cursor = answer.json["pagination"]["cursor"]
            yield answer.data
            if not answer.json["pagination"]["hasMore"]:
                return

    async def entries(self) -> list[Any]:
        """Return all entries that there are now."""
        return [entry async for page in self.pages() for entry in page]


async def followed(api: Api, params: dict[str, str]) -> list[dict[str, Any]]:
    """Return all entries from there on, by the cursors."""
    entries, page = list[dict[str, Any]](), await api.get(PATH, params)
    while True:
        assert page.status == 200, page.raw
        entries += page.data
        if not page.json["pagination"]["hasMore"]:
            return entries
        page = await api.get(PATH, {"cursor": page.json["pagination"]["cursor"]})


@asynccontextmanager
async def reading(dsn: str) -> AsyncIterator[Connection]:
    """Connect for reading everything again and again: statements stay prepared."""
    connection = await asyncpg.connect(
        dsn, statement_cache_size=1_000, max_cacheable_statement_size=0
    )
    try:
        yield connection
    finally:
        await connection.close()


async def everything(connection: Connection, organization_id: int) -> Readable:
    """Return the readable forms of every record."""
    caller = Caller(organization_id, 0, Scopes.of([WRITE]), True, True)
    readable: Readable = {}
    for name, resource in CHANGES.resources.items():
        documents = await _all(connection, resource, caller, "documents")
        writables = await _all(connection, resource, caller, "writables")
        readable |= {
            (name, str(record_id)): (document, writables.get(record_id))
            for record_id, document in documents.items()
        }
    return readable


async def _all(
    connection: Connection, resource: Resource, caller: Caller, form: str
) -> dict[int, str]:
    if form not in resource.statements:
        return {}
    # Only lists show the records of parts, and only those of live owners.
    all_records = "select record.*, record.id as page_order, null as sort_values from record"
    listed = f" where {resource.listed}" if isinstance(resource, PartCollection) else ""
    text = resource.statements[form].fill(page=all_records + listed)
    rows = await connection.fetch(text, caller.organization_id)
    return {row["page_order"]: row["document"] for row in rows}
