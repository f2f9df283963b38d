"""Stage of the cases: the service on the demo data, its callers, and their stored records."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

import asyncpg
from aiohttp.test_utils import TestClient, TestServer

from service.database.statements import id_array
from service.handlers.operations import READ
from service.http.parser_errors import PARSER_LIMITS
from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.records.resource import Resource
from service.resources import registry
from service.resources.registry import MASTER_RECORDS, MEASUREMENTS, PARTS, REFERENCE_LISTS
from service.resources.size_ranges import SizeRanges
from service.routes import Route, collection_path
from tests.fuzz import keys, parts
from tests.fuzz.inventory import Inventory
from tests.fuzz.scopes import Callers
from tests.support import generate, rows
from tests.support import serving as support
from tests.support.api import Api, issue_key
from tests.support.parts import PRICES

ORGANIZATIONS: Final = (1, 2)
_FEW: Final = 20
#: Bytes, more than any case has: requests that the parser refuses do not reach the service.
_ANY_LENGTH: Final = {"max_line_size": 1 << 20, "max_field_size": 1 << 20}


class Stage:
    """Running service whose data no case may change."""

    def __init__(self, client: TestClient[Any, Any], dsn: str) -> None:
        self.client = client
        self.dsn = dsn
        self.apis: dict[int, Api] = {}
        self.scoped: dict[int, Callers] = {}
        self.inventories: dict[int, Inventory] = {}
        self.paths: dict[str, dict[int, list[list[Any]]]] = {}
        """Ids that lead to records, by collection and organization."""
        self.cursors: dict[tuple[str, int], list[str]] = {}
        """Cursors of pages that have a next page, by path and organization."""
        self.spoiled = False
        """Whether a request changed data: the inventories are stale then."""
        self._watcher: asyncpg.Connection

    async def prepare(self) -> None:
        """Read the records that cases refer to."""
        self._watcher = await asyncpg.connect(self.dsn)
        for organization in ORGANIZATIONS:
            self.apis[organization] = Api(self.client, await issue_key(self.dsn, organization))
            self.inventories[organization] = await self._inventory(organization)
            whole = self.apis[organization]
            self.scoped[organization] = await Callers.of(whole, self.dsn, organization)
        first, other = (self.inventories[organization] for organization in ORGANIZATIONS)
        first.foreign, other.foreign = other, first
        self._stamping = await rows.stamping(self._watcher)
        self._stored = await self._watcher.fetch(self._stamping)

    async def close(self) -> None:
        """Close the connection that watches for changes."""
        await self._watcher.close()

    async def changed(self) -> bool:
        """Return whether anything was written since the start."""
        self.spoiled = await self._watcher.fetch(self._stamping) != self._stored
        return self.spoiled

    async def _inventory(self, organization: int) -> Inventory:
        api = self.apis[organization]
        inventory = Inventory(await generate.references(api), multiple_language=organization == 1)
        for resource in (*MASTER_RECORDS, registry.ORGANIZATIONS, *REFERENCE_LISTS):
            if not resource.parents:
                await self._collect(inventory, resource, collection_path(resource), organization)
        styles = self.paths["styles"][organization][:5]
        for [style_id] in styles:
            for resource in REFERENCE_LISTS:
                if resource.parents:
                    root = collection_path(resource).format(styleId=style_id)
                    await self._collect(inventory, resource, root, organization, [style_id])
            await self._collect_measurements(style_id, organization)
        for part in PARTS:
            await self._collect_part(inventory, part, organization)
        for collection in keys.TARGETS:
            inventory.own_keys[collection] = await self._own_keys(collection, organization)
        return inventory

    async def _own_keys(self, collection: str, organization: int) -> Counter[str]:
        """Return the own keys of all live records, some of which two new records share."""
        api, field = self.apis[organization], keys.key_field(collection)
        path, params = f"/api/{collection}", {"pageSize": 100, "fields": field}
        if collection in keys.TWINS:
            twins = [keys.TWINS[collection] | {field: "Twin"}] * 2
            assert (await api.post(path, twins)).status == 201
        keys_found = Counter[str]()
        while True:
            page = await api.get(path, params)
            keys_found.update(record[field] for record in page.data if record.get(field))
            if not (cursor := page.json["pagination"].get("cursor")):
                return keys_found
            params = {"cursor": cursor}

    async def _collect_part(
        self, inventory: Inventory, part: RecordPart, organization: int
    ) -> None:
        """Collect the ids that lead to some of the parts, and their stored forms."""
        if part is PRICES:
            listed = (await self.apis[organization].get("/api/style-prices", {"pageSize": 20})).data
            self.paths.setdefault(part.name, {})[organization] = [
                [each["styleId"], each["priceLists"][0]["priceListId"]] for each in listed
            ]
        elif part is not MEASUREMENTS:
            self.paths.setdefault(part.name, {})[organization] = self.paths[part.collection][
                organization
            ]
        paths = [tuple(ids) for ids in self.paths[part.name][organization][:_FEW]]
        read, api = Route(READ, part), self.apis[organization]
        inventory.writables[part.name] = {
            ids: (await api.get(parts.path_to(read, ids), {"form": "writable"})).data
            for ids in paths
        }

    async def _collect_measurements(self, style_id: int, organization: int) -> None:
        """Collect the ids that lead to the measurements of a style's sample requests."""
        requests = await self.apis[organization].get(f"/api/styles/{style_id}/sample-requests")
        paths = self.paths.setdefault(MEASUREMENTS.name, {}).setdefault(organization, [])
        for sample_request in requests.data:
            paths += [
                [style_id, sample_request["id"], size["sizeRangeSizeId"]]
                for size in sample_request["sizes"]
            ]

    async def _collect(
        self,
        inventory: Inventory,
        resource: Resource,
        root: str,
        organization: int,
        above: Any = (),
    ) -> None:
        api = self.apis[organization]
        page = await api.get(root, {"pageSize": _FEW})
        ids = [record["id"] for record in page.data]
        paths = self.paths.setdefault(resource.name, {}).setdefault(organization, [])
        paths += [[*above, id_] for id_ in ids]
        cursor = page.json["pagination"].get("cursor")
        if cursor:
            self.cursors.setdefault((root, organization), []).append(cursor)
        if isinstance(resource, MasterRecord):
            forms = [await api.get(f"{root}/{id_}", {"form": "writable"}) for id_ in ids]
            inventory.writables[resource.name] = {
                id_: form.data for id_, form in zip(ids, forms, strict=True)
            }
            parents = {record["id"]: record.get("parentCustomFieldId") for record in page.data}
            inventory.parents[resource.name] = parents
            inventory.used[resource.name] = [r["id"] for r in page.data if r.get("isDefault")]
            if not isinstance(resource, SizeRanges):
                await self._collect_used(inventory, resource.name, root, api)
            else:
                inventory.used_by_peers[resource.name] = {
                    id_ for id_ in ids if await self._is_in_use(resource, organization, id_)
                }

    @staticmethod
    async def _collect_used(inventory: Inventory, name: str, root: str, api: Api) -> None:
        """Collect the ids of records that a dry run does not delete."""
        inventory.used[name], inventory.used_in_styles[name] = [], set()
        for id_ in inventory.writables[name]:
            answer = await api.delete(f"{root}/{id_}", {"dryRun": "true"})
            if answer.status == 409:
                inventory.used[name].append(id_)
                if "styles: " in answer.json["error"]["details"][0]["value"]:
                    inventory.used_in_styles[name].add(id_)

    async def _is_in_use(self, resource: SizeRanges, organization: int, record_id: int) -> bool:
        """Return whether the size range could not be deleted alone."""
        text, ids = resource.statements["in_use"].text, id_array([record_id])
        return bool(await self._watcher.fetch(text, organization, ids, [], True))


def serving(dsn: str) -> AbstractAsyncContextManager[TestServer]:
    """Serve a database, accepting request lines of any length."""
    return support.serving(dsn, PARSER_LIMITS | _ANY_LENGTH)


@asynccontextmanager
async def stage(dsn: str) -> AsyncIterator[Stage]:
    """Open a stage on a database with the demo data."""
    async with serving(dsn) as server, TestClient(server) as client:
        made = Stage(client, dsn)
        await made.prepare()
        try:
            yield made
        finally:
            await made.close()
