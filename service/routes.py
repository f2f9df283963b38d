"""Route table: method, path, operation and resource of every endpoint (contract, Surface).

The application adds these routes to aiohttp, and the OpenAPI document is made from them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

from service.extras.pages import page_handlers
from service.handlers import operations
from service.handlers.operations import Operation
from service.handlers.response_cache import cached
from service.http.request_body import with_body
from service.http.router import Handler
from service.organizations.scopes import ALL, APART
from service.records.parts import RecordPart
from service.records.resource import Resource
from service.resources import registry
from service.writing.part_collections import PartCollection


def collection_path(resource: Resource) -> str:
    """Return the path of a collection, with the ids of its parents in braces.

    Examples are ``/api/colors`` and ``/api/styles/{styleId}/sample-requests``. A part has the path
    of its owner's collection, except measured values, which have one below a sample request.
    """
    parents = "".join(f"{name}/{{{id_name}}}/" for id_name, name in resource.parents.items())
    return f"/api/{parents}{resource.segment or resource.name}"


@dataclass(frozen=True)
class Route:
    """Route: an operation on a resource, or one without a resource such as ``/healthz``."""

    operation: Operation
    resource: Resource | None = None
    problem_statuses: frozenset[int] = frozenset()
    """Statuses that always have problem details (RFC 9457) instead of the error envelope."""
    listed: frozenset[int] = frozenset()
    """Statuses that the OpenAPI document lists one by one, beside ``default``."""

    @property
    def method(self) -> str:
        """Return the HTTP method, in capitals. A GET route serves HEAD as well."""
        return self.operation.method

    @property
    def pattern(self) -> str:
        """Return the path as aiohttp takes it: a parameter matches any text without a slash.

        aiohttp's own pattern refuses braces, which own keys may have.
        """
        return re.sub(r"{(\w+)}", r"{\1:[^/]+}", self.path)

    @cached_property
    def path(self) -> str:
        """Return the path from ``/`` on, with its parameters in braces: ``/api/colors/{id}``."""
        if self.resource is None:
            return self.operation.path
        resource = self.resource
        return self.operation.path.format(
            root=collection_path(resource), key=resource.key, below=resource.below
        )

    @cached_property
    def media_types(self) -> tuple[str, ...]:
        """Return the media types of the request body; () if no body is read."""
        return self.operation.media_types

    @cached_property
    def needs_key(self) -> bool:
        """Return whether callers must present an API key."""
        return self.operation.needs_key

    @cached_property
    def scope(self) -> str:
        """Return the scope that the caller needs; "" for none."""
        return self.resource.scope(self.operation.access) if self.resource is not None else ""

    @cached_property
    def sufficient_scopes(self) -> frozenset[str]:
        """Return the scopes of which the caller needs one: the own and that of all collections."""
        of_all = () if self.scope in APART else (f"{ALL}:{self.operation.access}",)
        return frozenset((self.scope, *of_all))

    @cached_property
    def is_restrictable(self) -> bool:
        """Return whether a scope that is restricted to suppliers suffices."""
        return self.operation.is_restrictable

    @property
    def part_path(self) -> str:
        """Return the path of a single part, for the collection of a part; "" for others."""
        if not isinstance(self.resource, PartCollection):
            return ""
        return Route(operations.READ, self.resource.part).path

    @property
    def handler(self) -> Handler:
        """Return the operation's handler, bound to the resource, as a function of the request.

        A cached operation on a resource in the change feed goes through the response cache. If the
        operation has media types, the body is read first. Each access returns a new function.
        """
        handler = self.operation.handler
        if self.resource is not None:
            handler = partial(handler, self.resource)
        # The cache compares with the change feed.
        if self.operation.is_cached and self.resource is not None and self.resource.is_in_feed:
            handler = cached(handler)
        if self.media_types:
            handler = with_body(handler, self.media_types, self.operation.max_body_bytes)
        return handler

    def covers(self, path: str) -> bool:
        """Return whether a path equals this one, or begins as this one does before a parameter.

        The rest is not compared: ``/api/colors/{id}`` covers ``/api/colors/1/translations``.
        """
        prefix, parameter, _ = self.path.partition("{")
        return path.startswith(prefix) if parameter else path == prefix


def _of_part(part: RecordPart) -> Iterator[Route]:
    """Yield the routes of a part: read, replace, and patch if the part takes patches.

    Those below parents have two reads, of one and of all. Measured values of one size report some
    errors as problem details.
    """
    if part.parents:
        yield Route(operations.READ_ALL, part)
    problems, listed = ((401, 500), (400, 403, 404)) if part is registry.MEASUREMENTS else ((), ())
    yield Route(operations.READ, part, frozenset(problems), frozenset(listed))
    yield Route(operations.REPLACE, part)
    if part.is_patched:
        yield Route(operations.PATCH, part)


_BEFORE_PARTS: Final = (
    # Before the path of a record, which has any text in the place of an id.
    ((operations.ALLOCATE,), (registry.ALLOCATIONS,)),
    (operations.OF_MASTER_RECORDS, registry.MASTER_RECORDS),
    (operations.OF_ORGANIZATIONS, (registry.ORGANIZATIONS,)),
    ((operations.LIST, operations.READ), registry.REFERENCE_LISTS),
)
_AFTER_PARTS: Final = (
    (operations.OF_PART_COLLECTIONS, registry.PART_COLLECTIONS),
    ((operations.LIST_PRICES,), (registry.EFFECTIVE_PRICES,)),
    ((operations.GENERATE,), (registry.SKU_GENERATION,)),
    ((operations.CHECK,), (registry.COMPLETENESS,)),
    ((operations.SHOW,), registry.PASSPORTS[:1]),
    ((operations.SCAN,), registry.PASSPORTS[1:]),
    ((operations.LIST_PRODUCTS,), (registry.PRODUCTS,)),
    ((operations.TRANSACTION,), (registry.TRANSACTION,)),
    ((operations.CHANGES,), (registry.CHANGES,)),
    (operations.OF_WEBHOOKS, (registry.WEBHOOKS,)),
    ((operations.EXPORT,), (registry.EXPORT,)),
    ((operations.COUNT, operations.COMPARE), (registry.MIGRATION_VERIFICATION,)),
    (operations.OF_KEYS, (registry.KEYS,)),
    ((operations.REVIEW,), (registry.AUDIT,)),
    ((operations.IDENTIFY,), (registry.ME,)),
)


def _of_resources(
    table: Iterable[tuple[Iterable[Operation], Iterable[Resource]]],
) -> Iterator[Route]:
    """Yield the routes of a table: each operation on each resource beside it."""
    for operations_, resources in table:
        yield from (Route(each, resource) for resource in resources for each in operations_)


def routes() -> Iterator[Route]:
    """Yield all routes, in the order of the OpenAPI document.

    The last ones have no resource: they are not in the document, and all but the reader of tables
    need no key.
    """
    yield from _of_resources(_BEFORE_PARTS)
    for part in registry.PARTS:
        yield from _of_part(part)
    yield from _of_resources(_AFTER_PARTS)
    yield from map(Route, (*operations.WITHOUT_RESOURCE, *page_handlers.OPERATIONS))
