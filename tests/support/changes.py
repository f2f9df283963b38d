"""Follower of the change feed, and a snapshot of every readable record."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.records.resource import Resource
from service.resources.registry import CHANGES
from service.writing.part_collections import PartCollection
from tests.support import rows
from tests.support.api import Answer, Api

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
    follower, page = Follower(api), await api.get(PATH, params)
    assert page.status == 200, page.raw
    follower.cursor = page.json["pagination"]["cursor"]
    return [*page.data, *await follower.entries()]


class Records:
    """All readable records of organization 1; what a write has not touched is read once."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._stamping, self._stamps = "", set[Any]()
        self._read: dict[str, Readable] = {}

    async def now(self) -> Readable:
        """Return the readable forms of every record, each read anew if a table of it changed."""
        self._stamping = self._stamping or await rows.stamping(self.connection)
        stamps = {*await self.connection.fetch(self._stamping)}
        written = {row[0] for row in stamps ^ self._stamps}
        for name, resource in CHANGES.resources.items():
            forms = {form: _text(resource, form) for form in ("documents", "writables")}
            if any(written & _words(text) for text in forms.values()):
                read = {form: await self._all(text) for form, text in forms.items() if text}
                self._read[name] = {
                    (name, str(record_id)): (document, read.get("writables", {}).get(record_id))
                    for record_id, document in read["documents"].items()
                }
        self._stamps = stamps
        return {key: forms for read in self._read.values() for key, forms in read.items()}

    async def _all(self, text: str) -> dict[int, str]:
        fetched = await self.connection.fetch(text, 1)
        return {row["page_order"]: row["document"] for row in fetched}


@asynccontextmanager
async def reading(dsn: str) -> AsyncIterator[Records]:
    """Connect for reading everything again and again: statements stay prepared."""
    lasting: dict[str, Any] = {"statement_cache_size": 1_000, "max_cacheable_statement_size": 0}
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"}, **lasting)
    try:
        yield Records(connection)
    finally:
        await connection.close()


@cache
def _text(resource: Resource, form: str) -> str:
    """Return the statement that reads all records in this form; nothing if there is none."""
    if form not in resource.statements:
        return ""
    # Only lists show the records of parts, and only those of live owners.
    all_records = "select record.*, record.id as page_order, null as sort_values from record"
    listed = f" where {resource.listed}" if isinstance(resource, PartCollection) else ""
    return resource.statements[form].fill(page=all_records + listed)


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


class CheckedApi(Api):
    """API client that compares the changes of each write with its change entries."""

    def __init__(self, api: Api, records: Records) -> None:
        super().__init__(api.client, api.key)
        self.records = records
        self.follower = Follower(api)
        self.readable: Readable = {}
        self.writes = 0

    async def call(self, method: str, path: str, *arguments: Any, **options: Any) -> Answer:
        """Return the answer, once it is certain that exactly what differs has an entry."""
        if method == "GET":
            return await super().call(method, path, *arguments, **options)
        if not self.writes:
            await self.follower.begin()
            self.readable = await self.records.now()
        answer = await super().call(method, path, *arguments, **options)
        before, self.readable = self.readable, await self.records.now()
        after = self.readable
        entries = await self.follower.entries()
        reported = [(entry["collection"], str(entry["recordId"])) for entry in entries]
        keys = before.keys() | after.keys()
        differing = {key for key in keys if before.get(key) != after.get(key)}
        assert sorted(reported) == sorted(differing), (method, path)
        for entry in entries:
            key = entry["collection"], str(entry["recordId"])
            assert entry["operation"] == operation(key, before, after), entry
            assert entry["requestId"] == answer.headers["X-Request-Id"]
        assert len({entry["n"] for entry in entries}) <= 1
        self.writes += 1
        return answer


def operation(key: tuple[str, str], before: Readable, after: Readable) -> str:
    """Return the operation that leads from one readable form of a record to the other.

    Parts whose owners are restored are updated (contract, Part collections).
    """
    name, record_id = key
    resource = CHANGES.resources[name]
    if isinstance(resource, PartCollection):
        owner = resource.part.owner.name, record_id
        if owner in before and _is_deleted(before[owner]):
            return "updated"
    if key not in before:
        return "created"
    was_live = not _is_deleted(before[key])
    is_gone = key not in after or (was_live and _is_deleted(after[key]))
    return "deleted" if is_gone else "updated"


def _is_deleted(forms: tuple[str, str | None]) -> bool:
    return bool(orjson.loads(forms[0]).get("state") == "deleted")
