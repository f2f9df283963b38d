"""Entries of the change feed in the OpenAPI document: one schema for each collection.

The constant ``collection`` tells them apart, so that typed clients know the form of ``document``.
Webhooks send the same entries. In ``schemas/`` there is one form for all collections.
"""

from typing import Final

from service.openapi.components import definition, name_of, named, reference
from service.resources import registry
from service.schemas.definitions import Schema

_FILE: Final = "changes"
_BASE: Final = "Entry"
"""Name of the component with the members that do not depend on the collection."""
_OWN: Final = ("collection", "document")


def entries() -> dict[str, Schema]:
    """Return the schemas of entries by component name: of all collections, and what they share."""
    change = definition(_FILE, "document")
    names = {
        collection: name_of(resource.name, "document") + "Change"
        for collection, resource in registry.CHANGES.resources.items()
    }
    return {
        name_of(_FILE, "document"): {
            "oneOf": [named(name) for name in names.values()],
            "examples": change["examples"],
        },
        _BASE: {
            "type": "object",
            "required": [name for name in change["required"] if name not in _OWN],
            "properties": {
                name: schema for name, schema in change["properties"].items() if name not in _OWN
            },
        },
        **{names[collection]: _entry(collection) for collection in names},
    }


def _entry(collection: str) -> Schema:
    """Return the schema of a collection's entries."""
    document = reference(registry.CHANGES.resources[collection].name, "document")
    own: Schema = {
        "collection": {"type": "string", "const": collection},
        "document": {"anyOf": [document, {"type": "null"}]},
    }
    return {
        "allOf": [named(_BASE), {"required": ["collection"], "properties": own}],
        "unevaluatedProperties": False,
    }
