"""Shared schemas: what several component schemas repeat becomes a component of its own.

These are the fields that all request forms of a collection have, and single fields.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

import orjson

from service.openapi.shared_components import SharedComponents
from service.schemas.definitions import Schema
from service.schemas.derived_forms import IF_MATCH

_HOME: Final = "#/components/schemas/"
_WORDS: Final = re.compile(r"[A-Z][a-z]*")
_LETTERS: Final = re.compile(r"[A-Za-z]+")


_FORMS: Final = ("Create", "Replace", "Merge", "Item", "MergeItem")
"""Endings of the names of request forms, which are those of one record."""
_COMPOSED: Final = ("type", "properties", "additionalProperties", "allOf")
"""Keywords of a form that its parts, or the form of ``allOf``, have in its place."""


def with_composed_forms(components: dict[str, Schema]) -> dict[str, Schema]:
    """Return the components, with request forms as ``allOf`` their common fields and the others.

    Both are components: ``ColorFields``, and ``Identity`` of items or ``Lifecycle``. A required
    field is repeated: without own properties hey-api takes no field as required. Forms of which one
    has no other fields stay as they are.
    """
    composed, parts = dict[str, Schema](), _OwnParts()
    for title in components:
        forms = {
            title + form: components[title + form]
            for form in _FORMS
            if "properties" in components.get(title + form, {})
        }
        common = _common_properties([*forms.values()])
        if common and all(form["properties"].keys() != common.keys() for form in forms.values()):
            composed[f"{title}Fields"] = _object(common)
            for name, form in forms.items():
                own = parts.reference(title, name, form["properties"], common)
                composed[name] = _composed(form, {"$ref": f"{_HOME}{title}Fields"}, own)
    return components | composed | parts.shared.components()


def _composed(form: Schema, *parts: Schema) -> Schema:
    """Return a form as ``allOf`` the references to its parts."""
    rest = {key: form[key] for key in form if key not in _COMPOSED}
    if required := form.get("required"):
        rest |= _object({required[0]: form["properties"][required[0]]})
    all_of = [*parts, *form.get("allOf", ())]
    return {"allOf": all_of, **rest, "unevaluatedProperties": False}


class _OwnParts:
    """Components of the fields that single forms have beside the common ones."""

    def __init__(self) -> None:
        self.shared = SharedComponents("schemas")
        self._names = dict[bytes, str]()

    def reference(self, title: str, form: str, properties: Schema, common: Schema) -> Schema:
        """Return a reference to the part of a form, under the shortest name that is free."""
        own = {key: properties[key] for key in sorted(properties) if key not in common}
        kind, part = "Identity" if IF_MATCH in own else "Lifecycle", _object(own)
        options = (kind, title + kind, form + kind)
        free = next(option for option in options if option not in self._names.values())
        return self.shared.reference(self._names.setdefault(orjson.dumps(part), free), part)


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def _common_properties(forms: list[Schema]) -> Schema:
    """Return the properties that all forms have with the same schema; {} without two forms."""
    first, *others = [form["properties"] for form in forms] or [{}]
    return {
        name: schema
        for name, schema in first.items()
        if others and all(other.get(name) == schema for other in others)
    }


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
        reference = len(orjson.dumps({"$ref": _HOME + name}))
        if name and len(names) * (len(text) - reference) > len(text) + len(name):
            shared[field, text], added[name] = name, orjson.loads(text)
    return {name: _referring(schema, shared) for name, schema in components.items()} | added


def _fields(components: dict[str, Schema]) -> Iterator[tuple[str, str, Schema]]:
    """Yield the component, the name and the schema of each field that could be shared."""
    for name, schema in components.items():
        for field, value in schema.get("properties", {}).items():
            if "$ref" not in value and _LETTERS.fullmatch(field):
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
