"""Subscriptions for tests: bodies by operation, and a paused one that is there."""

from typing import Any, Final

from service.routes import Route
from tests.support import keys
from tests.support.api import Answer, Api

PATH: Final = "/api/webhooks"
URL: Final = "https://erp.example.com/selvedge"
BODIES: Final[dict[str, Any]] = {
    "add": {"url": URL, "state": "paused"},
    "update": {"documents": True},
    "rewind": {"n": 0},
    "rotate": {},
}
"""A body that each operation takes."""


def body_of(route: Route) -> Any:
    """Return a body that the route takes; None for routes of other resources."""
    is_new_key = route.operation.name == "add" and route.path == keys.PATH
    return keys.NEW if is_new_key else BODIES.get(route.operation.name)


async def ensure_one(api: Api) -> None:
    """Create a paused subscription unless the organization has one."""
    if not (await api.get(PATH)).data:
        writer = Api(api.client, api.key)
        assert (await writer.post(PATH, BODIES["add"])).status == 201


async def written(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    """Return the answer to a write; what it adds is deleted again, as there may be only twenty."""
    if route.path.startswith(keys.PATH):
        return await keys.written(api, route)
    body = BODIES.get(route.operation.name)
    path = route.path
    if "{id}" in path:
        await ensure_one(api)
        path = path.format(id=(await api.get(PATH)).data[0]["id"])
    answer = await api.call(
        route.method, path, body, content_type=next(iter(route.media_types), None)
    )
    if route.operation.name == "add":
        await Api(api.client, api.key).delete(answer.headers["Location"])
    return answer
