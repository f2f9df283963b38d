"""Parameters and headers of operations; those of lists are derived from the documents' schemas."""

import re
from collections.abc import Iterator
from typing import Any

from service import schemas as all_schemas
from service.listing.cursor import MAX_LENGTH
from service.listing.list_request import DEFAULT_PAGE_SIZE, MAX_PAGE_NUMBER, MAX_PAGE_SIZE
from service.listing.operators import NAMES
from service.listing.properties import Property
from service.openapi.components import definition, name_of, named, reference
from service.queries.resource import Resource
from service.schemas.definitions import Schema

Parameter = dict[str, Any]

_TEXT = {"type": "string"}
_NUMBERED = 2
"""How many filters and sort keys have names of their own here; more of them go by number alone."""
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
        "description": "Which way a sort key goes.",
        "type": "string",
        "enum": ["asc", "desc", "ascending", "descending"],
    },
    "FilterOperator": {
        "description": "How a field is compared.",
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
    "ServiceApi": _header("X-Service-Api", "Accepted on every request; written to the access log."),
    "RequestId": _header("X-Request-Id", "A name for the request; the answer repeats it."),
    "IfMatch": _header(
        "If-Match",
        "Do it only while the record's entity tag is one of these; `*` asks that it exists.",
    ),
    "IfNoneMatch": _header(
        "If-None-Match",
        "Do it only while the record's entity tag is none of these; a read is 304 otherwise. `*` "
        "asks that there is no record.",
    ),
    "Prefer": _header("Prefer", "`count=exact` adds the number of records on all pages."),
    "IdempotencyKey": _header(
        "Idempotency-Key",
        "Makes the request safe to repeat: for 24 hours the same key gives the first answer again.",
        minLength=1,
        maxLength=255,
        pattern="^[!-~]+$",
    ),
    "PreferShort": _header(
        "Prefer", "`return=minimal` answers one outcome for each item instead of documents."
    ),
    "DryRun": _query(
        "dryRun",
        {"type": "string", "enum": ["false", "true"]},
        "`true` rehearses: all is checked and done, told as outcomes, and taken back.",
    ),
    "OnError": _query(
        "onError",
        {"type": "string", "enum": ["abort", "skip"]},
        "Of several items: `abort`, unless sent, writes all or none; `skip` leaves out those that "
        "fail, writes the others, and answers one outcome for each.",
    ),
    "Form": _query(
        "form",
        {"type": "string", "enum": ["writable"]},
        "`writable` answers what PUT takes and PATCH edits, indexes included.",
    ),
    # Defaults stand in the texts: viewers would send a ``default``, beside a cursor too.
    "PageSize": _query(
        "pageSize",
        {"type": "integer", "format": "int32", "minimum": 1, "maximum": MAX_PAGE_SIZE},
        f"Records on a page, {DEFAULT_PAGE_SIZE} unless sent.",
    ),
    "PageNumber": _query(
        "pageNumber",
        {"type": "integer", "format": "int32", "minimum": 1, "maximum": MAX_PAGE_NUMBER},
        "The page, 1 unless sent.",
    ),
    "Cursor": _query(
        "cursor",
        {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
        "The value of `pagination.cursor` in the answer before. It carries the whole query: send "
        "it alone. A query too long for a cursor is refused where there is a next page.",
    ),
}


def components() -> dict[str, Parameter]:
    """Every parameter that operations share, by component name."""
    found = dict(_SHARED)
    for number in range(_NUMBERED):
        found[f"Filter{number}Operator"] = _query(
            f"filter[{number}].operator",
            named("FilterOperator"),
            "How the field is compared, `eq` unless sent. `contains` and `startsWith` ignore case; "
            "`ne` holds for null.",
        )
        found[f"Filter{number}Value"] = _query(
            f"filter[{number}].value",
            _TEXT,
            "What the field is compared with; a comma-separated list for `in`, `true` or `false` "
            "for `isNull`.",
        )
        for name in ("order", "direction"):
            found[f"Sort{number}{name.title()}"] = _query(
                f"sort[{number}].{name}",
                named("SortOrder"),
                "The key's order, ascending unless sent: `order` or `direction`, not both.",
            )
    return found


def shared(name: str) -> Parameter:
    """A reference to a parameter that operations share."""
    return {"$ref": f"#/components/parameters/{name}"}


def path_parameters(path: str, resource: Resource, title: str) -> Iterator[Parameter]:
    """The parameters that a path template names: ids of parents, and one of the resource."""
    for name in re.findall(r"{(\w+)}", path):
        home = resource.home_of_ids if name == resource.key else "common/scalars"
        words = title if name == "id" else re.sub("([A-Z])", r" \1", name.removesuffix("Id"))
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": f"The id of the {words.lower()}.",
            "schema": reference(home, "id"),
        }


def ids(resource: Resource) -> Parameter:
    """The ids of a bulk delete."""
    text = "The records to delete: repeat the parameter, once for each id."
    return {**_query("ids", reference(resource.home_of_ids, "ids"), text), "required": True}


def match(resource: Resource) -> Iterator[Parameter]:
    """The switch by which items name records by their own key, where they have one."""
    if fields := all_schemas.key_fields(resource.name):
        named = " and ".join(f"`{name}`" for name in fields)
        text = f"Items have {named} instead of `id`. The answer has an outcome for each."
        yield _query("match", {"type": "string", "enum": [fields[0]]}, text)


def of_list(resource: Resource) -> Iterator[Parameter]:
    """Field filters, composed filters, sorts and paging of a collection."""
    document = definition(resource.name, "document")
    for found in resource.properties.values():
        yield _query(
            found.name,
            {"type": "array", "items": _value(found, document["properties"][found.name])},
            f"Records whose `{found.name}` is this; repeat it for any of several values.",
        )
    name = name_of(resource.name, "document")
    yield from _filters(named(name + _FILTERS))
    yield from _sorts(named(name + _SORTS))
    yield from map(shared, ("PageSize", "PageNumber", "Cursor"))


def schemas(resource: Resource) -> dict[str, Schema]:
    """The names of fields that a collection filters and sorts by, by component name."""
    name, found = name_of(resource.name, "document"), resource.properties.values()
    fields = {_FILTERS: [*found], _SORTS: [one for one in found if one.sortable]}
    return {
        name + part: {"type": "string", "enum": [one.name for one in chosen]}
        for part, chosen in fields.items()
    }


def _value(found: Property, field: Schema) -> Schema:
    """What filters a field: a value as in the document."""
    return {"$ref": field["$ref"]} if "$ref" in field else _KINDS[found.kind]


def _filters(field: Schema) -> Iterator[Parameter]:
    for number in range(_NUMBERED):
        yield _query(
            f"filter[{number}].property",
            field,
            "The field of a condition, in any case. All conditions have to hold; further ones "
            f"are `filter[{_NUMBERED}]` and on.",
        )
        yield from (shared(f"Filter{number}{member}") for member in ("Operator", "Value"))


def _sorts(field: Schema) -> Iterator[Parameter]:
    for number in range(_NUMBERED):
        yield _query(
            f"sort[{number}].property",
            field,
            "A sort key, in any case. Lower numbers sort first; the id breaks ties, always. "
            f"Further ones are `sort[{_NUMBERED}]` and on.",
        )
        yield from (shared(f"Sort{number}{member}") for member in ("Order", "Direction"))
