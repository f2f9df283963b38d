"""Tests of the OpenAPI document's webhooks: each message is one that it describes."""

from typing import Any

import orjson
import pytest

from service import openapi
from tests.support.inserted_rows import execute
from tests.support.openapi_validation import component
from tests.support.receivers import HOOKS, make, receiving, sending_api, settled, subscribe

pytestmark = pytest.mark.contract("Deliveries", "OpenAPI document")

WEBHOOKS: dict[str, Any] = orjson.loads(openapi.document())["webhooks"]


@pytest.mark.parametrize("documents", [False, True])
async def test_every_message_is_as_the_document_describes(demo_dsn: str, documents: bool) -> None:
    async with sending_api(demo_dsn) as api, receiving() as receiver:
        webhook = await subscribe(api, receiver, documents=documents)
        path = f"{HOOKS}/{webhook['id']}"
        [group, _] = await make(api, 2)
        await api.delete(f"/api/groups/{group}")
        await settled(api, webhook)
        await api.post(f"{path}/test", None)
        await api.patch(path, {"state": "paused"})
        await make(api)
        await api.get("/api/changes", {"after": "2"})
        await execute(demo_dsn, "update change_feed set cleared_n = last_n")
        await api.patch(path, {"state": "active"})
        await settled(api, webhook)
    assert {arrival.json["type"] for arrival in receiver.arrivals} == {*WEBHOOKS}
    for arrival in receiver.arrivals:
        operation = WEBHOOKS[arrival.json["type"]]["post"]
        [(media_type, media)] = operation["requestBody"]["content"].items()
        component(media["schema"]["$ref"].rpartition("/")[2]).validate(arrival.json)
        assert arrival.headers["content-type"] == media_type
        assert {parameter["name"] for parameter in operation["parameters"]} <= {*arrival.headers}
        assert f"{arrival.status // 100}XX" in operation["responses"]
