"""Paths of routes with ids of stored records, or of none."""

import re
from typing import Any

from service.handlers.operations import LIST_PRICES
from service.records.parts import RecordPart
from service.resources.registry import ORGANIZATIONS
from service.routes import Route
from tests.support import webhooks
from tests.support.api import Api

UNKNOWN = 2**63 - 1
_NAMES = {"data_asset": "main.js", "docs_asset": "start.js", "guide": "paging"}


async def path_of(api: Api, route: Route, stored: dict[str, int]) -> str:
    """Return the route's path with ids of stored records in it."""
    values: dict[str, Any] = {"name": _NAMES.get(route.operation.name), **stored}
    if "{id}" in route.path:
        collection = route.path.partition("/{id}")[0].format(**values)
        if collection == webhooks.PATH:
            await webhooks.ensure_one(api)
        values["id"] = (await api.get(collection)).data[0]["id"]
    path = route.path.format(**values)
    if route.operation is LIST_PRICES:
        return f"{path}?priceListId={(await api.get('/api/price-lists')).data[0]['id']}"
    return path


def unknown_path(route: Route) -> str:
    return re.sub(r"{\w+}", str(UNKNOWN), route.path)


def is_kept(route: Route) -> bool:
    """Return whether writes are of what is there, for the route's resource has no creation."""
    return isinstance(route.resource, RecordPart) or route.resource is ORGANIZATIONS
