"""Transactions over collections: entries, a season of them, and requests."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from service.resources import registry
from service.routes import Route
from tests.support.api import Answer, Api

PATH = "/api/transaction"
NDJSON = "application/x-ndjson"
SKIP = {"onError": "skip"}


STATELESS = ("style-relations", "sample-requests")


def entry(collection: str, operation: str = "upsert", **item: Any) -> dict[str, Any]:
    is_part = collection not in {resource.name for resource in registry.MASTER_RECORDS}
    if operation == "upsert" and not is_part and collection not in STATELESS:
        item = {"state": "active"} | item
    return {"collection": collection, "operation": operation, "item": item}


def season(mark: str) -> list[dict[str, Any]]:
    """Return a season in the wrong order: parts and referring records come first."""
    style: Any = {"number": f"SV-{mark}"}
    sizes: Any = {"userDefinedId": f"R-{mark}"}
    size = {"sizeRangeId": sizes, "name": "M"}
    chest = {"name": "Chest", "requested": [{"sizeRangeSizeId": size, "value": "42.5"}]}
    return [
        entry("sample-requests", styleId=style, name=f"P-{mark}", sizeRangeSizeIds=[size]),
        entry("measurement-charts", styleId=style, unit="CM", lines=[chest]),
        entry("style-relations", styleId=style, relatedStyleId={"number": f"SW-{mark}"}),
        entry("styles", number=f"SV-{mark}", name="Coat", brandId={"customId": f"B-{mark}"}),
        entry("styles", number=f"SW-{mark}", name="Hat", groupIds=[{"userDefinedId": mark}]),
        entry("size-range-sizes", sizeRangeId=sizes, sizes=[{"name": "M"}, {"name": "L"}]),
        entry("size-ranges", userDefinedId=f"R-{mark}", name="Range"),
        entry("groups", userDefinedId=mark, name="Group"),
        entry("brands", customId=f"B-{mark}", name="Brand"),
        entry("colors", userDefinedId=mark, colorGroupIds=[{"userDefinedId": mark}], name="Sage"),
        entry("color-groups", userDefinedId=mark, name="Greens"),
    ]


async def send(api: Api, entries: Any, **options: Any) -> Answer:
    return await api.post(PATH, entries, **options)


def shown(answer: Answer) -> list[str]:
    assert answer.status in (200, 201), answer.raw
    return [row["outcome"] for row in answer.data]


async def position(api: Api) -> int:
    return int((await api.get("/api/changes", {"from": "now"})).headers["X-Changes-After"])


ENTRY: Final = {"collection": "brands", "operation": "delete", "item": {"customId": "NONE"}}


async def written(api: Api, route: Route, _: dict[str, int]) -> Answer:
    """Send both; the failing one is left out."""
    return await api.post(route.path, [ENTRY, {}], params={"onError": "skip"})


async def generated(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    """Generate the SKUs of a style twice."""
    [color] = (await api.get("/api/style-colors", {"pageSize": "1"})).data
    await api.post(route.path, [{"styleId": color["styleId"]}])
    return await api.post(route.path, [{"styleId": color["styleId"]}])


SENT: Final[dict[str, Callable[[Api, Route, dict[str, int]], Awaitable[Answer]]]] = {
    "allocate": lambda api, route, _: api.post(route.path, [{"count": 1}]),
    "compare": lambda api, route, _: api.post(route.path, [{"collection": "styles", "count": 1}]),
    "generate": generated,
    "write": written,
}
"""How routes with bodies of their own are made to succeed."""
