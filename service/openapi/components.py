"""The schema files as OpenAPI components: same content, references rewritten."""

from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urljoin

from service import schemas
from service.schemas.definitions import Schema

_BESIDE_REFERENCE = frozenset({"$ref", "description", "x-filter-only", "x-stored"})
"""What may stand beside a reference without narrowing what it names."""


def name_of(file: str, definition: str = "") -> str:
    """The component's name: ``Color`` for a document, ``ColorBulkCreate``, ``Pagination``.

    Raises KeyError where the schema file does not exist.
    """
    title = "" if file.startswith("common/") and definition else schemas.load()[file]["title"]
    words = title.replace("-", " ").split()
    part = "" if definition == "document" else definition[:1].upper() + definition[1:]
    return "".join(word[:1].upper() + word[1:] for word in words) + part


def reference(file: str, definition: str = "") -> Schema:
    """A reference to the component of a definition, or of a whole file."""
    return {"$ref": f"#/components/schemas/{name_of(file, definition)}"}


@cache
def components() -> dict[str, Schema]:
    """Every definition of every schema file, by component name."""
    return {name_of(file, name): _rewritten(file, schema) for file, name, schema in _definitions()}


def _definitions() -> Iterator[tuple[str, str, Schema]]:
    for file, schema in schemas.load().items():
        if "type" in schema:
            yield file, "", {key: schema[key] for key in schema if key[0] != "$"}
        for name, definition in schema["$defs"].items():
            yield file, name, definition


def _rewritten(file: str, schema: Any) -> Any:
    """The schema with references to components.

    A reference beside keywords that narrow it becomes an ``allOf``, which means the same and is
    what viewers of OpenAPI documents show in full.
    """
    if isinstance(schema, list):
        return [_rewritten(file, part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    own = {
        key: value if key == "examples" else _rewritten(file, value)
        for key, value in schema.items()
        if key != "$ref"
    }
    if not isinstance(schema.get("$ref"), str):
        return own
    path, _, definition = schema["$ref"].partition("#/$defs/")
    target = reference(urljoin(file, path.removesuffix(".json")) if path else file, definition)
    return {"allOf": [target]} | own if schema.keys() - _BESIDE_REFERENCE else target | own
