"""OpenAPI 3.1 document: generated from ``schemas/`` and the route table.

Component schemas and examples come from the schema files, list parameters from the documents'
fields (tools, OpenAPI document). Only routes that require an API key are described; HEAD is not
listed beside GET.
"""

from collections.abc import Collection, Iterator, Set
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from service import schemas
from service.http.headers import JSON
from service.openapi import error_responses, parameters
from service.openapi.components import STATIC, components, reference
from service.openapi.composed_schemas import composed_schemas
from service.openapi.envelopes import envelopes
from service.openapi.examples import examples
from service.openapi.operations import OperationObject
from service.openapi.shared_components import SharedComponents, share_parameters
from service.openapi.shared_schemas import with_composed_forms, with_shared_fields
from service.resources.registry import EXPORTED
from service.routes import routes
from service.schemas.vocabulary import labels, words
from service.schemas.write_forms import BY_OWNER

INTERFACE_VERSION = "1.0.0"
_INFO = STATIC["info"] | {
    "version": INTERFACE_VERSION,
    "description": Path(__file__)
    .with_name("description.md")
    .read_text(encoding="utf-8")
    .format(
        of_any=error_responses.by_status(error_responses.OF_ANY),
        of_writes=error_responses.by_status(error_responses.OF_WRITES),
        statuses="\n".join(
            f"- {status}: {text}" for status, text in error_responses.STATUSES.items()
        ),
    ),
}


def operations() -> Iterator[OperationObject]:
    """Yield the operation of each route with a resource: these are the ones that need an API key.

    The order is that of the route table.
    """
    for route in routes():
        if route.resource is not None:
            yield OperationObject(route, route.resource)


@lru_cache(maxsize=16)
def document(collections: Set[str] = frozenset(EXPORTED)) -> bytes:
    """Return the document of some collections as served, in JSON.

    The whole one is built once per process, since that takes as long as the startup.
    """
    return orjson.dumps(build(collections))


def build(collections: Set[str] = EXPORTED.keys()) -> dict[str, Any]:
    """Build the OpenAPI document of the route table as JSON values.

    Without some of EXPORTED it lacks their operations, and unions and lists of collections do.
    """
    others = EXPORTED.keys() - collections
    operation_objects = [each for each in operations() if each.resource.collection not in others]
    responses = SharedComponents("responses")
    paths: dict[str, Any] = {}
    for operation in operation_objects:
        route = operation.route
        paths.setdefault(route.path, {})[route.method.lower()] = operation.described(responses)
    messages = _messages()
    shared = {"parameters": share_parameters(paths.values()), "responses": responses.components()}
    shared["examples"] = examples([paths, shared])
    return {
        "openapi": "3.1.0",
        "info": _INFO,
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": _tags(operation_objects),
        "x-labels": labels(),
        "paths": paths,
        "webhooks": messages,
        "components": _components([paths, messages, shared], shared, collections),
    }


def _tags(operation_objects: Collection[OperationObject]) -> list[dict[str, str]]:
    """Return the tags in the order of the groups of their collections."""
    names = {each.tag: each.resource.name.removesuffix(BY_OWNER) for each in operation_objects}
    order = [*chain(*words()["groups"].values())]
    return [
        {"name": tag, "description": schemas.load()[names[tag]]["description"]}
        for tag in sorted(names, key=lambda tag: (order.index(names[tag]), tag))
    ]


def _components(parts: Any, shared: dict[str, Any], collections: Set[str]) -> dict[str, Any]:
    composed = envelopes() | parameters.SCHEMAS | composed_schemas(collections)
    return {
        "securitySchemes": STATIC["securitySchemes"],
        **shared,
        "headers": STATIC["headers"],
        "schemas": with_shared_fields(with_composed_forms(components(parts, composed))),
    }


def _messages() -> dict[str, Any]:
    """Return the messages that receivers of webhooks get as path item objects, by name."""
    return {
        name: {
            "post": {
                "operationId": f"receive{name.title()}",
                **texts,
                **STATIC["webhook"],
                "requestBody": {
                    "required": True,
                    "content": {JSON: {"schema": reference("webhooks", f"{name}Message")}},
                },
            }
        }
        for name, texts in STATIC["webhooks"].items()
    }
