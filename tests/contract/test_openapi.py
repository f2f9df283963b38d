"""Tests of the OpenAPI document: valid, complete, and derived from schemas and routes."""

import os
import re
import subprocess
import sys
from typing import Any

import jsonschema
import orjson
import pytest
from openapi_spec_validator import validate
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from service import openapi, schemas
from service.errors import ErrorDetail
from service.listing.properties import Properties
from service.openapi.error_responses import OF_ANY, OF_WRITES
from service.resources.registry import EXPORTED, MASTER_RECORDS, PART_COLLECTIONS
from service.routes import routes
from tests.support import generated_parts
from tests.support.api import Api
from tests.support.error_examples import EXAMPLES
from tests.support.offenders import in_each
from tests.support.openapi_validation import component, error_types
from tests.support.parametrize import CALLERS_ROUTES
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("OpenAPI document")

DOCUMENT: dict[str, Any] = orjson.loads(openapi.document())
ERROR_TYPES = schemas.load()["common/envelope"]["$defs"]["errorType"]["enum"]
MEASUREMENT_READ = (
    "/api/styles/{styleId}/sample-requests/{sampleRequestId}/measurements/{sizeRangeSizeId}",
    "get",
)
AT_NO_OPERATION = {"not_found.route", "method_not_allowed"}

REGISTRY: Registry[Any] = Registry().with_resource(
    "urn:openapi", DRAFT202012.create_resource(DOCUMENT)
)

OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if method != "parameters"
]
of_each_operation = in_each(
    ("path", "method", "operation"), OPERATIONS, label=lambda row: row[2]["operationId"]
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


def parameters_of(path: str, method: str) -> list[dict[str, Any]]:
    """Return the parameters of an operation, those of its path first."""
    path_item = DOCUMENT["paths"][path]
    own = path_item[method].get("parameters", [])
    return [*map(resolved, path_item.get("parameters", []) + own)]


def error_types_of(operation: dict[str, Any]) -> set[str]:
    return set[str]().union(*map(error_types, map(resolved, operation["responses"].values())))


@pytest.mark.contract("Versions")
def test_document_is_valid_openapi(sample: Sample) -> None:
    """A run takes some paths, with the schemas that they refer to."""
    components = DOCUMENT["components"]
    part = DOCUMENT | {"paths": dict(sample(DOCUMENT["paths"].items(), 25))}
    left = [part["paths"], *(components[name] for name in components if name != "schemas")]
    chosen = dict[str, Any]()
    while left:
        names = re.findall(r'"#/components/schemas/([^"]+)"', orjson.dumps(left.pop()).decode())
        new = {name: components["schemas"][name] for name in names if name not in chosen}
        chosen |= new
        left += new.values()
    validate(part | {"components": components | {"schemas": chosen}})
    assert DOCUMENT["openapi"].startswith("3.1.")
    assert DOCUMENT["info"]["title"] == "External API"
    assert DOCUMENT["info"]["version"] == openapi.INTERFACE_VERSION == "1.0.0"


def test_the_document_is_the_same_in_every_process() -> None:
    """Sets have another order in each; callers compare documents."""
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    printed = subprocess.run(
        [sys.executable, "-m", "service", "openapi"],
        env=os.environ | {"PYTHONHASHSEED": other},
        capture_output=True,
        check=True,
    ).stdout
    assert orjson.dumps(orjson.loads(printed)) == openapi.document()


def test_every_route_that_needs_a_key_is_an_operation() -> None:
    expected = {(route.path, route.method.lower()) for route in CALLERS_ROUTES}
    assert {(path, method) for path, method, _ in OPERATIONS} == expected
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(ids)) == len(ids)


