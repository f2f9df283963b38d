"""Request bodies and answers of operations, built from the components and their examples."""

from typing import Any

from service import schemas
from service.http.media import JSON, JSON_PATCH
from service.http.prefer import APPLIED
from service.openapi.components import reference

_HEADERS = {
    "X-Request-Id": "The request's name, for questions about it.",
    "ETag": "Strong entity tag of the data, on lists with the pagination.",
    "Total-Count": "How many records all pages have; where `Prefer: count=exact` asked for it.",
    "Preference-Applied": "The preference that was followed.",
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
        known = forms["fields"]["properties"]
        field = next(n for n in ("name", "text", *forms["create"]["required"]) if n in known)
        return [{"op": "replace", "path": f"/{field}", "value": document[field]}]
    return forms[form]["examples"][0]


def body(collection: str, media_type: str, *forms: str) -> dict[str, Any]:
    """A request body in one of the forms."""
    if media_type == JSON_PATCH:
        schema = reference("common/json-patch")
    else:
        schema = one_of([reference(collection, form) for form in forms])
    examples = {form: {"value": example_of(collection, form)} for form in forms}
    content = {media_type: {"schema": schema, "examples": examples}}
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


def page_or_unchanged(collection: str) -> dict[str, Any]:
    """One page of a list, or that it is still what the caller has."""
    named = ("ETag", "Total-Count", APPLIED)
    return {"200": page(collection, "list", *named), "304": _unchanged(*named)}


def page(collection: str, form: str, *names: str) -> dict[str, Any]:
    """One page in an envelope of that form, with the named headers."""
    envelope = schemas.load()["common/envelope"]["$defs"]
    answer = success(array(collection), [example_of(collection, "document")], *names)
    media = answer["content"][JSON]
    media["schema"] = {
        "allOf": [reference("common/envelope", form)],
        "properties": {"data": array(collection)},
    }
    media["example"] |= {"pagination": envelope["pagination"]["examples"][0]}
    return answer


def one_or_unchanged(collection: str) -> dict[str, Any]:
    """One record in any of its forms, or that it is still what the caller has."""
    named = ("document", "writable")
    forms = [form for form in named if form in schemas.load()[collection]["$defs"]]
    data = one_of([reference(collection, form) for form in forms])
    return {
        "200": success(data, example_of(collection, "document"), "ETag"),
        "304": _unchanged("ETag"),
    }


def _unchanged(*names: str) -> dict[str, Any]:
    return {"description": "It is still as If-None-Match says.", "headers": headers(*names)}


def array(collection: str) -> dict[str, Any]:
    """The schema of several documents."""
    return {"type": "array", "items": reference(collection, "document")}


def one_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema for exactly one of the options; they never overlap, all being closed."""
    return {"oneOf": options} if len(options) > 1 else options[0]
