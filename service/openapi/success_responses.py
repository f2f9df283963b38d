"""Request bodies and successful responses of operations, with examples from the schemas.

``collection`` is the name of a resource's schema file. Responses have the headers that ``headers``
adds to all, beside those that a function is given as ``names`` or adds itself.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from service.handlers.operations import media_type
from service.http.headers import CSV, JSON, NDJSON
from service.http.negotiation import APPLIED
from service.openapi.components import definition, name_of, reference
from service.openapi.envelopes import ANSWER, BULK, WRITABLE, ResponseObject, envelope
from service.openapi.examples import (
    CREATED,
    common_outcomes,
    example,
    stream_example,
)
from service.schemas.definitions import Schema

_POSITION = ("X-Changes-Cursor", "X-Changes-After", "X-Changes-Epoch")
_ENVELOPE = "common/envelope"
_OR_CREATED = "2XX"
"""Code of a response that is 201 if all records are new, else 200."""


def headers(*names: str) -> dict[str, Any]:
    """Return the member ``headers`` of a response; none if it has only those of every response."""
    references = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return {"headers": references} if references else {}


def body(collection: str, *forms: str) -> dict[str, Any]:
    """Return a required request body that has one of the forms, by their media types.

    Lines of JSON are left to the description: generators of clients know them in responses only.
    """
    content = dict[str, Any]()
    for form in sorted((form for form in forms if media_type(form) != NDJSON), key=media_type):
        media = _media(collection, form)
        if other := content.get(media_type(form)):
            media = {"schema": {"oneOf": [other["schema"], media["schema"]]}}
        content[media_type(form)] = media
    return {"required": True, "content": content}


def _media(collection: str, form: str) -> dict[str, Any]:
    """Return the media type object of a form."""
    if form == "patch":
        return {"schema": reference("common/json-patch")}
    if form.startswith("bulk"):
        return {"schema": definition(collection, form)}
    return {"schema": reference(collection, form)}


def of_envelope(
    collection: str,
    description: str,
    kind: str,
    headers: Sequence[str] = (),
    code: int | str = HTTPStatus.OK,
) -> ResponseObject:
    """Return a response with one of the collection's envelopes, as ``static.json`` describes it."""
    media = {"schema": envelope(collection, kind), **example(collection, kind)}
    return _success(description, media, names=headers, code=code)


def read(collection: str, *, has_writable: bool, has_history: bool) -> ResponseObject:
    """Return the response with one record: the document, or its writable form if it has one."""
    schema = envelope(collection, ANSWER)
    if has_writable:
        document, writable = (definition(collection, form) for form in ("document", "writable"))
        # The forms of some parts differ in their entries only, and are equal without any.
        differ = {*document.get("required", ())} - {*writable.get("properties", ())}
        alternatives = [schema, envelope(collection, WRITABLE)]
        schema = {"oneOf" if differ else "anyOf": alternatives}
    media = {"schema": schema, **example(collection, ANSWER)}
    names = ("X-Changes-After",) if has_history else ()
    return _success("The record.", media, names=names, name=_name(collection, "Read"))


def stream(collection: str) -> ResponseObject:
    """Return the response of an export: a line for each record and a last line, or CSV."""
    # A closed object is only one of them.
    line = {"oneOf": [reference(collection, "document"), reference(collection, "end")]}
    described = {
        "description": "The records.",
        **headers(*_POSITION),
        "content": {
            NDJSON: {"schema": line, **stream_example(NDJSON, collection)},
            f"{CSV}; charset=utf-8": {
                "schema": {"type": "string"},
                **stream_example(CSV, collection),
            },
        },
    }
    return ResponseObject(HTTPStatus.OK, "ExportStream", described)


def unchanged(*, is_list: bool) -> ResponseObject:
    """Return the 304 Not Modified response of a list, or of another read."""
    text = "The caller's version, given by If-None-Match, is current."
    names = ("Link", *_POSITION, "Total-Count", APPLIED) if is_list else ()
    name = "ListNotModified" if is_list else "NotModified"
    return ResponseObject(304, name, {"description": text} | headers("ETag", *names))


def created(collection: str) -> ResponseObject:
    """Return the response of a create: documents or outcomes, of one record or of an array."""
    documents = [envelope(collection, kind) for kind in (ANSWER, BULK)]
    schema = {"oneOf": [*documents, reference(_ENVELOPE, "oneOutcome"), _outcomes()]}
    media = {"schema": schema, **example(collection, CREATED)}
    name = _name(collection, "Created")
    return _success("The new records.", media, code=_OR_CREATED, name=name)


def written(collection: str, *, can_create: bool) -> ResponseObject:
    """Return the response of a single write: the record."""
    code = _OR_CREATED if can_create else HTTPStatus.OK
    media = {"schema": envelope(collection, ANSWER), **example(collection, ANSWER)}
    return _success("The record.", media, code=code)


def written_in_bulk(collection: str, *, can_create: bool) -> ResponseObject:
    """Return the response of a bulk write of stored records: documents or outcomes."""
    schema = {"oneOf": [envelope(collection, BULK), _outcomes()]}
    code, name = _OR_CREATED if can_create else HTTPStatus.OK, _name(collection, "BulkWritten")
    media = {"schema": schema, **common_outcomes()}
    return _success("The records.", media, code=code, name=name)


def _name(collection: str, suffix: str) -> str:
    return name_of(collection, "document") + suffix


def _outcomes() -> Schema:
    return reference(_ENVELOPE, "outcomes")


def _success(
    text: str,
    media: dict[str, Any],
    *,
    names: Sequence[str] = (),
    code: int | str = HTTPStatus.OK,
    name: str = "",
) -> ResponseObject:
    """Return a successful response; without a name it has that of the schema."""
    response = {"description": text, **headers(*names), "content": {JSON: media}}
    return ResponseObject(code, name or media["schema"]["$ref"].rpartition("/")[2], response)