@of_each_operation
def test_operation_is_described_with_every_answer(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    parameters = parameters_of(path, method)
    in_path = {parameter["name"] for parameter in parameters if parameter["in"] == "path"}
    assert in_path == set(re.findall(r"{(\w+)}", path))
    takes_body = method in ("post", "put", "patch") and not path.endswith("/test")
    assert ("requestBody" in operation) == takes_body
    assert {400, 404} <= {ErrorDetail(name).status for name in error_types_of(operation)}


def test_every_example_fits_its_schema() -> None:
    """Whole bodies; lists and other bodies consist of them."""
    examples = [
        (name, example)
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for example in schema.get("examples", ())
    ]
    assert len(examples) > 50
    for name, example in examples:
        is_valid({"$ref": f"#/components/schemas/{name}"}, example)


@pytest.mark.contract("Error types")
def test_every_error_type_is_some_operations() -> None:
    assert list(EXAMPLES) == ERROR_TYPES
    used = {name for _, _, operation in OPERATIONS for name in error_types_of(operation)}
    assert used | {*OF_ANY, *OF_WRITES} == set(ERROR_TYPES) - AT_NO_OPERATION
    described = error_types(DOCUMENT["info"])
    assert {*OF_ANY, *OF_WRITES} <= described
    assert all(name in DOCUMENT["info"]["description"] for name in AT_NO_OPERATION)


def test_all_operations_share_three_error_responses_except_the_measurement_read() -> None:
    shared = {f"#/components/responses/{group}Error" for group in ("Read", "Write", "Bulk")}
    assert {op["responses"]["default"]["$ref"] for _, _, op in OPERATIONS} == shared
    own = {
        (path, method, code)
        for path, method, operation in OPERATIONS
        for code in operation["responses"]
        if code.startswith(("4", "5"))
    }
    assert own == {(*MEASUREMENT_READ, code) for code in ("400", "401", "403", "404", "500")}
    for code in ("400", "403"):
        of_any = {name for name in OF_ANY if name.status == int(code)}
        operation = DOCUMENT["paths"][MEASUREMENT_READ[0]]["get"]
        assert of_any <= error_types(resolved(operation["responses"][code]))


def test_the_document_is_small() -> None:
    """At most 200 operations for 22 collections and 10 for each further one, and 950 kB at all."""
    assert len(OPERATIONS) <= 200 + 10 * (len(EXPORTED) - 22)
    assert len(openapi.document()) <= 950_000


@of_each_operation
def test_operations_and_their_parameters_are_described(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    assert operation["description"].endswith(".")
    assert operation["summary"]
    for parameter in parameters_of(path, method):
        assert parameter["description"].endswith("."), parameter["name"]


@of_each_operation
def test_every_success_with_a_body_has_an_example(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    for code, response in operation["responses"].items():
        for media_type, media in resolved(response).get("content", {}).items():
            if code.startswith("2"):
                shown = [resolved(each)["value"] for each in media.get("examples", {}).values()]
                shown += [media["example"]] if "example" in media else []
                assert shown, (method, path, media_type)
                for example in shown:
                    is_valid(media["schema"], example)


def test_json_is_the_only_media_type_beside_patches_exports_and_problems() -> None:
    """Lists as CSV are described in words: clients would get a union with a text."""
    others = {
        (operation["operationId"], code)
        for _, _, operation in OPERATIONS
        for code, response in operation["responses"].items()
        if {*resolved(response).get("content", {})} - {"application/json"}
    }
    assert others == {
        ("exportExportLines", "200"),
        *(("readSampleRequestMeasurement", code) for code in ("401", "500")),
    }


@pytest.mark.contract("Outcomes", "Writable form")
async def test_unions_tell_documents_outcomes_and_writable_forms_apart(shared_api: Api) -> None:
    """Each response fits exactly one alternative, which a member of ``data`` tells."""
    colors = "/api/colors"
    made = await shared_api.post(colors, [{"name": "A"}, {"name": "B"}])
    record = {"id": made.data[0]["id"], "name": "C", "state": "active"}
    dry_run = {"dryRun": "true"}
    alternatives = {
        "ColorAnswer": await shared_api.post(colors, {"name": "A"}),
        "ColorBulkAnswer": made,
        "OneOutcome": await shared_api.post(colors, {"name": "A"}, params=dry_run),
        "Outcomes": await shared_api.put(colors, [record], params=dry_run),
        "ColorWritableAnswer": await shared_api.get(
            f"{colors}/{record['id']}", {"form": "writable"}
        ),
    }
    for name, answer in alternatives.items():
        fitting = {other for other in alternatives if component(other).is_valid(answer.json)}
        assert fitting == {name}
        first = answer.data[0] if isinstance(answer.data, list) else answer.data
        assert ("outcome" in first) == name.endswith(("Outcome", "Outcomes"))
        assert ("id" in first) == (name != "ColorWritableAnswer")


def test_a_part_and_its_collection_have_one_tag() -> None:
    """It is a row of the table of all resources."""
    tags = {each.resource: each.tag for each in openapi.operations()}
    for collection in PART_COLLECTIONS:
        assert tags[collection] == tags[collection.part]
    rows = [row.split(" | ") for row in generated_parts.resources().splitlines()[2:]]
    assert {row[0].removeprefix("| ") for row in rows} == {*tags.values()}
    assert {tag["name"] for tag in DOCUMENT["tags"]} == {*tags.values()}


@of_each_operation
def test_no_success_has_a_further_member(path: str, method: str, operation: dict[str, Any]) -> None:
    """Every envelope is closed, so that tests see what a response has beyond it."""
    for code, response in operation["responses"].items():
        content = resolved(response).get("content", {}).get("application/json")
        if code.startswith("2") and content:
            schema = content["schema"]
            for option in schema.get("oneOf", schema.get("anyOf", [schema])):
                envelope = resolved(option)
                closing = (
                    envelope.get("additionalProperties"),
                    envelope.get("unevaluatedProperties"),
                )
                assert False in closing, (path, method, option)


def test_every_group_of_the_external_api_is_a_resource() -> None:
    rows = [row.split(" | ") for row in generated_parts.resources().splitlines()[2:]]
    groups = [row[1] for row in rows if row[1]]
    assert sorted(groups) == sorted(generated_parts.GROUPS)
    assert len(groups) == 35


@in_each("route", [route for route in routes() if route.operation.name == "list"])
def test_every_scalar_field_of_a_list_filters(route: Any) -> None:
    parameters = parameters_of(route.path, "get")
    names = {parameter.get("name") for parameter in parameters}
    properties = Properties(route.resource.name)
    assert names >= {"pageSize", "pageNumber", "cursor", *properties}


@pytest.mark.contract("Callers")
def test_bearer_keys_are_the_way_in() -> None:
    assert DOCUMENT["security"] == [{"key": []}]
    assert DOCUMENT["components"]["securitySchemes"]["key"]["scheme"] == "bearer"


@pytest.mark.contract("Surface")
def test_the_operations_of_every_master_record() -> None:
    """Contract, Surface: all master records get the same surface."""
    for resource in MASTER_RECORDS:
        list_path, item_path = f"/api/{resource.name}", f"/api/{resource.name}/{{id}}"
        methods = {"get", "put", "patch", "delete", "parameters"}
        assert DOCUMENT["paths"][list_path].keys() == methods | {"post"}
        assert DOCUMENT["paths"][item_path].keys() == methods
