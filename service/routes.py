"""The whole route table: the interface's table of contents (contract, section 3)."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from aiohttp import web

from service.handlers import docs, reading, system, writing
from service.queries.resource import Resource
from service.resources.registry import (
    MASTER_RECORDS,
    MEASUREMENTS,
    REFERENCE_LISTS,
    STYLE_RELATIONS,
)

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Route:
    """One operation on one path; ``operation`` names its kind, whatever the resource."""

    method: str
    path: str
    operation: str
    handler: Handler
    resource: Resource | None = None

    @property
    def name(self) -> str | None:
        """The name by which others know the one route of its kind."""
        return self.operation if self.resource is None else None

    @property
    def needs_key(self) -> bool:
        """Whether callers must present an API key."""
        return self.path.startswith("/api/")


def routes() -> Iterator[Route]:
    """Every route of the service, in the order of its documentation."""
    for resource in MASTER_RECORDS:
        yield from _lists_and_reads(resource)
        many, one = f"/api/{resource.name}", f"/api/{resource.name}/{{id}}"
        for method, path, operation, handler in (
            ("POST", many, "create", writing.create),
            ("PUT", many, "bulk_replace", writing.replace_many),
            ("DELETE", many, "bulk_delete", writing.delete_many),
            ("PUT", one, "replace", writing.replace),
            ("PATCH", one, "patch", writing.patch),
            ("DELETE", one, "delete", writing.delete),
        ):
            yield Route(method, path, operation, partial(handler, resource), resource)
    for reference in REFERENCE_LISTS:
        yield from _lists_and_reads(reference)
    yield _list(STYLE_RELATIONS)
    path, read = f"{MEASUREMENTS.root}/{{{MEASUREMENTS.key}}}", reading.read_record
    yield Route("GET", path, "measurement", partial(read, MEASUREMENTS))
    yield Route("GET", "/healthz", "health", system.health)
    yield Route("GET", "/readyz", "readiness", system.readiness)
    yield Route("GET", "/metrics", "metrics", system.metrics)
    yield Route("GET", "/openapi.json", "openapi", docs.openapi)
    yield Route("GET", "/docs", "docs", docs.docs)
    yield Route("GET", "/docs/{name}", "docs_asset", docs.docs_asset)


def _lists_and_reads(resource: Resource) -> Iterator[Route]:
    yield _list(resource)
    path = f"{resource.root}/{{{resource.key}}}"
    yield Route("GET", path, "read", partial(reading.read_record, resource), resource)


def _list(resource: Resource) -> Route:
    handler = partial(reading.list_records, resource)
    return Route("GET", resource.root, "list", handler, resource)
