"""Bodies of which one object has a member twice, which no parser tells by itself."""

from collections.abc import Iterator
from random import Random
from typing import Any

import orjson

from tests.fuzz import findings
from tests.fuzz.bodies import field, operations, planted
from tests.fuzz.cases import Bulk, Case, Request
from tests.fuzz.findings import BODY, Check, Finding
from tests.fuzz.plants import Plant
from tests.fuzz.sites import Path
from tests.fuzz.subjects import Subject

_KIND = "validation_error.malformed_json"


def doubled(subject: Subject, random: Random, organization: int) -> Case:
    """The subject's request with a member twice in one object, with one value or two."""
    body = operations(subject.root, subject.body) if subject.patches else subject.body
    path, value = random.choice([*_objects(body)])
    name = random.choice([*value])
    again = random.choice([value[name], None, "a: \\u003a", {":": [{}]}])
    members = [orjson.dumps(one) + b":" + orjson.dumps(value[one]) for one in value]
    members.insert(
        random.randint(0, len(members)), _written(name, random) + b":" + orjson.dumps(again)
    )
    fragment = orjson.Fragment(b"{" + b",".join(members) + b"}")
    raw = orjson.dumps(planted(body, Plant(path, fragment, _KIND, None)))
    request = Request(subject.route.method, subject.path, raw)
    check = Check.REQUEST if subject.bulk else Check.ITEM
    found = [Finding("member that stands twice", check, _KIND, field((*path, name)), (BODY,))]
    bulk = Bulk(subject.bulk, 0) if subject.bulk else None
    return findings.case(subject.route, organization, request, found, bulk)


def _written(name: str, random: Random) -> bytes:
    """The name as JSON, maybe with all of its characters escaped."""
    if random.random() < 0.7:
        return orjson.dumps(name)
    return b'"%b"' % b"".join(b"\\u%04x" % ord(character) for character in name)


def _objects(value: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The objects in a value that have any members, itself among them."""
    if isinstance(value, dict):
        if value:
            yield path, value
        for name, member in value.items():
            yield from _objects(member, (*path, name))
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from _objects(member, (*path, place))
