"""Cursors and reads: valid, or with one fault."""

from collections.abc import Sequence
from random import Random
from typing import Any

from service.records.resource import Resource
from service.routes import Route
from tests.fuzz.cases import Case, Request
from tests.fuzz.queries import Pairs
from tests.support.fault_kinds import FAR


def continued(
    route: Route, path: str, cursors: Sequence[str], strange: str, random: Random, organization: int
) -> Case:
    """Return the case of a cursor that is valid, altered, or beside another parameter."""
    cursor = random.choice(cursors)
    index = random.randrange(len(cursor))
    altered = cursor[:index] + random.choice("Aa0-_") + cursor[index + 1 :]
    bad = [altered, cursor[:index], cursor + "A", cursor + "=", strange, "", "é", cursor * 40]
    beside = random.choice(["pageSize", "pageNumber", "filter", "sort", "sort[0].property"])
    exclusive, unknown = "exclusive_parameters", "unknown_parameter"
    choices: list[tuple[str, Pairs, tuple[Any, ...]]] = [
        ("none", [("cursor", cursor)], ()),
        ("altered cursor", [("cursor", random.choice(bad))], ("invalid_cursor", "cursor")),
        ("cursor not alone", [("cursor", cursor), (beside, "1")], (exclusive, beside)),
        ("cursor not alone", [(beside, "1"), ("cursor", cursor)], (exclusive, beside)),
        ("unknown parameter", [("cursor", cursor), ("colour", "1")], (unknown, "colour")),
        ("one-valued twice", [("cursor", cursor)] * 2, ("duplicate", "cursor")),
    ]
    kind, pairs, row = random.choice(choices)
    if kind == "altered cursor" and pairs[0][1] == cursor:
        kind, row = "none", ()
    rows = ((f"validation_error.{row[0]}", row[1]),) if row else ()
    request = Request("GET", path, params=pairs)
    return Case(route, organization, request, (f"query: {kind}",), rows)


def read(
    route: Route, path: Sequence[Any], resource: Resource, random: Random, organization: int
) -> Case:
    """Return the read of a stored or unknown record; ``path`` are the ids that lead to it."""
    names = [*resource.parents, *([resource.key] if route.operation.name == "read" else [])]
    ids = dict(zip(names, map(str, path), strict=False))
    unknown, parameter = "not_found", "validation_error.unknown_parameter"
    malformed = unknown if resource.string_ids else "validation_error.invalid_value"
    name = random.choice(names)
    choices: list[tuple[str, str | None, str, Pairs]] = [
        ("none", None, ids[name], []),
        ("unknown record", unknown, str(FAR + random.randrange(1000)), []),
        ("malformed id", malformed, random.choice(["0", "01", "-1", "x", "1.0", f"{2**63}"]), []),
        ("unknown parameter", parameter, ids[name], [("colour", "1")]),
    ]
    kind, error_type, ids[name], params = random.choice(choices)
    field = params[0][0] if params else name
    rows = ((error_type, field),) if error_type else ()
    request = Request("GET", route.path.format(**ids), params=params)
    return Case(route, organization, request, (f"read: {kind}",), rows)
