"""One operation of the document: its parameters, body and answers, by its kind."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from service import schemas
from service.openapi import answers, parameters
from service.openapi.components import name_of, reference

Parameter = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """A row of the route table, as the document needs it."""

    method: str
    path: str
    kind: str
    collection: str

    @property
    def title(self) -> str:
        """What one record is called."""
        return str(schemas.load()[self.collection]["title"])

    @property
    def one(self) -> str:
        """One record, with its article."""
        return f"{'an' if self.title[0] in 'AEIO' else 'a'} {self.title.lower()}"

    @property
    def several(self) -> str:
        """Several records, in a sentence."""
        return plural(self.title.lower())


def plural(noun: str) -> str:
    """The plural of a record's name."""
    return noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + "s"


@dataclass(frozen=True, slots=True)
class Kind:
    """What operations of one kind have in common; texts name the record in braces."""

    identifier: str
    summary: str
    description: str
    parameters: Callable[[Operation], Iterator[Parameter]]
    success: Callable[[Operation], dict[str, Any]]
    body: tuple[str, ...] = ()


def operation(row: Operation) -> dict[str, Any]:
    """The operation object of a route."""
    kind = KINDS[row.kind]
    name = name_of(row.collection, "document")
    names = {"one": name, "several": plural(name)}
    words = {"one": row.one, "several": row.several}
    found: dict[str, Any] = {
        "operationId": kind.identifier.format(**names),
        "tags": [tag(row.collection)],
        "summary": kind.summary.format(**words),
        "description": kind.description.format(**words),
        "parameters": [
            *parameters.path_parameters(row.path, row.collection),
            *kind.parameters(row),
            *map(parameters.header, ("ServiceApi", "RequestId")),
        ],
    }
    if kind.body:
        found["requestBody"] = answers.body(row.collection, *kind.body)
    found["responses"] = kind.success(row) | answers.failed(row.kind, row.collection)
    return found


def tag(collection: str) -> str:
    """The heading that a collection's operations stand under."""
    return plural(str(schemas.load()[collection]["title"]))


def _headers(*names: str) -> Callable[[Operation], Iterator[Parameter]]:
    return lambda _: map(parameters.header, names)


def _list(row: Operation) -> Iterator[Parameter]:
    yield from parameters.of_list(row.collection)


def _read(row: Operation) -> Iterator[Parameter]:
    if "writable" in schemas.load()[row.collection]["$defs"]:
        yield parameters.form()
    yield parameters.header("IfNoneMatch")


def _ids(row: Operation) -> Iterator[Parameter]:
    yield parameters.ids(row.collection)
    yield parameters.header("IdempotencyKey")


def _page(row: Operation) -> dict[str, Any]:
    return {"200": answers.page(row.collection)}


def _one(row: Operation) -> dict[str, Any]:
    example = answers.example_of(row.collection, "document")
    return {"200": answers.success(reference(row.collection, "document"), example, "ETag")}


def _one_or_unchanged(row: Operation) -> dict[str, Any]:
    forms = [
        reference(row.collection, form)
        for form in ("document", "writable")
        if form in schemas.load()[row.collection]["$defs"]
    ]
    example = answers.example_of(row.collection, "document")
    return {
        "200": answers.success(answers.one_of(forms), example, "ETag"),
        "304": {
            "description": "The record is still as If-None-Match says.",
            "headers": answers.headers("ETag"),
        },
    }


def _several(row: Operation) -> dict[str, Any]:
    example = [answers.example_of(row.collection, "document")]
    return {"200": answers.success(answers.array(row.collection), example, *_REPLAYED)}


def _created(row: Operation) -> dict[str, Any]:
    data = answers.one_of([reference(row.collection, "document"), answers.array(row.collection)])
    example = answers.example_of(row.collection, "document")
    named = ("Location", "ETag", *_REPLAYED)
    return {"201": answers.success(data, example, *named, created=True)}


_REPLAYED = ("Idempotent-Replayed",)

KINDS: dict[str, Kind] = {
    "list": Kind(
        "list{several}",
        "List {several}",
        "One page, filtered and sorted. Deleted records are left out unless `state` is filtered "
        "on. Every field of one value filters; fields that are counted do not sort.",
        _list,
        _page,
    ),
    "read": Kind(
        "read{one}",
        "Read {one}",
        "The record, deleted or not, with its entity tag.",
        _read,
        _one_or_unchanged,
    ),
    "create": Kind(
        "create{several}",
        "Create {several}",
        "An object creates {one}, an array several: all or none, in request order.",
        _headers("IdempotencyKey"),
        _created,
        ("create", "bulkCreate"),
    ),
    "replace": Kind(
        "replace{one}",
        "Replace {one}",
        "The id in the path decides; one in the body is ignored. `state` sent as `active` or "
        "`inactive` restores a deleted record.",
        _headers("IfMatch"),
        _one,
        ("replace",),
    ),
    "patch": Kind(
        "patch{one}",
        "Patch {one}",
        "Edits the writable form, which `?form=writable` shows: all operations or none.",
        _headers("IfMatch"),
        _one,
        ("patch",),
    ),
    "delete": Kind(
        "delete{one}",
        "Delete {one}",
        "Answers the record as it was deleted. Deleting what is deleted changes nothing.",
        _headers("IfMatch"),
        _one,
    ),
    "bulk_replace": Kind(
        "bulkReplace{several}",
        "Replace or delete {several}",
        "All or none, in one transaction. An item with `state` `deleted` deletes its record.",
        _headers("IdempotencyKey"),
        _several,
        ("bulkReplace",),
    ),
    "bulk_delete": Kind(
        "bulkDelete{several}",
        "Delete {several}",
        "All or none, in one transaction.",
        _ids,
        _several,
    ),
    "measurement": Kind(
        "read{one}",
        "Read the measured values of one requested size",
        "404 where the size was not requested. Discrepancies are for the caller to compute.",
        _headers("IfNoneMatch"),
        _one_or_unchanged,
    ),
}
"""The kinds of operations, by the name that the route table uses."""
