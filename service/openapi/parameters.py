"""Parameters and request headers of operations; list parameters come from document schemas."""

import re
from collections.abc import Iterator
from typing import Any, Final

from service import schemas as all_schemas
from service.handlers.operations import BULK_DELETE, BULK_PATCH, BULK_REPLACE, Operation
from service.limits import (
    DEFAULT_PAGE_SIZE,
    IDEMPOTENCY_HOURS,
    MAX_CURSOR_BYTES,
    MAX_IDEMPOTENCY_KEY_LENGTH,
    MAX_PAGE_SIZE,
    MAX_SEARCH_LENGTH,
)
from service.listing.list_request import MAX_PAGE_NUMBER
from service.listing.operators import NAMES
from service.listing.properties import Property
from service.openapi.components import component, definition, named, reference
from service.queries.resource import Resource
from service.queries.writable_resource import WritableResource
from service.schemas.definitions import Schema

Parameter = dict[str, Any]

_TEXT = {"type": "string"}
_KINDS: dict[str, Schema] = {
    "integer": {"type": "integer", "format": "int64"},
    "number": {"type": "number", "format": "double"},
    "boolean": {"type": "boolean"},
    "string": _TEXT,
    "date-time": {"type": "string", "format": "date-time"},
}
_LISTS: Final = {
    "integer": "Integers",
    "number": "Decimals",
    "boolean": "Booleans",
    "string": "Texts",
    "date-time": "Times",
}
"""Component names of the values of filters, by kind of property."""
SCHEMAS: dict[str, Schema] = {
    **{name: {"type": "array", "items": _KINDS[kind]} for kind, name in _LISTS.items()},
    "SortOrder": {
        "description": "Order of a sort key; ascending by default. Lower indexes sort first; "
        "the id breaks ties.",
        "type": "string",
        "enum": ["asc", "desc", "ascending", "descending"],
    },
    "FilterOperator": {
        "description": "Comparison of a field with a value, `eq` by default. `contains` and "
        "`startsWith` ignore case; `ne` matches null; `in` and `notIn` take a comma-separated "
        "list, `isNull` takes `true` or `false`.",
        "type": "string",
        "enum": list(NAMES),
    },
    "Conditions": {
        "description": "Any number of filters and sort keys: those of index 1 are `filter[1].…` "
        "and `sort[1].…`. Records must match all filters.",
        "type": "object",
        "properties": {
            "filter[0].property": _TEXT,
            "filter[0].operator": named("FilterOperator"),
            "filter[0].value": _TEXT,
            "sort[0].property": _TEXT,
            "sort[0].order": named("SortOrder"),
        },
        "additionalProperties": _TEXT,
    },
}
"""Schemas of parameters by component name."""


def _header(name: str, description: str, **limits: Any) -> Parameter:
    schema = _TEXT | limits
    return {"name": name, "in": "header", "description": description, "schema": schema}


def _query(name: str, schema: Schema, description: str) -> Parameter:
    return {"name": name, "in": "query", "description": description, "schema": schema}


