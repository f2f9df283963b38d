"""Items of bulk writes in the OpenAPI document: one schema for items by id and by own key.

A client gets one type for one body. ``schemas/`` and the service are stricter: an item has its
``id``, or with ``match`` the fields of its own key and no ``id``.
"""

from collections.abc import Iterator
from typing import Final

from service import schemas
from service.openapi.components import definition, name_of
from service.schemas.definitions import Schema

_FORMS: Final = {"item": "keyedItem", "mergeItem": "keyedMergeItem"}
"""Forms of items by id, and of the same items by own key."""


def items() -> dict[str, Schema]:
    """Return the schemas of the items of all collections with own keys, by component name."""
    return {
        name_of(file, form): _either(definition(file, form), definition(file, keyed))
        for file, form, keyed in _with_keys()
    }


def _with_keys() -> Iterator[tuple[str, str, str]]:
    for file, schema in schemas.load().items():
        for form, keyed in _FORMS.items():
            if keyed in schema["$defs"]:
                yield file, form, keyed


def _either(by_id: Schema, by_key: Schema) -> Schema:
    """Return the schema of an item of either form: only fields that both require are required.

    By key, items of a merge can delete records, too, so ``state`` is that of the keyed form.
    """
    fields = by_key["properties"] | by_id["properties"]
    if "state" in by_key["properties"]:
        fields["state"] = by_key["properties"]["state"]
    rest = {key: by_id[key] for key in by_id if key not in ("description", "required")}
    required = [name for name in by_id["required"] if name in by_key["required"]]
    return rest | {"properties": fields} | ({"required": required} if required else {})
