"""Tests of every route: a success, and each failure that routes of its kind share, validated."""

import re
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, TypeAlias

import orjson
import pytest

from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.resources.registry import SHARED_LISTS
from service.routes import Route
from service.writing.part_collections import PartCollection
from tests.support import generate, parametrize, parts, transactions, webhooks
from tests.support.api import JSON_PATCH, Answer, Api
from tests.support.openapi_validation import assert_documented, is_failure
from tests.support.part_collections import replaceable
from tests.support.paths import is_kept, path_of, unknown_path, wrong_path

pytestmark = pytest.mark.contract("Surface")

MAX_BODY = 8 * 1024 * 1024
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


async def make(api: Api, route: Route, count: int) -> list[Any]:
    """Create records of the route's resource."""
    assert route.resource is not None
    references, random = await generate.references(api), Random(count)
    items = [generate.body(route.resource, "create", references, random) for _ in range(count)]
    answer = await api.post(f"/api/{route.resource.name}", items)
    assert answer.status == 201, answer.raw
    return list(answer.data)


async def new_body(api: Api, route: Route, form: str) -> Any:
    assert route.resource is not None
    if isinstance(route.resource, RecordPart):
        return parts.least(route.resource)
    return generate.body(route.resource, form, await generate.references(api), Random(route.path))


async def plain(api: Api, route: Route, stored: dict[str, int]) -> Answer:
    return await api.call(route.method, await path_of(api, route, stored))


