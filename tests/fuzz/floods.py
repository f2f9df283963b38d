"""Bulk bodies with more faults than fit into a response."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import orjson

from service.records.master_record import MasterRecord
from tests.fuzz import findings
from tests.fuzz.cases import Bulk, Case, Request
from tests.fuzz.findings import Finding
from tests.fuzz.subjects import Subject
from tests.support.fault_kinds import FAR, Check
from tests.support.fault_sites import filler
from tests.support.generate import REFERRED

_MOST_FAULTS: Final = 2000
"""Maximum number of faults of a body; beyond, the service reports any one of each item."""


def flooded(subject: Subject, resource: MasterRecord, random: Random, organization: int) -> Case:
    """Return a case of many items, maybe too many, valid or with unknown records or fields."""
    located, longest = subject.form.items, subject.form.schema["maxItems"]
    number = random.randint(longest // 2, longest * 9 // 8)
    most = random.randint(1, max(1, _MOST_FAULTS // number))
    stored = subject.bulk == "bulk_replace"
    items, reported = list[dict[str, Any]](), list[Finding]()
    for index in range(number):
        item = filler(located, FAR + index)
        # Items with references are valid only if the referenced records exist.
        refers = not stored and not REFERRED.keys().isdisjoint(item)
        wrong = random.randint(0 if index and not refers else 1, most)
        if stored:
            id_ = FAR + index
            item["id"] = str(id_) if resource.string_ids else id_
            if "state" in item:
                # Items that delete may not be read whole.
                item["state"] = "active"
            reported.append(
                Finding("unknown record", Check.RECORD, "not_found", f"[{index}].id", (), index)
            )
        members = [*item.items(), *((f"field {n}", n) for n in range(wrong))]
        items.append(dict(random.sample(members, len(members))))
        reported += _unknown(items[-1], index)
    if number > longest:
        kind = "validation_error.too_many_items"
        reported.append(Finding("too many members", Check.REQUEST, kind, None))
    request = Request(subject.route.method, subject.path, orjson.dumps(items))
    bulk = Bulk(str(subject.bulk), number)
    return findings.case(subject.route, organization, request, reported, bulk)


def _unknown(item: dict[str, Any], index: int) -> Iterator[Finding]:
    kind = "validation_error.unknown_field"
    for order, name in enumerate(item):
        if name.startswith("field "):
            yield Finding("unknown field", Check.ITEM, kind, f"[{index}].{name}", (order,), index)
