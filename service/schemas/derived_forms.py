"""Derived forms: schemas of merges, items with own keys and bulk bodies, added to each schema file.

They are ``merge`` and ``mergeItem``, for records with an own key ``keyedFields``, ``keyedItem`` and
``keyedMergeItem``, and with ``x-bulk-items`` the arrays of the forms of items (``_BULK``). For
files with ``fields``, ``itemFields`` adds ``ifMatch`` to these, and ``item`` and ``mergeItem`` take
it. Keyed items can have ``newKey``, unless their own key is a reference or fixed.

``x-own-key`` in a schema file names the field with the customer's own key: a text, or a reference.
Keys identify a record of the collection, or one within the record that the field named by
``x-own-key-within`` refers to.
``x-item-id`` names the field with the id of an item's record, if it is not ``id``.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from service.schemas.key_forms import OWN_KEY, WITHIN, required_reference
from service.schemas.write_forms import BULK_ITEMS, FIXED

Schema: TypeAlias = dict[str, Any]

ITEM_ID: Final = "x-item-id"
"""Keyword of a schema file: field with the id of an item's record."""
_BULK: Final = {
    "bulkCreate": "create",
    "bulkReplace": "item",
    "bulkMerge": "mergeItem",
    "bulkReplaceByKey": "keyedItem",
    "bulkMergeByKey": "keyedMergeItem",
}
"""Forms of bulk bodies, and of their items."""
_KEY: Final[Schema] = {"$ref": "common/scalars.json#/$defs/keyOfItem"}
_NO_ID: Final[Schema] = {"$ref": "common/scalars.json#/$defs/readOnly"}
_STATE: Final[Schema] = {"$ref": "common/scalars.json#/$defs/state"}
_DELETED: Final[Schema] = {"$ref": "common/scalars.json#/$defs/deleted"}
IF_MATCH: Final = "ifMatch"
"""Member of an item with the entity tag that its record must have."""
_IF_MATCH: Final[Schema] = {IF_MATCH: {"$ref": "common/scalars.json#/$defs/ifMatch"}}
_NEW_KEY: Final[Schema] = {
    "description": "The own key that the record gets instead. Not beside `state` `deleted`.",
    "minLength": 1,
}
_IS_DELETION: Final[Schema] = {"required": ["state"], "properties": {"state": {"const": "deleted"}}}
"""Condition of an item that deletes its record."""


def with_derived(file: Schema) -> Schema:
    """Add the derived forms to a schema file, in place; return the file.

    ``merge`` needs a form ``replace`` that is no list, and does not override one in the file. The
    others need a form ``item``; other files stay unchanged.
    """
    forms = file.get("$defs", {})
    if forms.get("replace", {}).get("type") != "array" and "replace" in forms:
        forms.setdefault("merge", _merge_item(forms["replace"], [], {}))
    if "item" in forms:
        forms |= dict(_derived(forms, file.get(ITEM_ID, "id"), file.get(OWN_KEY), file.get(WITHIN)))
    if file.get(BULK_ITEMS):
        array = {"type": "array", "minItems": 1, "maxItems": file[BULK_ITEMS]}
        arrays = {bulk: array | {"items": {"$ref": f"#/$defs/{_BULK[bulk]}"}} for bulk in _BULK}
        forms |= {bulk: arrays[bulk] for bulk in _BULK if _BULK[bulk] in forms}
    return file


def _derived(
    forms: dict[str, Schema], item_id: str, key: str | None, within: str | None
) -> Iterator[tuple[str, Schema]]:
    """Yield the derived forms by name, and the new ``item``; keyed forms only with an own key."""
    item = forms["item"]
    by_id = {item_id: item["properties"][item_id]}
    merge_item = _merge_item(forms.get("replace", item), [item_id], by_id)
    if "fields" in forms:
        fields: Schema = forms["fields"]["properties"] | {IF_MATCH: True}
        yield "itemFields", {**forms["fields"], "properties": fields}
        item = _on_fields("itemFields", {**item, "properties": item["properties"] | _IF_MATCH})
        merge_item["properties"] |= _IF_MATCH
        merge_item = _on_fields("itemFields", merge_item)
    yield "item", item
    yield "mergeItem", merge_item
    if key:
        yield from _keyed(forms, item, key, [key, within] if within else [key])


def _keyed(
    forms: dict[str, Schema], item: Schema, key: str, required: list[str]
) -> Iterator[tuple[str, Schema]]:
    """Yield the forms of items that have their own key instead of an id."""
    fields, state = forms["fields"], item["properties"].get("state", _STATE)
    properties = {"id": _NO_ID} | _IF_MATCH
    keyed_fields: Schema = {"state": True, IF_MATCH: True}
    references = {name: required_reference(forms, name) for name in required}
    properties |= {name: schema for name, schema in references.items() if schema is not None}
    if key not in properties:
        properties[key] = _KEY
        if FIXED not in fields["properties"][key]:
            keyed_fields["newKey"] = fields["properties"][key] | _NEW_KEY
    if "state" not in fields["properties"]:
        properties["state"] = state = _DELETED
    yield "keyedFields", {**fields, "properties": keyed_fields | fields["properties"]}
    yield "keyedItem", _on_fields("keyedFields", _by_key(item, required, properties))
    merge_item = _merge_item(forms["replace"], required, {"state": state} | properties)
    yield "keyedMergeItem", _on_fields("keyedFields", merge_item)


def _on_fields(name: str, form: Schema) -> Schema:
    """Return a form whose members are the named fields."""
    return {**form, "$ref": f"#/$defs/{name}"}


def _by_key(item: Schema, required: list[str], properties: Schema) -> Schema:
    """Return the schema of an item that has its own key instead of an id.

    An item that deletes its record needs only the key and the state.
    """
    rest = [name for name in item["required"] if name not in ("id", *required)]
    return {
        **({"if": _IS_DELETION, "else": {"required": rest}} if rest else {}),
        **item,
        "description": "Item identified by its own key, without an `id`. An item with `state` "
        "`deleted` needs only its key.",
        "required": required,
        "properties": {**item["properties"], **properties},
    }


def _merge_item(replace: Schema, required: list[str], properties: Schema) -> Schema:
    """Return the schema of a merge patch (RFC 7396): ``replace``, with other required fields.

    ``required`` are the fields that identify the record, if any; ``properties`` are added to those
    of ``replace`` or override them.
    """
    others = ("examples", "description")
    schema = {keyword: replace[keyword] for keyword in replace if keyword not in others}
    return {
        **schema,
        "required": required,
        "properties": {**replace.get("properties", {}), **properties},
    }
