"""Readers of changes: what they are told, and what is there to be told of."""

from collections.abc import AsyncIterator
from typing import Any, TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.organizations.caller import Caller
from service.queries.resource import Resource
from service.resources.registry import CHANGES
from tests.support.api import Api

PATH = "/api/changes"
Readable: TypeAlias = dict[tuple[str, str], tuple[Any, Any]]
"""Documents and writable forms by collection and id."""


class Follower:
    """Follows the changes of its caller's organization by the cursor."""

    def __init__(self, api: Api, **asked: str) -> None:
        self.api = api
        self.asked = asked
        self.cursor = ""

    async def begin(self) -> None:
        """Go on from now."""
        answer = await self.api.get(PATH, {"from": "now", **self.asked})
        assert (answer.status, answer.data) == (200, []), answer.raw
        self.cursor = answer.json["pagination"]["cursor"]

    async def pages(self) -> AsyncIterator[list[Any]]:
        """The pages that there are now."""
        while True:
            answer = await self.api.get(PATH, {"cursor": self.cursor})
            assert answer.status == 200, answer.raw
            self.cursor = answer.json["pagination"]["cursor"]
            yield answer.data
            if not answer.json["pagination"]["hasMore"]:
                return

    async def entries(self) -> list[Any]:
        """All entries that there are now."""
        return [entry async for page in self.pages() for entry in page]


async def everything(dsn: str, organization_id: int) -> Readable:
    """What can be read of every record."""
    connection = await asyncpg.connect(dsn)
    caller = Caller(organization_id, 0, True, True, True)
    found: Readable = {}
    try:
        for name, resource in CHANGES.resources.items():
            documents = await _all(connection, resource, caller, "documents")
            writables = await _all(connection, resource, caller, "writables")
            found |= {
                (name, str(one)): (document, writables.get(one))
                for one, document in documents.items()
            }
    finally:
        await connection.close()
    return found


async def _all(
    connection: Connection, resource: Resource, caller: Caller, form: str
) -> dict[int, Any]:
    if form not in resource.statements:
        return {}
    page = "select record.*, record.id as page_order, null::text as sort_values from record"
    text = resource.statements[form].fill(page=page)
    rows = await connection.fetch(text, caller.organization_id)
    return {row["page_order"]: orjson.loads(row["document"]) for row in rows}
