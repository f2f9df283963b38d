"""Key forms: objects with own keys, which writes accept in place of the ids of other records.

``x-refers-to`` in a schema file names the collection of a field with ids. Such a field accepts an
id, or an object of the form ``key`` of that collection's file (contract, References). Entries of
nested lists, such as sizes, have key forms of their own.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

REFERS_TO: Final = "x-refers-to"
"""Keyword of a field with ids: collection or nested list that they are of."""
KEEPS_DELETED: Final = "x-keeps-deleted"
"""Keyword of a reference: live records may have it while its record is deleted."""
OWN_KEY: Final = "x-own-key"
"""Keyword of a schema file: field with the customer's own key."""
WITHIN: Final = "x-own-key-within"
"""Keyword of a schema file: field that refers to the record within which own keys are looked up."""
WITHIN_STYLE: Final = "x-within-style"
"""Keyword of a reference: key objects without a parent are looked up within the item's style."""
ALWAYS_UNIQUE: Final = "x-always-unique"
"""Keyword of a schema file: keys that no two live records share, as lists of field and parent."""
_KEY, _KEY_ALONE = "key", "keyWithin"
_KEY_TEXT: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "\\S"}
_FORMS_OF_LISTS: Final = {
    "size-ranges/sizes": (
        "size-range-sizes.json#/$defs/key",
        "size-range-sizes.json#/$defs/keyBySizeId",
    ),
    "styles/measurement-chart": ("measurement-charts.json#/$defs/key",),
    "style-custom-fields/allowedValues": ("style-custom-fields.json#/$defs/allowedValueKey",),
}
"""Key forms of entries of nested lists, by the path of the list."""
_FORMS_WITHIN: Final = {
    "size-ranges/sizes": (
        "size-range-sizes.json#/$defs/relatedKey",
        "size-range-sizes.json#/$defs/relatedSizeId",
    )
}
"""Those in which the parent is optional."""
_IDS: Final = ("/id", "/idOrNull")
"""Ends of the ``$ref`` of an id."""


def with_key_forms(file: Schema, name: str) -> Schema:
    """Add the key form of a collection to its schema file, and key forms to its references.

    Change the file in place and return it. ``name`` is its path without ``.json``. A file without
    an own key gets no form ``key``; its references get theirs.
    """
    above = "../" * name.count("/")
    file["$defs"] = {
        form: _with_references(schema, above) for form, schema in file.get("$defs", {}).items()
    }
    if OWN_KEY in file:
        file["$defs"][_KEY] = _key_form(file)
    if WITHIN in file:
        description = f"The same; without `{file[WITHIN]}` it is one of the same style."
        optional = {"description": description, "required": [file[OWN_KEY]]}
        file["$defs"][_KEY_ALONE] = file["$defs"][_KEY] | optional
    return file


def _key_form(file: Schema) -> Schema:
    """Return the schema of an object with the own key of a record, and its scope if it has one."""
    names = [file[keyword] for keyword in (OWN_KEY, WITHIN) if keyword in file]
    properties = {name: required_reference(file["$defs"], name) or _KEY_TEXT for name in names}
    return {
        "description": f"A {file['title'].lower()}, identified by its own key.",
        "type": "object",
        "additionalProperties": False,
        "required": [*properties],
        "properties": properties,
    }


def required_reference(forms: Schema, name: str) -> Schema | None:
    """Return the schema of a reference as creates require it; None if the field is no reference.

    ``forms`` are the definitions of the schema file. Replaces of some records accept null for a
    reference that is fixed at creation.
    """
    for form in ("create", "fields"):
        schema: Schema = forms.get(form, {}).get("properties", {}).get(name, {})
        if REFERS_TO in schema:
            return schema
    return None


def _with_references(schema: Any, above: str) -> Any:
    """Return a copy of the schema with a key form beside the ids of each reference in it.

    ``above`` leads from the file's folder to ``schemas/``.
    """
    if isinstance(schema, list):
        return [_with_references(part, above) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {keyword: _with_references(part, above) for keyword, part in schema.items()}
    if isinstance(schema.get(REFERS_TO), str):
        if _is_id(schema):
            return _id_or_key(schema, _keys_of(schema, above))
        if _is_id(schema.get("items")):
            return schema | {"items": _id_or_key(schema["items"], _keys_of(schema, above))}
    return schema


def _keys_of(reference: Schema, above: str) -> list[str]:
    """Return the key forms that a reference accepts beside ids."""
    target, is_within = reference[REFERS_TO], WITHIN_STYLE in reference
    form, lists = (_KEY_ALONE, _FORMS_WITHIN) if is_within else (_KEY, _FORMS_OF_LISTS)
    return [above + key for key in lists.get(target, (f"{target}.json#/$defs/{form}",))]


def _is_id(schema: Any) -> bool:
    return isinstance(schema, dict) and str(schema.get("$ref", "")).endswith(_IDS)


def _id_or_key(schema: Schema, keys: Iterable[str]) -> Schema:
    """Return the schema of an id with key forms as its alternatives."""
    rest = {keyword: schema[keyword] for keyword in schema if keyword != "$ref"}
    return {"anyOf": [{"$ref": form} for form in (schema["$ref"], *keys)], **rest}
