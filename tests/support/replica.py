"""Replica of an organization's records that follows the change feed (contract, Changes)."""

from typing import Any, TypeAlias

import orjson

from service.records.resource import Resource
from service.resources.registry import CHANGES
from service.routes import collection_path
from service.writing.part_collections import PartCollection
from tests.support.api import Api
from tests.support.changes import Follower

Key: TypeAlias = tuple[str, Any]
"""Collection and id."""
Records: TypeAlias = dict[Key, bytes]


async def walked(api: Api) -> Records:
    """Return every record that lists show."""
    records: Records = {}
    for resource in CHANGES.resources.values():
        records |= await _listed(api, resource)
    return records


async def _listed(api: Api, resource: Resource) -> Records:
    records: Records = {}
    params = {"pageSize": "100"}
    while params:
        answer = await api.get(collection_path(resource), params)
        assert answer.status == 200, answer.raw
        records |= {
            (resource.collection, record[resource.key]): orjson.dumps(record)
            for record in answer.data
        }
        following = answer.json["pagination"].get("cursor")
        params = {"cursor": following} if following else {}
    return records


class Replica:
    """Replica: starts with a cursor and a walk of the lists, then applies entries in order.

    With ``documents`` an entry brings the record, otherwise it is read.
    """

    def __init__(self, api: Api, *, documents: bool, limit: int = 100) -> None:
        self.api = api
        self.documents = documents
        self.records: Records = {}
        self.seen: list[tuple[int, str, Any]] = []
        """Number, collection and id of each entry."""
        options = {"documents": "true"} if documents else {}
        self._follower = Follower(api, limit=str(limit), **options)

    async def begin(self) -> None:
        """Take the cursor, then the records."""
        await self._follower.begin()
        self.records = await walked(self.api)

    async def follow(self) -> None:
        """Apply what there is."""
        async for page in self._follower.pages():
            for entry in page:
                await self._apply(entry)

    async def _apply(self, entry: dict[str, Any]) -> None:
        key = entry["collection"], entry["recordId"]
        self.seen.append((entry["n"], *key))
        document = entry["document"] if self.documents else await self._read(*key)
        if document is None:
            self.records.pop(key, None)
        else:
            self.records[key] = orjson.dumps(document)

    async def _read(self, collection: str, record: Any) -> Any:
        """Return the record as it is now; None where it is deleted or gone."""
        resource = CHANGES.resources[collection]
        if isinstance(resource, PartCollection):
            page = await self.api.get(collection_path(resource), {resource.key: str(record)})
            return page.data[0] if page.data else None
        answer = await self.api.get(f"{collection_path(resource)}/{record}")
        if answer.status == 404:
            return None
        assert answer.status == 200, answer.raw
        is_hidden = resource.listed and answer.data["state"] == "deleted"
        return None if is_hidden else answer.data

    async def holds(self) -> None:
        """Raise unless the copy is equal to the lists, and every entry came once and in order."""
        await self.follow()
        fresh = await walked(self.api)
        differing = {
            key
            for key in fresh.keys() | self.records.keys()
            if fresh.get(key) != self.records.get(key)
        }
        assert not differing, sorted(map(str, differing))[:10]
        numbers = [n for n, *_ in self.seen]
        assert numbers == sorted(numbers)
        assert len(set(self.seen)) == len(self.seen)
        assert {*numbers} == {*range(numbers[0], numbers[-1] + 1)} if numbers else True
