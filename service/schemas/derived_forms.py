"""Forms of items that follow from others: named by their own key, or naming only what changes.

A file's ``x-own-key`` is the field by which the customer's own systems know its records, each once
within the record that ``x-own-key-within`` refers to, where the file says so.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

OWN_KEY: Final = "x-own-key"
WITHIN: Final = "x-own-key-within"
_KEY: Final[Schema] = {"$ref": "common/scalars.json#/$defs/keyOfItem"}
_NO_ID: Final[Schema] = {"$ref": "common/scalars.json#/$defs/readOnly"}


def with_derived(file: Schema) -> Schema:
    """A schema file with what follows from its definitions; one without items as it is."""
    forms = file.get("$defs", {})
    if "item" in forms:
        forms |= dict(_derived(forms, file.get(OWN_KEY), file.get(WITHIN)))
    return file


def _derived(
    forms: dict[str, Schema], key: str | None, within: str | None
) -> Iterator[tuple[str, Schema]]:
    """The derived forms by name; those by key only of records that have one."""
    bulk, item = forms["bulkReplace"], forms["item"]
    by_id = {"id": item["properties"]["id"]}
    yield "mergeItem", _partly(forms["replace"], ["id"], by_id)
    yield "bulkMerge", _list_of("mergeItem", bulk)
    if key:
        needed, named = [key, within] if within else [key], {"id": _NO_ID, key: _KEY}
        yield "keyedItem", _by_key(item, needed, named)
        yield "bulkReplaceByKey", _list_of("keyedItem", bulk)
        yield "keyedMergeItem", _partly(forms["replace"], needed, named)
        yield "bulkMergeByKey", _list_of("keyedMergeItem", bulk)


def _by_key(item: Schema, needed: list[str], named: Schema) -> Schema:
    """An item that has its own key instead of an id."""
    return {
        **item,
        "description": "An item that its own key names; without an `id`.",
        "required": [*needed, *(n for n in item["required"] if n not in ("id", *needed))],
        "properties": {**item["properties"], **named},
    }


def _partly(replace: Schema, needed: list[str], named: Schema) -> Schema:
    """What changes of a record that is named; what is not sent stays."""
    kept = {keyword: replace[keyword] for keyword in replace if keyword != "examples"}
    return {
        **kept,
        "description": "What changes of a record (RFC 7396): null takes a value away.",
        "required": needed,
        "properties": {**replace.get("properties", {}), **named},
    }


def _list_of(item: str, bulk: Schema) -> Schema:
    return {**bulk, "items": {"$ref": f"#/$defs/{item}"}}
