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
from service.error_types import STATUSES
from service.openapi import (
    bulk_items,
    changes_by_collection,
    error_responses,
    parameters,
    success_responses,
    webhooks,
)
from service.openapi.components import components
from service.openapi.envelopes import envelopes
from service.openapi.operations import OperationObject
from service.openapi.shared_components import SharedComponents, share_parameters
from service.openapi.shared_schemas import with_composed_forms, with_shared_fields
from service.routes import routes

_DESCRIPTION = """\
Every API key belongs to an organization. A request reads and writes the records of that
organization only.

**Responses** have an envelope: `status`, `code`, then `data` or `error`, and `pagination` on
lists. Nullable fields are always present; other fields without a value are left out. Every object
is closed: it has no fields other than the documented ones.

**Errors** list every invalid field and violated rule in `error.details`; branch on `type`. An
unknown path is 404 `not_found.route`. A method that a path does not support is 405
`method_not_allowed` with `Allow`. A failed request has changed nothing. The response `default`
lists the error types of reads, of writes or of bulk writes, except those of any request ({of_any})
and of any write ({of_writes}). The prefix `validation_error.` of types of 400 is left out there.

**Bulk** requests run in one transaction: all items or none, or with `onError=skip` all valid items.
`dryRun=true` makes any write a dry run. An item with `state` `deleted` deletes its record. With
`match`, items identify records by the customer's own key (upsert): an item replaces or changes the
live record, else restores a deleted one, else creates a record; `newKey` gives it another own key.
A delete with `match` and `keys` has an outcome for each key, `absent` if no record has it.

**Unions** (`oneOf`): a create takes a record or an array, and returns `data` in the same form. A
bulk write returns documents, or with `match`, `onError=skip`, `dryRun=true` or
`Prefer: return=minimal` outcomes, which alone have the member `outcome`. So does the dry run of a
create. A read returns the document, or with `form=writable` the writable form, which has no `id`.
Writes at the path of one record take `dryRun` and `preview`, too, and then return one outcome; the
operations do not list them, so that their responses are documents only.

**Media types**: lists are CSV if `Accept` prefers `text/csv`, also exports of one collection.
Errors are problem details (RFC 9457) if it prefers `application/problem+json`. Otherwise both are
JSON.

**Lists** filter by `?field=value`, or by `filter[n].property`, `.operator` and `.value`. They sort
by `sort[n].property` and `.order`. Every scalar field can be a filter; counts cannot be sort keys.
Deleted records are included only with a filter on `state`; a read returns them, too. For the next
page send `pagination.cursor` of the response as the only parameter, `cursor`. An unknown parameter
is an error, never ignored.

**Writes** treat null like an omitted field. A replace identifies the record by its path and
ignores an `id` in the body; `state` `active` or `inactive` restores a deleted record. With an own
key in the path it creates the record if there is none; with `If-None-Match: *` it does nothing
else. A patch applies all its operations to the writable form, or none. A merge patch (RFC 7396),
also each item of a bulk patch, has the fields to change: omitted fields keep their values, null
clears a field, a list is replaced as a whole. `If-Match`, in bulk `ifMatch` of an item, is a
precondition that prevents lost updates. `Idempotency-Key` makes a request safe to retry. Duplicate
members in a JSON object are an error. Deleting a deleted record changes nothing.

**Headers** of every response to a key are `X-Request-Id`, which repeats that of the request if
there is one, `Cache-Control`, `RateLimit` and `RateLimit-Policy`; `Vary` names the request headers
that a response depends on. A response to a repeated `Idempotency-Key` has `Idempotent-Replayed`,
one that heeds `Prefer` `Preference-Applied`. A page of a list has the headers of `ListNotModified`;
other reads, and documents of writes of one record, have `ETag`, new ones `Location`. Errors 401 and
403 have `WWW-Authenticate`, 429 and 503 `Retry-After`, 415 `Accept-Patch` or `Accept-Encoding`.
`X-Service-Api` of a request may name the calling program. Request bodies may be compressed:
`Content-Encoding: gzip`.

**Statuses** of errors:

{statuses}

Malformed HTTP requests (400 `malformed_request`, 414, 431, 501) get a response with the envelope,
too; then the service closes the connection.
"""


_INFO = {
    "title": "External API",
    "version": __version__,
    "summary": "Master data and style data of an apparel organization",
    "description": _DESCRIPTION.format(
        of_any=error_responses.by_status(error_responses.OF_ANY),
        of_writes=error_responses.by_status(error_responses.OF_WRITES),
        statuses="\n".join(f"- {status}: {text}" for status, text in STATUSES.items()),
    ),
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
    responses = SharedComponents("responses")
    paths: dict[str, Any] = {}
    for operation in operation_objects:
        route = operation.route
        paths.setdefault(route.path, {})[route.method.lower()] = operation.described(responses)
    shared = {
        "parameters": share_parameters(paths.values()),
        "responses": responses.components(),
    }
    return {
        "openapi": "3.1.0",
        "info": _INFO,
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": _tags(operation_objects),
        "paths": paths,
        "webhooks": webhooks.messages(),
        "components": _components(paths, shared),
    }


def _tags(operation_objects: Collection[OperationObject]) -> list[dict[str, str]]:
    """Return the tags by name: first those with a write, then the read-only ones."""
    resources = {operation.tag: operation.resource for operation in operation_objects}
    written = {operation.tag for operation in operation_objects if operation.route.operation.writes}
    return [
        {"name": tag, "description": schemas.load()[resources[tag].name]["description"]}
        for tag in sorted(resources, key=lambda tag: (tag not in written, tag))
    ]


def _components(paths: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    composed = {
        **envelopes(),
        **parameters.SCHEMAS,
        **bulk_items.items(),
        **changes_by_collection.entries(),
    }
    return {
        "securitySchemes": {"key": _KEY},
        **shared,
        "headers": success_responses.HEADERS,
        "schemas": with_shared_fields(
            with_composed_forms(components([paths, webhooks.messages(), shared], composed))
        ),
    }
