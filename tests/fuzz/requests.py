"""Faults beside a body's fields: in paths, parameters and headers, and malformed bodies."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import orjson
from multidict import CIMultiDict

from service.records.master_record import MasterRecord
from service.records.writable_resource import WritableResource
from service.routes import Route
from tests.fuzz import findings
from tests.fuzz.cases import Bulk, Case, Request
from tests.fuzz.findings import BODY, HEADERS, PATH, QUERY, Finding
from tests.fuzz.subjects import Subject
from tests.support.fault_kinds import FAR, Check

NO_IDS: Final = (
    "0", "-1", "01", "+1", "1.0", "1e0", "abc", "%20", "1%2C2", f"{2**63}", "9" * 40, "\u0661",
)  # fmt: skip
_STRAY: Final = ("dryrun", "id", "name", "form", "", "filter", "page size")
_STALE: Final = ('"stale"', 'W/"x"', "", "x")
_MEDIA_TYPES: Final = ("text/plain", "application/xml", "application/json; charset=latin-1")


@dataclass(frozen=True, slots=True)
class Aside:
    """Faults of one part of a request; ``change`` has the changed members of the request."""

    findings: Sequence[Finding]
    change: dict[str, Any] = field(default_factory=dict)


def asides(
    route: Route, resource: WritableResource, random: Random, *, is_bulk: bool
) -> list[Aside]:
    """Return faults beside the body, in one part of the request or in two."""
    # A write of one record reports them with the body's.
    check = Check.REQUEST if is_bulk else Check.ITEM
    parts = [_query(check, random), _headers(route, check, random)]
    if "{id}" in route.path:
        parts.append(_path(route, resource, random))
    return random.sample(parts, random.choice([1, 1, 2]))


def changed(request: dict[str, Any], chosen: Sequence[Aside]) -> Request:
    """Return the request, given by its members, with these faults."""
    for aside in chosen:
        request |= aside.change
    return Request(**request)


def _query(check: Check, random: Random) -> Aside:
    names = random.sample(_STRAY, random.choice([1, 1, 2]))
    reported = [
        Finding("unknown parameter", check, _invalid("unknown_parameter"), name, (QUERY, index))
        for index, name in enumerate(names)
    ]
    return Aside(reported, {"params": [(name, random.choice(["", "1", "true"])) for name in names]})


def _headers(route: Route, check: Check, random: Random) -> Aside:
    is_guarded = route.operation.name in ("replace", "delete")
    if is_guarded and random.random() < 0.7:
        name, stale = random.choice(
            [*(("If-Match", etag) for etag in _STALE), ("If-None-Match", "*")]
        )
        finding = Finding(f"{name} of another state", Check.STATE, "precondition_failed", None)
        return Aside([finding], {"headers": {name: stale}})
    if random.random() < 0.2:
        key = "Idempotency-Key"
        finding = Finding(f"{key} twice", check, _invalid("duplicate"), key, (HEADERS,))
        keys = CIMultiDict([(key, "one"), (key, random.choice(["one", "two", ""]))])
        return Aside([finding], {"headers": keys})
    of_bulk = {
        "If-Match": ("If-Match of no record", ["*", '"x"', ""]),
        "If-None-Match": ("If-None-Match of no record", ["*", '"x"', ""]),
    }
    wrong = ({} if is_guarded else of_bulk) | {
        "Idempotency-Key": ("unusable Idempotency-Key", ["", "a b", "x" * 256])
    }
    chosen = random.sample([*wrong], min(len(wrong), random.choice([1, 1, 2])))
    names = [name for name in wrong if name in chosen]
    reported = [
        Finding(wrong[name][0], check, _invalid("invalid_value"), name, (HEADERS, index))
        for index, name in enumerate(names)
    ]
    return Aside(reported, {"headers": {name: random.choice(wrong[name][1]) for name in names}})


def _path(route: Route, resource: WritableResource, random: Random) -> Aside:
    id_, kind = random.choice(
        [
            (str(FAR + random.randrange(1000)), "unknown record"),
            (random.choice(NO_IDS), "malformed id"),
        ]
    )
    finding = Finding(kind, Check.RECORD, "not_found", "id", (PATH,))
    if kind == "malformed id" and not resource.string_ids:
        finding = Finding(kind, Check.ITEM, _invalid("invalid_value"), "id", (PATH,))
    return Aside([finding], {"path": route.path.format(id=id_)})


def _invalid(kind: str) -> str:
    return f"validation_error.{kind}"


def unreadable(subject: Subject, resource: MasterRecord, random: Random, organization: int) -> Case:
    """Return the subject's request with an unreadable body, and maybe faults beside it."""
    route, raw, is_bulk = subject.route, orjson.dumps(subject.body), subject.bulk is not None
    chosen = asides(route, resource, random, is_bulk=is_bulk) if random.random() < 0.5 else []
    request: dict[str, Any] = {"method": route.method, "path": subject.path}
    if random.random() < 0.4:
        request |= {"body": raw, "content_type": random.choice(_MEDIA_TYPES)}
        kind, row = "wrong media type", ("unsupported_media_type", "Content-Type")
        # This check comes first.
        reported = [Finding(kind, Check.REQUEST, *row)]
        return findings.case(route, organization, changed(request, chosen), reported)
    request |= {"body": _broken(raw, random)}
    check, kind = (Check.REQUEST if is_bulk else Check.ITEM), _invalid("malformed_json")
    reported = [finding for aside in chosen for finding in aside.findings]
    reported.append(Finding("no JSON at all", check, kind, None, (BODY,)))
    bulk = Bulk(subject.bulk, 0) if subject.bulk else None
    return findings.case(route, organization, changed(request, chosen), reported, bulk)


def _broken(raw: bytes, random: Random) -> bytes:
    """Return bytes that are no JSON, though they begin as the body."""
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
