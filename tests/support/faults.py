"""Bodies with one fault each, planted by the write schemas, and the row that each calls for."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from service import schemas
from service.schemas.definitions import ResolvedSchema
from tests.support import generate

#: What a body cannot do without: records of the demo data.
_ONE = {"id": 1, "languageId": 1, "subSupplierId": "1", "styleId": 1}


@dataclass(frozen=True, slots=True)
class Fault:
    """A body that one field makes wrong; ``kind`` is the last part of the row's type."""

    field: str
    kind: str
    body: dict[str, Any]


def minimal(collection: str, form: str) -> dict[str, Any]:
    """A body with nothing but what the form requires; it refers to as few as it can."""
    return _least(schemas.definition(collection, form))


def planted(collection: str, form: str) -> Iterator[Fault]:
    """Every fault that the form's schema knows, in fields of fields too."""
    located = schemas.definition(collection, form)
    for field, kind, body in _of_object(located, _least(located)):
        yield Fault(field, kind, body)


def _least(located: ResolvedSchema) -> dict[str, Any]:
    required = located.schema.get("required", ())
    if "relatedStyleId" in required:
        return dict.fromkeys(required, 1) | generate.pair(range(1, 101))
    return {
        name: _ONE[name] if name in _ONE else generate.value(name, prop, {}, Random(0))
        for name, prop in located.properties.items()
        if name in required
    }


def _of_object(located: ResolvedSchema, least: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    yield "unheardOf", "unknown_field", least | {"unheardOf": 1}
    for name in located.schema.get("required", ()):
        yield name, "required_field", {key: least[key] for key in least if key != name}
    for name, prop in located.properties.items():
        required = name in located.schema.get("required", ())
        for suffix, kind, value in _of_value(name, prop, required):
            yield name + suffix, kind, least | {name: value}


def _of_value(name: str, prop: ResolvedSchema, required: bool) -> Iterator[tuple[str, str, Any]]:
    schema, types = prop.schema, prop.types
    if schema.get("readOnly"):
        yield "", "read_only_field", "x"
        return
    if required and "null" not in types:
        yield "", "required_field", None
    if types:
        yield from (("", "invalid_type", wrong) for wrong in _wrong_kinds(types))
    if "enum" in schema:
        yield "", "invalid_value", "unheard of"
        if name == "state" and "deleted" not in schema["enum"]:
            yield "", "state_not_allowed", "deleted"
    if schema.get("minLength"):
        yield "", "too_short", ""
    if "pattern" in schema:
        yield "", "invalid_value", " \t\n\u00a0"
    if "maxLength" in schema and name != "type":
        yield "", "too_long", "é" * (schema["maxLength"] + 1)
    if "minimum" in schema:
        yield "", "out_of_range", schema["minimum"] - 1
        yield "", "out_of_range", schema["maximum"] + 1
    if "array" in types:
        yield from _of_array(prop)


def _wrong_kinds(types: frozenset[str]) -> Iterator[Any]:
    kinds = {"string": "x", "boolean": True, "array": [], "object": {}, "integer": 7, "number": 7.5}
    named = types | ({"integer"} if "number" in types else set())
    yield from (value for kind, value in kinds.items() if kind not in named)


def _of_array(prop: ResolvedSchema) -> Iterator[tuple[str, str, Any]]:
    members = prop.items
    yield "[0]", "invalid_type", [None]
    if "object" not in members.types:
        yield "[1]", "out_of_range", [1, -1]
        yield "", "too_many_items", list(range(1, prop.schema["maxItems"] + 2))
        if prop.schema.get("uniqueItems"):
            yield "[1]", "duplicate", [1, 1]
    elif "if" not in members.schema:
        least = _least(members)
        for field, kind, member in _of_object(members, least):
            yield (
                f"[1].{field}",
                kind,
                [least | {"languageId": 2} if "languageId" in least else least, member],
            )
