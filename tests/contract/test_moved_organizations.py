"""Tests of an organization that has moved, and whose keys workers still take for valid."""

from http import HTTPStatus

import psycopg
import pytest

from service.database.distribution import key_of, tenant_tables
from service.http.context import CALLERS
from tests.contract.test_every_route import new_body, valid_body
from tests.support import parametrize
from tests.support.api import Api
from tests.support.paths import path_of
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("Outages", "Idempotency")


def delete_organization(dsn: str) -> None:
    """Delete all rows of organization 1, as a move does."""
    with psycopg.connect(dsn) as connection:
        for table in reversed(tenant_tables(connection)):
            connection.execute(f"delete from {table} where {key_of(table)} = 1".encode())


async def test_no_route_fails_by_a_defect(
    api: Api,
    demo_dsn: str,
    stored: dict[str, int],
    sample: Sample,
    caplog: pytest.LogCaptureFixture,
) -> None:
    requests = []
    for route in sample(parametrize.CALLERS_ROUTES, 80):
        body = await valid_body(api, route)
        if route.operation.name == "create":
            body = [await new_body(api, route, "create")]
        requests.append((route.method, await path_of(api, route, stored), body))
    callers = api.client.app[CALLERS]
    valid_keys = {**callers._valid_keys}
    delete_organization(demo_dsn)
    caplog.clear()
    failures = []
    for method, path, body in requests:
        for headers in ({}, {"Idempotency-Key": f"{method}{path}"}):
            callers._valid_keys |= valid_keys
            answer = await api.call(method, path, body, headers=headers)
            if answer.status >= 500 and answer.status != HTTPStatus.SERVICE_UNAVAILABLE:
                failures.append(f"{method} {path} {headers}: {answer.status}")
    assert (failures, caplog.records) == ([], [])


async def test_its_keys_are_dropped(api: Api, demo_dsn: str) -> None:
    assert (await api.get("/api/me")).status == 200
    delete_organization(demo_dsn)
    answers = [await api.get("/api/me") for _ in range(2)]
    assert [answer.status for answer in answers] == [503, 401]
    assert answers[0].headers["Retry-After"] == "1"