async def create(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    many = await api.post(route.path, [await new_body(api, route, "create")])
    assert_documented(route, many)
    return await api.post(route.path, await new_body(api, route, "create"))


async def replace(api: Api, route: Route, stored: dict[str, int]) -> Answer:
    if is_kept(route):
        path = await path_of(api, route, stored)
        return await api.put(path, (await api.get(path, {"form": "writable"})).data)
    [record] = await make(api, route, 1)
    return await api.put(route.path.format(id=record["id"]), await new_body(api, route, "replace"))


async def bulk_replace(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    if isinstance(route.resource, PartCollection):
        return await api.put(route.path, await replaceable(api, route.resource))
    record, gone = await make(api, route, 2)
    replacement = await new_body(api, route, "replace") | {"id": record["id"]}
    assert route.resource is not None
    going = [generate.deletion(route.resource, gone)] * generate.has_state(route.resource)
    return await api.put(route.path, [replacement, *going])


async def bulk_patch(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    if isinstance(route.resource, PartCollection):
        return await api.patch(route.path, await replaceable(api, route.resource))
    assert isinstance(route.resource, MasterRecord)
    references, records = await generate.references(api), await make(api, route, 2)
    items = [{"id": r["id"], **generate.altered(route.resource, r, references)} for r in records]
    return await api.patch(route.path, items)


async def patch(api: Api, route: Route, stored: dict[str, int]) -> Answer:
    if is_kept(route):
        return await api.patch(await path_of(api, route, stored), [])
    assert route.resource is not None
    references, [record] = await generate.references(api), await make(api, route, 1)
    change = generate.change(route.resource, "inactive", references, Random(route.path))
    return await api.patch(route.path.format(id=record["id"]), change)


async def delete(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    [record] = await make(api, route, 1)
    return await api.delete(route.path.format(id=record["id"]))


async def bulk_delete(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    records = await make(api, route, 2)
    return await api.delete(route.path, [("ids", str(record["id"])) for record in records])


Success: TypeAlias = Callable[[Api, Route, dict[str, int]], Awaitable[Answer]]


async def tables(api: Api, route: Route, stored: dict[str, int]) -> Answer:  # noqa: ARG001
    return await api.post(route.path, b"name\nA\n", content_type="text/csv")


SUCCESSES: dict[str, Success] = {
    **{route.operation.name: plain for route in parametrize.ROUTES if route.method == "GET"},
    "create": create,
    "replace": replace,
    "bulk_replace": bulk_replace,
    "bulk_patch": bulk_patch,
    "patch": patch,
    "delete": delete,
    "bulk_delete": bulk_delete,
    **transactions.SENT,
    "tables": tables,
    **dict.fromkeys(("add", "update", "remove", "test", "rewind", "rotate"), webhooks.written),
}
"""How each kind of route is made to succeed."""


@pytest.mark.contract("Envelope", "OpenAPI document")
@parametrize.of_each(parametrize.ROUTES)
async def test_success(route: Route, shared_api: Api, stored: dict[str, int]) -> None:
    answer = await SUCCESSES[route.operation.name](shared_api, route, stored)
    creates = route.operation.name in ("create", "add", "allocate")
    assert answer.status == (201 if creates else 200), answer.raw
    if route.resource is not None:
        assert_documented(route, answer)
    assert answer.headers["X-Request-Id"]


@pytest.mark.contract("Callers")
@parametrize.of_each_route
async def test_a_key_is_needed(route: Route, shared_api: Api, stored: dict[str, int]) -> None:
    path = await path_of(shared_api, route, stored)
    answer = await Api(shared_api.client, "").call(route.method, path)
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert_documented(route, answer)
    if 401 in route.problem_statuses:
        assert answer.headers["Content-Type"] == "application/problem+json"
    else:
        is_failure(answer, 401, "unauthorized")


@pytest.mark.contract("Callers")
@parametrize.of_each_write
async def test_a_key_that_reads_does_not_write(
    route: Route, shared_api: Api, shared_reader: Api, stored: dict[str, int]
) -> None:
    path = await path_of(shared_api, route, stored)
    answer = await shared_reader.call(route.method, path)
    is_failure(answer, 403, "forbidden.scope")
    assert_documented(route, answer)


@pytest.mark.contract("Tenancy")
@parametrize.of_each_record
async def test_unknown_and_foreign_records(
    route: Route, shared_api: Api, shared_other: Api, stored: dict[str, int]
) -> None:
    body = await valid_body(shared_api, route)
    unknown = await shared_api.call(route.method, unknown_path(route), body)
    is_failure(unknown, 404, "not_found")
    assert_documented(route, unknown)
    foreign = await shared_other.call(route.method, await path_of(shared_api, route, stored), body)
    if route.resource in SHARED_LISTS:
        assert foreign.status == 200
    elif route.resource is not None and route.resource.collection == "size-ranges":
        is_failure(foreign, 403, "forbidden.organization")
        assert_documented(route, foreign)
    else:
        assert (foreign.status, foreign.raw) == (404, unknown.raw)


async def valid_body(api: Api, route: Route) -> Any:
    """Return a body that a write to one record takes; None where none is sent."""
    if route.operation.name == "replace":
        return await new_body(api, route, "replace")
    if route.operation.name in webhooks.BODIES:
        return orjson.dumps(webhooks.body_of(route))
    bodies = {"patch": [], "generate": [], "compare": [], "write": transactions.ENTRY}
    return bodies.get(route.operation.name)


@pytest.mark.contract("Errors")
@parametrize.of_each_record
async def test_ids_of_a_wrong_form(route: Route, shared_api: Api) -> None:
    body = await valid_body(shared_api, route)
    for wrong in ("0", "-1", "abc", "01", "1.0", "1e3", "%201", "٣", str(2**63)):
        answer = await shared_api.call(route.method, wrong_path(route, wrong), body)
        if route.resource is not None and route.resource.string_ids:
            is_failure(answer, 404, "not_found")
        else:
            is_failure(answer, 400, "validation_error.invalid_value")
            assert {field for _, field in answer.details} <= set(re.findall(r"{(\w+)}", route.path))
        assert_documented(route, answer)


@pytest.mark.contract("Error types")
@pytest.mark.parametrize("path", sorted({route.path for route in parametrize.ROUTES}))
async def test_methods_that_a_path_does_not_have(path: str, shared_api: Api) -> None:
    allowed = {route.method for route in parametrize.ROUTES if route.path == path}
    allowed |= {"HEAD"} & {"HEAD" if "GET" in allowed else ""}
    for method in [*(set(METHODS) - allowed), "OPTIONS", "TRACE", "PURGE"]:
        answer = await shared_api.call(method, re.sub(r"{\w+}", "1", path))
        assert answer.headers["Allow"] == ", ".join(sorted(allowed))
        assert answer.status == 405
        if method != "HEAD":
            is_failure(answer, 405, "method_not_allowed")


@pytest.mark.contract("Bad input")
@parametrize.of_each_body
async def test_other_content_types(route: Route, shared_api: Api, stored: dict[str, int]) -> None:
    path = await path_of(shared_api, route, stored)
    swapped = "application/json" if route.operation.name == "patch" else JSON_PATCH
    for kind in (swapped, "text/plain", "application/json; charset=utf-16", "nonsense", "*/*"):
        answer = await shared_api.call(route.method, path, b"[]", content_type=kind)
        is_failure(answer, 415, "unsupported_media_type")
        assert_documented(route, answer)
    is_failure(await shared_api.call(route.method, path), 415, "unsupported_media_type")


@pytest.mark.contract("Limits")
@parametrize.of_each_body
async def test_bodies_over_the_limit(route: Route, shared_api: Api, stored: dict[str, int]) -> None:
    path = await path_of(shared_api, route, stored)
    answer = await shared_api.call(route.method, path, b" " * (MAX_BODY + 1))
    is_failure(answer, 413, "payload_too_large")
    assert_documented(route, answer)


@pytest.mark.contract("Bad input")
@parametrize.of_each_body
async def test_bodies_that_are_no_json(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = await path_of(shared_api, route, stored)
    for raw in (b"", b"{", b"[1,]", b"nul", b"{'a':1}", b"[]]", b"\xff", b"NaN", b'["\\ud800"]'):
        answer = await shared_api.call(route.method, path, raw)
        is_failure(answer, 400, "validation_error.malformed_json")
        assert answer.details == [("validation_error.malformed_json", None)]
        assert_documented(route, answer)


@pytest.mark.contract("Lists", "Errors")
@parametrize.of_each_route
async def test_unknown_parameters(route: Route, shared_api: Api, stored: dict[str, int]) -> None:
    path, body = await path_of(shared_api, route, stored), await valid_body(shared_api, route)
    if route.operation.name in ("create", "bulk_replace", "bulk_patch", "allocate"):
        body = []
    answer = await shared_api.call(
        route.method, f"{path.partition('?')[0]}?colour=red&Colour=red", body
    )
    is_failure(answer, 400, answer.json["code"])
    assert [field for _, field in answer.details][:2] == ["colour", "Colour"]
    assert_documented(route, answer)


@pytest.mark.contract("Envelope")
@parametrize.of_each([route for route in parametrize.ROUTES if route.method == "GET"])
async def test_head_has_the_headers_of_get(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = await path_of(shared_api, route, stored)
    got, head = await shared_api.get(path), await shared_api.call("HEAD", path)
    assert (head.status, head.raw) == (200, b"")
    if route.operation.name != "metrics":
        for name in ("Content-Type", "Content-Length", "ETag"):
            assert head.headers.get(name) == got.headers.get(name)


@pytest.mark.contract("Error types")
@pytest.mark.parametrize("path", ["/api", "/api/", "/api/colours", "/api/groups/", "/%00"])
async def test_paths_that_are_not_there(path: str, shared_api: Api) -> None:
    for method in METHODS:
        answer = await shared_api.call(method, path)
        assert answer.status == 404
        if method != "HEAD":
            is_failure(answer, 404, "not_found.route")


@pytest.mark.contract("Precedence")
async def test_error_precedence(shared_client: Any, shared_api: Api, shared_reader: Api) -> None:
    """Contract, Precedence: 401, 404 for the route, 405, 403 for the scope, 415, 413, the body."""
    stranger, big = Api(shared_client, "slv_1_1_x"), b"x" * (MAX_BODY + 1)
    wrong: Any = {"content_type": "text/plain"}
    assert (await stranger.put("/api/nothing", big, **wrong)).status == 401
    assert (await stranger.call("TRACE", "/api/groups")).status == 401
    assert (await shared_reader.put("/api/nothing", big, **wrong)).status == 404
    assert (await shared_reader.call("TRACE", "/api/groups")).status == 405
    assert (await shared_reader.put("/api/groups", big, **wrong)).status == 403
    assert (await shared_api.put("/api/groups", big, **wrong)).status == 415
    assert (await shared_api.put("/api/groups", big)).status == 413
    assert (await shared_api.put("/api/groups", b"x" * MAX_BODY)).status == 400
    for method in ("PUT", "PATCH"):
        nowhere = "/api/groups/x?colour=red"
        assert (await shared_api.call(method, nowhere, big, **wrong)).status == 415
        assert (await shared_api.call(method, nowhere, big)).status == 413
        assert (await shared_api.call(method, nowhere, b"x")).status == 400
