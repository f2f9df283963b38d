"""Request bodies and answers of operations, built from the components and their examples."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from service import schemas
from service.failures import Failure
from service.openapi import failures
from service.openapi.components import reference

JSON = "application/json"
PATCH = "application/json-patch+json"
PROBLEM = "application/problem+json"

_COUNTING = ("bulk_replace", "bulk_delete")
_REASONS = {
    400: "The request itself is wrong.",
    401: "The request carries no valid API key.",
    403: "The API key or the record's organization forbids it.",
    404: "There is no such record.",
    408: "The body did not arrive in time.",
    409: "It conflicts with what is stored.",
    412: "The record is no longer as If-Match says.",
    413: "The body is over 8 MiB.",
    415: "The Content-Type is another one.",
    422: "The request is well formed but cannot be done.",
    429: "The organization's share of the service is used up; nothing was done.",
    500: "The service failed; nothing was changed.",
    503: "The service cannot answer now. With `Retry-After` nothing was done; without it the "
    "connection was lost while committing, and the change may have been made.",
}
_HEADERS = {
    "X-Request-Id": "The request's name, for questions about it.",
    "ETag": "Strong entity tag of the data.",
    "Location": "Path of the new record; only where a single one was sent.",
    "Idempotent-Replayed": "`true` where this is an earlier answer given again.",
    "WWW-Authenticate": "How to present a key.",
    "Retry-After": "Seconds to wait.",
}
HEADERS: dict[str, Any] = {
    name: {"description": text, "schema": {"type": "string"}} for name, text in _HEADERS.items()
}
"""Header components by name."""


def headers(*names: str) -> dict[str, Any]:
    """References to response headers; every answer has X-Request-Id."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *names)}


def example_of(collection: str, form: str) -> Any:
    """The realistic example that a form's schema carries; bulk forms and patches derive theirs."""
    forms = schemas.load()[collection]["$defs"]
    document = forms["document"]["examples"][0]
    if form == "bulkCreate":
        return forms["create"]["examples"]
    if form == "bulkReplace":
        return [{"id": document["id"]} | forms["replace"]["examples"][0]]
    if form == "patch":
        field = next(iter({"name", "text"} & forms["fields"]["properties"].keys()))
        return [{"op": "replace", "path": f"/{field}", "value": document[field]}]
    return forms[form]["examples"][0]


def body(collection: str, *forms: str) -> dict[str, Any]:
    """A request body in one of the forms; ``patch`` is a JSON Patch document."""
    if forms == ("patch",):
        content = {PATCH: {"schema": reference("common/json-patch")}}
    else:
        content = {JSON: {"schema": one_of([reference(collection, form) for form in forms])}}
    for media in content.values():
        media["examples"] = {form: {"value": example_of(collection, form)} for form in forms}
    return {"required": True, "content": content}


def success(data: Any, example: Any, *names: str, created: bool = False) -> dict[str, Any]:
    """An answer with data of a schema, in the envelope, with the named headers."""
    code = "created" if created else "ok"
    return {
        "description": "Done." if created else "The data.",
        "headers": headers(*names),
        "content": {
            JSON: {
                "schema": {
                    "allOf": [reference("common/envelope", "success")],
                    "properties": {"code": {"const": code}, "data": data},
                },
                "example": {"status": "success", "code": code, "data": example},
            }
        },
    }


def page(collection: str) -> dict[str, Any]:
    """One page of a list."""
    envelope = schemas.load()["common/envelope"]["$defs"]
    answer = success(array(collection), [example_of(collection, "document")])
    media = answer["content"][JSON]
    media["schema"] = {
        "allOf": [reference("common/envelope", "list")],
        "properties": {"data": array(collection)},
    }
    media["example"] |= {"pagination": envelope["pagination"]["examples"][0]}
    return answer


def array(collection: str) -> dict[str, Any]:
    """The schema of several documents."""
    return {"type": "array", "items": reference(collection, "document")}


def failed(kind: str, collection: str) -> dict[str, Any]:
    """Every failure of an operation by status code, with an example of each error type."""
    found = sorted(failures.error_types(kind, collection), key=_status)
    return {
        str(status): _failure(kind, status, list(types))
        for status, types in groupby(found, key=_status)
    }


def _failure(kind: str, status: int, types: list[str]) -> dict[str, Any]:
    named = {
        401: ("WWW-Authenticate",),
        429: ("Retry-After",),
        503: ("Retry-After",),
    }.get(status, ())
    if kind == "measurement" and status in (401, 500):
        problem = failures.problem(types[0], status)
        schema = reference("common/envelope", "problem")
        content: dict[str, Any] = {PROBLEM: {"schema": schema, "example": problem}}
    else:
        forms = ["bulkFailure", "failure"] if failures.is_bulk(kind) else ["failure"]
        schema = one_of([reference("common/envelope", form) for form in forms])
        content = {JSON: {"schema": schema, "examples": _examples(types, kind)}}
    text = f"{_REASONS[status]} Types: {', '.join(f'`{name}`' for name in types)}."
    return {"description": text, "headers": headers(*named), "content": content}


def _examples(types: Iterable[str], kind: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/examples/{_prefix(name, kind)}{name}"} for name in types}


def _prefix(error_type: str, kind: str) -> str:
    return f"{kind}." if kind in _COUNTING and failures.in_items(error_type) else ""


def examples() -> dict[str, Any]:
    """Example components: each error type, alone and in an item of a bulk operation."""
    alone = {name: {"value": failures.example(name)} for name in failures.EXAMPLES}
    return alone | {
        f"{operation}.{name}": {"value": failures.example(name, operation)}
        for operation in _COUNTING
        for name in filter(failures.in_items, failures.EXAMPLES)
    }


def _status(error_type: str) -> int:
    return Failure(error_type).status


def one_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema for exactly one of the options; they never overlap, all being closed."""
    return {"oneOf": options} if len(options) > 1 else options[0]
