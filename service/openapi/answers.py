"""Request bodies and answers of operations, built from the components and their examples."""

from typing import Any

from service import schemas
from service.http.media import JSON, JSON_PATCH
from service.openapi.components import reference

_FORMS = ("document", "writable")
_HEADERS = {
    "X-Request-Id": "The request's name, for questions about it.",
    "Cache-Control": "`private, no-cache`: for this caller, and to be asked for again.",
    "Vary": "What of the request the answer depends on besides; on answers that are long enough to "
    "be compressed.",
    "ETag": "Strong entity tag of the data, another one for each coding.",
    "Accept-Patch": "What PATCH takes here.",
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
    """References to response headers; some are on every answer."""
    everywhere = ("X-Request-Id", "Cache-Control", "Vary")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*everywhere, *names)}


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
        content = {JSON_PATCH: {"schema": reference("common/json-patch")}}
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


def one_or_unchanged(collection: str) -> dict[str, Any]:
    """One record in any of its forms, or that it is still what the caller has."""
    forms = [form for form in _FORMS if form in schemas.load()[collection]["$defs"]]
    data = one_of([reference(collection, form) for form in forms])
    named = ("ETag", "Accept-Patch") if len(forms) > 1 else ("ETag",)
    return {
        "200": success(data, example_of(collection, "document"), *named),
        "304": {
            "description": "The record is still as If-None-Match says.",
            "headers": headers("ETag"),
        },
    }


def array(collection: str) -> dict[str, Any]:
    """The schema of several documents."""
    return {"type": "array", "items": reference(collection, "document")}


def one_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema for exactly one of the options; they never overlap, all being closed."""
    return {"oneOf": options} if len(options) > 1 else options[0]
