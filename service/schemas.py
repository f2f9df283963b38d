"""The hand-written JSON Schemas, the one statement of every field's name, type and limits."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import urljoin

import orjson

from service.files import SCHEMAS

Schema: TypeAlias = dict[str, Any]

BASE = "https://example.com/selvedge/schemas/"


@cache
def load() -> dict[str, Schema]:
    """Every schema file by its path without ``.json``: ``colors``, ``common/scalars``."""
    return {
        path.relative_to(SCHEMAS).with_suffix("").as_posix(): orjson.loads(path.read_bytes())
        for path in sorted(SCHEMAS.rglob("*.json"))
    }


def reference(file: str, definition: str | None) -> str:
    """The absolute reference to a file, or to a definition in it, for validators."""
    return f"{BASE}{file}.json" + (f"#/$defs/{definition}" if definition else "")


def whole(file: str) -> "Located":
    """The schema that a file is as a whole."""
    return Located(load()[file], file)


def definition(collection: str, name: str) -> "Located":
    """A definition of a collection's file, with its ``$ref`` followed."""
    return Located(load()[collection]["$defs"][name], collection).resolved()


@dataclass(frozen=True, slots=True)
class Located:
    """A schema and the file that its relative references start from."""

    schema: Schema
    home: str

    def resolved(self) -> "Located":
        """The schema with its ``$ref`` chain merged in.

        What stands beside a ``$ref`` narrows what it names, so it comes on top.
        """
        if "$ref" not in self.schema:
            return self
        path, _, pointer = self.schema["$ref"].partition("#/$defs/")
        home = urljoin(self.home, path.removesuffix(".json")) if path else self.home
        base = Located(load()[home]["$defs"][pointer], home).resolved()
        own = {key: value for key, value in self.schema.items() if key != "$ref"}
        if "properties" in own and "properties" in base.schema:
            own["properties"] = base.schema["properties"] | own["properties"]
        return Located(base.schema | own, base.home)

    def properties(self) -> Iterator[tuple[str, "Located"]]:
        """Name and resolved schema of each property, in the file's order."""
        for key, schema in self.schema.get("properties", {}).items():
            located = Located(schema if isinstance(schema, dict) else {}, self.home)
            yield key, located.resolved()

    def items(self) -> "Located":
        """The resolved schema of an array's items."""
        return Located(self.schema.get("items", {}), self.home).resolved()

    def types(self) -> frozenset[str]:
        """The JSON types that the schema allows, ``null`` among them."""
        named = self.schema.get("type", [])
        return frozenset([named] if isinstance(named, str) else named)
