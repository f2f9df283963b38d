"""Request bodies and successful responses of operations, with examples from the schemas.

``collection`` is the name of a resource's schema file. Responses have the headers that ``headers``
adds to all, beside those that a function is given as ``names`` or adds itself.
"""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import groupby
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
    content = {
        name: _media(collection, [*group])
        for name, group in groupby(sorted(forms, key=media_type), key=media_type)
    }
    return {"required": True, "content": content}


def _media(collection: str, forms: list[str]) -> dict[str, Any]:
    """Return the media type object of forms that share a media type."""
    schemas_of_forms = [
        reference("common/json-patch") if form == "patch" else reference(collection, form)
        for form in forms
    ]
    media: dict[str, Any] = {"schema": one_of(schemas_of_forms)}
    return media | {"example": patch_example(collection)} if "patch" in forms else media


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
    response = _success(collection, [envelopes.LIST], "One page.", *names)
    if collection != envelopes.CHANGES:
        response.response["content"][_CSV] = {"schema": {"type": "string"}}
    return response


def page_or_unchanged(collection: str) -> Iterator[ResponseObject]:
    """Yield the responses of a list: a page, or 304 Not Modified."""
    yield page(collection, "ETag")
    yield unchanged("ListNotModified", "ETag", "Link", *_POSITION, "Total-Count", APPLIED)


def read(collection: str) -> ResponseObject:
    """Return the response with one record, as document or, if it has one, in the writable form."""
    writable = "writable" in schemas.load()[collection]["$defs"]
    kinds = [envelopes.ANSWER, *([envelopes.WRITABLE] if writable else [])]
    response = _success(collection, kinds, "The record.", "ETag", suffix="Read")
    if writable and "create" not in schemas.load()[collection]["$defs"]:
        # Both forms of an empty part are equal, so that ``oneOf`` would match none.
        media = response.response["content"][JSON]
        media["schema"] = {"anyOf": media["schema"]["oneOf"]}
    return response


def stream(collection: str) -> ResponseObject:
    """Return the response of an export: a line for each record and a last line, or CSV."""
    line = one_of([reference(collection, "document"), reference(collection, "end")])
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
    return _success(collection, [envelopes.ANSWER], "The document.", *names)


def issued(collection: str, *names: str, suffix: str = "") -> ResponseObject:
    """Return the response with a document and its new secret; 201 if ``suffix`` is CREATED."""
    kinds = [envelopes.ISSUED]
    return _success(collection, kinds, "The document and its secret.", *names, suffix=suffix)


def test_result(collection: str) -> ResponseObject:
    """Return the response of a test message to a webhook."""
    return _success(collection, [envelopes.TEST_RESULT], "The result.")


def read_all(collection: str) -> ResponseObject:
    """Return the response with all records below a parent as one list, without pages."""
    return _success(collection, [envelopes.ALL], "All records.", "ETag")


def unchanged(name: str, *names: str) -> ResponseObject:
    """Return the 304 Not Modified response, with its component name and headers."""
    text = "The caller's version, given by If-None-Match, is current."
    return ResponseObject(304, name, {"description": text} | headers(*names))


def created(collection: str) -> Iterator[ResponseObject]:
    """Yield the responses of a create: 201 with new records or outcomes, 200 with outcomes.

    A dry run and a write in which items failed are 200.
    """
    kinds = [envelopes.ANSWER, envelopes.BULK]
    names = ("Location", "ETag")
    response = _success(collection, kinds, "Created.", *names, suffix=CREATED)
    yield _or(response, "outcomes")
    outcomes = _outcomes("CreateOutcomes", HTTPStatus.OK, "Outcomes of a dry run or partial write.")
    yield _or(outcomes, "oneOutcome")


def written(collection: str) -> ResponseObject:
    """Return the 200 response of a single write: the record, or the outcome of a dry run."""
    response = _success(collection, [envelopes.ANSWER], "Written.", "ETag", suffix="Written")
    return _or(response, "oneOutcome")


def created_by_key(collection: str) -> ResponseObject:
    """Return the 201 response of a single write by own key that created the record."""
    names, suffix = ("Location", "ETag"), f"{CREATED}ByKey"
    return _success(collection, [envelopes.ANSWER], "Created.", *names, suffix=suffix)


def written_in_bulk(collection: str) -> ResponseObject:
    """Return the 200 response of a bulk write: the records, or item outcomes."""
    response = _success(collection, [envelopes.BULK], "Written.")
    return _or(response, "outcomes")


def all_created() -> ResponseObject:
    """Return the 201 response of a write by own keys in which each item created a record."""
    return _outcomes("AllCreated", HTTPStatus.CREATED, "Each item created a record.")


def _outcomes(name: str, status: int, text: str) -> ResponseObject:
    """Return a response with item outcomes, with its component name."""
    media = {"schema": reference(_ENVELOPE, "outcomes")}
    names = headers("Idempotent-Replayed", APPLIED)
    response = {"description": text} | names | {"content": {JSON: media}}
    return ResponseObject(status, name, response)


def _or(response: ResponseObject, envelope: str) -> ResponseObject:
    """Add an alternative envelope to the JSON of a response, in place; return the response."""
    media = response.response["content"][JSON]
    options = media["schema"].get("oneOf", [media["schema"]])
    media["schema"] = one_of([*options, reference(_ENVELOPE, envelope)])
    return response


def _success(
    collection: str, kinds: list[str], text: str, *names: str, suffix: str = ""
) -> ResponseObject:
    """Return a successful response with one of several envelopes and the given headers.

    The component is named after ``suffix``, or else after the first kind. The status is 201 for a
    suffix that begins with CREATED, else 200.
    """
    status = HTTPStatus.CREATED if suffix.startswith(CREATED) else HTTPStatus.OK
    envelope_names = [envelopes.name_of_envelope(collection, kind) for kind in kinds]
    media = {"schema": one_of([named(name) for name in envelope_names])}
    name = envelopes.name_of_envelope(collection, suffix or kinds[0])
    response = {"description": text} | headers(*names) | {"content": {JSON: media}}
    return ResponseObject(status, name, response)


def one_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a schema for exactly one of the options; the caller ensures that they do not overlap.

    Closed objects with different members never do.
    """
    return {"oneOf": options} if len(options) > 1 else options[0]
