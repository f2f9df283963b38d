"""Route table: method, path, operation and resource of every endpoint (contract, Surface)."""

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from aiohttp import web

from service.handlers import operations, webhook_operations
from service.handlers.operations import Operation
from service.handlers.response_cache import cached
from service.http.deprecation import Deprecation
from service.http.request_body import with_body
from service.queries.parts import RecordPart
from service.queries.resource import Resource
from service.resources.registry import (
    CHANGES,
    EXPORT,
    MASTER_RECORDS,
    ME,
    MEASUREMENTS,
    PART_COLLECTIONS,
    PARTS,
    REFERENCE_LISTS,
    WEBHOOKS,
)


def collection_path(resource: Resource) -> str:
    """Return the path of a collection, with the ids of its parents in braces."""
    parents = "".join(f"{name}/{{{id_name}}}/" for id_name, name in resource.parents.items())
    return f"/api/{parents}{resource.segment or resource.name}"


@dataclass(frozen=True)
class Route:
    """Route: an operation on a resource, or one without a resource."""

    operation: Operation
    resource: Resource | None = None
    problem_statuses: frozenset[int] = frozenset()
    """Statuses with problem details (RFC 9457) instead of the error envelope."""
    reserved: frozenset[int] = frozenset()
    """Statuses that are documented but not used yet."""

    @property
    def method(self) -> str:
        """Return the HTTP method. A GET route serves HEAD as well."""
        return self.operation.method

    @property
    def pattern(self) -> str:
        """Return the path as aiohttp takes it; own keys in it may have braces."""
        return re.sub(r"{(\w+)}", r"{\1:[^/]+}", self.path)

    @cached_property
    def path(self) -> str:
        """Return the path, with its parameters in braces."""
        if self.resource is None:
            return self.operation.path
        resource = self.resource
        return self.operation.path.format(
            root=collection_path(resource), key=resource.key, below=resource.below
        )

    @property
    def media_types(self) -> tuple[str, ...]:
        """Return the media types of the request body; () if no body is read."""
        return self.operation.media_types

    @property
    def deprecation(self) -> Deprecation | None:
        """Return the deprecation of the operation; None if it stays."""
        return self.operation.deprecation

    @property
    def needs_key(self) -> bool:
        """Return whether callers must present an API key."""
        return self.operation.needs_key

    @property
    def handler(self) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return the operation's handler, bound to the resource.

        Around it are the response cache and the reading of the body, as far as they apply.
        """
        handler = self.operation.handler
        if self.resource is not None:
            handler = partial(handler, self.resource)
        # The cache compares with the change feed.
        if self.operation.is_cached and self.resource is not None and self.resource.is_in_feed:
            handler = cached(handler)
        return with_body(handler, self.media_types) if self.media_types else handler

    def covers(self, path: str) -> bool:
        """Return whether a path equals this one, or begins as this one does before a parameter."""
        prefix, parameter, _ = self.path.partition("{")
        return path.startswith(prefix) if parameter else path == prefix


def _of_part(part: RecordPart) -> Iterator[Route]:
    """Yield the routes of a part. Measured values have two reads, as the customer defines them."""
    if part is MEASUREMENTS:
        yield Route(operations.READ_ALL, part)
        yield Route(
            operations.READ, part, problem_statuses=frozenset({401, 500}), reserved=frozenset({403})
        )
    else:
        yield Route(operations.READ, part)
    yield Route(operations.REPLACE, part)
    if part.is_patched:
        yield Route(operations.PATCH, part)


def routes() -> Iterator[Route]:
    """Yield all routes, in the order of the OpenAPI document."""
    for resource in MASTER_RECORDS:
        yield from (Route(operation, resource) for operation in operations.OF_MASTER_RECORDS)
    for reference in REFERENCE_LISTS:
        yield Route(operations.LIST, reference)
        yield Route(operations.READ, reference)
    for part in PARTS:
        yield from _of_part(part)
    for collection in PART_COLLECTIONS:
        yield from (Route(operation, collection) for operation in operations.OF_PART_COLLECTIONS)
    yield Route(operations.CHANGES, CHANGES)
    yield from (Route(operation, WEBHOOKS) for operation in webhook_operations.OF_WEBHOOKS)
    yield Route(operations.EXPORT, EXPORT)
    yield Route(operations.IDENTIFY, ME)
    yield from map(Route, operations.WITHOUT_RESOURCE)
