"""Request bodies and successful answers of operations, with examples from the schemas."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from service import schemas
from service.http.media_types import JSON, JSON_PATCH
from service.http.prefer import APPLIED
from service.openapi import envelopes
from service.openapi.components import named, reference
from service.openapi.shared_responses import ResponseObject

_FORMS = ("document", "writable")
_HEADERS = {
    "X-Request-Id": "The request's name, for questions about it.",
    "Cache-Control": "`private, no-cache`: for this caller, and to be asked for again.",
    "Vary": "What of the request the answer depends on besides; on answers that are long enough to "
    "be compressed.",
    "ETag": "Strong entity tag of the data, on lists with the pagination; another one for each "
    "coding.",
    "Accept-Patch": "What PATCH takes here.",
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
_OF_BULK = (_REPLAYED, APPLIED)
_ENVELOPE = "common/envelope"


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
    keys = {name: document[name] for name in schemas.key_fields(collection)}
    if form == "bulkReplaceByKey":
        return [forms["replace"]["examples"][0] | keys]
    if form == "bulkMerge":
        field = _changed(forms)
        return [{"id": document["id"], field: document[field]}]
    if form == "bulkMergeByKey":
        return [{**keys, "state": "inactive"}]
    if form == "patch":
        field = _changed(forms)
        return [{"op": "replace", "path": f"/{field}", "value": document[field]}]
    return forms[form]["examples"][0]


def _changed(forms: dict[str, Any]) -> str:
    """The field that examples of changes change."""
    known = forms["fields"]["properties"]
    others = forms["create"]["required"] if "create" in forms else forms["writable"]["required"]
    fields: list[str] = ["name", "text", *others]
    return next(name for name in fields if name in known)


def body(collection: str, media_type: str, *forms: str) -> dict[str, Any]:
    """A request body in one of the forms."""
    if media_type == JSON_PATCH:
        schema = reference("common/json-patch")
    else:
        schema = one_of([reference(collection, form) for form in forms])
    examples = {form: {"value": example_of(collection, form)} for form in forms}
    content = {media_type: {"schema": schema, "examples": examples}}
    return {"required": True, "content": content}


def page(collection: str, *names: str) -> ResponseObject:
    """One page of a list, with the named headers."""
    more = {"pagination": schemas.load()["common/envelope"]["$defs"]["pagination"]["examples"][0]}
    found = _success(collection, [envelopes.LIST], "One page.", *names)
    media = found.response["content"][JSON]
    media["example"] = {**media["example"], "data": [media["example"]["data"]], **more}
    return found


def page_or_unchanged(collection: str) -> Iterator[ResponseObject]:
    """One page of a list, or that it is still what the caller has."""
    named = ("ETag", "Total-Count", APPLIED)
    yield page(collection, *named)
    yield unchanged("ListNotModified", *named)


def read(collection: str, *, is_patched: bool) -> ResponseObject:
    """One record in any of its forms."""
    writable = "writable" in schemas.load()[collection]["$defs"]
    kinds = [envelopes.ANSWER, *([envelopes.WRITABLE] if writable else [])]
    named = ("ETag", "Accept-Patch") if is_patched else ("ETag",)
    found = _success(collection, kinds, "The record.", *named, suffix="Read")
    if writable and "create" not in schemas.load()[collection]["$defs"]:
        # Of parts both forms are alike where they are empty.
        media = found.response["content"][JSON]
        media["schema"] = {"anyOf": media["schema"]["oneOf"]}
    return found


def plain(collection: str) -> ResponseObject:
    """One document without an entity tag."""
    return _success(collection, [envelopes.ANSWER], "Done.")


def read_all(collection: str) -> ResponseObject:
    """All that there is, as one list."""
    found = _success(collection, [envelopes.ALL], "All of them.", "ETag")
    media = found.response["content"][JSON]
    media["example"] = {**media["example"], "data": [media["example"]["data"]]}
    return found


def unchanged(name: str, *names: str) -> ResponseObject:
    """That it is still what the caller has, as a component of that name, with the headers."""
    text = "It is still as If-None-Match says."
    return ResponseObject(304, (name,), {"description": text, "headers": headers(*names)})


def created(collection: str) -> Iterator[ResponseObject]:
    """A new record, or several; or what became of each item, which may have failed."""
    kinds = [envelopes.ANSWER, envelopes.BULK]
    named = ("Location", "ETag", *_OF_BULK)
    found = _success(collection, kinds, "Created.", *named, suffix="Created", status=201)
    yield _or(found, "outcomes")
    told = _told("CreateOutcomes", HTTPStatus.OK, "Rehearsed, or done in part.")
    yield _or(told, "oneOutcome")


def written(collection: str) -> ResponseObject:
    """The record of a single write, or what a rehearsal would do."""
    found = _success(collection, [envelopes.ANSWER], "Done.", "ETag", _REPLAYED, suffix="Written")
    return _or(found, "oneOutcome")


def written_in_bulk(collection: str) -> ResponseObject:
    """The records of a bulk write, or what became of each item."""
    found = _success(collection, [envelopes.BULK], "Done.", *_OF_BULK)
    media = found.response["content"][JSON]
    media["example"] = {**media["example"], "data": [media["example"]["data"]]}
    return _or(found, "outcomes")


def all_created() -> ResponseObject:
    """That each item of a write by own keys made a record."""
    return _told("AllCreated", HTTPStatus.CREATED, "Each item created a record.")


def _told(name: str, status: int, text: str) -> ResponseObject:
    """The outcomes of items, in a component of that name."""
    outcome = schemas.load()[_ENVELOPE]["$defs"]["itemOutcome"]["examples"][0]
    is_new = status == HTTPStatus.CREATED
    example = {
        "status": "success",
        "code": "created" if is_new else "ok",
        "data": [outcome | {"outcome": "created"} if is_new else outcome],
    }
    media = {"schema": reference(_ENVELOPE, "outcomes"), "example": example}
    described = {"description": text, "headers": headers(*_OF_BULK), "content": {JSON: media}}
    return ResponseObject(status, (name,), described)


def _or(found: ResponseObject, envelope: str) -> ResponseObject:
    """The answer, which may also come in that envelope."""
    media = found.response["content"][JSON]
    options = media["schema"].get("oneOf", [media["schema"]])
    media["schema"] = one_of([*options, reference(_ENVELOPE, envelope)])
    return found


def _success(
    collection: str, kinds: list[str], text: str, *names: str, suffix: str = "", status: int = 200
) -> ResponseObject:
    """An answer in one of the kinds of envelopes, with the named headers."""
    found = [envelopes.name_of_envelope(collection, kind) for kind in kinds]
    code = "created" if status == HTTPStatus.CREATED else "ok"
    example = {"status": "success", "code": code, "data": example_of(collection, "document")}
    media = {"schema": one_of([named(name) for name in found]), "example": example}
    name = envelopes.name_of_envelope(collection, suffix or kinds[0])
    described = {"description": text, "headers": headers(*names), "content": {JSON: media}}
    return ResponseObject(status, (name,), described)


def one_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema for one of the options; they never overlap, all being closed."""
    return {"oneOf": options} if len(options) > 1 else options[0]
