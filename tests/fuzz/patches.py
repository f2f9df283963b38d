"""Patches with one wrong operation (RFC 6902)."""

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Any, Final, TypeAlias

import orjson

from service.records.master_record import MasterRecord
from service.routes import Route
from tests.fuzz.cases import Case, Request
from tests.fuzz.inventory import Inventory
from tests.support.fault_sites import form

#: Kind of fault, type of its error, the operation's member at fault, and faulty operations.
Wrong: TypeAlias = tuple[str, str, str, Sequence[Any]]

_NO_POINTERS: Final = ("name", "~", "/~2", "/name~", "name/", " /name")
_NO_OPERATIONS: Final = ("", "Add", "merge", "test ")
_NO_TEXTS: Final[Sequence[Any]] = (1, [], {}, True)


def patched(
    resource: MasterRecord, route: Route, inventory: Inventory, random: Random, organization: int
) -> Case:
    """Return a patch with one wrong operation, between others that change nothing."""
    id_, stored = random.choice([*inventory.writables[resource.name].items()])
    name = random.choice([name for name in stored if not isinstance(stored[name], list)])
    right = [
        {"op": "test", "path": f"/{name}", "value": stored[name]},
        {"op": "replace", "path": f"/{name}", "value": stored[name], "note": "ignored"},
        {"op": "copy", "from": f"/{name}", "path": f"/{name}"},
    ]
    operations = [random.choice(right) for _ in range(random.randrange(3))]
    request = partial(Request, "PATCH", route.path.format(id=id_))
    if random.random() < 0.05:
        other = random.choice([field for field in stored if field != name])
        nesting = _nesting(f"/{name}", f"/{other}", random)
        sent = request(orjson.dumps([*operations, *nesting]))
        malformed = ("validation_error.malformed_json", None)
        return Case(route, organization, sent, ("nested by operations",), (malformed,))
    index = random.randint(0, len(operations))
    choices = [*_by_themselves(f"/{name}"), *_elsewhere(resource, f"/{name}")]
    kind, error_type, member, wrong = random.choice(choices)
    operations.insert(index, random.choice(wrong))
    row = (error_type, f"[{index}].{member}".rstrip("."))
    return Case(route, organization, request(orjson.dumps(operations)), (kind,), (row,))


def _nesting(path: str, other: str, random: Random) -> list[dict[str, Any]]:
    """Return operations that are valid each, and make a document that cannot be written as JSON."""
    depth = random.randint(150, 250)
    deep = orjson.Fragment(b"[" * depth + b"]" * depth)
    deeper: list[dict[str, Any]] = [
        {"op": "add", "path": other, "value": []},
        {"op": "move", "from": path, "path": f"{other}/0"},
        {"op": "move", "from": other, "path": path},
    ]
    return [{"op": "replace", "path": path, "value": deep}, *deeper * (260 - depth)]


def _by_themselves(path: str) -> Iterator[Wrong]:
    """Yield operations that no document could be patched with, or not this one."""
    add = {"op": "add", "path": path, "value": 1}
    move = {"op": "move", "path": path, "from": path}
    for whole in (add, move):
        for gone in whole:
            left = {key: part for key, part in whole.items() if key != gone}
            yield "operation without a member", "validation_error.required_field", gone, [left]
    unknown = [{"op": op, "path": path} for op in _NO_OPERATIONS]
    yield "unknown operation", "validation_error.invalid_value", "op", unknown
    no_texts = [{"op": op, "path": path} for op in _NO_TEXTS]
    yield "wrong type", "validation_error.invalid_type", "op", no_texts
    no_texts = [{"op": "remove", "path": pointer} for pointer in _NO_TEXTS]
    yield "wrong type", "validation_error.invalid_type", "path", no_texts
    yield "wrong type", "validation_error.invalid_type", "", [None, 1, "remove", [], True]
    deep = [{**add, "value": orjson.Fragment(b"[" * n + b"]" * n)} for n in (260, 600, 1000)]
    yield "nested too deeply", "validation_error.invalid_value", "value", deep
    beyond = f"{path}/x/y"
    tests = [
        {"op": "test", "path": path, "value": {"no": "such"}},
        {"op": "test", "path": beyond, "value": None},
    ]
    yield "failed test", "conflict.test_failed", "path", tests
    hopeless = [
        {"op": "remove", "path": beyond},
        {"op": "add", "path": beyond, "value": 1},
        {"op": "replace", "path": beyond, "value": 1},
        {"op": "move", "from": path, "path": f"{path}/x"},
        {"op": "copy", "from": beyond, "path": path},
    ]
    yield "patch that cannot be applied", "unprocessable.patch", "path", hopeless


def _elsewhere(resource: MasterRecord, path: str) -> Iterator[Wrong]:
    """Yield operations to or from a field that cannot be written."""
    fields = form(resource, "replace").properties.items()
    read_only = [f"/{prop}" for prop, located in fields if located.schema.get("readOnly")]
    for kind, error_type, pointers in (
        ("pointer that is none", "validation_error.invalid_value", _NO_POINTERS),
        ("unknown field", "validation_error.unknown_field", ("/colour", f"{path}~0", "/", "/0")),
        ("read-only field", "validation_error.read_only_field", ["/id", *read_only]),
    ):
        to = [
            {"op": op, "path": pointer, "value": None}
            for op in ("add", "replace", "remove", "test")
            for pointer in pointers
        ]
        yield kind, error_type, "path", to
        come = [
            {"op": op, "from": pointer, "path": path}
            for op in ("copy", "move")
            for pointer in pointers
        ]
        yield kind, error_type, "from", come
