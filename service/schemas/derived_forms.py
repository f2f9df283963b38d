"""Derived forms: schemas of merge items and of items with their own key, made from other forms.

``x-own-key`` in a schema file names the field with the customer's own key. Keys are unique in the
collection, or within the record that the field named by ``x-own-key-within`` refers to.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

OWN_KEY: Final = "x-own-key"
WITHIN: Final = "x-own-key-within"
_KEY: Final[Schema] = {"$ref": "common/scalars.json#/$defs/keyOfItem"}
_NO_ID: Final[Schema] = {"$ref": "common/scalars.json#/$defs/readOnly"}


def with_derived(file: Schema) -> Schema:
    """Add the derived forms to a schema file that has items; return the file."""
    forms = file.get("$defs", {})
    if "item" in forms:
        forms |= dict(_derived(forms, file.get(OWN_KEY), file.get(WITHIN)))
    return file


def _derived(
    forms: dict[str, Schema], key: str | None, within: str | None
) -> Iterator[tuple[str, Schema]]:
    """Yield the derived forms by name; keyed forms only if the records have an own key."""
    bulk, item = forms["bulkReplace"], forms["item"]
    by_id = {"id": item["properties"]["id"]}
    yield "mergeItem", _merge_item(forms["replace"], ["id"], by_id)
    yield "bulkMerge", _list_of("mergeItem", bulk)
    if key:
        required, properties = [key, within] if within else [key], {"id": _NO_ID, key: _KEY}
        yield "keyedItem", _by_key(item, required, properties)
        yield "bulkReplaceByKey", _list_of("keyedItem", bulk)
        yield "keyedMergeItem", _merge_item(forms["replace"], required, properties)
        yield "bulkMergeByKey", _list_of("keyedMergeItem", bulk)


def _by_key(item: Schema, required: list[str], properties: Schema) -> Schema:
    """Return the schema of an item that has its own key instead of an id."""
    return {
        **item,
        "description": "Item identified by its own key, without an `id`.",
        "required": [*required, *(n for n in item["required"] if n not in ("id", *required))],
        "properties": {**item["properties"], **properties},
    }


def _merge_item(replace: Schema, required: list[str], properties: Schema) -> Schema:
    """Return the schema of a merge patch of an identified record (RFC 7396)."""
    schema = {keyword: replace[keyword] for keyword in replace if keyword != "examples"}
    return {
        **schema,
        "description": "Merge patch of a record (RFC 7396). Null clears a field; omitted fields "
        "keep their values.",
        "required": required,
        "properties": {**replace.get("properties", {}), **properties},
    }


def _list_of(item: str, bulk: Schema) -> Schema:
    return {**bulk, "items": {"$ref": f"#/$defs/{item}"}}
