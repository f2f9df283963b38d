"""Parameters and request headers of operations; list parameters come from document schemas."""

import re
from collections.abc import Iterator
from typing import Any, Final

from service import schemas as all_schemas
from service.handlers.history import has_history
from service.handlers.operations import BULK_DELETE, BULK_PATCH, BULK_REPLACE, Operation
from service.limits import MAX_PARAMETERS, MAX_TARGET_BYTES
from service.listing.operators import NAMES
from service.listing.properties import SOURCE, Property
from service.openapi.components import STATIC, component, definition, named, reference
from service.records.resource import Resource, ids_schema
from service.records.writable_resource import WritableResource
from service.schemas.definitions import Schema
from service.schemas.vocabulary import hint

Parameter = dict[str, Any]

_LISTS: Final = {
    "integer": "Integers",
    "number": "Decimals",
    "boolean": "Booleans",
    "string": "Texts",
    "date": "Days",
    "date-time": "Times",
}
"""Component names of the values of filters, by kind of property."""
SCHEMAS: dict[str, Schema] = {
    **STATIC["schemas"],
    "FilterOperator": STATIC["schemas"]["FilterOperator"] | {"enum": [*NAMES]},
}
"""Schemas of parameters by component name."""


def _query(name: str, schema: Schema, description: str) -> Parameter:
    return {"name": name, "in": "query", "description": description, "schema": schema}


def shared(name: str) -> Parameter:
    """Return a parameter of several operations."""
    parameter: Parameter = STATIC["parameters"][name]
    return parameter


def path_parameters(path: str, resource: Resource) -> Iterator[Parameter]:
    """Yield the parameters of a path template: ids or own keys of parents and of the resource."""
    for name in re.findall(r"{(\w+)}", path):
        home = ids_schema(resource) if name == resource.key else "common/scalars"
        text, schema = "The record's id.", reference(home, "id")
        if lookup := resource.key_lookups.get(name):
            text = f"The record's id, or its own key: `{lookup.field}=…`."
            if "string" not in all_schemas.definition(home, "id").types:
                key = {
                    "type": "string",
                    "maxLength": MAX_TARGET_BYTES,
                    "pattern": f"^{lookup.field}=",
                }
                schema = {"anyOf": [schema, key]}
        path_parameter = {"name": name, "in": "path", "required": True}
        yield path_parameter | {"description": text, "schema": schema}


def of_read(resource: Resource) -> Iterator[Parameter]:
    """Yield the query parameters of a read of one record."""
    yield shared("Fields")
    if isinstance(resource, WritableResource):
        yield shared("Form")
    if has_history(resource):
        yield shared("At")


def of_bulk(kind: Operation, resource: Resource) -> Iterator[Parameter]:
    """Yield the query parameters and the preferences of a bulk write."""
    if kind is BULK_DELETE:
        yield from _ids_or_keys(resource)
    if kind in (BULK_REPLACE, BULK_PATCH):
        yield from _match(resource)
    yield from map(shared, ("DryRun", "Preview", "OnError", "Prefer"))


def _ids_or_keys(resource: Resource) -> Iterator[Parameter]:
    """Yield the ids of a bulk delete, and if own keys are one field ``match`` and keys."""
    fields = all_schemas.key_fields(resource.name)
    text = "Ids of the records to delete. Repeat the parameter for each id."
    ids = _query("ids", reference(ids_schema(resource), "ids"), text)
    if len(fields) != 1:
        yield ids | {"required": True}
        return
    yield ids
    yield from _match(resource)
    text = "Own keys of the records to delete. Repeat the parameter for each key."
    yield _query("keys", reference("common/scalars", "keys"), text)


def _match(resource: Resource) -> Iterator[Parameter]:
    """Yield ``match``, by which own keys name the records of a bulk write, if they have any."""
    if fields := all_schemas.key_fields(resource.name):
        text = "Names records by their own key instead of their id: this field"
        text += f", and `{fields[1]}`." if fields[1:] else "."
        yield _query("match", {"type": "string", "enum": [fields[0]]}, text)


def of_list(resource: Resource) -> Iterator[Parameter]:
    """Yield the query parameters of a list, but not ``brand.id``: it filters like ``brandId``."""
    fields = definition(resource.name, "document")["properties"]
    for prop in resource.properties.values():
        # Client generators make one name of `brand.id` and `brandId`, which filter alike.
        if f"{prop.name.removesuffix('.id')}Id" not in fields:
            schema = _values(prop, fields.get(prop.name, {}))
            own = _query(prop.name, schema, _meaning(resource, prop.name))
            yield shared("Source") if prop is SOURCE else own
    yield shared("Filters" if resource.properties.required else "Conditions")
    yield shared("Fields")
    if resource.properties.search is not None:
        yield shared("Search")
    if resource.properties.takes_time:
        yield shared("ChangedSince")
    yield from map(shared, ("PageSize", "PageNumber", "Cursor"))


def _meaning(resource: Resource, name: str) -> str:
    """Return the description of a filter: the hint of the field, or what it is a member of."""
    head, _, member = name.partition(".")
    return f"Filter: {hint(resource.name, name) if not member else f'`{member}` of `{head}`.'}"


def _values(prop: Property, field: Schema) -> Schema:
    """Return the schema of a filter's values: of an enumeration, or any values of the type."""
    field = field.get("items", field)
    if "$ref" in field and "enum" in component(field):
        return {"type": "array", "maxItems": MAX_PARAMETERS, "items": {"$ref": field["$ref"]}}
    return named(_LISTS[prop.kind])
