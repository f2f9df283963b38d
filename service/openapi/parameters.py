"""Parameters and headers of operations; those of lists are derived from the documents' schemas."""

import re
from collections.abc import Iterator
from typing import Any

from service.listing.cursor import MAX_LENGTH
from service.listing.operators import NAMES
from service.listing.properties import Properties, Property
from service.listing.query import DEFAULT_PAGE_SIZE, MAX_PAGE_NUMBER, MAX_PAGE_SIZE
from service.openapi.components import reference
from service.queries.resource import Resource

Parameter = dict[str, Any]

_TEXT = {"type": "string"}
_ORDERS = ("asc", "desc", "ascending", "descending")
_KINDS: dict[str, Parameter] = {
    "integer": {"type": "integer", "format": "int64"},
    "number": {"type": "number", "format": "double"},
    "boolean": {"type": "boolean"},
    "string": _TEXT,
    "date-time": {"type": "string", "format": "date-time"},
}


def _header(name: str, description: str, **limits: Any) -> Parameter:
    schema = _TEXT | limits
    return {"name": name, "in": "header", "description": description, "schema": schema}


HEADERS: dict[str, Parameter] = {
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
    "IdempotencyKey": _header(
        "Idempotency-Key",
        "Makes the request safe to repeat: for 24 hours the same key gives the first answer again.",
        maxLength=255,
        pattern="^[!-~]+$",
    ),
}
"""Header parameters by component name."""


def header(name: str) -> Parameter:
    """A reference to a header parameter."""
    return {"$ref": f"#/components/parameters/{name}"}


def path_parameters(path: str, resource: Resource) -> Iterator[Parameter]:
    """The parameters that a path template names: ids of parents, and one of the resource."""
    for name in re.findall(r"{(\w+)}", path):
        home = resource.home_of_ids if name == resource.key else "common/scalars"
        schema = reference(home, "id")
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def form() -> Parameter:
    """The parameter that chooses between a record's two shapes."""
    return {
        "name": "form",
        "in": "query",
        "description": "`writable` answers what PUT takes and PATCH edits, indexes included.",
        "schema": {"type": "string", "enum": ["writable"]},
    }


def ids(resource: Resource) -> Parameter:
    """The ids of a bulk delete."""
    return {
        "name": "ids",
        "in": "query",
        "required": True,
        "description": "The records to delete: repeat the parameter, once for each id.",
        "schema": reference(resource.home_of_ids, "ids"),
    }


def of_list(properties: Properties) -> Iterator[Parameter]:
    """Field filters, composed filters, sorts and paging of a collection with these fields."""
    for found in properties.values():
        yield _query(
            found.name,
            {"type": "array", "items": _value(found)},
            f"Records whose `{found.name}` is this; repeat it for any of several values.",
        )
    names, sortable = list(properties), [p.name for p in properties.values() if p.sortable]
    yield from _filter(names)
    yield from _sort(sortable)
    yield from _paging()


def _query(name: str, schema: Parameter, description: str) -> Parameter:
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _value(found: Property) -> Parameter:
    choices = {"enum": sorted(found.choices)} if found.choices else {}
    return _KINDS[found.kind] | choices


def _filter(names: list[str]) -> Iterator[Parameter]:
    yield _query(
        "filter[0].property",
        {"type": "string", "enum": names},
        "The field of a condition, in any case. Number further conditions `filter[1]` and on; "
        "all of them have to hold.",
    )
    yield _query(
        "filter[0].operator",
        {"type": "string", "enum": NAMES},
        "How the field is compared, `eq` unless sent. `contains` and `startsWith` ignore case; "
        "`ne` holds for null.",
    )
    yield _query(
        "filter[0].value",
        _TEXT,
        "What the field is compared with; a comma-separated list for `in`, `true` or `false` "
        "for `isNull`.",
    )


def _sort(names: list[str]) -> Iterator[Parameter]:
    yield _query(
        "sort[0].property",
        {"type": "string", "enum": names},
        "The first sort key, in any case; `sort[1]` is the next. The id breaks ties, always.",
    )
    for name in ("order", "direction"):
        yield _query(
            f"sort[0].{name}",
            {"type": "string", "enum": list(_ORDERS)},
            "The key's order, ascending unless sent: `order` or `direction`, not both.",
        )


def _paging() -> Iterator[Parameter]:
    """Defaults stand in the texts: viewers would send a ``default``, beside a cursor too."""
    size = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE}
    yield _query("pageSize", size, f"Records on a page, {DEFAULT_PAGE_SIZE} unless sent.")
    number = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_NUMBER}
    yield _query("pageNumber", number, "The page, 1 unless sent.")
    yield _query(
        "cursor",
        {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
        "`pagination.cursor` of the page before. It carries the whole query: send it alone. A "
        "query too long for a cursor is refused where there is a next page.",
    )
