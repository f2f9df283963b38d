"""What the cases play on: the service on the demo data, its callers, and what is stored."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

import asyncpg
from aiohttp.test_utils import TestClient, TestServer

from service.database.id_arrays import id_array
from service.handlers.operations import READ
from service.http.parser_limits import PARSER_LIMITS
from service.organizations.caller import Caller
from service.queries.master_record import MasterRecord
from service.queries.parts import RecordPart
from service.queries.references import in_use
from service.queries.resource import Resource
from service.resources.registry import MASTER_RECORDS, MEASUREMENTS, PARTS, REFERENCE_LISTS
from service.resources.size_ranges import SizeRanges
from service.routes import Route, collection_path
from tests.fuzz import parts
from tests.fuzz.known import Known
from tests.support import generate, rows
from tests.support import serving as support
from tests.support.api import Api, issue_key

ORGANIZATIONS: Final = (1, 2)
_FEW: Final = 20
#: Lines longer than any made up: what the parser refuses never gets to the service.
_ANY_LENGTH: Final = {"max_line_size": 1 << 20, "max_field_size": 1 << 20}


class Stage:
    """A running service whose data nothing may change."""

    def __init__(self, client: TestClient[Any, Any], dsn: str) -> None:
        self.client = client
        self.dsn = dsn
        self.apis: dict[int, Api] = {}
        self.known: dict[int, Known] = {}
        self.paths: dict[str, dict[int, list[list[Any]]]] = {}
        """By collection and organization, the ids that lead to records."""
        self.cursors: dict[tuple[str, int], list[str]] = {}
        """By path and organization, cursors of pages that others follow."""
        self.spoiled = False
        """Whether a request changed something: what is known does not hold any more."""
        self._watcher: asyncpg.Connection

    async def prepare(self) -> None:
        """Read what the cases refer to."""
        self._watcher = await asyncpg.connect(self.dsn)
        for organization in ORGANIZATIONS:
            self.apis[organization] = Api(self.client, await issue_key(self.dsn, organization))
            self.known[organization] = await self._known(organization)
        one, other = (self.known[organization] for organization in ORGANIZATIONS)
        one.foreign, other.foreign = other, one
        self._stamping = await rows.stamping(self._watcher)
        self._stored = await self._watcher.fetch(self._stamping)
        self.postgres: str = await self._watcher.fetchval("show server_version")

    async def close(self) -> None:
        """Let go of the connection that watches."""
        await self._watcher.close()

    async def changed(self) -> bool:
        """Whether anything was written, ever."""
        self.spoiled = await self._watcher.fetch(self._stamping) != self._stored
        return self.spoiled

    async def _known(self, organization: int) -> Known:
        api = self.apis[organization]
        known = Known(await generate.references(api), multiple_language=organization == 1)
        for resource in (*MASTER_RECORDS, *REFERENCE_LISTS):
            if not resource.parents:
                await self._collect(known, resource, collection_path(resource), organization)
        styles = self.paths["styles"][organization][:5]
        for [style_id] in styles:
            for resource in REFERENCE_LISTS:
                if resource.parents:
                    root = collection_path(resource).format(styleId=style_id)
                    await self._collect(known, resource, root, organization, [style_id])
            await self._collect_measurements(style_id, organization)
        for part in PARTS:
            await self._collect_part(known, part, organization)
        return known

    async def _collect_part(self, known: Known, part: RecordPart, organization: int) -> None:
        """The ids that lead to some of the parts, and what is stored there."""
        if part is not MEASUREMENTS:
            self.paths.setdefault(part.name, {})[organization] = self.paths[part.collection][
                organization
            ]
        found = [tuple(ids) for ids in self.paths[part.name][organization][:_FEW]]
        read, api = Route(READ, part), self.apis[organization]
        known.writables[part.name] = {
            ids: (await api.get(parts.path_to(read, ids), {"form": "writable"})).data
            for ids in found
        }

    async def _collect_measurements(self, style_id: int, organization: int) -> None:
        """The ids that lead to the measurements of a style's sample requests."""
        requests = await self.apis[organization].get(f"/api/styles/{style_id}/sample-requests")
        paths = self.paths.setdefault(MEASUREMENTS.name, {}).setdefault(organization, [])
        for one in requests.data:
            paths += [[style_id, one["id"], size["sizeRangeSizeId"]] for size in one["sizes"]]

    async def _collect(
        self, known: Known, resource: Resource, root: str, organization: int, above: Any = ()
    ) -> None:
        api = self.apis[organization]
        found = await api.get(root, {"pageSize": _FEW})
        ids = [record["id"] for record in found.data]
        paths = self.paths.setdefault(resource.name, {}).setdefault(organization, [])
        paths += [[*above, id_] for id_ in ids]
        cursor = found.json["pagination"].get("cursor")
        if cursor:
            self.cursors.setdefault((root, organization), []).append(cursor)
        if isinstance(resource, MasterRecord):
            forms = [await api.get(f"{root}/{id_}", {"form": "writable"}) for id_ in ids]
            known.writables[resource.name] = {
                id_: form.data for id_, form in zip(ids, forms, strict=True)
            }
            parents = {record["id"]: record.get("parentCustomFieldId") for record in found.data}
            known.parents[resource.name] = parents
            known.used[resource.name] = _used(found.data, {*parents.values()})
            if resource.uses:
                caller = Caller(organization, 0, False, False, False)
                stored = {resource.stored_id(str(id_)): id_ for id_ in ids}
                used = await in_use(self._watcher, caller, resource.uses, [*stored])
                known.used[resource.name] = [stored[one] for one in used]
            if isinstance(resource, SizeRanges):
                known.used_by_peers[resource.name] = {
                    id_ for id_ in ids if await self._is_in_use(resource, organization, id_)
                }

    async def _is_in_use(self, resource: SizeRanges, organization: int, record_id: int) -> bool:
        """Return whether the size range could not be deleted alone."""
        text, ids = resource.statements["in_use"].text, id_array([record_id])
        return bool(await self._watcher.fetch(text, organization, ids, [], True))


def _used(records: list[dict[str, Any]], parents: set[Any]) -> list[Any]:
    """The records that cannot be deleted, as their documents tell."""
    return [
        record["id"] for record in records if record.get("isDefault") or record["id"] in parents
    ]


def serving(dsn: str) -> AbstractAsyncContextManager[TestServer]:
    """The service on a database, which request lines of any length reach."""
    return support.serving(dsn, PARSER_LIMITS | _ANY_LENGTH)


@asynccontextmanager
async def stage(dsn: str) -> AsyncIterator[Stage]:
    """A stage on a database with the demo data."""
    async with serving(dsn) as server, TestClient(server) as client:
        made = Stage(client, dsn)
        await made.prepare()
        try:
            yield made
        finally:
            await made.close()
