"""Schema definitions: the JSON Schemas of ``schemas/``, loaded once, and access to their parts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, TypeAlias
from urllib.parse import urljoin

import orjson

from service.files import SCHEMAS
from service.schemas.derived_forms import ITEM_ID, with_derived
from service.schemas.key_forms import OWN_KEY, WITHIN, with_key_forms
from service.schemas.keyed_lists import file_at, with_keyed_lists
from service.schemas.vocabulary import FOLDER
from service.schemas.write_forms import with_write_forms

Schema: TypeAlias = dict[str, Any]

TABLE: Final = "x-table"
"""Keyword of a schema file: table of the records, if the title does not name it."""
BASE = "https://example.com/selvedge/schemas/"
"""Beginning of each file's ``$id``."""
_REFERENCE: Final = re.compile('"\\$ref":"([^"]+)"')


@cache
def load() -> dict[str, Schema]:
    """Return every schema file by its path without ``.json``: ``colors``, ``common/scalars``.

    The derived forms and the forms of key objects are added to its definitions. The files are read
    once per process; callers must not change the result.
    """
    paths = {
        path.relative_to(SCHEMAS).with_suffix("").as_posix(): path
        for path in sorted(SCHEMAS.rglob("*.json"))
        if path.parent != FOLDER
    }
    files = with_write_forms(
        {name: orjson.loads(path.read_bytes()) for name, path in paths.items()}
    )
    return with_keyed_lists(
        {name: with_derived(with_key_forms(file, name)) for name, file in files.items()}
    )


def reference(file: str, name: str | None) -> str:
    """Return the absolute ``$ref`` of a file, or of a definition in it, for validators."""
    return f"{BASE}{file}.json#" + (f"/$defs/{name}" if name else "")


def excerpts(references: Iterable[str]) -> dict[str, Schema]:
    """Return the files that absolute references lead to, without other definitions, by ``$id``."""
    files, pending, seen = dict[str, Schema](), [*references], set[str]()
    while pending:
        if (url := pending.pop()) not in seen:
            seen.add(url)
            home, _, pointer = url.partition("#")
            file = load()[home.removeprefix(BASE).removesuffix(".json")]
            excerpt = files.setdefault(home, {"$defs": {}})
            if name := pointer.removeprefix("/$defs/"):
                excerpt["$defs"][name] = part = file["$defs"][name]
            else:
                excerpt |= (part := file) | {"$defs": excerpt["$defs"]}
            texts = _REFERENCE.findall(orjson.dumps(part).decode())
            pending += [urljoin(url, text) for text in texts]
    return files


def whole(file: str) -> "ResolvedSchema":
    """Return the schema of a whole file; its own ``$ref``, if any, is not resolved."""
    return ResolvedSchema(load()[file], file)


@cache
def definition(collection: str, name: str) -> "ResolvedSchema":
    """Return a definition of a file, with its ``$ref`` resolved, cached.

    Raise KeyError if there is no such file or definition.
    """
    return ResolvedSchema(load()[collection]["$defs"][name], collection).resolved()


def key_fields(collection: str) -> tuple[str, ...]:
    """Return the fields of a collection's own key: none, the key, or the key and its scope.

    The scope is the reference to the parent within which keys are looked up.
    """
    file = load()[collection]
    return tuple(file[keyword] for keyword in (OWN_KEY, WITHIN) if keyword in file)


def table(collection: str) -> str:
    """Return the table of a collection: ``x-table`` of its file, by default named by the title."""
    file = load()[collection]
    return str(file.get(TABLE) or re.sub(r"\W", "_", file["title"].lower()))


def item_id(collection: str) -> str:
    """Return the field of a collection's documents and items with the id: ``id`` by default."""
    return str(load()[collection].get(ITEM_ID, "id"))


@dataclass(frozen=True, eq=False)
class ResolvedSchema:
    """Schema, and the file that its relative references start from.

    ``properties`` and ``items`` are resolved: each ``$ref`` is merged in. A schema
    made by the constructor is not until ``resolved`` is called. Validation uses schemas for each
    request, so these parts are cached.
    """

    schema: Schema
    home: str
    """Schema file without ``.json``."""

    def resolved(self) -> "ResolvedSchema":
        """Return the schema with its ``$ref`` chain merged in; itself if there is nothing to merge.

        Keywords beside a ``$ref`` narrow the referenced schema, so they override its keywords;
        properties are merged by name. An ``anyOf`` without ``type``, which is a reference to a
        record, also gets the keywords of its first alternative, the id.
        """
        if "$ref" not in self.schema:
            if "anyOf" not in self.schema or "type" in self.schema:
                return self
            first = self._part(self.schema["anyOf"][0])
            return ResolvedSchema(first.schema | self.schema, self.home)
        path, _, pointer = self.schema["$ref"].partition("#/$defs/")
        home = file_at(path, self.home)
        base = ResolvedSchema(load()[home]["$defs"][pointer], home).resolved()
        own = {key: value for key, value in self.schema.items() if key != "$ref"}
        if "properties" in own and "properties" in base.schema:
            own["properties"] = base.schema["properties"] | {
                name: _narrowed(base.schema["properties"].get(name), schema)
                for name, schema in own["properties"].items()
            }
        return ResolvedSchema(base.schema | own, base.home)

    @cached_property
    def properties(self) -> "dict[str, ResolvedSchema]":
        """Return the resolved schema of each property by name, in the file's order.

        They include the properties of the ``anyOf`` alternatives, but not those of ``else``.
        """
        properties = self.schema.get("properties", {})
        resolved = {name: self._part(schema) for name, schema in properties.items()}
        for alternative in self.schema.get("anyOf", ()):
            resolved |= self._part(alternative).properties
        return resolved

    @cached_property
    def items(self) -> "ResolvedSchema":
        """Return the resolved schema of an array's items; an empty one without it.

        With ``anyOf`` they are those of its first alternative, which may be of another file.


        References of an alternative's items start from its own file.
        """
        if "anyOf" in self.schema:
            return self._part(self.schema["anyOf"][0]).items
        first = self._part(self.schema.get("anyOf", [{}])[0])
        return first.items if "items" in first.schema else self._part(self.schema.get("items", {}))

    @cached_property
    def types(self) -> frozenset[str]:
        """Return the JSON types of the keyword ``type``, ``null`` included; empty without it."""
        types = self.schema.get("type", [])
        return frozenset([types] if isinstance(types, str) else types)

    def _part(self, schema: Any) -> "ResolvedSchema":
        """Return a resolved subschema; a boolean schema becomes an empty one."""
        return ResolvedSchema(schema if isinstance(schema, dict) else {}, self.home).resolved()


def _narrowed(general: Any, own: Any) -> Any:
    """Return a property that two schemas describe, with the keywords of both; ``own`` wins.

    If either has a ``$ref`` or is not an object, it is ``own`` alone.
    """
    both = isinstance(general, dict) and isinstance(own, dict)
    return general | own if both and "$ref" not in {**general, **own} else own
