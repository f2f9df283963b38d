"""Random writers: perform every kind of write to master records."""

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Any

import aiohttp

from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS, MEASUREMENTS, PART_COLLECTIONS, PARTS
from service.routes import collection_path
from service.writing.part_collections import PartCollection
from tests.support import generate, parts
from tests.support.api import Answer, Api

_CUSTOM_FIELDS = ("compliance-custom-fields", "style-custom-fields")
#: What a write may be answered: others get in the way, and the service may be away.
_PASSING = (200, 201, 400, 404, 409, 429, 503)


class Writer:
    """API client that writes at random; it knows some of the stored records."""

    def __init__(self, api: Api, references: generate.References, random: Random) -> None:
        self._api = api
        self._references = references
        self._random = random
        self._ids: dict[str, list[Any]] = {resource.name: [] for resource in MASTER_RECORDS}
        self._ids["groups"] += references["groups"]
        self._parents: dict[str, list[Any]] = {name: [] for name in _CUSTOM_FIELDS}
        self.done = 0

    async def write(self, times: int) -> None:
        """Perform this many writes, some of which are refused."""
        for _ in range(times):
            resource = self._random.choice(MASTER_RECORDS)
            operations = [
                self._create, self._create, self._create_many, self._replace, self._replace_many,
                self._patch, self._patch, self._delete, self._delete_many, self._rename,
                self._replace_part, self._write_parts,
            ][: None if self._ids[resource.name] else 3]  # fmt: skip
            try:
                answer = await self._random.choice(operations)(resource)
            except (aiohttp.ClientError, TimeoutError):
                await asyncio.sleep(0.1)
                continue
            if answer is not None:
                assert answer.status in _PASSING, answer.raw
                self.done += answer.status in (200, 201)

    def _body(self, resource: MasterRecord, form: str) -> dict[str, Any]:
        made = generate.body(resource, form, self._references, self._random)
        if resource.name == "size-ranges":
            made["isDefault"] = self._random.random() < 0.5
        parents = self._parents.get(resource.name)
        if form == "create" and parents and self._random.random() < 0.7:
            made["parentCustomFieldId"] = self._random.choice(parents)
        return made

    def _some(self, resource: MasterRecord, most: int) -> list[Any]:
        ids = self._ids[resource.name]
        return self._random.sample(ids, min(most, len(ids)))

    def _learn(self, resource: MasterRecord, records: Sequence[Any]) -> None:
        self._ids[resource.name] = [
            *self._ids[resource.name][-30:],
            *(record["id"] for record in records),
        ]
        if resource.name in _CUSTOM_FIELDS:
            self._parents[resource.name] += [
                record["id"] for record in records if "llowedValue" in record["type"]
            ]

    async def _create(self, resource: MasterRecord) -> Answer:
        answer = await self._api.post(collection_path(resource), self._body(resource, "create"))
        if answer.status == 201:
            self._learn(resource, [answer.data])
        return answer

    async def _create_many(self, resource: MasterRecord) -> Answer:
        items = [self._body(resource, "create") for _ in range(self._random.randint(1, 5))]
        for item in items[1:]:
            item.pop("isDefault", None)
        answer = await self._api.post(collection_path(resource), items)
        if answer.status == 201:
            self._learn(resource, answer.data)
        return answer

    async def _replace(self, resource: MasterRecord) -> Answer | None:
        for record_id in self._some(resource, 1):
            body = self._body(resource, "replace")
            return await self._api.put(f"{collection_path(resource)}/{record_id}", body)
        return None

    async def _replace_part(self, resource: MasterRecord) -> Answer | None:
        part = next((part for part in PARTS if part.owner.name == resource.name), None)
        if part is None or part.parents:
            return None
        for record_id in self._some(resource, 1):
            path = parts.path(part, record_id)
            stored = await self._api.get(path, {"form": "writable"})
            if stored.status == 200:
                body = parts.body(part, stored.data, self._references, self._random)
                return await self._api.put(path, body)
        return None

    async def _write_parts(self, resource: MasterRecord) -> Answer | None:
        """Replace or merge parts of several records in bulk."""
        matches = (each for each in PART_COLLECTIONS if each.part.owner.name == resource.name)
        collection = next(matches, None)
        if collection is None:
            return None
        ids = self._some(resource, 3)
        items = [item for id_ in ids if (item := await self._part_item(collection, id_))]
        send = self._random.choice((self._api.put, self._api.patch))
        return await send(collection_path(collection), items) if items else None

    async def _part_item(self, collection: PartCollection, owner: int) -> dict[str, Any] | None:
        part, item = collection.part, {collection.key: owner}
        if part is parts.PRICES:
            return None
        if part is MEASUREMENTS:
            stored = await self._api.get(collection_path(collection), {collection.key: str(owner)})
            comment = f"Comment {self._random.randrange(5)}"
            sizes = [
                {"sizeRangeSizeId": size["sizeRangeSizeId"], "designerComment": comment}
                for record in (stored.data if stored.status == 200 else ())
                for size in record["sizes"]
            ]
            return item | {"sizes": sizes}
        stored = await self._api.get(parts.path(part, owner), {"form": "writable"})
        if stored.status != 200:
            return None
        body = parts.body(part, stored.data, self._references, self._random)
        return item | ({part.list_name: body} if part.list_name else body)

    async def _replace_many(self, resource: MasterRecord) -> Answer | None:
        ids = self._some(resource, 4)
        items = [self._body(resource, "replace") | {"id": record_id} for record_id in ids]
        for item in items[1:]:
            item.pop("isDefault", None)
            if generate.has_state(resource) and self._random.random() < 0.3:
                item["state"] = "deleted"
        return await self._api.put(collection_path(resource), items) if items else None

    async def _patch(self, resource: MasterRecord) -> Answer | None:
        state = self._random.choice(("active", "inactive"))
        change = generate.change(resource, state, self._references, self._random)
        return await self._patched(resource, change)

    async def _rename(self, resource: MasterRecord) -> Answer | None:
        name = "text" if "text" in resource.properties else "name"
        value = f"Name {self._random.randrange(5)}"
        change = {"op": "replace", "path": f"/{name}", "value": value}
        return await self._patched(resource, [change])

    async def _patched(self, resource: MasterRecord, change: list[Any]) -> Answer | None:
        for record_id in self._some(resource, 1):
            return await self._api.patch(f"{collection_path(resource)}/{record_id}", change)
        return None

    async def _delete(self, resource: MasterRecord) -> Answer | None:
        for record_id in self._some(resource, 1):
            return await self._api.delete(f"{collection_path(resource)}/{record_id}")
        return None

    async def _delete_many(self, resource: MasterRecord) -> Answer | None:
        ids = self._some(resource, 3)
        if not ids:
            return None
        return await self._api.delete(
            collection_path(resource), [("ids", str(record_id)) for record_id in ids]
        )


def outcomes(answer: Answer) -> list[str]:
    """Return the outcomes of a write; of a failed one its text."""
    if answer.status not in (200, 201):
        return [str(answer.raw)]
    listed = answer.data if isinstance(answer.data, list) else [answer.data]
    return [row["outcome"] for row in listed]
