"""Request bodies and successful answers of operations, with examples from the schemas."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from service import schemas
from service.http.media import JSON, JSON_PATCH
from service.http.prefer import APPLIED
from service.openapi import envelopes
from service.openapi.components import named, reference
from service.openapi.responses import Answer

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
_SECONDS = {"type": "integer", "format": "int32", "minimum": 0}
HEADERS: dict[str, Any] = {
    name: {
        "description": text,
        "schema": _SECONDS if name == "Retry-After" else {"type": "string"},
    }
    for name, text in _HEADERS.items()
}
"""Header components by name."""
_REPLAYED = "Idempotent-Replayed"


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
        content = {JSON_PATCH: {"schema": reference("common/json-patch")}}
    else:
        content = {JSON: {"schema": one_of([reference(collection, form) for form in forms])}}
    for media in content.values():
        media["examples"] = {form: {"value": example_of(collection, form)} for form in forms}
    return {"required": True, "content": content}


def page(collection: str, *names: str) -> Answer:
    """One page of a list, with the named headers."""
    more = {"pagination": schemas.load()["common/envelope"]["$defs"]["pagination"]["examples"][0]}
    found = _success(collection, [envelopes.LIST], "One page.", *names)
    media = found.response["content"][JSON]
    media["example"] = {**media["example"], "data": [media["example"]["data"]], **more}
    return found


def page_or_unchanged(collection: str) -> Iterator[Answer]:
    """One page of a list, or that it is still what the caller has."""
    named = ("ETag", "Total-Count", APPLIED)
    yield page(collection, *named)
    yield unchanged("ListNotModified", *named)


def read(collection: str) -> Answer:
    """One record in any of its forms."""
    writable = "writable" in schemas.load()[collection]["$defs"]
    kinds = [envelopes.ANSWER, *([envelopes.WRITABLE] if writable else [])]
    return _success(collection, kinds, "The record.", "ETag", suffix="Read")


def unchanged(name: str, *names: str) -> Answer:
    """That it is still what the caller has, as a component of that name, with the headers."""
    text = "It is still as If-None-Match says."
    return Answer(304, (name,), {"description": text, "headers": headers(*names)})


def created(collection: str) -> Answer:
    """A new record, or several."""
    kinds, named = [envelopes.ANSWER, envelopes.BULK], ("Location", "ETag", _REPLAYED)
    return _success(collection, kinds, "Created.", *named, suffix="Created", status=201)


def written(collection: str) -> Answer:
    """The record of a single write."""
    return _success(collection, [envelopes.ANSWER], "Done.", "ETag", suffix="Written")


def written_in_bulk(collection: str) -> Answer:
    """The records of a bulk write."""
    found = _success(collection, [envelopes.BULK], "Done.", _REPLAYED)
    media = found.response["content"][JSON]
    media["example"] = {**media["example"], "data": [media["example"]["data"]]}
    return found


def _success(
    collection: str, kinds: list[str], text: str, *names: str, suffix: str = "", status: int = 200
) -> Answer:
    """An answer in one of the kinds of envelopes, with the named headers."""
    found = [envelopes.name_of_envelope(collection, kind) for kind in kinds]
    code = "created" if status == HTTPStatus.CREATED else "ok"
    example = {"status": "success", "code": code, "data": example_of(collection, "document")}
    media = {"schema": one_of([named(name) for name in found]), "example": example}
    name = envelopes.name_of_envelope(collection, suffix or kinds[0])
    described = {"description": text, "headers": headers(*names), "content": {JSON: media}}
    return Answer(status, (name,), described)


def one_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema for one of the options; they never overlap, all being closed."""
    return {"oneOf": options} if len(options) > 1 else options[0]
