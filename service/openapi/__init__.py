"""The OpenAPI 3.1 document, put together from ``schemas/`` and the route table.

No schema is written here: components are the schema files, parameters of lists come from the
documents' fields, examples from the schemas and from the error table (contract, OpenAPI document).
"""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import orjson

from service import __version__, schemas
from service.openapi import examples, parameters, success_responses
from service.openapi.components import components
from service.openapi.envelopes import envelopes
from service.openapi.operations import OperationObject
from service.openapi.shared_responses import SharedResponses
from service.routes import routes

_DESCRIPTION = """\
Every key belongs to an organization, and every request acts on that organization's records alone.

**Answers** stand in an envelope: `status`, `code`, then `data` or `error`, and `pagination` on
lists. A field that may be null is always there; another one without a value is left out. Every
object is closed: it has no other fields.

**Failures** list every field or rule that failed in `error.details`; branch on `type`. A path that
does not exist is 404 `not_found.route`, a method that a path does not have 405
`method_not_allowed` with `Allow`. A request that failed has changed nothing.

**Bulk** requests are one transaction: all items or none, or with `onError=skip` those that do not
fail. With `match` items name records by the customer's own key. `dryRun=true` rehearses any write.

**Lists** filter by `?field=value`, or with `filter[n].property`, `.operator` and `.value`, and sort
with `sort[n].property` and `.order`. Send the answer's `pagination.cursor` as the parameter
`cursor`, alone, for the next page.
An unknown parameter is refused, never ignored.

**Writes** treat null like an omitted field. `If-Match` guards against lost updates and
`Idempotency-Key` makes a request safe to repeat. A member that stands twice in an object is
refused.

What cannot be read as a request (400 `malformed_request`, 414, 431, 501) is answered in the
envelope as well, and its connection ends.
"""


_INFO = {
    "title": "External API",
    "version": __version__,
    "summary": "Master data and style data of an apparel organization",
    "description": _DESCRIPTION,
    "license": {"name": "MIT", "identifier": "MIT"},
}
_KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key, such as `slv_1_1_` and 64 hexadecimal digits.",
}


def operations() -> Iterator[OperationObject]:
    """The routes that callers with a key reach, as operations of the document."""
    for route in routes():
        if route.resource is not None:
            yield OperationObject(route, route.resource)


@cache
def document() -> bytes:
    """The document as it is served, made once: it takes as long as all else at a start."""
    return orjson.dumps(build())


def build() -> dict[str, Any]:
    """The OpenAPI document of the route table, JSON-ready."""
    described = [*operations()]
    responses = SharedResponses(answer for one in described for answer in one.answers)
    paths: dict[str, Any] = {}
    for one in described:
        paths.setdefault(one.route.path, {})[one.route.method.lower()] = one.described(responses)
    return {
        "openapi": "3.1.0",
        "info": _INFO,
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": _tags(described),
        "paths": paths,
        "components": _components(paths, responses.components(), described),
    }


def _tags(described: Collection[OperationObject]) -> list[dict[str, str]]:
    """What there is, as readers look for it: what can be written first, each part by name."""
    resources = {one.tag: one.resource for one in described}
    written = {one.tag for one in described if one.route.kind.writes}
    return [
        {"name": tag, "description": schemas.load()[resources[tag].name]["description"]}
        for tag in sorted(resources, key=lambda tag: (tag not in written, tag))
    ]


def _components(
    paths: dict[str, Any], responses: dict[str, Any], described: list[OperationObject]
) -> dict[str, Any]:
    shared, composed = parameters.components(), envelopes() | parameters.SCHEMAS
    for one in described:
        composed |= parameters.schemas(one.resource)
    return {
        "securitySchemes": {"key": _KEY},
        "parameters": shared,
        "headers": success_responses.HEADERS,
        "responses": responses,
        "examples": examples.components(),
        "schemas": components([paths, responses, shared], composed),
    }
