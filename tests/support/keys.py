"""API keys for tests: a spare one that tests may rotate and delete."""

from typing import Final

from service.routes import Route
from tests.support.api import Answer, Api

PATH: Final = "/api/keys"
NEW: Final = {"name": "spare", "scopes": ["*:read"]}


async def spare(api: Api) -> int:
    """Return the id of a key that no test needs; create it if there is none."""
    stored = (await api.get(PATH, {"name": NEW["name"]})).data
    key = stored[0] if stored else (await api.post(PATH, NEW)).data
    return int(key["id"])


async def written(api: Api, route: Route) -> Answer:
    """Return the answer to a write of the spare key."""
    path = route.path.format(id=await spare(api))
    body = NEW if route.operation.name == "add" else {} if route.media_types else None
    return await api.call(route.method, path, body)
