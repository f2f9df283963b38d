"""The envelopes of answers, one schema for each kind of data: ``ColorList``, ``ColorAnswer``."""

from collections.abc import Iterator

from service import schemas
from service.openapi.components import definition, name_of, named, plural, reference
from service.schemas.definitions import Schema

ANSWER, WRITABLE, BULK, LIST = "Answer", "WritableAnswer", "BulkAnswer", "List"
ALL = "AllAnswer"
CHANGES = "changes"
_HOME = "common/envelope"


def name_of_envelope(collection: str, kind: str) -> str:
    """The name of a collection's envelope of that kind."""
    return name_of(collection, "document") + kind


def envelopes() -> dict[str, Schema]:
    """Every envelope by the name of its component."""
    return {
        name_of_envelope(file, kind): envelope
        for file, schema in schemas.load().items()
        if "document" in schema["$defs"]
        for kind, envelope in _of_collection(file, schema["title"].lower())
    } | {"BulkFailureError": _bulk_failure()}


def _of_collection(file: str, title: str) -> Iterator[tuple[str, Schema]]:
    document = reference(file, "document")
    if file == CHANGES:
        yield LIST, _envelope("changes", "Changes in their order.", {"items": document})
        return
    yield ANSWER, _envelope("success", f"The answer with one {title}.", document)
    yield LIST, _envelope("list", f"One page of {plural(title)}.", {"items": document})
    all_of_them = {"type": "array", "items": document}
    yield ALL, _envelope("success", f"The answer with all {plural(title)}.", all_of_them)
    forms = schemas.load()[file]["$defs"]
    if "writable" in forms:
        text = f"The answer with the writable form of one {title}."
        yield WRITABLE, _envelope("success", text, reference(file, "writable"))
    if "bulkReplace" in forms:
        several = {"type": "array", "maxItems": forms["bulkReplace"]["maxItems"], "items": document}
        text = f"The {plural(title)} of a bulk write, in request order."
        yield BULK, _envelope("success", text, several)


def _envelope(form: str, description: str, data: Schema) -> Schema:
    """An envelope around data of a schema, or around a list of ``items``."""
    around = definition(_HOME, form)
    whole = {**around["properties"]["data"], **data} if data.keys() == {"items"} else data
    properties = {**around["properties"], "data": whole}
    return {**around, "description": description, "properties": properties}


def _bulk_failure() -> Schema:
    """What bulk operations tell of a failure: of their items only where they came to them."""
    alone = definition(_HOME, "failureError")["required"]
    return {**definition(_HOME, "bulkFailureError"), "required": alone}


def failure(*, is_bulk: bool) -> Schema:
    """The schema of a failure; of bulk operations one that may tell of items."""
    return named("BulkFailure" if is_bulk else "Failure")
