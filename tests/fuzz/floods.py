"""Bulk bodies with more faults than an answer has room for."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import orjson

from service.queries.master_record import MasterRecord
from tests.fuzz import findings
from tests.fuzz.cases import Bulk, Case, Request
from tests.fuzz.findings import Check, Finding
from tests.fuzz.plants import FAR
from tests.fuzz.sites import filler
from tests.fuzz.subjects import Subject
from tests.support.generate import REFERRED

_MOST_FAULTS: Final = 2000
"""Of one body: of what comes after so many the service tells one of each item, any one."""


def flooded(subject: Subject, resource: MasterRecord, random: Random, organization: int) -> Case:
    """Many items, maybe too many: right ones, nobody's, and some with unknown fields."""
    located, longest = subject.form.items, subject.form.schema["maxItems"]
    number = random.randint(longest // 2, longest * 9 // 8)
    most = random.randint(1, max(1, _MOST_FAULTS // number))
    stored = subject.bulk == "bulk_replace"
    items, found = list[dict[str, Any]](), list[Finding]()
    for place in range(number):
        item = filler(located, FAR + place)
        # What refers to others is right only where these are there.
        refers = not stored and not REFERRED.keys().isdisjoint(item)
        wrong = random.randint(0 if place and not refers else 1, most)
        if stored:
            id_ = FAR + place
            item["id"] = str(id_) if resource.string_ids else id_
            found.append(
                Finding("unknown record", Check.RECORD, "not_found", f"[{place}].id", (), place)
            )
        members = [*item.items(), *((f"field {n}", n) for n in range(wrong))]
        items.append(dict(random.sample(members, len(members))))
        found += _unknown(items[-1], place)
    if number > longest:
        kind = "validation_error.too_many_items"
        found.append(Finding("too many members", Check.REQUEST, kind, None))
    request = Request(subject.route.method, subject.path, orjson.dumps(items))
    bulk = Bulk(str(subject.bulk), number)
    return findings.case(subject.route, organization, request, found, bulk)


def _unknown(item: dict[str, Any], place: int) -> Iterator[Finding]:
    kind = "validation_error.unknown_field"
    for order, name in enumerate(item):
        if name.startswith("field "):
            yield Finding("unknown field", Check.ITEM, kind, f"[{place}].{name}", (order,), place)
