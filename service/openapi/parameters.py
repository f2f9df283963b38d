"""Parameters and request headers of operations; list parameters come from document schemas."""

import re
from collections.abc import Iterator
from typing import Any

from service import schemas as all_schemas
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
from service.openapi.components import definition, name_of, named, reference
from service.queries.resource import Resource
from service.schemas.definitions import Schema

Parameter = dict[str, Any]

_TEXT = {"type": "string"}
_INDEXED = 2
"""Number of filters and of sort keys that the document lists; requests may have more."""
_KINDS: dict[str, Schema] = {
    "integer": {
        "type": "integer",
        "format": "int64",
        "minimum": -(2**63),
        "maximum": 2**63 - 1,
    },
    "number": {"type": "number", "format": "double"},
    "boolean": {"type": "boolean"},
    "string": _TEXT,
    "date-time": {"type": "string", "format": "date-time"},
}
_FILTERS, _SORTS = "FilterField", "SortField"
SCHEMAS: dict[str, Schema] = {
    "SortOrder": {
        "description": "Order of a sort key.",
        "type": "string",
        "enum": ["asc", "desc", "ascending", "descending"],
    },
    "FilterOperator": {
        "description": "Comparison of a field with a value.",
        "type": "string",
        "enum": list(NAMES),
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
    "RequestId": _header("X-Request-Id", "Request id; the response repeats it."),
    "IfMatch": _header(
        "If-Match",
        "Precondition: the record's entity tag is one of these; `*` matches any existing record.",
    ),
    "IfNoneMatch": _header(
        "If-None-Match",
        "Precondition: the record's entity tag is none of these; otherwise a read returns 304. `*` "
        "matches any existing record.",
    ),
    "Prefer": _header("Prefer", "`count=exact` adds the total number of records as `Total-Count`."),
    "IdempotencyKey": _header(
        "Idempotency-Key",
        f"Makes the request safe to retry: for {IDEMPOTENCY_HOURS} hours, the same key "
        "returns the first response.",
        minLength=1,
        maxLength=MAX_IDEMPOTENCY_KEY_LENGTH,
        pattern="^[!-~]+$",
    ),
    "PreferShort": _header(
        "Prefer", "`return=minimal` returns an outcome for each item instead of documents."
    ),
    "ContentEncoding": _header(
        "Content-Encoding",
        "`gzip` if the body is compressed. Its limits hold for what it contains.",
        enum=["gzip", "identity"],
    ),
    "DryRun": _query(
        "dryRun",
        {"type": "string", "enum": ["false", "true"]},
        "`true` is a dry run: it checks and executes the write, returns outcomes, and rolls back.",
    ),
    "Preview": _query(
        "preview",
        {"type": "string", "enum": ["false", "true"]},
        "`true` adds to each outcome of a dry run the fields that would change, as `changes`.",
    ),
    "OnError": _query(
        "onError",
        {"type": "string", "enum": ["abort", "skip"]},
        "Handling of invalid items: `abort`, the default, writes all items or none; `skip` writes "
        "the valid items and returns an outcome for each item.",
    ),
    "Form": _query(
        "form",
        {"type": "string", "enum": ["writable"]},
        "`writable` returns the form that PUT accepts and PATCH edits, indexes of lists included.",
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


def components() -> dict[str, Parameter]:
    """Return the parameters that operations share, by component name."""
    shared_parameters = dict(_SHARED)
    for index in range(_INDEXED):
        shared_parameters[f"Filter{index}Operator"] = _query(
            f"filter[{index}].operator",
            named("FilterOperator"),
            "Operator of the condition; `eq` by default. `contains` and `startsWith` ignore case; "
            "`ne` matches null.",
        )
        shared_parameters[f"Filter{index}Value"] = _query(
            f"filter[{index}].value",
            _TEXT,
            "Value of the condition: a comma-separated list for `in` and `notIn`, `true` or "
            "`false` for `isNull`.",
        )
        for name in ("order", "direction"):
            shared_parameters[f"Sort{index}{name.title()}"] = _query(
                f"sort[{index}].{name}",
                named("SortOrder"),
                "Order of the sort key; ascending by default. Send `order` or `direction`, not "
                "both.",
            )
    return shared_parameters


def shared(name: str) -> Parameter:
    """Return a reference to a shared parameter."""
    return {"$ref": f"#/components/parameters/{name}"}


def path_parameters(path: str, resource: Resource, title: str) -> Iterator[Parameter]:
    """Yield the parameters of a path template: ids or own keys of parents and of the resource."""
    for name in re.findall(r"{(\w+)}", path):
        home = resource.ids_schema if name == resource.key else "common/scalars"
        noun = title if name == "id" else re.sub("([A-Z])", r" \1", name.removesuffix("Id"))
        description, schema = f"The id of the {noun.lower()}.", reference(home, "id")
        if lookup := resource.key_lookups.get(name):
            description = f"{description[:-1]}, or its own key: `{lookup.field}=…`."
            schema = _or_key(schema, lookup.field)
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": description,
            "schema": schema,
        }


def _or_key(schema: Schema, field: str) -> Schema:
    """Return the schema of an id or an own key in a path; texts allow both already."""
    if schema.get("type") == "string":
        return schema
    return {"anyOf": [schema, {"type": "string", "pattern": f"^{field}="}]}


def ids_or_keys(resource: Resource) -> Iterator[Parameter]:
    """Yield a bulk delete's parameters: ids, and if own keys are one field ``match`` and keys."""
    text = "Ids of the records to delete. Repeat the parameter for each id."
    by_id = _query("ids", reference(resource.ids_schema, "ids"), text)
    fields = all_schemas.key_fields(resource.name)
    yield by_id if len(fields) == 1 else by_id | {"required": True}
    if len(fields) == 1:
        text = "Names the records by `keys` instead of `ids`: by this field, their own key."
        yield _query("match", {"type": "string", "enum": [*fields]}, text)
        text = "Own keys of the records to delete. Repeat the parameter for each key."
        yield _query("keys", reference("common/scalars", "keys"), text)


def match(resource: Resource) -> Iterator[Parameter]:
    """Yield ``match``, by which items of bulk writes have own keys, if the records have any."""
    if fields := all_schemas.key_fields(resource.name):
        key = " and ".join(f"`{name}`" for name in fields)
        text = f"Items have {key} instead of `id`. The response has an outcome for each item."
        yield _query("match", {"type": "string", "enum": [fields[0]]}, text)


def of_list(resource: Resource) -> Iterator[Parameter]:
    """Yield the query parameters of a list, but not ``brand.id``: it filters like ``brandId``."""
    fields = definition(resource.name, "document")["properties"]
    for prop in resource.properties.values():
        # Client generators make one name of `brand.id` and `brandId`, which filter alike.
        if f"{prop.name.removesuffix('.id')}Id" not in fields:
            yield _query(
                prop.name,
                {"type": "array", "items": _value(prop, fields.get(prop.name, {}))},
                f"Only records with this `{prop.name}`. Repeat the parameter for several values.",
            )
    name = name_of(resource.name, "document")
    yield from _filters(named(name + _FILTERS))
    yield from _sorts(named(name + _SORTS))
    yield selection(resource)
    if resource.properties.search is not None:
        yield shared("Search")
    yield from map(shared, ("ChangedSince", "PageSize", "PageNumber", "Cursor"))


def exported(collections: list[str]) -> Parameter:
    """Return the parameter with the collections of an export."""
    names = {"type": "string", "enum": collections}
    text = "Only records of this collection; all by default. Repeat the parameter for several."
    return _query("collection", {"type": "array", "items": names}, text)


def selection(resource: Resource) -> Parameter:
    """Return the parameter that selects members of the documents."""
    pattern = "|".join(resource.properties.members)
    return _query(
        "fields",
        {"type": "string", "pattern": f"^({pattern})(,({pattern}))*$"},
        "Names of the fields to return, separated by commas; all by default. The entity tag is "
        "that of the selected fields.",
    )


def schemas(resource: Resource) -> dict[str, Schema]:
    """Return the enumerations of filter and sort fields of a collection, by component name."""
    name, properties = name_of(resource.name, "document"), resource.properties.values()
    fields = {
        _FILTERS: [prop.name for prop in properties],
        _SORTS: [prop.name for prop in properties if prop.sortable],
    }
    return {name + suffix: {"type": "string", "enum": names} for suffix, names in fields.items()}


def _value(prop: Property, field: Schema) -> Schema:
    """Return the schema of a filter value: the component of the field, else that of its kind."""
    return {"$ref": field["$ref"]} if "$ref" in field else _KINDS[prop.kind]


def _filters(field: Schema) -> Iterator[Parameter]:
    for index in range(_INDEXED):
        yield _query(
            f"filter[{index}].property",
            field,
            "Field of a condition, case-insensitive. Records must match all conditions. Further "
            f"conditions are `filter[{_INDEXED}]` and so on.",
        )
        yield from (shared(f"Filter{index}{member}") for member in ("Operator", "Value"))


def _sorts(field: Schema) -> Iterator[Parameter]:
    for index in range(_INDEXED):
        yield _query(
            f"sort[{index}].property",
            field,
            "Field of a sort key, case-insensitive. Lower indexes sort first; the id breaks ties. "
            f"Further keys are `sort[{_INDEXED}]` and so on.",
        )
        yield from (shared(f"Sort{index}{member}") for member in ("Order", "Direction"))
