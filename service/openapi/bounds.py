"""Bounds of the document: the length of every text and list.

Requests have those of their schemas; here are those of formats, and of responses. A field of a
response has the bound of the request field of its name that stores it: a list that of its own file,
a text that of any other, too, so that ``colorName`` is as long as a ``name``. Other lists fit into
the largest response.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from service import schemas
from service.limits import MAX_BATCH_BYTES
from service.schemas.definitions import ResolvedSchema, Schema

_LENGTHS: Final = {
    "amount": 20,
    "company-prefix": 11,
    "country-code": 2,
    "currency-code": 3,
    "date": 10,
    "date-time": 32,
    "gln": 13,
    "gtin": 14,
    "hex-color": 7,
    "hs-code": 13,
    "media-type": 100,
    "percentage": 6,
    "sha256": 64,
    "share": 6,
    "uuid": 36,
}
"""Length of the longest text of each format."""
_EXACT: Final = re.compile(r"\{(\d+)\}\$$")
"""End of the pattern of texts that all have one length."""
MOST_VALUES: Final = MAX_BATCH_BYTES // 2
"""Maximum number of values in a response: each takes a digit and a comma at least."""
_KEYWORDS: Final = {"string": "maxLength", "array": "maxItems"}
_FIRST_WORD: Final = re.compile(r"^[a-z0-9]+(?=[A-Z])")


def with_length(schema: Schema) -> Schema:
    """Return a schema of texts with the length that its format or pattern allows, if any."""
    if "string" not in ResolvedSchema(schema, "").types or schema.keys() & {"maxLength", "enum"}:
        return schema
    exact = _EXACT.search(schema.get("pattern", ""))
    length = int(exact[1]) if exact else _LENGTHS.get(schema.get("format", ""))
    return schema | {"maxLength": length} if length else schema


def bounded(file: str, name: str, schema: Schema) -> Schema:
    """Return the schema of a field with bounds: of a text or a list, and of the texts in a list.

    ``name`` is "" for a file's list as a whole.
    """
    types = ResolvedSchema(schema, "").types
    if "array" in types and isinstance(schema.get("items"), dict):
        schema = schema | {"items": bounded(file, name, schema["items"])}
    for kind, keyword in _KEYWORDS.items():
        if kind in types and not schema.keys() & {keyword, "enum", "const"}:
            bound = _bound(keyword, file, name) or (MOST_VALUES if kind == "array" else None)
            schema = schema | ({keyword: bound} if bound else {})
    return schema


def with_stored_lengths(form: Schema, fields: Mapping[str, ResolvedSchema]) -> Schema:
    """Return a form of documents with the lengths of the record's own fields in requests."""
    properties = {
        name: {"maxLength": fields[name].schema["maxLength"], **schema}
        if name in fields and "maxLength" in fields[name].schema and "type" in schema
        else schema
        for name, schema in form.get("properties", {}).items()
    }
    return {**form, "properties": properties} if properties else form


def _bound(keyword: str, file: str, name: str) -> int | None:
    """Return the bound of requests for a field, or for one that is named by its last words."""
    bounds = _bounds()[keyword]
    own = bounds.get(f"{file}.{name}")
    if own or keyword == "maxItems":
        return own
    while name not in bounds and _FIRST_WORD.match(name):
        rest = _FIRST_WORD.sub("", name)
        name = rest[:1].lower() + rest[1:]
    return bounds.get(name)


@cache
def _bounds() -> Mapping[str, Mapping[str, int]]:
    """Return the greatest bound by keyword and by field, or by file and field."""
    bounds = {keyword: defaultdict[str, int](int) for keyword in _KEYWORDS.values()}
    for file, schema in schemas.load().items():
        for name, field in _fields(schema["$defs"].values(), file):
            for keyword, values in bounds.items():
                bound = with_length(field).get(keyword, 0)
                for key in (name, f"{file}.{name}") if bound else ():
                    values[key] = max(values[key], bound)
        replaced = schema["$defs"].get("replace", {})
        if "maxItems" in replaced:
            bounds["maxItems"][f"{file}."] = replaced["maxItems"]
    return bounds


def _fields(parts: Iterable[Any], home: str) -> Iterator[tuple[str, Schema]]:
    """Yield name and resolved schema of each field below the schemas, its alternatives included."""
    for part in parts:
        if not isinstance(part, dict):
            continue
        fields = part.get("properties", {})
        for name, field in fields.items():
            if isinstance(field, dict):
                for option in field.get("anyOf", [field]):
                    yield name, ResolvedSchema(option, home).resolved().schema
        below = (part.get("items"), part.get("else"), *part.get("anyOf", ()))
        yield from _fields([*fields.values(), *below], home)
