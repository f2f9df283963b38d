"""Examples of successful responses: the documents of the schema files in their envelopes.

They are components, so that several responses can refer to one.
"""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from service import schemas
from service.http.headers import CSV, NDJSON
from service.openapi.components import name_of
from service.openapi.envelopes import (
    ALL,
    ANSWER,
    FEEDS,
    ISSUED,
    LIST,
    OUTCOMES,
    RESULTS,
    TEST_RESULT,
)

CREATED: Final = "Created"
_COMMON: Final = "common/envelope"
_FORMS: Final = {ISSUED: "issued", TEST_RESULT: "testResult", RESULTS: "result"}
"""Forms of the data, by the kind of the envelope; others have documents."""
_IN_LISTS: Final = (ALL, LIST, OUTCOMES, RESULTS)
_KINDS: Final = (ANSWER, CREATED, *_IN_LISTS, ISSUED, TEST_RESULT)

Examples = dict[str, Any]


def example(collection: str, kind: str) -> Examples:
    """Return the member ``examples`` of a media type: a reference to the envelope's example."""
    return {"examples": {"response": {"$ref": f"#/components/examples/{_name(collection, kind)}"}}}


def common_outcomes() -> Examples:
    """Return the same for the outcomes of a bulk write, which are those of any collection."""
    return {"examples": {"response": {"$ref": f"#/components/examples/{OUTCOMES}"}}}


def stream_example(media_type: str, collection: str) -> Examples:
    """Return the member ``example`` of lines of records: JSON, or CSV."""
    [line] = schemas.definition(collection, "document").schema["examples"]
    texts = {NDJSON: line, CSV: "id,name\r\n5201,Deep Navy\r\n"}
    return {"example": texts[media_type]}


def examples(parts: Any) -> dict[str, Examples]:
    """Return the examples that parts of the document refer to, by name."""
    text = orjson.dumps(parts).decode()
    return {
        name: {"value": value}
        for name, value in sorted(_all_examples())
        if f'/examples/{name}"' in text
    }


def _all_examples() -> Iterator[tuple[str, Examples]]:
    for file, schema in schemas.load().items():
        for kind in _KINDS:
            form = schema["$defs"].get(_FORMS.get(kind, "document"), {})
            for data in form.get("examples", ()):
                yield _name(file, kind), _envelope(file, kind, data)
    [outcome] = schemas.definition(_COMMON, "itemOutcome").schema["examples"]
    yield OUTCOMES, _envelope(_COMMON, OUTCOMES, outcome)


def _name(collection: str, kind: str) -> str:
    return name_of(collection, "document") + kind


def _envelope(file: str, kind: str, data: Any) -> Examples:
    """Return an example of a kind of envelope around the example of a document or form."""
    code = "created" if kind == CREATED else "ok"
    envelope = {
        "status": "success",
        "code": code,
        "data": [data] if kind in _IN_LISTS else data,
    }
    if kind != LIST:
        return envelope
    [page] = schemas.definition(_COMMON, "pagination").schema["examples"]
    return envelope | {"pagination": page if file in FEEDS else {"hasMore": False}}
