"""Types of records for the Python client, made from the component schemas of the OpenAPI document.

An object becomes a ``TypedDict``; what a response leaves out and a request may leave out is
``NotRequired``.
"""

import json
import keyword
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

from service import openapi, schemas
from service.openapi.components import name_of
from service.records.reference_targets import own_references
from service.resources.registry import EFFECTIVE_PRICES, MASTER_RECORDS, PRODUCTS, REFERENCE_LISTS
from service.routes import collection_path
from service.schemas.key_forms import KEEPS_DELETED
from service.schemas.write_forms import FIXED

_Schema: TypeAlias = Mapping[str, Any]
_MAX_SUMMARY: Final = 90
_MAX_LINE: Final = 100
_WORD: Final = re.compile("[A-Z][a-z0-9]*")
_HOME: Final = "#/components/schemas/"
_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}


def documents() -> str:
    """Return the types of all records as callers read them, and their collections."""
    roots = {
        name_of(resource.name, "document"): collection_path(resource).removeprefix("/api/")
        for resource in (*MASTER_RECORDS, *REFERENCE_LISTS, PRODUCTS, EFFECTIVE_PRICES)
        if not resource.parents
    }
    rows = [f'    {name}: "{path}",' for name, path in roots.items()]
    table = "\n".join(["COLLECTIONS: dict[type[Any], str] = {", *rows, "}"])
    path = f'{table}\n"""Path of the collection by type."""'
    return "\n\n\n".join([*_declarations(roots), path, _own_keys()])


def _own_keys() -> str:
    """Return the fields of own keys, with the collections that those refer to."""
    rows = list[str]()
    for resource in MASTER_RECORDS:
        targets = own_references(resource.name)
        fields = schemas.definition(resource.name, "fields").properties
        fixed = [
            name
            for name, keyword in resource.stored_fields.items()
            if keyword == FIXED
            and name in targets
            and "/" not in targets[name].name
            and KEEPS_DELETED not in fields[name].schema
        ]
        key = {
            name: targets[name].name if name in targets else ""
            for name in (*schemas.key_fields(resource.name), *fixed)
        }
        rows.append(f'    "{resource.name}": {json.dumps(key)},')
    table = "\n".join(["OWN_KEYS: dict[str, dict[str, str]] = {", *rows, "}"])
    text = (
        "Fields of the own key by collection, and references that are set at creation.\n\n"
        "Each has the collection that it refers to.\n"
    )
    return f'{table}\n"""{text}"""'


def create_forms() -> str:
    """Return the types of all records as callers create them."""
    roots = [name_of(resource.name, "create") for resource in MASTER_RECORDS]
    return "\n\n\n".join(_declarations(roots))


@cache
def _schemas() -> Mapping[str, _Schema]:
    schemas: Mapping[str, _Schema] = openapi.build()["components"]["schemas"]
    return {name: _inlined(_merged(schema, schemas), schemas) for name, schema in schemas.items()}


def _merged(schema: _Schema, schemas: Mapping[str, _Schema]) -> _Schema:
    """Return an object schema with the fields that it is composed of (``allOf``) as its own."""
    if "allOf" not in schema:
        return schema
    parts = [
        schemas.get(str(part.get("$ref", "")).removeprefix(_HOME), part) for part in schema["allOf"]
    ]
    properties = {
        name: value
        for part in [*parts, schema]
        for name, value in part.get("properties", {}).items()
    }
    return {key: schema[key] for key in schema if key != "allOf"} | {"properties": properties}


def _inlined(schema: Any, schemas: Mapping[str, _Schema]) -> Any:
    """Return a schema with references to objects and enumerations only."""
    if isinstance(schema, list):
        return [_inlined(part, schemas) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    target = schemas[str(schema["$ref"]).removeprefix(_HOME)] if "$ref" in schema else schema
    if "$ref" in schema and not target.keys() & {"properties", "enum"}:
        return _inlined(target, schemas)
    return {keyword: _inlined(part, schemas) for keyword, part in schema.items()}


def _declarations(roots: Any) -> Iterator[str]:
    """Yield the declarations of types and of what they refer to, each after its own parts."""
    declared = dict[str, None]()
    for name in roots:
        _declare(name, declared)
    for name in declared:
        yield _declaration(name, _schemas()[name])


def _declare(name: str, declared: dict[str, None]) -> None:
    if name in declared:
        return
    for used in _used(_schemas()[name]):
        _declare(used, declared)
    declared[name] = None


def _used(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix(_HOME)
        for key, value in schema.items():
            if key not in ("examples", "example"):
                yield from _used(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _used(value)


def _declaration(name: str, schema: _Schema) -> str:
    if "properties" not in schema:
        line = f"{name}: TypeAlias = {_type(schema)}"
        return line if len(line) <= _MAX_LINE else line.replace("= ", "= (\n    ", 1) + "\n)"
    assert not any(keyword.iskeyword(field) for field in schema["properties"])
    required = schema.get("required", ())
    fields = []
    for field, described in schema["properties"].items():
        type_ = _type(described)
        fields.append(f"    {field}: {type_ if field in required else f'NotRequired[{type_}]'}")
    return "\n".join(
        [f"class {name}(TypedDict):", f'    """{_summary(name, schema)}"""', "", *fields]
    )


def _summary(name: str, schema: _Schema) -> str:
    """Return the description of a short one, else the words of the name."""
    description = str(schema.get("description", ""))
    if 0 < len(description) <= _MAX_SUMMARY and "`" not in description:
        return description
    words = _WORD.findall(name)
    return " ".join([words[0], *map(str.lower, words[1:])]) + "."


def _type(schema: _Schema) -> str:
    """Return the annotation of a schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_HOME)
    for alternatives in ("anyOf", "oneOf"):
        if alternatives in schema:
            names = " | ".join(map(_type, schema[alternatives])).split(" | ")
            return " | ".join(sorted(dict.fromkeys(names), key=lambda name: name == "None"))
    if "enum" in schema:
        texts = ", ".join(f'"{value}"' for value in schema["enum"] if value is not None)
        return f"Literal[{texts}]" + " | None" * (None in schema["enum"])
    if "const" in schema:
        constant = schema["const"]
        return f"Literal[{constant if constant is True else json.dumps(constant)}]"
    types = schema.get("type", "object")
    names = [types] if isinstance(types, str) else types
    return " | ".join(_named(name, schema) for name in names)


def _named(name: str, schema: _Schema) -> str:
    return f"list[{_type(schema['items'])}]" if name == "array" else _SCALARS[name]
