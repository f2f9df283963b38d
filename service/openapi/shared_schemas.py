"""Shared schemas: fields that several component schemas repeat become components of their own."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

import orjson

from service.schemas.definitions import Schema

_HOME: Final = "#/components/schemas/"
_WORDS: Final = re.compile(r"[A-Z][a-z]*")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_LEAST: Final = 60
"""Length of the JSON text from which a field is worth a component: a reference has about as many
bytes."""


def with_shared_fields(components: dict[str, Schema]) -> dict[str, Schema]:
    """Return the components, with a reference in place of each schema that fields repeat."""
    owners = defaultdict[tuple[str, bytes], list[str]](list)
    for owner, field, schema in _fields(components):
        owners[field, orjson.dumps(schema)].append(owner)
    shared = dict[tuple[str, bytes], str]()
    added = dict[str, Schema]()
    for (field, text), names in owners.items():
        options = (
            owner + field[:1].upper() + field[1:] for owner in (_common_words(names), *names)
        )
        name = next((name for name in options if name not in components | added), "")
        if len(names) > 1 and name:
            shared[field, text], added[name] = name, orjson.loads(text)
    return {name: _referring(schema, shared) for name, schema in components.items()} | added


def _fields(components: dict[str, Schema]) -> Iterator[tuple[str, str, Schema]]:
    """Yield the component, the name and the schema of each field that could be shared."""
    for name, schema in components.items():
        for field, value in schema.get("properties", {}).items():
            is_named = "$ref" in value or not _LETTERS.fullmatch(field)
            if not is_named and len(orjson.dumps(value)) > _LEAST:
                yield name, field, value


def _common_words(names: list[str]) -> str:
    """Return the words that all names begin with: ``Color`` of ``ColorCreate``, ``ColorMerge``."""
    columns = zip(*map(_WORDS.findall, names), strict=False)
    return "".join(words[0] for words in takewhile(lambda words: len({*words}) == 1, columns))


def _referring(schema: Schema, shared: dict[tuple[str, bytes], str]) -> Schema:
    if "properties" not in schema:
        return schema
    properties = {
        field: {"$ref": _HOME + name}
        if (name := shared.get((field, orjson.dumps(value))))
        else value
        for field, value in schema["properties"].items()
    }
    return schema | {"properties": properties}
