"""The whole route table: the interface's table of contents (contract, Surface)."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from aiohttp import web

from service.handlers import operations
from service.handlers.operations import Operation
from service.http.request_body import with_body
from service.queries.parts import RecordPart
from service.queries.resource import Resource
from service.resources.registry import (
    CHANGES,
    MASTER_RECORDS,
    ME,
    MEASUREMENTS,
    PARTS,
    REFERENCE_LISTS,
)


def root_of(resource: Resource) -> str:
    """The path of a collection, with the ids of parents in braces."""
    parents = "".join(f"{name}/{{{id_}}}/" for id_, name in resource.parents.items())
    return f"/api/{parents}{resource.segment or resource.name}"


@dataclass(frozen=True)
class Route:
    """A kind of operation, and the resource that it is about, if any."""

    kind: Operation
    resource: Resource | None = None
    problems: frozenset[int] = frozenset()
    """Statuses that are answered as problem details (RFC 9457), without the envelope."""
    reserved: frozenset[int] = frozenset()
    """Statuses that callers have to expect one day, though nothing is answered so yet."""

    @property
    def operation(self) -> str:
        """The name of the kind."""
        return self.kind.name

    @property
    def method(self) -> str:
        """The method; where it is GET, HEAD is served as well."""
        return self.kind.method

    @cached_property
    def path(self) -> str:
        """The path, with its parameters in braces."""
        if self.resource is None:
            return self.kind.path
        found = self.resource
        return self.kind.path.format(root=root_of(found), key=found.key, below=found.below)

    @property
    def media_type(self) -> str | None:
        """What a body has to be sent as; None where none is read."""
        return self.kind.media_type

    @property
    def needs_key(self) -> bool:
        """Whether callers must present an API key."""
        return self.kind.needs_key

    @property
    def handler(self) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """What answers; its body, if it takes one, is there by then."""
        handler = self.kind.handler
        if self.resource is not None:
            handler = partial(handler, self.resource)
        return with_body(handler, self.media_type) if self.media_type else handler

    def covers(self, path: str) -> bool:
        """Whether the path is this one, or below where this one's parameters begin."""
        beginning, parameter, _ = self.path.partition("{")
        return path.startswith(beginning) if parameter else path == beginning


def _of_part(part: RecordPart) -> Iterator[Route]:
    """A part is read and replaced; the customer's own document says how the measured values are."""
    if part is MEASUREMENTS:
        yield Route(operations.READ_ALL, part)
        yield Route(
            operations.READ, part, problems=frozenset({401, 500}), reserved=frozenset({403})
        )
    else:
        yield Route(operations.READ, part)
    yield Route(operations.REPLACE, part)
    if part.is_patched:
        yield Route(operations.PATCH, part)


def routes() -> Iterator[Route]:
    """Every route of the service, in the order of its documentation."""
    for resource in MASTER_RECORDS:
        yield from (Route(kind, resource) for kind in operations.OF_MASTER_RECORDS)
    for reference in REFERENCE_LISTS:
        yield from (Route(kind, reference) for kind in (operations.LIST, operations.READ))
    for part in PARTS:
        yield from _of_part(part)
    yield Route(operations.CHANGES, CHANGES)
    yield Route(operations.IDENTIFY, ME)
    yield from map(Route, operations.WITHOUT_RESOURCE)
