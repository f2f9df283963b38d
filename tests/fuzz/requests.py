"""Requests whose fault lies beside the body's fields: paths, headers, parameters and ids."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final, TypeAlias

import orjson

from service.queries.master_record import MasterRecord
from service.routes import Route
from tests.fuzz.bodies import Subject
from tests.fuzz.cases import Bulk, Case, Request
from tests.fuzz.plants import FAR
from tests.fuzz.relations import Known

#: A fault's kind, the row's type and field, and what is not as it was in the right request.
Fault: TypeAlias = tuple[str, str, str | None, dict[str, Any]]

_NO_IDS: Final = (
    "0",
    "-1",
    "01",
    "+1",
    "1.0",
    "1e0",
    "abc",
    "%20",
    "1%2C2",
    f"{2**63}",
    "9" * 40,
    "\u0661",
)


def beside(subject: Subject, resource: MasterRecord, random: Random, organization: int) -> Case:
    """The subject's request with one fault that is not in its body."""
    kind, error_type, field, change = random.choice([*_beside(subject, resource, random)])
    right: dict[str, Any] = {
        "method": subject.route.method,
        "path": subject.path,
        "body": orjson.dumps(subject.body),
    }
    bulk = None
    if subject.bulk and kind in _OF_ITEMS:
        bulk = Bulk(subject.bulk, len(subject.body) if _OF_ITEMS[kind] else 0)
    request = Request(**right | change)
    return Case(subject.route, organization, request, (kind,), ((error_type, field),), bulk)


#: Faults that bulk operations report as theirs, and whether they know their items by then.
_OF_ITEMS: Final = {
    "If-Match on several": True,
    "unusable Idempotency-Key": True,
    "unknown parameter": True,
    "no JSON at all": False,
}


def _beside(subject: Subject, resource: MasterRecord, random: Random) -> Iterator[Fault]:
    invalid = "validation_error.invalid_value"
    wrong = random.choice(["text/plain", "application/xml", "application/json; charset=latin-1"])
    yield "wrong media type", "unsupported_media_type", "Content-Type", {"content_type": wrong}
    name = random.choice(["dryRun", "id", "name", "form", "ids", ""])
    params = [(name, random.choice(["", "1", "true"]))]
    yield "unknown parameter", "validation_error.unknown_parameter", name, {"params": params}
    raw = orjson.dumps(subject.body)
    broken = _broken(raw, random)
    yield "no JSON at all", "validation_error.malformed_json", None, {"body": broken}
    if subject.bulk:
        headers = {"If-Match": random.choice(["*", '"x"', ""])}
        yield "If-Match on several", invalid, "If-Match", {"headers": headers}
    elif subject.route.operation == "replace":
        headers = {"If-Match": random.choice(['"stale"', 'W/"x"', "", "x"])}
        yield "If-Match of another state", "precondition_failed", None, {"headers": headers}
        yield from _paths(subject.route, resource, random)
    if subject.route.operation in ("create", "bulk_replace"):
        headers = {"Idempotency-Key": random.choice(["", "a b", "x" * 256])}
        yield "unusable Idempotency-Key", invalid, "Idempotency-Key", {"headers": headers}


def _paths(route: Route, resource: MasterRecord, random: Random) -> Iterator[Fault]:
    unknown = route.path.format(id=FAR + random.randrange(1000))
    yield "unknown record", "not_found", "id", {"path": unknown}
    malformed = route.path.format(id=random.choice(_NO_IDS))
    kind = "not_found" if resource.string_ids else "validation_error.invalid_value"
    yield "malformed id", kind, "id", {"path": malformed}


def _broken(raw: bytes, random: Random) -> bytes:
    """No JSON any more, though it begins as it did."""
    end = random.randint(1, len(raw) - 1)
    return random.choice(
        [
            raw[:end],
            raw + random.choice([b",", b"}", b"]", b"x", b"{}", b"\0", b"\xff", b" []"]),
            raw.replace(b'"', b"'"),
            raw[:end] + b"\xff" + raw[end:],
            raw[:end] + b"\0" + raw[end:],
            raw.replace(b":", b"=", 1),
        ]
    )


def deleted(
    resource: MasterRecord, route: Route, known: Known, random: Random, organization: int
) -> Case:
    """A deletion of one record, or of several, with one fault."""
    stored = [*known.writables[resource.name]]
    used = known.used.get(resource.name, [])
    assert known.foreign is not None
    foreign = [*known.foreign.writables[resource.name]]
    other = "forbidden.organization" if resource.foreign_is_forbidden else "not_found"
    no_id = "not_found" if resource.string_ids else "validation_error.invalid_value"
    found = [
        ("unknown record", "not_found", str(FAR + random.randrange(1000))),
        ("another organization's record", other, str(random.choice(foreign))),
        ("malformed id", no_id, random.choice(_NO_IDS)),
    ]
    if used:
        found.append(("record in use", "conflict.in_use", str(random.choice(used))))
    kind, error_type, id_ = random.choice(found)
    if route.operation == "delete":
        request = Request("DELETE", route.path.format(id=id_))
        return Case(route, organization, request, (kind,), ((error_type, "id"),))
    ids = [str(one) for one in random.sample(stored, 3) if one not in used]
    if kind == "record in use" and resource.name.endswith("custom-fields"):
        # What uses it might go along.
        ids = []
    if random.random() < 0.2 and ids:
        kind, error_type, id_ = "id twice", "validation_error.duplicate", random.choice(ids)
        ids.append(id_)
        place = len(ids) - 1
    else:
        place = random.randint(0, len(ids))
        ids.insert(place, id_.replace("%20", " ").replace("%2C", ","))
    rows = ((error_type, f"ids[{place}]"),)
    request = Request("DELETE", route.path, params=[("ids", one) for one in ids])
    return Case(route, organization, request, (kind,), rows, Bulk("bulk_delete", len(ids)))
