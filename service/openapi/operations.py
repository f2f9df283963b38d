"""One operation of the document: what its route and its resource say, put into OpenAPI's form."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from service import schemas
from service.handlers import operations
from service.openapi import error_responses, parameters, success_responses
from service.openapi.changes import of_changes
from service.openapi.components import name_of, plural
from service.openapi.parameters import Parameter
from service.openapi.shared_responses import ResponseObject, SharedResponses
from service.queries.master_record import MasterRecord
from service.queries.resource import Resource
from service.resources import registry
from service.routes import Route


@dataclass(frozen=True)
class OperationObject:
    """A route that callers with a key reach, and the resource that it is about."""

    route: Route
    resource: Resource

    @property
    def title(self) -> str:
        """What one record is called."""
        return str(schemas.load()[self.resource.name]["title"])

    @property
    def tag(self) -> str:
        """The heading that the resource's operations stand under."""
        return plural(self.title)

    @property
    def texts(self) -> tuple[str, str]:
        """The summary and the description."""
        kind, title = self.route.kind, self.title.lower()
        texts = self.resource.own_texts.get(kind.name, (kind.summary, kind.description))
        one = f"{'an' if title[0] in 'aeio' else 'a'} {title}"
        summary, description = (text.format(one=one, several=plural(title)) for text in texts)
        return summary, description

    @property
    def identifier(self) -> str:
        """The name that generated clients call it by."""
        name = name_of(self.resource.name, "document")
        return self.route.kind.identifier.format(one=name, several=plural(name))

    def described(self, responses: SharedResponses) -> dict[str, Any]:
        """The operation object, its answers being references to components."""
        summary, description = self.texts
        found: dict[str, Any] = {
            "operationId": self.identifier,
            "tags": [self.tag],
            "summary": summary,
            "description": description,
            "parameters": [*self._parameters()],
        }
        if media_type := self.route.kind.media_type:
            found["requestBody"] = success_responses.body(
                self.resource.name, media_type, *self._forms()
            )
        found["responses"] = dict(responses.references(self.answers))
        return found

    def _forms(self) -> Iterator[str]:
        """The forms of the body; those by own key only where records have one."""
        known = schemas.load()[self.resource.name]["$defs"]
        return (form for form in self.route.kind.body if form in known or form == "patch")

    def _parameters(self) -> Iterator[Parameter]:
        kind, resource = self.route.kind, self.resource
        title = str(schemas.load()[resource.collection]["title"])
        yield from parameters.path_parameters(self.route.path, resource, title.lower())
        if kind is operations.LIST:
            yield from parameters.of_list(resource)
            yield from map(parameters.shared, ("IfNoneMatch", "Prefer"))
        if kind is operations.CHANGES:
            yield from of_changes(registry.CHANGES)
        if kind is operations.READ_ALL:
            yield parameters.shared("IfNoneMatch")
        if kind is operations.READ:
            if "writable" in schemas.load()[resource.name]["$defs"]:
                yield parameters.shared("Form")
            yield parameters.shared("IfNoneMatch")
        if kind.is_bulk and not kind.body:
            yield parameters.ids(resource)
        if kind in (operations.BULK_REPLACE, operations.BULK_PATCH):
            yield from parameters.match(resource)
        if kind.writes:
            yield from map(parameters.shared, ("DryRun", "IdempotencyKey"))
        if kind.is_bulk:
            yield from map(parameters.shared, ("OnError", "PreferShort"))
        if kind.takes_precondition:
            yield parameters.shared("IfMatch")
            yield parameters.shared("IfNoneMatch")
        yield from map(parameters.shared, ("ServiceApi", "RequestId"))

    @cached_property
    def answers(self) -> list[ResponseObject]:
        """Everything that can be answered, successes first."""
        return [*self._successes(), *error_responses.failed(self.route, self.resource)]

    def _successes(self) -> Iterator[ResponseObject]:
        kind, name = self.route.kind, self.resource.name
        if kind is operations.LIST:
            yield from success_responses.page_or_unchanged(name)
        elif kind is operations.CHANGES:
            yield success_responses.page(name)
        elif kind is operations.READ:
            is_patched = isinstance(self.resource, MasterRecord) and self.resource.is_patched
            yield success_responses.read(name, is_patched=is_patched)
            yield success_responses.unchanged("NotModified", "ETag")
        elif kind is operations.IDENTIFY:
            yield success_responses.plain(name)
        elif kind is operations.READ_ALL:
            yield from (
                success_responses.read_all(name),
                success_responses.unchanged("NotModified", "ETag"),
            )
        elif kind is operations.CREATE:
            yield from success_responses.created(name)
        elif kind.is_bulk:
            yield success_responses.written_in_bulk(name)
            yield from (success_responses.all_created(),) if kind.body else ()
        else:
            yield success_responses.written(name)
