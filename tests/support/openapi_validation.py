"""Validation of responses against the OpenAPI document and the schema files.

jsonschema judges, which shares no code with the validator that the service runs on.
"""

import re
from functools import cache
from typing import Any, Final

import jsonschema
import orjson
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from service import openapi, schemas
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.http.headers import NDJSON
from service.openapi.error_responses import OF_ANY, OF_WRITES
from service.routes import Route
from service.schemas.formats import FORMATS
from tests.support.api import Answer

_TYPE = re.compile(r"`([a-z_.]+)`")
_DOCUMENT: dict[str, Any] = orjson.loads(
    re.sub(r'"#/', '"urn:openapi#/', openapi.document().decode())
)
_OPENAPI: Registry[Any] = Registry().with_resource(
    "urn:openapi", DRAFT202012.create_resource(_DOCUMENT)
)
_FORMATS: Final = jsonschema.FormatChecker(("date-time",))
for _name, _check in FORMATS.items():
    _FORMATS.checks(_name)(lambda value, check=_check: not isinstance(value, str) or check(value))
_FILES: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in schemas.load().values()
)


@cache
def form(file: str, definition: str) -> jsonschema.Draft202012Validator:
    """Return the independent validator of one definition of a schema file."""
    return jsonschema.Draft202012Validator(
        {"$ref": schemas.reference(file, definition)}, registry=_FILES, format_checker=_FORMATS
    )


def component(name: str) -> jsonschema.Draft202012Validator:
    """Return the independent validator of a schema of the document."""
    return _validator(orjson.dumps({"$ref": f"urn:openapi#/components/schemas/{name}"}))


def assert_documented(route: Route, answer: Answer) -> None:
    """Raise unless the document describes the response: status, headers, types, body."""
    responses = _DOCUMENT["paths"][route.path][route.method.lower()]["responses"]
    status, media_type = answer.status, answer.headers.get("Content-Type", "")
    codes = [str(status), "default" if status >= 400 else f"{status // 100}XX"]
    described = next((responses[code] for code in codes if code in responses), None)
    assert described is not None, (route.method, route.path, answer.raw)
    if "$ref" in described:
        described = _DOCUMENT["components"]["responses"][described["$ref"].rpartition("/")[2]]
    assert answer.headers["X-Request-Id"]
    if answer.status == 304:
        assert answer.raw == b""
        return
    if route.operation.takes_precondition and '"outcome":' in answer.raw.decode()[:80]:
        # The dry run of a write of one record is described in words.
        form("common/envelope", "oneOutcome").validate(answer.json)
        return
    media = described["content"][media_type]
    if media_type == NDJSON:
        for line in answer.raw.splitlines():
            _validator(orjson.dumps(media["schema"])).validate(orjson.loads(line))
        return
    _validator(orjson.dumps(media["schema"])).validate(answer.json)
    if answer.status < 400:
        members = ["status", "code", "data"]
        assert [*answer.json] in (members, [*members, "pagination"]), [*answer.json]
    elif "details" in answer.json.get("error", {}):
        # Rows that call for another status come along with those that this one is of.
        called = {kind for kind, _ in answer.details if ErrorDetail(kind).status == answer.status}
        undescribed = called - error_types(described) - {*OF_ANY, *OF_WRITES}
        assert not undescribed, (route.method, route.path, undescribed)


def error_types(response: dict[str, Any]) -> set[str]:
    """Return the error types that the description of a response lists."""
    names = _TYPE.findall(response["description"])
    return {*names, *(f"validation_error.{name}" for name in names)} & {*ErrorType}


def parameters(route: Route) -> set[str]:
    """Return the names of the parameters that the document lists for an operation."""
    path_item = _DOCUMENT["paths"][route.path]
    shared = _DOCUMENT["components"]["parameters"]
    return {
        (shared[entry["$ref"].rpartition("/")[2]] if "$ref" in entry else entry)["name"]
        for entry in [
            *path_item.get("parameters", []),
            *path_item[route.method.lower()].get("parameters", []),
        ]
    }


@cache
def _validator(schema: bytes) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(
        orjson.loads(schema), registry=_OPENAPI, format_checker=_FORMATS
    )


def invalid(kind: str) -> str:
    """Return the error type of that kind of validation error."""
    return f"validation_error.{kind}"


def is_failure(answer: Answer, status: int, code: str) -> None:
    """Raise unless the answer is the error envelope of that status and code."""
    assert (answer.status, answer.json["code"]) == (status, code), answer.raw
    bulk = "operation" in answer.json["error"]
    form("common/envelope", "bulkFailure" if bulk else "failure").validate(answer.json)
    assert list(answer.json) == ["status", "code", "error"]
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Request-Id"]
