"""Request bodies and successful responses of operations, with examples from the schemas.

``collection`` is the name of a resource's schema file. Responses have the headers that ``headers``
adds to all, beside those that a function is given as ``names`` or adds itself.
"""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any

from service import schemas
from service.handlers.operations import media_type
from service.http.media_types import CSV, JSON, NDJSON
from service.http.prefer import APPLIED
from service.openapi import envelopes
from service.openapi.components import definition, name_of, reference
from service.openapi.envelopes import envelope
from service.openapi.response_object import ResponseObject
from service.schemas.definitions import Schema

_HEADERS = {
    "ETag": "Strong entity tag of the data, of lists including the pagination; differs for each "
    "content coding.",
    "Total-Count": "Number of records on all pages; only with `Prefer: count=exact`.",
    "Preference-Applied": "Preference that the service applied.",
    "Link": 'Address of the next page, with `rel="next"`; only if there are more records.',
    "X-Changes-Cursor": "Cursor of the change feed from before the list was read; only on the "
    "first page. Read the list to its end, then follow the changes from this cursor.",
    "X-Changes-After": "Number of the last transaction before this position of the change feed; "
    "send it as `after`. Lists have it on the first page only.",
    "X-Changes-Epoch": "Epoch of the change feed; send it as `epoch` beside `after`.",
}
HEADERS: dict[str, Any] = {
    name: {"description": text, "schema": {"type": "string"}} for name, text in _HEADERS.items()
}
"""Header components by name."""
_POSITION = ("X-Changes-Cursor", "X-Changes-After", "X-Changes-Epoch")
_ENVELOPE = "common/envelope"
_OR_CREATED = "2XX"
"""Code of a response that is 201 if all records are new, else 200."""


def headers(*names: str) -> dict[str, Any]:
    """Return the member ``headers`` of a response; none if it has only those of every response."""
    references = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return {"headers": references} if references else {}


def body(collection: str, *forms: str) -> dict[str, Any]:
    """Return a required request body that has one of the forms, by their media types."""
    content = dict[str, Any]()
    for form in sorted(forms, key=media_type):
        media = _media(collection, form)
        if other := content.get(media_type(form)):
            media = {"schema": {"oneOf": [other["schema"], media["schema"]]}}
        content[media_type(form)] = media
    return {"required": True, "content": content}


def _media(collection: str, form: str) -> dict[str, Any]:
    """Return the media type object of a form."""
    if form == "patch":
        schema = reference("common/json-patch")
        return {"schema": schema, "example": patch_example(collection)}
    if form.startswith("bulk"):
        return {"schema": definition(collection, form)}
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
    """Return the response with one page of a list."""
    return _success("One page.", envelope(collection, envelopes.LIST), names=names)


def page_or_unchanged(collection: str) -> Iterator[ResponseObject]:
    """Yield the responses of a list: a page, or 304 Not Modified."""
    yield page(collection)
    yield unchanged("ListNotModified", "ETag", "Link", *_POSITION, "Total-Count", APPLIED)


def read(collection: str, *, has_writable: bool) -> ResponseObject:
    """Return the response with one record: the document, or its writable form if it has one."""
    schema = envelope(collection, envelopes.ANSWER)
    if has_writable:
        document, writable = (definition(collection, form) for form in ("document", "writable"))
        # The forms of some parts differ in their entries only, and are equal without any.
        differ = {*document.get("required", ())} - {*writable.get("properties", ())}
        alternatives = [schema, envelope(collection, envelopes.WRITABLE)]
        schema = {"oneOf" if differ else "anyOf": alternatives}
    return _success("The record.", schema, name=_name(collection, "Read"))


def stream(collection: str) -> ResponseObject:
    """Return the response of an export: a line for each record and a last line, or CSV."""
    # A closed object is only one of them.
    line = {"oneOf": [reference(collection, "document"), reference(collection, "end")]}
    described = {
        "description": "The records.",
        **headers(*_POSITION),
        "content": {
            NDJSON: {"schema": line},
            f"{CSV}; charset=utf-8": {"schema": {"type": "string"}},
        },
    }
    return ResponseObject(HTTPStatus.OK, "ExportStream", described)


def plain(collection: str) -> ResponseObject:
    """Return the 200 response with one document, without an entity tag."""
    return _success("The document.", envelope(collection, envelopes.ANSWER))


def issued(collection: str, *, code: int = HTTPStatus.OK) -> ResponseObject:
    """Return the response with a document and its new secret."""
    schema = envelope(collection, envelopes.ISSUED)
    return _success("The document and its secret.", schema, code=code)


def test_result(collection: str) -> ResponseObject:
    """Return the response of a test message to a webhook."""
    return _success("The result.", envelope(collection, envelopes.TEST_RESULT))


def read_all(collection: str) -> ResponseObject:
    """Return the response with all records below a parent as one list, without pages."""
    return _success("All records.", envelope(collection, envelopes.ALL))


def unchanged(name: str, *names: str) -> ResponseObject:
    """Return the 304 Not Modified response, with its component name and headers."""
    text = "The caller's version, given by If-None-Match, is current."
    return ResponseObject(304, name, {"description": text} | headers(*names))


def created(collection: str) -> ResponseObject:
    """Return the response of a create: documents or outcomes, of one record or of an array."""
    documents = [envelope(collection, kind) for kind in (envelopes.ANSWER, envelopes.BULK)]
    schema = {"oneOf": [*documents, reference(_ENVELOPE, "oneOutcome"), _outcomes()]}
    name = _name(collection, "Created")
    return _success("The new records.", schema, code=_OR_CREATED, name=name)


def written(collection: str, *, can_create: bool) -> ResponseObject:
    """Return the response of a single write: the record."""
    code = _OR_CREATED if can_create else HTTPStatus.OK
    return _success("The record.", envelope(collection, envelopes.ANSWER), code=code)


def written_in_bulk(collection: str, *, can_create: bool) -> ResponseObject:
    """Return the response of a bulk write of stored records: documents or outcomes."""
    schema = {"oneOf": [envelope(collection, envelopes.BULK), _outcomes()]}
    code, name = _OR_CREATED if can_create else HTTPStatus.OK, _name(collection, "BulkWritten")
    return _success("The records.", schema, code=code, name=name)


def _name(collection: str, suffix: str) -> str:
    return name_of(collection, "document") + suffix


def _outcomes() -> Schema:
    return reference(_ENVELOPE, "outcomes")


def _success(
    text: str,
    schema: Schema,
    *,
    names: Sequence[str] = (),
    code: int | str = HTTPStatus.OK,
    name: str = "",
) -> ResponseObject:
    """Return a successful response; without a name it has that of the schema."""
    response = {"description": text} | headers(*names) | {"content": {JSON: {"schema": schema}}}
    return ResponseObject(code, name or schema["$ref"].rpartition("/")[2], response)
