"""The hand-written JSON Schemas, the one statement of every field's name, type and limits."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias
from urllib.parse import urljoin

import orjson

from service.files import SCHEMAS
from service.schemas.derived_forms import OWN_KEY, WITHIN, with_derived

Schema: TypeAlias = dict[str, Any]

BASE = "https://example.com/selvedge/schemas/"


@cache
def load() -> dict[str, Schema]:
    """Every schema file by its path without ``.json``: ``colors``, ``common/scalars``."""
    return {
        path.relative_to(SCHEMAS).with_suffix("").as_posix(): with_derived(
            orjson.loads(path.read_bytes())
        )
        for path in sorted(SCHEMAS.rglob("*.json"))
    }


def reference(file: str, name: str | None) -> str:
    """The absolute reference to a file, or to a definition in it, for validators."""
    return f"{BASE}{file}.json#" + (f"/$defs/{name}" if name else "")


def whole(file: str) -> "ResolvedSchema":
    """The schema that a file is as a whole."""
    return ResolvedSchema(load()[file], file)


@cache
def definition(collection: str, name: str) -> "ResolvedSchema":
    """A definition of a collection's file, with its ``$ref`` followed."""
    return ResolvedSchema(load()[collection]["$defs"][name], collection).resolved()


def key_fields(collection: str) -> tuple[str, ...]:
    """The own key of a collection's records, if they have one, and what it names them within."""
    file = load()[collection]
    return tuple(file[keyword] for keyword in (OWN_KEY, WITHIN) if keyword in file)


@dataclass(frozen=True, eq=False)
class ResolvedSchema:
    """A schema and the file that its relative references start from.

    Requests are read by it, so each reference is followed once.
    """

    schema: Schema
    home: str

    def resolved(self) -> "ResolvedSchema":
        """The schema with its ``$ref`` chain merged in.

        What stands beside a ``$ref`` narrows what it names, so it comes on top.
        """
        if "$ref" not in self.schema:
            return self
        path, _, pointer = self.schema["$ref"].partition("#/$defs/")
        home = urljoin(self.home, path.removesuffix(".json")) if path else self.home
        base = ResolvedSchema(load()[home]["$defs"][pointer], home).resolved()
        own = {key: value for key, value in self.schema.items() if key != "$ref"}
        if "properties" in own and "properties" in base.schema:
            own["properties"] = base.schema["properties"] | own["properties"]
        return ResolvedSchema(base.schema | own, base.home)

    @cached_property
    def properties(self) -> "dict[str, ResolvedSchema]":
        """The resolved schema of each property by name, in the file's order."""
        properties = self.schema.get("properties", {})
        return {name: self._part(schema) for name, schema in properties.items()}

    @cached_property
    def items(self) -> "ResolvedSchema":
        """The resolved schema of an array's items."""
        return self._part(self.schema.get("items", {}))

    @cached_property
    def otherwise(self) -> "ResolvedSchema":
        """The resolved schema of what the ``if`` does not hold for."""
        return self._part(self.schema.get("else", {}))

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types that the schema allows, ``null`` among them."""
        named = self.schema.get("type", [])
        return frozenset([named] if isinstance(named, str) else named)

    def _part(self, schema: Any) -> "ResolvedSchema":
        """A schema within this one; those that are no object say nothing of their values."""
        return ResolvedSchema(schema if isinstance(schema, dict) else {}, self.home).resolved()