_SHARED: dict[str, Parameter] = {
    "ServiceApi": _header(
        "X-Service-Api",
        "Name of the calling service; written to the access log.",
    ),
    "IfMatch": _header(
        "If-Match",
        "Precondition: the record's entity tag is one of these; `*` matches any existing record.",
    ),
    "IfNoneMatch": _header(
        "If-None-Match",
        "Precondition: the record's entity tag is none of these; otherwise a read returns 304. `*` "
        "matches any existing record.",
    ),
    "Prefer": _header(
        "Prefer",
        "On a list `count=exact` adds the total number of records as `Total-Count`; on a bulk "
        "write `return=minimal` returns outcomes.",
    ),
    "IdempotencyKey": _header(
        "Idempotency-Key",
        f"Makes the request safe to retry: for {IDEMPOTENCY_HOURS} hours, the same key "
        "returns the first response.",
        minLength=1,
        maxLength=MAX_IDEMPOTENCY_KEY_LENGTH,
        pattern="^[!-~]+$",
    ),
    "DryRun": _query(
        "dryRun",
        {"type": "boolean"},
        "`true` is a dry run: it checks and executes the write, and rolls it back.",
    ),
    "Preview": _query(
        "preview",
        {"type": "boolean"},
        "`true` adds to each outcome of a dry run the fields that would change, as `changes`.",
    ),
    "OnError": _query(
        "onError",
        {"type": "string", "enum": ["abort", "skip"]},
        "Handling of invalid items: `abort`, the default, writes all items or none; `skip` writes "
        "the valid items and returns an outcome for each item.",
    ),
    "Conditions": {
        **_query(
            "conditions",
            named("Conditions"),
            "Filters and sort keys, each as a parameter of its own: "
            "`filter[0].property=name&filter[0].value=x&sort[0].property=id`.",
        ),
        "style": "form",
        "explode": True,
        # Viewers send a sample of an object by default, whose fields do not exist.
        "example": {},
    },
    "Fields": _query(
        "fields",
        {"type": "string", "pattern": "^\\w+(,\\w+)*$"},
        "Names of the fields to return, separated by commas; all by default. The entity tag is "
        "that of the selected fields.",
    ),
    "Form": _query(
        "form",
        {"type": "string", "enum": ["writable"]},
        "Returns the writable form, which a PUT takes, instead of the document; without `fields`.",
    ),
    # Viewers send a schema's ``default``, also with a cursor, which must be the only parameter.
    # Therefore the descriptions name the defaults.
    "Search": _query(
        "q",
        {"type": "string", "minLength": 1, "maxLength": MAX_SEARCH_LENGTH},
        "Only records in which each word of this text begins a word of the name or of an own key, "
        "without case and accents. Without sort keys the best records come first.",
    ),
    "ChangedSince": _query(
        "changedSince",
        {"type": "string", "format": "date-time"},
        "Only records with a change that was committed at or after this time, and maybe some "
        "more; deleted ones only with a filter on `state`. 410 if such changes are kept no longer.",
    ),
    "PageSize": _query(
        "pageSize",
        {"type": "integer", "format": "int32", "minimum": 1, "maximum": MAX_PAGE_SIZE},
        f"Maximum number of records on a page; {DEFAULT_PAGE_SIZE} by default.",
    ),
    "PageNumber": _query(
        "pageNumber",
        {"type": "integer", "format": "int32", "minimum": 1, "maximum": MAX_PAGE_NUMBER},
        "Page number from 1; 1 by default.",
    ),
    "Cursor": _query(
        "cursor",
        {"type": "string", "minLength": 1, "maxLength": MAX_CURSOR_BYTES},
        "The value of `pagination.cursor` of the previous response. It carries the whole query: "
        "send it alone. A query too long for a cursor is an error if there is a next page.",
    ),
}


def shared(name: str) -> Parameter:
    """Return a parameter of several operations."""
    return _SHARED[name]


def path_parameters(path: str, resource: Resource) -> Iterator[Parameter]:
    """Yield the parameters of a path template: ids or own keys of parents and of the resource."""
    for name in re.findall(r"{(\w+)}", path):
        home = resource.ids_schema if name == resource.key else "common/scalars"
        text, schema = "The record's id.", reference(home, "id")
        if lookup := resource.key_lookups.get(name):
            text = f"The record's id, or its own key: `{lookup.field}=…`."
            if "string" not in all_schemas.definition(home, "id").types:
                schema = {"anyOf": [schema, {"type": "string", "pattern": f"^{lookup.field}="}]}
        path_parameter = {"name": name, "in": "path", "required": True}
        yield path_parameter | {"description": text, "schema": schema}


def of_read(resource: Resource) -> Iterator[Parameter]:
    """Yield the query parameters of a read of one record."""
    yield shared("Fields")
    if isinstance(resource, WritableResource):
        yield shared("Form")


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
    ids = _query("ids", reference(resource.ids_schema, "ids"), text)
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
            yield {"name": prop.name, "in": "query", "schema": schema}
    yield from map(shared, ("Conditions", "Fields"))
    if resource.properties.search is not None:
        yield shared("Search")
    if resource.properties.takes_time:
        yield shared("ChangedSince")
    yield from map(shared, ("PageSize", "PageNumber", "Cursor"))


def exported(collections: list[str]) -> Parameter:
    """Return the parameter with the collections of an export."""
    names = {"type": "string", "enum": collections}
    text = "Only records of this collection; all by default. Repeat the parameter for several."
    return _query("collection", {"type": "array", "items": names}, text)


def _values(prop: Property, field: Schema) -> Schema:
    """Return the schema of a filter's values: of an enumeration, or any values of the type."""
    if "$ref" in field and "enum" in component(field):
        return {"type": "array", "items": {"$ref": field["$ref"]}}
    return named(_LISTS[prop.kind])
