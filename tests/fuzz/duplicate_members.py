"""Bodies with a duplicate member in one object, which JSON parsers accept."""

from collections.abc import Iterator
from random import Random
from typing import Any

import orjson

from tests.fuzz import findings
from tests.fuzz.bodies import operations
from tests.fuzz.cases import Bulk, Case, Request
from tests.fuzz.findings import BODY, Finding
from tests.fuzz.subjects import Subject
from tests.support.fault_kinds import Check, Fault, field_name, inject
from tests.support.fault_sites import Path

_KIND = "validation_error.malformed_json"


def doubled(subject: Subject, random: Random, organization: int) -> Case:
    """Return the subject's request with a duplicate member, with equal or different values."""
    body = operations(subject.root, subject.body) if subject.patches else subject.body
    path, value = random.choice([*_objects(body)])
    name = random.choice([*value])
    again = random.choice([value[name], None, "a: \\u003a", {":": [{}]}])
    members = [orjson.dumps(member) + b":" + orjson.dumps(value[member]) for member in value]
    members.insert(
        random.randint(0, len(members)), _written(name, random) + b":" + orjson.dumps(again)
    )
    fragment = orjson.Fragment(b"{" + b",".join(members) + b"}")
    raw = orjson.dumps(inject(body, Fault(path, fragment, _KIND, None)))
    request = Request(subject.route.method, subject.path, raw)
    check = Check.REQUEST if subject.bulk else Check.ITEM
    reported = [
        Finding("member that stands twice", check, _KIND, field_name((*path, name)), (BODY,))
    ]
    bulk = Bulk(subject.bulk, 0) if subject.bulk else None
    return findings.case(subject.route, organization, request, reported, bulk)


def _written(name: str, random: Random) -> bytes:
    """Return the name as JSON, maybe with all of its characters escaped."""
    if random.random() < 0.7:
        return orjson.dumps(name)
    return b'"%b"' % b"".join(b"\\u%04x" % ord(character) for character in name)


def _objects(value: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield path and value of each object in a value that has members, itself included."""
    if isinstance(value, dict):
        if value:
            yield path, value
        for name, member in value.items():
            yield from _objects(member, (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _objects(member, (*path, index))
