"""Composed schemas: items of bulk writes, and entries of changes and of transactions.

Callers send and get these with the fields of any collection; each has one schema, a union.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Any, Final

from service import schemas
from service.openapi.components import definition, name_of, named, reference
from service.openapi.envelopes import OUTCOMES
from service.resources.registry import CHANGES, EXPORTED, MIGRATION_VERIFICATION, TRANSACTION
from service.schemas.definitions import ResolvedSchema, Schema

_FORMS: Final = {"item": "keyedItem", "mergeItem": "keyedMergeItem"}
"""Forms of items by id, and of the same items by own key."""
_FILE: Final = "changes"
_BASE: Final = "Entry"
"""Name of the component with the members that do not depend on the collection."""
_OWN: Final = ("collection", "document")
_OPERATION: Final = "TransactionOperation"
_ALLOCATIONS: Final = schemas.load()["barcode-allocations"]["$defs"]
_MOST_NUMBERS: Final = (
    _ALLOCATIONS["allocations"]["maxItems"]
    * _ALLOCATIONS["create"]["properties"]["count"]["maximum"]
)
"""Maximum number of barcodes that a request allocates."""


def composed_schemas(collections: Set[str]) -> dict[str, Schema]:
    """Return the composed schemas of some collections by component name."""
    exported = {"type": "string", "enum": _chosen(collections, EXPORTED)}
    verified = {"type": "string", "enum": _chosen(collections, MIGRATION_VERIFICATION.collections)}
    return (
        _bulk_items()
        | {"ExportedCollection": exported, "VerifiedCollection": verified}
        | _changes(_chosen(collections, CHANGES.resources))
        | _transactions(_chosen(collections, TRANSACTION.collections))
    )


def _chosen(collections: Set[str], all_collections: Mapping[str, Any]) -> list[str]:
    """Return those of all collections that are chosen, or all if none is: no union is empty."""
    return [name for name in all_collections if name in collections] or [*all_collections]


def _bulk_items() -> dict[str, Schema]:
    """Return the schemas of the items of all collections with own keys, by component name."""
    return {
        name_of(file, form): _either(definition(file, form), definition(file, keyed))
        | ({"allOf": [{"anyOf": [*_alternatives(file, form, keyed)]}]} if form == "item" else {})
        for file, form, keyed in _with_keys()
    }


def _alternatives(file: str, *forms: str) -> Iterator[Schema]:
    """Yield what items of the forms require, each form alone and unless an item deletes.

    Items of merges have no alternatives: creates of a transaction have them, without id and key.
    """
    for form in forms:
        schema = ResolvedSchema(schemas.load()[file]["$defs"][form], file).resolved().schema
        required = schema["required"]
        if further := schema.get("else", {}).get("required"):
            deleted = {"state": reference("common/scalars", "deleted")}
            yield {"required": [*required, "state"], "properties": deleted}
            required = [*required, *further]
        yield {"required": [*dict.fromkeys(required)]}


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
    rest = {key: by_id[key] for key in by_id if key != "required"}
    required = [name for name in by_id["required"] if name in by_key["required"]]
    return rest | {"properties": fields} | ({"required": required} if required else {})


def _changes(collections: list[str]) -> dict[str, Schema]:
    """Return the schemas of entries by component name, and what they share."""
    change = definition(_FILE, "document")
    names = {
        name: name_of(CHANGES.resources[name].name, "document") + "Change" for name in collections
    }
    return {
        name_of(_FILE, "document"): {
            "oneOf": [named(name) for name in names.values()],
        },
        _BASE: {
            "type": "object",
            "required": [name for name in change["required"] if name not in _OWN],
            "properties": {
                name: schema for name, schema in change["properties"].items() if name not in _OWN
            },
        },
        name_of("webhooks", "collection"): {
            **definition("webhooks", "collection"),
            "enum": sorted(names),
        },
        **{names[collection]: _change(collection) for collection in names},
    }


def _collection(name: str) -> Schema:
    """Return the schema of the member that tells the forms of a union apart."""
    return {"description": "The collection.", "type": "string", "const": name}


def _change(collection: str) -> Schema:
    """Return the schema of a collection's entries."""
    document = reference(CHANGES.resources[collection].name, "document")
    own: Schema = {
        "collection": _collection(collection),
        "document": {
            "description": "The record as it is now; null if it is deleted or removed.",
            "anyOf": [document, {"type": "null"}],
        },
    }
    return {
        "allOf": [named(_BASE), {"required": ["collection"], "properties": own}],
        "unevaluatedProperties": False,
    }


def _transactions(collections: list[str]) -> dict[str, Schema]:
    """Return the schemas of an entry, a union by ``collection``, and of the response, by name.

    Items are those of merges, which have the fields of all others; the service is stricter.
    """
    entry = definition("transaction", "entry")
    return {
        name_of("transaction", "entry"): {
            "description": entry["description"],
            "oneOf": [
                _entry(entry, name, name_of(TRANSACTION.collections[name].name, "mergeItem"))
                for name in sorted(collections)
            ],
        },
        _OPERATION: entry["properties"]["operation"],
        **_outcomes("transaction", definition("transaction", "entries")["maxItems"]),
        **_outcomes("barcode-allocations", _MOST_NUMBERS),
    }


def _outcomes(name: str, most: int) -> dict[str, Schema]:
    """Return the schema of a response with at most so many outcomes of an own form, by name."""
    outcomes = definition("common/envelope", "outcomes")
    data = outcomes["properties"]["data"] | {"maxItems": most, "items": reference(name, "document")}
    described = {**outcomes, "properties": {**outcomes["properties"], "data": data}}
    return {name_of(name, "document") + OUTCOMES: described}


def _entry(entry: Schema, collection: str, item: str) -> Schema:
    """Return the schema of a collection's entries."""
    own = {
        "collection": _collection(collection),
        "operation": named(_OPERATION),
        "item": named(item),
    }
    return {key: entry[key] for key in entry if key != "description"} | {"properties": own}
