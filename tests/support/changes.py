"""Follower of the change feed, and a snapshot of every readable record."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.listing.page_sql import ALL_RECORDS
from service.organizations.caller import Caller
from service.queries.parts import RecordPart
from service.queries.resource import Resource
from service.resources.registry import CHANGES, PARTS
from tests.support.api import Api

PATH = "/api/changes"
Readable: TypeAlias = dict[tuple[str, str], tuple[Any, ...]]
"""By collection and id: the document, the writable form, and both of the record's parts."""


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


async def everything(dsn: str, organization_id: int) -> Readable:
    """Return the readable forms of every record."""
    connection = await asyncpg.connect(dsn)
    caller = Caller(organization_id, 0, True, True, True)
    readable: Readable = {}
    try:
        for name, resource in CHANGES.resources.items():
            documents = await _all(connection, resource, caller, "documents")
            writables = await _all(connection, resource, caller, "writables")
            readable |= {
                (name, str(record_id)): (document, writables.get(record_id))
                for record_id, document in documents.items()
            }
        for part in PARTS:
            for form in ("documents", "writables"):
                for record_id, shown in (await _parts(connection, part, caller, form)).items():
                    readable[part.collection, str(record_id)] += (shown,)
    finally:
        await connection.close()
    return readable


async def _parts(
    connection: Connection, part: RecordPart, caller: Caller, form: str
) -> Mapping[int, Any]:
    """Return the readable forms of a part of every record, by record id."""
    if not part.parents:
        return await _all(connection, part, caller, form)
    text = "select id, style_id from sample_request where organization_id = $1"
    return {
        record_id: await _all(connection, part, caller, form, style, record_id)
        for record_id, style in await connection.fetch(text, caller.organization_id)
    }


async def _all(
    connection: Connection, resource: Resource, caller: Caller, form: str, *parents: int
) -> dict[int, Any]:
    if form not in resource.statements:
        return {}
    text = resource.statements[form].fill(page=ALL_RECORDS)
    rows = await connection.fetch(text, caller.organization_id, *parents)
    return {row["page_order"]: orjson.loads(row["document"]) for row in rows}
