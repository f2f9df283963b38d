"""OpenAPI 3.1 document: generated from ``schemas/`` and the route table.

Component schemas come from the schema files, list parameters from the documents' fields, and
examples from the schemas and the error table (contract, OpenAPI document). Only routes that
require an API key are described; HEAD is not listed beside GET.
"""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import orjson

from service import __version__, schemas
from service.openapi import examples, parameters, success_responses, webhooks
from service.openapi.components import components
from service.openapi.envelopes import envelopes
from service.openapi.operations import OperationObject
from service.openapi.shared_responses import SharedResponses
from service.routes import routes

_DESCRIPTION = """\
Every API key belongs to an organization. A request reads and writes the records of that
organization only.

**Responses** have an envelope: `status`, `code`, then `data` or `error`, and `pagination` on
lists. Nullable fields are always present; other fields without a value are left out. Every object
is closed: it has no fields other than the documented ones.

**Errors** list every invalid field and violated rule in `error.details`; branch on `type`. An
unknown path is 404 `not_found.route`. A method that a path does not support is 405
`method_not_allowed` with `Allow`. A failed request has changed nothing.

**Bulk** requests run in one transaction: all items or none, or with `onError=skip` all valid items.
With `match`, items identify records by the customer's own key. `dryRun=true` makes any write a dry
run.

**Lists** filter by `?field=value`, or by `filter[n].property`, `.operator` and `.value`. They sort
by `sort[n].property` and `.order`. For the next page send `pagination.cursor` of the response as
the only parameter, `cursor`. An unknown parameter is an error, never ignored.

**Writes** treat null like an omitted field. `If-Match`, in bulk `ifMatch` of an item, is a
precondition that prevents lost updates. `Idempotency-Key` makes a request safe to retry. Duplicate
members in a JSON object are an error.

Malformed HTTP requests (400 `malformed_request`, 414, 431, 501) get a response with the envelope,
too; then the service closes the connection.
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
    """Yield the operation of each route with a resource: these are the ones that need an API key.

    The order is that of the route table.
    """
    for route in routes():
        if route.resource is not None:
            yield OperationObject(route, route.resource)


@cache
def document() -> bytes:
    """Return the document as served, in JSON.

    It is built once per process, since that takes as long as the startup.
    """
    return orjson.dumps(build())


def build() -> dict[str, Any]:
    """Build the OpenAPI document of the route table as JSON values."""
    operation_objects = [*operations()]
    responses = SharedResponses(
        response for operation in operation_objects for response in operation.responses
    )
    paths: dict[str, Any] = {}
    for operation in operation_objects:
        route = operation.route
        paths.setdefault(route.path, {})[route.method.lower()] = operation.described(responses)
    return {
        "openapi": "3.1.0",
        "info": _INFO,
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": _tags(operation_objects),
        "paths": paths,
        "webhooks": webhooks.messages(),
        "components": _components(paths, responses.components(), operation_objects),
    }


def _tags(operation_objects: Collection[OperationObject]) -> list[dict[str, str]]:
    """Return the tags by name: first those with a write, then the read-only ones."""
    resources = {operation.tag: operation.resource for operation in operation_objects}
    written = {operation.tag for operation in operation_objects if operation.route.operation.writes}
    return [
        {"name": tag, "description": schemas.load()[resources[tag].name]["description"]}
        for tag in sorted(resources, key=lambda tag: (tag not in written, tag))
    ]


def _components(
    paths: dict[str, Any], responses: dict[str, Any], operation_objects: list[OperationObject]
) -> dict[str, Any]:
    shared, composed = parameters.components(), envelopes() | parameters.SCHEMAS
    for operation in operation_objects:
        composed |= parameters.schemas(operation.resource)
    return {
        "securitySchemes": {"key": _KEY},
        "parameters": shared,
        "headers": success_responses.HEADERS,
        "responses": responses,
        "examples": examples.components(),
        "schemas": components([paths, webhooks.messages(), responses, shared], composed),
    }
