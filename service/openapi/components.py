"""Schemas of the document: definitions of the schema files, as generators of clients read them.

What the files say stays so, in a flatter form: records, enumerations and lists of a request are
components; simple values stand where they are used; a form that narrows another has all fields
itself, without those that callers do not send.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urljoin

import orjson

from service import schemas
from service.openapi.flatten import flattened, is_sent
from service.schemas.definitions import ResolvedSchema, Schema

_HOME = "#/components/schemas/"
_REFERENCE = re.compile(rf'"{_HOME}(\w+)"')
_BESIDE_REFERENCE = frozenset({"$ref", "description"})
"""What may stand beside a reference without narrowing what it names."""
_OUR_OWN = re.compile(r"x-|\$")
"""Keywords that say nothing to callers."""
_INT32 = 2**31 - 1


def name_of(file: str, definition: str = "") -> str:
    """The component's name: ``Color`` for a document, ``ColorBulkCreate``, ``Pagination``.

    Raises KeyError where the schema file does not exist.
    """
    title = "" if file.startswith("common/") and definition else schemas.load()[file]["title"]
    words = title.replace("-", " ").split()
    part = "" if definition == "document" else definition[:1].upper() + definition[1:]
    return "".join(word[:1].upper() + word[1:] for word in words) + part


def plural(noun: str) -> str:
    """The plural of a record's name; a set's name is one already."""
    if noun.endswith("s"):
        return noun
    return noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + "s"


def named(name: str) -> Schema:
    """A reference to the component of that name."""
    return {"$ref": _HOME + name}


def reference(file: str, definition: str = "") -> Schema:
    """A definition, or a whole file, where it is used: a reference, or a simple value itself."""
    ref = f"{file}.json" + (f"#/$defs/{definition}" if definition else "")
    return _used(ResolvedSchema({"$ref": ref}, ""))


def definition(file: str, name: str) -> Schema:
    """The component that a definition is."""
    return _definitions()[name_of(file, name)]


def components(parts: Any, composed: dict[str, Schema]) -> dict[str, Schema]:
    """Every schema that parts of the document name, and those that these name in turn.

    They are definitions of the files, or else among the ``composed``.
    """
    known, found = _definitions() | composed, dict[str, Schema]()
    waiting = _names(parts)
    while waiting:
        name = waiting.pop()
        found[name] = known[name]
        waiting |= _names(found[name]) - found.keys()
    return {name: found[name] for name in sorted(found)}


def _names(part: Any) -> set[str]:
    return set(_REFERENCE.findall(orjson.dumps(part).decode()))


@cache
def _definitions() -> dict[str, Schema]:
    """Every definition that is a component, by name."""
    return {
        name_of(file, name): _published(located)
        for file, name, located in _located()
        if _is_component(located)
    }


def _located() -> Iterator[tuple[str, str, ResolvedSchema]]:
    for file, schema in schemas.load().items():
        if "type" in schema:
            yield file, "", ResolvedSchema(schema, file)
        for name, definition in schema["$defs"].items():
            yield file, name, ResolvedSchema(definition, file)


def _is_component(located: ResolvedSchema) -> bool:
    """Whether a definition has a name of its own, of which clients make a type."""
    found = flattened(located)
    whole = found.items if found.types == {"array"} else found
    return "object" in whole.types or "enum" in found.schema


def _used(located: ResolvedSchema) -> Schema:
    """A schema where it is used."""
    if located.schema.keys() <= _BESIDE_REFERENCE and "$ref" in located.schema:
        home, definition = _target(located)
        schema = schemas.load()[home]
        found = ResolvedSchema(schema["$defs"][definition] if definition else schema, home)
        if _is_component(found):
            return {**located.schema, **named(name_of(home, definition))}
        return _used(ResolvedSchema({**found.schema, **_without_reference(located.schema)}, home))
    return _published(located)


def _target(located: ResolvedSchema) -> tuple[str, str]:
    """The file and the definition that a reference names."""
    path, _, definition = located.schema["$ref"].partition("#/$defs/")
    return urljoin(located.home, path.removesuffix(".json")) if path else located.home, definition


def _without_reference(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "$ref"}


def _published(located: ResolvedSchema) -> Schema:
    """A schema with all that it says in itself, down to the next component."""
    flat = flattened(located)
    found = {key: value for key, value in flat.schema.items() if not _OUR_OWN.match(key)}
    found.pop("title", None)
    if "properties" in found:
        found["properties"] = {
            name: _used(ResolvedSchema(value, flat.home))
            for name, value in found["properties"].items()
            if is_sent(value, flat.home)
        }
    if "items" in found:
        found["items"] = _used(ResolvedSchema(found["items"], flat.home))
    return _typed(found)


def _typed(schema: Schema) -> Schema:
    """The schema with what generators choose a type by: the width of numbers, a constant's type."""
    types = ResolvedSchema(schema, "").types
    if "integer" in types:
        wide = schema.get("maximum", _INT32 + 1) > _INT32
        return schema | {"format": "int64" if wide else "int32"}
    if "number" in types:
        return schema | {"format": "double"}
    if isinstance(schema.get("const"), str):
        return {"type": "string"} | schema
    return schema
