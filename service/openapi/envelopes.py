"""Envelope schemas of responses, one for each kind of data: ``ColorList``, ``ColorAnswer``.

The constants ``ANSWER`` to ``TEST_RESULT`` are the kinds: suffixes of the component names.
"""

from collections.abc import Iterator

from service import schemas
from service.openapi.components import definition, name_of, named, reference
from service.schemas.definitions import Schema

ANSWER, WRITABLE, BULK, LIST = "Answer", "WritableAnswer", "BulkAnswer", "List"
ALL = "AllAnswer"
ISSUED, TEST_RESULT = "IssuedAnswer", "TestAnswer"
CHANGES = "changes"
_HOME = "common/envelope"


def name_of_envelope(collection: str, kind: str) -> str:
    """Return the component name of a collection's envelope: that of its document, and the kind."""
    return name_of(collection, "document") + kind


def envelopes() -> dict[str, Schema]:
    """Return the envelope schemas of all collections, and ``BulkFailureError``, by component name.

    A collection has the kinds of which it has forms, and those of one document, of a page and of
    all records even if no operation uses them; ``changes`` has a page only. Other envelopes come
    from ``common/envelope``.
    """
    return {
        name_of_envelope(file, kind): envelope
        for file, schema in schemas.load().items()
        if "document" in schema["$defs"]
        for kind, envelope in _of_collection(file)
    } | {"BulkFailureError": _bulk_failure()}


def _of_collection(file: str) -> Iterator[tuple[str, Schema]]:
    document = reference(file, "document")
    if file == CHANGES:
        yield LIST, _envelope("changes", {"items": document})
        return
    yield ANSWER, _envelope("success", document)
    yield LIST, _envelope("list", {"items": document})
    yield ALL, _envelope("success", {"type": "array", "items": document})
    forms = schemas.load()[file]["$defs"]
    kinds = (("writable", WRITABLE), ("issued", ISSUED), ("testResult", TEST_RESULT))
    for form, kind in kinds:
        if form in forms:
            yield kind, _envelope("success", reference(file, form))
    if "bulkReplace" in forms:
        most = forms["bulkReplace"]["maxItems"]
        yield BULK, _envelope("success", {"type": "array", "maxItems": most, "items": document})


def _envelope(form: str, data: Schema) -> Schema:
    """Return an envelope schema around a data schema.

    ``form`` names the general envelope. A ``data`` of ``items`` alone keeps the rest of that one's
    list.
    """
    envelope = definition(_HOME, form)
    data_schema = {**envelope["properties"]["data"], **data} if data.keys() == {"items"} else data
    schema = {**envelope, "properties": {**envelope["properties"], "data": data_schema}}
    schema.pop("description", None)
    return schema


def _bulk_failure() -> Schema:
    """Return the schema of ``error`` in responses of bulk operations; item counts are optional."""
    required = definition(_HOME, "failureError")["required"]
    return {**definition(_HOME, "bulkFailureError"), "required": required}


def failure(*, is_bulk: bool) -> Schema:
    """Return a reference to the schema of an error response; that of bulk may have item counts."""
    return named("BulkFailure" if is_bulk else "Failure")
