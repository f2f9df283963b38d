"""Tests of idempotent writes: every write route, sent twice with one key."""

from typing import Any
from uuid import uuid4

import pytest

from service.routes import Route
from tests.contract.test_every_route import SUCCESSES
from tests.support import openapi_validation
from tests.support.api import Answer, Api
from tests.support.parametrize import CALLERS_ROUTES, of_each
from tests.support.paths import path_of

pytestmark = pytest.mark.contract("Idempotency")


class Twice(Api):
    """API client that sends each write twice with one ``Idempotency-Key``."""

    async def call(self, method: str, path: str, body: Any = None, **options: Any) -> Answer:
        """Return the replayed answer."""
        if method == "GET":
            return await super().call(method, path, body, **options)
        headers = {**(options.pop("headers", None) or {}), "Idempotency-Key": str(uuid4())}
        first, again = [
            await super(Twice, self).call(method, path, body, headers=headers, **options)
            for _ in range(2)
        ]
        assert "Idempotent-Replayed" not in first.headers
        assert again.headers.get("Idempotent-Replayed") == "true"
        assert (again.status, again.raw) == (first.status, first.raw)
        assert again.headers.get("ETag") == first.headers.get("ETag")
        return again


@of_each([route for route in CALLERS_ROUTES if route.operation.writes])
async def test_every_write_honors_an_idempotency_key(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    """A key of another form is refused."""
    twice = Twice(shared_api.client, shared_api.key)
    openapi_validation.assert_documented(
        route, await SUCCESSES[route.operation.name](twice, route, stored)
    )
    assert "Idempotency-Key" in openapi_validation.parameters(route)
    media_type = next(iter(route.media_types), None)
    path, body = await path_of(shared_api, route, stored), b"[]" if media_type else None
    bad = await shared_api.call(
        route.method, path, body, headers={"Idempotency-Key": "a b"}, content_type=media_type
    )
    assert ("validation_error.invalid_value", "Idempotency-Key") in bad.details
