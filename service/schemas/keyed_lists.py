"""Keyed lists: lists of entries that merge patches take as objects by the entries' keys, too.

Merge forms get the object as an alternative of each such list (contract, Merges).
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import urljoin

from service.schemas.key_forms import Schema

MERGE_KEY: Final = "x-merge-key"
"""Keyword of entries: the members by which merges name them, if they are not derived.

By default they are the single members by which entries are matched, else the first member.
"""
MERGE_BASE: Final = "x-merge-base"
"""Keyword of entries without keys: members that the entry with the key ``BASE`` leaves open."""
BASE: Final = "base"
_FORMS: Final = ("merge", "mergeItem", "keyedMergeItem")
_BY_KEY: Final[Schema] = {"$ref": "common/scalars.json#/$defs/entriesByKey"}


def with_keyed_lists(files: dict[str, Schema]) -> dict[str, Schema]:
    """Add the alternatives to the merge forms of schema files, in place; return the files."""
    for name, file in files.items():
        forms = file.get("$defs", {})
        writable = forms.get("writable", {}).get("properties", {})
        for each in forms.keys() & _FORMS:
            lists = {
                field: _alternatives(schema)
                for field, schema in _properties(files, forms[each], name).items()
                if field in writable and _is_keyed(files, schema, name)
            }
            if lists:
                forms[each] = _without(forms, forms[each], lists)
                forms[each]["properties"] = forms[each].get("properties", {}) | lists
    return files


def _without(forms: dict[str, Schema], form: Schema, fields: Schema) -> Schema:
    """Return the form with the fields that it narrows taken from a copy that allows any value."""
    if "$ref" not in form:
        return {**form}
    source = form["$ref"].removeprefix("#/$defs/")
    copy = f"merge{source[0].upper()}{source[1:]}"
    forms[copy] = forms[source] | {
        "properties": forms[source]["properties"] | dict.fromkeys(fields, True)
    }
    return form | {"$ref": f"#/$defs/{copy}"}


def _alternatives(schema: Schema) -> Schema:
    beside = {keyword: schema[keyword] for keyword in schema if keyword == "description"}
    rest = {keyword: schema[keyword] for keyword in schema if keyword != "description"}
    return {"anyOf": [rest, _BY_KEY], **beside}


def _is_keyed(files: Mapping[str, Schema], schema: Any, home: str) -> bool:
    """Return whether the schema is that of a list of objects that merges can name."""
    return any(
        _properties(files, part["items"], part_home)
        for part, part_home in _chain(files, schema, home)
        if isinstance(part.get("items"), dict)
    )


def _properties(files: Mapping[str, Schema], schema: Any, home: str) -> dict[str, Any]:
    """Return the properties of a schema and of those that it narrows."""
    properties: dict[str, Any] = {}
    for part, _ in _chain(files, schema, home):
        properties = part.get("properties", {}) | properties
    return properties


@cache
def file_at(path: str, home: str) -> str:
    """Return the schema file that the path of a reference leads to, from the file ``home``."""
    return urljoin(home, path.removesuffix(".json")) if path else home


def _chain(files: Mapping[str, Schema], schema: Any, home: str) -> Iterator[tuple[Schema, str]]:
    """Yield the schema and those that its ``$ref`` leads to, each with its file."""
    while isinstance(schema, dict):
        yield schema, home
        path, _, name = schema.get("$ref", "").partition("#/$defs/")
        home = file_at(path, home)
        schema = files[home]["$defs"][name] if name else None
