"""Request bodies and successful responses of operations, with examples from the schemas.

``collection`` is the name of a resource's schema file. Responses have the headers that ``headers``
adds to all, beside those that a function is given as ``names`` or adds itself.
"""

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from service import schemas
from service.handlers.operations import media_type
from service.http.media_types import CSV, JSON, NDJSON
from service.http.prefer import APPLIED
from service.openapi import envelopes
from service.openapi.components import named, reference
from service.openapi.response_object import ResponseObject

_HEADERS = {
    "X-Request-Id": "Id of the request, for support.",
    "Cache-Control": "`private, no-cache`: a cache of this caller may store the response, but must "
    "revalidate it.",
    "Vary": "Request headers that the response depends on.",
    "ETag": "Strong entity tag of the data, of lists including the pagination; differs for each "
    "content coding.",
    "Accept-Encoding": "Content codings of request bodies that the service accepts.",
    "Accept-Patch": "Media types that PATCH accepts here.",
    "Total-Count": "Number of records on all pages; only with `Prefer: count=exact`.",
    "Preference-Applied": "Preference that the service applied.",
    "Link": 'Address of the next page, with `rel="next"`; only if there are more records.',
    "X-Changes-Cursor": "Cursor of the change feed from before the list was read; only on the "
    "first page. Read the list to its end, then follow the changes from this cursor.",
    "X-Changes-After": "Number of the last transaction before this position of the change feed; "
    "send it as `after`. Lists have it on the first page only.",
    "X-Changes-Epoch": "Epoch of the change feed; send it as `epoch` beside `after`.",
    "Location": "Path of the new record; only if the request body is a single object.",
    "Idempotent-Replayed": "`true` if this is the stored response of an earlier request.",
    "WWW-Authenticate": "Authentication scheme to send an API key with; `error` says why the one "
    "that was sent is not enough (RFC 6750).",
    "RateLimit": "What is left for the organization: concurrent requests and bytes in flight.",
    "RateLimit-Policy": "Limits on the organization's concurrent requests and bytes in flight.",
    "Retry-After": "Seconds to wait before a retry.",
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
_POSITION = ("X-Changes-Cursor", "X-Changes-After", "X-Changes-Epoch")
_ENVELOPE = "common/envelope"
_CSV = f"{CSV}; charset=utf-8"
CREATED = "Created"
"""Beginning of the ``suffix`` of a 201 response, which ends its component name."""


def headers(*names: str) -> dict[str, Any]:
    """Return the member ``headers`` of a response; none if it has only those of every response."""
    references = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return {"headers": references} if references else {}


def body(collection: str, *forms: str) -> dict[str, Any]:
    """Return a required request body that has one of the forms, by their media types."""
    content = {media_type(form): _media(collection, form) for form in sorted(forms, key=media_type)}
    return {"required": True, "content": content}


def _media(collection: str, form: str) -> dict[str, Any]:
    """Return the media type object of a form."""
    if form == "patch":
        schema = reference("common/json-patch")
        return {"schema": schema, "example": patch_example(collection)}
    return {"schema": reference(collection, form)}


def patch_example(collection: str) -> list[dict[str, Any]]:
    """Return a JSON Patch that the example of the collection's documents comes from."""
    forms = schemas.load()[collection]["$defs"]
    properties = forms["fields" if "fields" in forms else "writable"]["properties"]
    others = forms["create"]["required"] if "create" in forms else forms["writable"]["required"]
    fields: list[str] = ["name", "text", *others]
    field = next(name for name in fields if name in properties)
    value = forms["document"]["examples"][0][field]
    return [{"op": "replace", "path": f"/{field}", "value": value}]


def page(collection: str, *names: str) -> ResponseObject:
    """Return the response with one page of a list, in JSON or CSV; changes are JSON only."""
    response = _success(collection, envelopes.LIST, "One page.", *names)
    if collection != envelopes.CHANGES:
        response.response["content"][_CSV] = {"schema": {"type": "string"}}
    return response


def page_or_unchanged(collection: str) -> Iterator[ResponseObject]:
    """Yield the responses of a list: a page, or 304 Not Modified."""
    yield page(collection)
    yield unchanged("ListNotModified", "ETag", "Link", *_POSITION, "Total-Count", APPLIED)


def read(collection: str, *, is_writable: bool) -> ResponseObject:
    """Return the response with one record, as document or in the writable form."""
    if is_writable:
        return _success(collection, envelopes.WRITABLE, "The writable form.")
    return _success(collection, envelopes.ANSWER, "The record.", "ETag")


def stream(collection: str) -> ResponseObject:
    """Return the response of an export: a line for each record and a last line, or CSV."""
    # A closed object is only one of them.
    line = {"oneOf": [reference(collection, "document"), reference(collection, "end")]}
    content = {
        NDJSON: {"schema": line},
        _CSV: {"schema": {"type": "string"}},
    }
    described = {
        "description": "The records.",
        **headers(*_POSITION),
        "content": content,
    }
    return ResponseObject(HTTPStatus.OK, "ExportStream", described)


def plain(collection: str, *names: str) -> ResponseObject:
    """Return the 200 response with one document, without an entity tag."""
    return _success(collection, envelopes.ANSWER, "The document.", *names)


def issued(collection: str, *names: str, suffix: str = "") -> ResponseObject:
    """Return the response with a document and its new secret; 201 if ``suffix`` is CREATED."""
    kind = envelopes.ISSUED
    return _success(collection, kind, "The document and its secret.", *names, suffix=suffix)


def test_result(collection: str) -> ResponseObject:
    """Return the response of a test message to a webhook."""
    return _success(collection, envelopes.TEST_RESULT, "The result.")


def read_all(collection: str) -> ResponseObject:
    """Return the response with all records below a parent as one list, without pages."""
    return _success(collection, envelopes.ALL, "All records.", "ETag")


def unchanged(name: str, *names: str) -> ResponseObject:
    """Return the 304 Not Modified response, with its component name and headers."""
    text = "The caller's version, given by If-None-Match, is current."
    return ResponseObject(304, name, {"description": text} | headers(*names))


def created(collection: str, *, is_bulk: bool = False) -> ResponseObject:
    """Return the 201 response with the new record, or those of a bulk create."""
    if is_bulk:
        return replace(written_in_bulk(collection), code=HTTPStatus.CREATED)
    return _success(collection, envelopes.ANSWER, "Created.", "Location", "ETag", suffix=CREATED)


def written(collection: str) -> ResponseObject:
    """Return the 200 response of a single write: the record."""
    return read(collection, is_writable=False)


def written_in_bulk(collection: str) -> ResponseObject:
    """Return the 200 response of a bulk write: the records."""
    return _success(collection, envelopes.BULK, "The records.")


def outcomes(*, can_create: bool) -> ResponseObject:
    """Return the response with the outcomes of a bulk write: 200, or 201 if it created all."""
    text = "What became of each item."
    media = {"schema": reference(_ENVELOPE, "outcomes")}
    response = {"description": text} | headers("Idempotent-Replayed") | {"content": {JSON: media}}
    return ResponseObject("2XX" if can_create else HTTPStatus.OK, "Outcomes", response)


def _success(
    collection: str, kind: str, text: str, *names: str, suffix: str = ""
) -> ResponseObject:
    """Return a successful response with an envelope of the kind and the given headers.

    The component is named after ``suffix``, or else after the kind. The status is 201 for a suffix
    that begins with CREATED, else 200.
    """
    status = HTTPStatus.CREATED if suffix.startswith(CREATED) else HTTPStatus.OK
    media = {"schema": named(envelopes.name_of_envelope(collection, kind))}
    name = envelopes.name_of_envelope(collection, suffix or kind)
    response = {"description": text} | headers(*names) | {"content": {JSON: media}}
    return ResponseObject(status, name, response)
