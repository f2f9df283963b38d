"""Matrix of scopes: every operation with every scope, for own, other and unknown records.

``TEST_CELLS`` is the number of cells of a run, of more than 100,000; all of them by
``TEST_CELLS=999999 pytest -o faulthandler_timeout=0 tests/contract/test_scope_matrix.py``.
"""

import logging
import os
from itertools import product
from operator import itemgetter
from random import Random

import asyncpg
import pytest

from service.organizations.administration import issue_key as issue
from service.resources.registry import CHANGES
from service.resources.scope_names import scope_problem
from service.routes import Route, routes
from tests.support import webhooks
from tests.support.api import Answer, Api
from tests.support.sampling import examples, settle_seed
from tests.support.scope_model import ACCESSES, APART, grants, needed
from tests.support.tenant_attack import path_ids

pytestmark = pytest.mark.contract("Scopes")

LOG = logging.getLogger(__name__)
CELLS = int(os.environ.get("TEST_CELLS", examples(few=800, many=20_000)))
ROUTES = [route for route in routes() if route.needs_key and route.resource is not None]
COLLECTIONS = sorted({need[0] for route in ROUTES if (need := needed(route))} - {"any", *APART})
SCOPES = [
    *("read", "write", "keys:manage", "audit:read", "measurements:write[newMeasurement]"),
    *("measurements:write[supplierMeasurement]", "measurements:write[companyMeasurement]"),
    *("styles[supplierId=1]:read", "style-prices[supplierId=1]:read"),
    *("style-skus[supplierId=1]:read", "measurements[supplierId=1]:read"),
    *("measurements[supplierId=1]:write", "measurements[supplierId=1]:write[newMeasurement]"),
    *(f"{name}:{access}" for name in ("*", *COLLECTIONS) for access in ACCESSES),
]
VALID = [scope for scope in SCOPES if scope_problem(scope) is None]
#: The feed needs a scope of one of its collections.
IN_FEED = {"*", *CHANGES.resources}
TARGETS = ("own", "other", "unknown")
UNKNOWN = str(10**15)


def test_every_operation_and_collection_is_in_the_matrix() -> None:
    assert len(COLLECTIONS) > 45
    cells = [c for c in product(ROUTES, VALID, TARGETS) if c[2] == "own" or "{" in c[0].path]
    assert len(cells) > 100_000
    for scope in {*SCOPES} - {*VALID}:
        assert "only read" in str(scope_problem(scope))
    for route in ROUTES:
        need = needed(route)
        assert route.scope == (":".join(need) if need else "")


def _root(route: Route) -> str:
    """Return what paths that take the same ids begin with."""
    return route.path.partition("/prices/" if "{styleId}" in route.path else "/{id}")[0]


async def test_each_operation_needs_its_scope(
    shared_api: Api, shared_other: Api, shared_connection: asyncpg.Connection
) -> None:
    """And a lack of it is told before anything else, alike for all records."""
    ids = dict[str, dict[str, dict[str, str]]]()
    below = [r for r in ROUTES if "{" in r.path and "/{id}/passport" not in r.path]
    for target, api in (("own", shared_api), ("other", shared_other)):
        await webhooks.ensure_one(api)
        roots = {_root(route): route for route in below}
        of_root = {root: await path_ids(api, route) for root, route in roots.items()}
        ids[target] = {route.path: of_root[_root(route)] for route in below}
    cells = [c for c in product(ROUTES, VALID, TARGETS) if c[2] == "own" or "{" in c[0].path]
    random, counts = Random(settle_seed()), {True: 0, False: 0}
    random.shuffle(cells)
    # Most pairs are refused: take as many of the others.
    cells.sort(key=lambda cell: random.random() * (0.05 if _is_allowed(*cell[:2]) else 1))
    # One key after the other: they stay in the cache.
    cells = sorted(cells[:CELLS], key=itemgetter(1))
    keys = {
        scope: str(await issue(shared_connection, 1, name="tests", scopes=[scope]))
        for scope in {scope for _, scope, _ in cells}
    }
    for route, scope, target in cells:
        path_params = ids[target].get(route.path) if target in ids else None
        names = [part.strip("{}") for part in route.path.split("/") if part.startswith("{")]
        path = route.path.format(**(path_params or dict.fromkeys(names, UNKNOWN)))
        answer = await _send(Api(shared_api.client, keys[scope]), route, path)
        is_allowed = _is_allowed(route, scope)
        counts[is_allowed] += 1
        if is_allowed:
            assert b"forbidden.scope" not in answer.raw, (route, scope, answer.raw)
        else:
            need = needed(route)
            assert need is not None
            name = ":".join(need).replace("any:", "*:")
            assert answer.status == 403, (route, scope, answer.raw)
            rows = answer.json["error"]["details"]
            lacking = f"a scope to {need[1]}" if need[0] == "any" else f"the scope {name}"
            value = f"This key lacks {lacking}."
            assert rows == [{"type": "forbidden.scope", "field": None, "value": value}]
            assert f'scope="{name}"' in answer.headers["WWW-Authenticate"]
    LOG.info("%s cells allowed, %s refused", counts[True], counts[False])


def _is_allowed(route: Route, scope: str) -> bool:
    name = scope.partition(":")[0].partition("[")[0]
    if route.path == "/api/changes" and ":" in scope and name not in IN_FEED:
        return False
    return grants(scope, route)


async def _send(api: Api, route: Route, path: str) -> Answer:
    """Send a request that changes nothing even if it is allowed."""
    if route.path == "/api/export":
        return await api.get(path, {"collection": "countries"})
    if route.method == "GET":
        return await api.get(path)
    if not route.media_types:
        return await api.call(route.method, path, headers={"If-Match": '"x"'})
    return await api.call(route.method, path, b'"x"', content_type=route.media_types[0])
