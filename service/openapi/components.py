"""Component schemas: definitions of the schema files, in a form that client generators support.

The schemas are flatter: conditions are left out (``flatten``), and so are fields that are ignored
or read-only in their form. A form that narrows another repeats its fields. Every definition that is
referred to becomes a component; a reference beside keywords that narrow it is inlined.

Returned schemas are cached: callers copy what they change.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urljoin

import orjson

from service import schemas
from service.openapi.flatten import flattened, is_writable
from service.schemas.definitions import ResolvedSchema, Schema

_HOME = "#/components/schemas/"
_REFERENCE = re.compile(rf'"{_HOME}(\w+)"')
_BESIDE_REFERENCE = frozenset({"$ref", "description"})
"""Keywords of a reference that does not narrow its target, so that it can stay a reference."""
_INTERNAL = re.compile(r"x-|\$")
"""Prefixes of keywords that are not published. A ``title`` is not published either."""
_INT32 = 2**31 - 1


def name_of(file: str, definition: str = "") -> str:
    """Return a component's name: ``Color`` for a document, ``ColorBulkCreate``, ``Pagination``.

    It is the title of the file and the definition; a definition in ``common/`` has no title before
    it. The component need not exist. Raise KeyError for a file that does not exist, except for
    definitions in ``common/``.
    """
    title = "" if file.startswith("common/") and definition else schemas.load()[file]["title"]
    words = title.replace("-", " ").split()
    part = "" if definition == "document" else definition[:1].upper() + definition[1:]
    return "".join(word[:1].upper() + word[1:] for word in words) + part


def plural(noun: str) -> str:
    """Return the plural of a noun by its last letter; one that ends in ``s`` is plural already."""
    if noun.endswith("s"):
        return noun
    return noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + "s"


def named(name: str) -> Schema:
    """Return a reference to a component by its name; the component is not checked to exist."""
    return {"$ref": _HOME + name}


def reference(file: str, definition: str = "") -> Schema:
    """Return a reference to the component of a definition or file."""
    ref = f"{file}.json" + (f"#/$defs/{definition}" if definition else "")
    return _used(ResolvedSchema({"$ref": ref}, ""))


def definition(file: str, name: str) -> Schema:
    """Return the component schema of a definition; raise KeyError if it is no component."""
    return _definitions()[name_of(file, name)]


def component(ref: Schema) -> Schema:
    """Return the component schema that a reference names."""
    return _definitions()[ref["$ref"].removeprefix(_HOME)]


def components(parts: Any, composed: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schemas that parts of the document refer to, directly or indirectly, by name.

    Schemas are definitions of the schema files, or ``composed`` ones, which win. Those that nothing
    refers to are left out. The names are sorted. Raise KeyError for an unknown name.
    """
    candidates, used = _definitions() | composed, dict[str, Schema]()
    pending = _names(parts)
    while pending:
        name = pending.pop()
        used[name] = candidates[name]
        pending |= _names(used[name]) - used.keys()
    return {name: used[name] for name in sorted(used)}


def _names(part: Any) -> set[str]:
    return set(_REFERENCE.findall(orjson.dumps(part).decode()))


@cache
def _definitions() -> dict[str, Schema]:
    """Return the component schema of every definition, by name."""
    return {
        name_of(file, name): _published(unresolved) for file, name, unresolved in _all_definitions()
    }


def _all_definitions() -> Iterator[tuple[str, str, ResolvedSchema]]:
    for file, schema in schemas.load().items():
        if "type" in schema:
            yield file, "", ResolvedSchema(schema, file)
        for name, definition in schema["$defs"].items():
            if name == "replace" and "create" in schema["$defs"]:
                # The example of a create shows the same fields.
                definition = {key: definition[key] for key in definition if key != "examples"}
            yield file, name, ResolvedSchema(definition, file)


def _used(unresolved: ResolvedSchema) -> Schema:
    """Return a reference to the schema's component; a narrowed schema is inlined."""
    schema = {key: value for key, value in unresolved.schema.items() if not key.startswith("x-")}
    if schema.keys() <= _BESIDE_REFERENCE and "$ref" in schema:
        return {**schema, **named(name_of(*_target(unresolved)))}
    return _published(unresolved)


def _target(unresolved: ResolvedSchema) -> tuple[str, str]:
    """Return the file and the definition that a reference names."""
    path, _, definition = unresolved.schema["$ref"].partition("#/$defs/")
    return urljoin(
        unresolved.home, path.removesuffix(".json")
    ) if path else unresolved.home, definition


def _published(unresolved: ResolvedSchema) -> Schema:
    """Return a flattened schema, with references to components and without internal keywords.

    Fields that callers cannot send are left out.
    """
    flat = flattened(unresolved)
    if "anyOf" in flat.schema:
        return _alternatives(flat)
    published = {key: value for key, value in flat.schema.items() if not _INTERNAL.match(key)}
    published.pop("title", None)
    if not published.get("required"):
        published.pop("required", None)
    if "properties" in published:
        published["properties"] = {
            name: _used(ResolvedSchema(value, flat.home))
            for name, value in published["properties"].items()
            if is_writable(value, flat.home)
        }
    if "items" in published:
        published["items"] = _used(ResolvedSchema(published["items"], flat.home))
    return _typed(published)


def _alternatives(flat: ResolvedSchema) -> Schema:
    """Return the published schema of a reference: an id, or an object with an own key."""
    alternatives = [_used(ResolvedSchema(part, flat.home)) for part in flat.schema["anyOf"]]
    description = flat.schema.get("description")
    return ({"description": description} if description else {}) | {"anyOf": alternatives}


def _typed(schema: Schema) -> Schema:
    """Return the schema with the keywords by which generators choose types.

    They are the formats of numbers and the type of text constants. An integer is ``int32`` only if
    its maximum fits.
    """
    types = ResolvedSchema(schema, "").types
    if "integer" in types:
        wide = schema.get("maximum", _INT32 + 1) > _INT32
        return schema | {"format": "int64" if wide else "int32"}
    if "number" in types:
        return schema | {"format": "double"}
    if isinstance(schema.get("const"), str):
        return {"type": "string"} | schema
    return schema
