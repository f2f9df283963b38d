"""Envelope schemas of responses, one for each kind of data: ``ColorList``, ``ColorAnswer``.

The constants ``ANSWER`` to ``TEST_RESULT`` are the kinds: suffixes of the component names.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from service import schemas
from service.openapi.bounds import MOST_VALUES
from service.openapi.components import definition, name_of, named, reference
from service.schemas.definitions import Schema

ANSWER, WRITABLE, BULK, LIST = "Answer", "WritableAnswer", "BulkAnswer", "List"
ALL = "AllAnswer"
OUTCOMES = "Outcomes"
RESULTS = "ResultsAnswer"
ISSUED, TEST_RESULT = "IssuedAnswer", "TestAnswer"
FEEDS = ("changes", "audit")
_HOME = "common/envelope"
_FORMS = ("success", "list", "changes")


def envelope(collection: str, kind: str) -> Schema:
    """Return a reference to a collection's envelope: its document's name and the kind."""
    return named(name_of(collection, "document") + kind)


def envelopes() -> dict[str, Schema]:
    """Return the envelope schemas of all collections, and ``BulkFailureError``, by component name.

    A collection has the kinds of which it has forms, and those of one document, of a page and of
    all records even if no operation uses them; FEEDS have a page only. Other envelopes come
    from ``common/envelope``.
    """
    return (
        {
            name_of(file, "document") + kind: schema
            for file in schemas.load()
            if "document" in schemas.load()[file]["$defs"]
            for kind, schema in _of_collection(file)
        }
        | {_rest_name(form): _rest(form) for form in _FORMS}
        | {"BulkFailureError": _bulk_failure()}
    )


def _of_collection(file: str) -> Iterator[tuple[str, Schema]]:
    document = reference(file, "document")
    if file in FEEDS:
        yield LIST, _envelope("changes", {"items": document})
        return
    yield ANSWER, _envelope("success", document)
    yield LIST, _envelope("list", {"items": document})
    yield ALL, _envelope("success", _all_of(document))
    forms = schemas.load()[file]["$defs"]
    kinds = (("writable", WRITABLE), ("issued", ISSUED), ("testResult", TEST_RESULT))
    for form, kind in kinds:
        if form in forms:
            yield kind, _envelope("success", reference(file, form))
    if "result" in forms:
        yield RESULTS, _envelope("success", _all_of(reference(file, "result")))
    if "bulkReplace" in forms:
        most = forms["bulkReplace"]["maxItems"]
        yield BULK, _envelope("success", _all_of(document) | {"maxItems": most})


def _all_of(items: Schema) -> Schema:
    """Return the schema of a list of as many items as a response can have."""
    text = "The records, in the order of the request if it names them, else by id."
    return {"description": text, "type": "array", "maxItems": MOST_VALUES, "items": items}


def _envelope(form: str, data: Schema) -> Schema:
    """Return a closed envelope around a data schema: what all of the form have, and ``data``.

    A ``data`` of ``items`` alone keeps the rest of the general envelope's list.
    """
    general = definition(_HOME, form)["properties"]["data"]
    own = {**general, **data} if data.keys() == {"items"} else data
    rest = {"required": ["data"], "properties": {"data": own}}
    return {"allOf": [named(_rest_name(form)), rest], "unevaluatedProperties": False}


def _rest_name(form: str) -> str:
    return f"{form.title()}Envelope"


def _rest(form: str) -> Schema:
    """Return the members of a general envelope without ``data``."""
    envelope = definition(_HOME, form)
    properties = {
        name: envelope["properties"][name] for name in envelope["properties"] if name != "data"
    }
    return {"type": "object", "required": [*properties], "properties": properties}


def _bulk_failure() -> Schema:
    """Return the schema of ``error`` in responses of bulk operations; item counts are optional."""
    required = definition(_HOME, "failureError")["required"]
    return {**definition(_HOME, "bulkFailureError"), "required": required}


@dataclass(frozen=True)
class ResponseObject:
    """Response of an operation: its status and its OpenAPI description."""

    code: int | str
    """Status code, or a range of them: ``4XX``."""
    name: str
    """Name of the component; different responses may have the same name."""
    response: dict[str, Any]
