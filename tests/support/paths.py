"""Paths of routes with ids of stored records, or of none."""

import re
from typing import Any

import asyncpg

from service.records.parts import RecordPart
from service.resources.registry import ORGANIZATIONS
from service.routes import Route
from tests.support import keys, webhooks
from tests.support.api import Api

UNKNOWN = 2**63 - 1
_QUERIES = {
    **dict.fromkeys(("check", "offer"), ("/api/channels", "channelId")),
    "find": ("/api/price-lists", "priceListId"),
}
"""Collections and parameters of operations that need one."""
_NAMES = {"data_asset": "main.js", "docs_asset": "start.js", "guide": "paging"}


async def stored_ids(connection: asyncpg.Connection) -> dict[str, int]:
    """Return path parameters that name records of organization 1."""
    row = await connection.fetchrow(
        """select request.style_id, size.sample_request_id, size.size_range_size_id,
            (select min(price_list_id) from style_price where organization_id = 1)
        from sample_request request
        join sample_request_size size on size.sample_request_id = request.id
        where request.organization_id = 1 and size.organization_id = 1 order by 2, 3 limit 1"""
    )
    return dict(
        zip(("styleId", "sampleRequestId", "sizeRangeSizeId", "priceListId"), row, strict=True)
    )


async def path_of(api: Api, route: Route, stored: dict[str, int]) -> str:
    """Return the route's path with ids of stored records in it."""
    values: dict[str, Any] = {"name": _NAMES.get(route.operation.name), **stored}
    if "{id}" in route.path:
        collection = route.path.partition("/{id}")[0].format(**values)
        if collection == webhooks.PATH:
            await webhooks.ensure_one(api)
        if collection == keys.PATH:
            values["id"] = await keys.spare(api)
        else:
            values["id"] = (await api.get(collection)).data[0]["id"]
    path = route.path.format(**values)
    if route.operation.name in _QUERIES:
        collection, parameter = _QUERIES[route.operation.name]
        path += f"?{parameter}={(await api.get(collection)).data[0]['id']}"
    return path


def unknown_path(route: Route) -> str:
    return wrong_path(route, str(UNKNOWN))


def wrong_path(route: Route, value: str) -> str:
    """Return the route's path with a value in the place of each id."""
    query = "?channelId=1" if route.operation.name == "check" else ""
    return re.sub(r"{\w+}", value, route.path) + query


def is_kept(route: Route) -> bool:
    """Return whether writes are of what is there, for the route's resource has no creation."""
    return isinstance(route.resource, RecordPart) or route.resource is ORGANIZATIONS
