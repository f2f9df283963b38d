"""Tests of the OpenAPI document: valid, complete, and derived from schemas and routes."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jsonschema
import orjson
import pytest
from openapi_spec_validator import validate
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from service import __version__, openapi, schemas
from service.listing.properties import Properties
from service.openapi.examples import EXAMPLES
from service.resources.registry import MASTER_RECORDS
from service.routes import routes

pytestmark = pytest.mark.contract("OpenAPI document")

DOCUMENT: dict[str, Any] = orjson.loads(openapi.document())
ERROR_TYPES = schemas.load()["common/envelope"]["$defs"]["errorType"]["enum"]
AT_NO_OPERATION = {"not_found.route", "method_not_allowed"}

REGISTRY: Registry[Any] = Registry().with_resource(
    "urn:openapi", DRAFT202012.create_resource(DOCUMENT)
)

OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
of_each_operation = pytest.mark.parametrize(
    ("path", "method", "operation"),
    OPERATIONS,
    ids=[operation["operationId"] for _, _, operation in OPERATIONS],
)


def is_valid(schema: dict[str, Any], value: Any) -> None:
    """Raise unless the value fits a schema of the document."""
    absolute = re.sub(r'"#/', '"urn:openapi#/', orjson.dumps(schema).decode())
    jsonschema.Draft202012Validator(orjson.loads(absolute), registry=REGISTRY).validate(value)


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the document, its reference followed."""
    if "$ref" not in part:
        return part
    node: Any = DOCUMENT
    for step in part["$ref"].removeprefix("#/").split("/"):
        node = node[step]
    return dict(node)


def media_types(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    answers = map(resolved, operation["responses"].values())
    for holder in (operation.get("requestBody", {}), *answers):
        yield from holder.get("content", {}).values()


def examples(media: dict[str, Any]) -> Iterator[Any]:
    if "example" in media:
        yield media["example"]
    for example in media.get("examples", {}).values():
        yield resolved(example)["value"]


@pytest.mark.contract("Versions")
def test_document_is_valid_openapi() -> None:
    validate(DOCUMENT)
    assert DOCUMENT["openapi"].startswith("3.1.")
    assert DOCUMENT["info"]["title"] == "External API"
    assert DOCUMENT["info"]["version"] == __version__ == "1.0.0"


def test_the_document_is_the_same_in_every_process() -> None:
    """Sets have another order in each; callers compare documents."""
    documents = {
        subprocess.run(
            [sys.executable, "-m", "service", "openapi"],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(documents) == 1


def test_every_route_that_needs_a_key_is_an_operation() -> None:
    expected = {(route.path, route.method.lower()) for route in routes() if route.needs_key}
    assert {(path, method) for path, method, _ in OPERATIONS} == expected
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(ids)) == len(ids)


@of_each_operation
def test_operation_is_described_with_every_answer(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    parameters = [resolved(parameter) for parameter in operation["parameters"]]
    in_path = {parameter["name"] for parameter in parameters if parameter["in"] == "path"}
    assert in_path == set(re.findall(r"{(\w+)}", path))
    assert {"X-Service-Api", "X-Request-Id"} <= {parameter["name"] for parameter in parameters}
    assert {"400", "401", "500", "503"} <= set(operation["responses"])
    assert ("403" in operation["responses"]) or method == "get"
    takes_body = method in ("post", "put", "patch") and not path.endswith("/test")
    assert ("requestBody" in operation) == takes_body
    for answer in map(resolved, operation["responses"].values()):
        assert "X-Request-Id" in answer["headers"]


@of_each_operation
def test_every_example_fits_its_schema(path: str, method: str, operation: dict[str, Any]) -> None:
    assert path.startswith("/api/")
    assert method in ("get", "post", "put", "patch", "delete")
    for media in media_types(operation):
        for example in examples(media):
            is_valid(media["schema"], example)


@pytest.mark.contract("Error types")
def test_every_error_type_has_an_example_and_an_operation() -> None:
    used = {
        name
        for _, _, operation in OPERATIONS
        for media in media_types(operation)
        for name in media.get("examples", {})
    }
    assert list(EXAMPLES) == ERROR_TYPES
    assert used >= set(ERROR_TYPES) - AT_NO_OPERATION
    assert all(name in DOCUMENT["info"]["description"] for name in AT_NO_OPERATION)


def test_every_example_of_a_failure_is_some_operations() -> None:
    referenced = {
        example["$ref"].removeprefix("#/components/examples/")
        for _, _, operation in OPERATIONS
        for answer in map(resolved, operation["responses"].values())
        for media in answer.get("content", {}).values()
        for example in media.get("examples", {}).values()
    }
    assert DOCUMENT["components"]["examples"].keys() == referenced | AT_NO_OPERATION


def test_only_errors_of_bulk_requests_that_were_read_have_item_counts() -> None:
    """Also 429 and 503, which may come while the items are written."""
    bulk = DOCUMENT["paths"]["/api/colors"]["delete"]["responses"]
    schemas_of = {
        int(status): resolved(answer)["content"]["application/json"]["schema"]["$ref"]
        for status, answer in bulk.items()
        if int(status) >= 400
    }
    counted = {status for status, name in schemas_of.items() if name.endswith("/BulkFailure")}
    assert counted == {400, 404, 409, 422, 429, 503}, schemas_of


@pytest.mark.parametrize("route", [route for route in routes() if route.operation.name == "list"])
def test_every_scalar_field_of_a_list_filters(route: Any) -> None:
    parameters = [*map(resolved, DOCUMENT["paths"][route.path]["get"]["parameters"])]
    names = {parameter.get("name") for parameter in parameters}
    properties = Properties(route.resource.name)
    assert names >= {"pageSize", "pageNumber", "cursor", *properties}
    sortable = next(p for p in parameters if p.get("name") == "sort[0].property")
    assert set(resolved(sortable["schema"])["enum"]) == {
        p.name for p in properties.values() if p.sortable
    }


@pytest.mark.contract("Callers")
def test_bearer_keys_are_the_way_in() -> None:
    assert DOCUMENT["security"] == [{"key": []}]
    assert DOCUMENT["components"]["securitySchemes"]["key"]["scheme"] == "bearer"


@pytest.mark.contract("Surface")
def test_the_operations_of_every_master_record() -> None:
    """Contract, Surface: all master records get the same surface."""
    for resource in MASTER_RECORDS:
        list_path, item_path = f"/api/{resource.name}", f"/api/{resource.name}/{{id}}"
        assert DOCUMENT["paths"][list_path].keys() == {"get", "post", "put", "patch", "delete"}
        assert DOCUMENT["paths"][item_path].keys() == {"get", "put", "patch", "delete"}
