"""Operation objects: a route and its resource in OpenAPI's form."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from service import schemas
from service.handlers import operations
from service.handlers.history import has_history
from service.openapi import error_responses, parameters, success_responses
from service.openapi.components import STATIC, name_of, plural
from service.openapi.envelopes import LIST, ResponseObject
from service.openapi.operation_texts import operation_texts
from service.openapi.parameters import Parameter
from service.openapi.shared_components import SharedComponents
from service.records.master_record import MasterRecord
from service.records.resource import Resource
from service.records.writable_resource import WritableResource
from service.routes import Route
from service.schemas.write_forms import BY_OWNER

_PARAMETERS: Final = {
    operations.LIST: parameters.of_list,
    operations.LIST_PRODUCTS: parameters.of_list,
    operations.READ: parameters.of_read,
}
"""Parameters that the fields of a resource give to an operation."""


@dataclass(frozen=True)
class OperationObject:
    """Operation of the document: a route that requires an API key, and its resource."""

    route: Route
    resource: Resource

    @property
    def tag(self) -> str:
        """Return the tag of the resource's operations: the plural of the title.

        The collection of a part has the tag of the part.
        """
        return plural(str(schemas.load()[self.resource.name.removesuffix(BY_OWNER)]["title"]))

    @property
    def identifier(self) -> str:
        """Return the operationId, such as ``listColors``, which clients use as method name."""
        name, operation = name_of(self.resource.name, "document"), self.route.operation.name
        first, *rest = operation.split("_")
        is_of_one = "{one}" in STATIC["operations"][operation]["summary"]
        return "".join((first, *map(str.title, rest), name if is_of_one else plural(name)))

    def described(self, responses: SharedComponents) -> dict[str, Any]:
        """Return the operation object, with references to response components."""
        summary, description = operation_texts(self.resource, self.route.operation.name)
        described: dict[str, Any] = {
            "operationId": self.identifier,
            "tags": [self.tag],
            "summary": summary,
            "description": description,
        }
        described["parameters"] = [*self._parameters()]
        if self.route.operation.body:
            described["requestBody"] = success_responses.body(self.resource.name, *self._forms())
        described["responses"] = {
            str(response.code): responses.reference(response.name, response.response)
            for response in self.responses
        }
        return described

    def _forms(self) -> Iterator[str]:
        """Return those of the operation's forms of the body that the resource's schema defines.

        ``patch`` always counts: JSON Patch is the same for all resources. Forms by own key do not:
        their items have one schema with those by id.
        """
        definitions = {*schemas.load()[self.resource.name]["$defs"], "patch"}
        forms = (form for form in self.route.operation.body if not form.endswith("ByKey"))
        return (form for form in forms if form in definitions)

    def _parameters(self) -> Iterator[Parameter]:
        kind, resource = self.route.operation, self.resource
        yield from parameters.path_parameters(self.route.path, resource)
        if kind in _PARAMETERS:
            yield from _PARAMETERS[kind](resource)
        own = STATIC["operations"][kind.name].get("parameters")
        if own is not None:
            yield from (parameters.shared(each) if isinstance(each, str) else each for each in own)
        elif kind.is_bulk:
            yield from parameters.of_bulk(kind, resource)
        if kind.writes:
            yield parameters.shared("IdempotencyKey")
        if kind.takes_precondition:
            yield parameters.shared("IfMatch")
            yield parameters.shared("IfNoneMatch")
        if self.route.problem_statuses:
            # The others may have it, too, as the document's description says.
            yield parameters.shared("ServiceApi")

    @cached_property
    def responses(self) -> list[ResponseObject]:
        """Return all responses of the operation, successful ones first; computed once."""
        return [*self._successes(), *error_responses.failed(self.route)]

    def _successes(self) -> Iterator[ResponseObject]:
        kind, name = self.route.operation, self.resource.name
        static = STATIC["operations"][kind.name]
        success = static.get("success")
        if success is not None:
            yield success_responses.of_envelope(name, **success)
        elif kind is operations.READ:
            has_writable = isinstance(self.resource, WritableResource)
            yield success_responses.read(
                name, has_writable=has_writable, has_history=has_history(self.resource)
            )
        elif kind is operations.EXPORT:
            yield success_responses.stream(name)
        else:
            yield self._written()
        if "IfNoneMatch" in static.get("parameters", ()):
            yield success_responses.unchanged(is_list=bool(success) and success["kind"] == LIST)

    def _written(self) -> ResponseObject:
        kind, name = self.route.operation, self.resource.name
        if kind is operations.CREATE:
            return success_responses.created(name)
        if kind.is_bulk:
            can_create = bool(kind.body) and bool(getattr(self.resource, "own_key", None))
            return success_responses.written_in_bulk(name, can_create=can_create)
        can_create = kind is operations.REPLACE and self._is_upsert
        return success_responses.written(name, can_create=can_create)

    @property
    def _is_upsert(self) -> bool:
        """Whether writes by own key in the path create records."""
        return isinstance(self.resource, MasterRecord) and bool(self.resource.key_lookups)
