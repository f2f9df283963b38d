"""One operation of the document: what its route and its resource say, put into OpenAPI's form."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from service import schemas
from service.handlers import kinds
from service.openapi import answers, failures, parameters
from service.openapi.components import name_of, reference
from service.openapi.parameters import Parameter
from service.queries.resource import Resource
from service.routes import Route


@dataclass(frozen=True, slots=True)
class Operation:
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
        return _plural(self.title)

    @property
    def texts(self) -> tuple[str, str]:
        """The summary and the description."""
        kind, title = self.route.kind, self.title.lower()
        texts = self.resource.own_texts.get(kind.name, (kind.summary, kind.description))
        one = f"{'an' if title[0] in 'aeio' else 'a'} {title}"
        summary, description = (text.format(one=one, several=_plural(title)) for text in texts)
        return summary, description

    @property
    def identifier(self) -> str:
        """The name that generated clients call it by."""
        name = name_of(self.resource.name, "document")
        return self.route.kind.identifier.format(one=name, several=_plural(name))

    def described(self) -> dict[str, Any]:
        """The operation object."""
        summary, description = self.texts
        found: dict[str, Any] = {
            "operationId": self.identifier,
            "tags": [self.tag],
            "summary": summary,
            "description": description,
            "parameters": [*self._parameters()],
        }
        if body := self.route.kind.body:
            found["requestBody"] = answers.body(self.resource.name, *body)
        failed = failures.failed(self.route.kind, self.resource, self.route.problems)
        found["responses"] = self._success() | failed
        return found

    def _parameters(self) -> Iterator[Parameter]:
        kind, resource = self.route.kind, self.resource
        yield from parameters.path_parameters(self.route.path, resource)
        if kind is kinds.LIST:
            yield from parameters.of_list(resource.properties)
        if kind is kinds.READ:
            if "writable" in schemas.load()[resource.name]["$defs"]:
                yield parameters.form()
            yield parameters.header("IfNoneMatch")
        if kind.is_bulk and not kind.body:
            yield parameters.ids(resource)
        if kind.is_bulk:
            yield parameters.header("IdempotencyKey")
        if kind.is_guarded:
            yield parameters.header("IfMatch")
            yield parameters.header("IfNoneMatch")
        yield from map(parameters.header, ("ServiceApi", "RequestId"))

    def _success(self) -> dict[str, Any]:
        kind, name = self.route.kind, self.resource.name
        example = answers.example_of(name, "document")
        document, several = reference(name, "document"), answers.array(name)
        if kind is kinds.LIST:
            return {"200": answers.page(name)}
        if kind is kinds.READ:
            return answers.one_or_unchanged(name)
        if kind is kinds.CREATE:
            data, named = answers.one_of([document, several]), ("Location", "ETag", _REPLAYED)
            return {"201": answers.success(data, example, *named, created=True)}
        if kind.is_bulk:
            return {"200": answers.success(several, [example], _REPLAYED)}
        return {"200": answers.success(document, example, "ETag")}


_REPLAYED = "Idempotent-Replayed"


def _plural(noun: str) -> str:
    """The plural of a record's name."""
    return noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + "s"
