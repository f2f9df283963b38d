"""Tests that one fault has one row: no check reads values that broke their schema."""

from collections.abc import Iterator
from copy import deepcopy
from operator import or_
from random import Random
from typing import Any, Final

import orjson
import pytest

from service import schemas
from service.records.resource import Resource
from service.resources.registry import (
    ALLOCATIONS,
    MASTER_RECORDS,
    PART_COLLECTIONS,
    PARTS,
    TRANSACTION,
)
from service.schemas.definitions import ResolvedSchema
from service.schemas.validation import Validator
from tests.support.api import Api
from tests.support.fault_kinds import KINDS, Check, Fault, inject
from tests.support.fault_sites import Path, filler, sites

pytestmark = pytest.mark.contract("Errors")

_OF_BODIES: Final = ("no JSON", "lone surrogate", "nested too deeply")
"""Kinds of faults of a body as a whole."""
_FORMS: Final = [
    *((record, "create", record.validators["create"]) for record in MASTER_RECORDS),
    *((record, "replace", record.validators["replace"]) for record in (*MASTER_RECORDS, *PARTS)),
    *((each, "item", each.validators["replace"]) for each in PART_COLLECTIONS),
    (ALLOCATIONS, "allocations", ALLOCATIONS.validators["allocate"]),
    (TRANSACTION, "entries", TRANSACTION.validator),
]
_LISTS: Final = {
    ALLOCATIONS.name: [{"barcodeRangeId": 5, "count": 40}, {"styleSkuIds": [1, 2]}],
    TRANSACTION.name: [
        {"collection": "color-swatches", "operation": "merge", "item": {"colorId": 1}}
    ],
}
"""Examples of lists that have none."""
of_each_form = pytest.mark.parametrize(
    ("resource", "form", "validator"),
    _FORMS,
    ids=[f"{each.name} {form}" for each, form, _ in _FORMS],
)


def _rows(validator: Validator, body: Any) -> list[tuple[str, Path]]:
    """Return type and path of each error of a body."""
    raw = orjson.dumps(body)
    return [(detail.type, detail.path) for detail in validator.errors(orjson.loads(raw), raw)]


def _faults(located: ResolvedSchema, body: Any) -> Iterator[Fault]:
    """Yield faults of each kind at each site of a body, but for those within key objects."""
    keys = list[Path]()
    for site in sites(located, body):
        if isinstance(site.value, dict) and "anyOf" in site.schema:
            keys.append(site.path)
        if any(site.path[: len(path)] == path for path in keys):
            continue
        for kind in KINDS:
            if kind.name not in _OF_BODIES and kind.check is Check.ITEM and kind.fits(site):
                fault = kind.make(site, Random(f"{kind.name} {site.path}"))
                if fault.row:
                    yield fault


def _bodies(located: ResolvedSchema) -> Iterator[Any]:
    """Yield the example of a form, and it with each of its lists of two equal entries.

    They differ in one member, which the first of them may lack.
    """
    [example] = located.schema.get("examples", [_LISTS.get(located.home)])
    yield example
    for site in [*sites(located, example)]:
        entry = site.located.items
        if "array" not in site.types or "object" not in entry.types:
            continue
        least = filler(entry, 1)
        for name, member in entry.properties.items():
            if member.schema and not member.schema.get("readOnly"):
                second = {**least, name: filler(member, 2)}
                for first in ({**least, name: filler(member, 1)}, least):
                    yield inject(deepcopy(example), Fault(site.path, [first, second], "", None))


@of_each_form
def test_a_fault_has_one_row(resource: Resource, form: str, validator: Validator) -> None:
    located = schemas.definition(resource.name, form)
    for body in _bodies(located):
        if _rows(validator, body):
            continue
        for fault in _faults(located, body):
            rows = _rows(validator, inject(deepcopy(body), fault))
            assert rows == [(fault.type, fault.row)], (fault, body)


@pytest.mark.contract("Bulk")
async def test_items_are_compared_without_broken_values(api: Api) -> None:
    """A wrong state may be ``deleted``, and files of a wrong style may be those of another one."""
    made = (await api.post("/api/size-ranges", [{"name": "Alpha"}, {"name": "Waist"}])).data
    bodies = [{"id": each["id"], "name": "Alpha", "isDefault": True} for each in made]
    states = [{"state": "active"}, {"state": "gone"}]
    answer = await api.put("/api/size-ranges", [*map(or_, bodies, states)])
    assert answer.details == [("validation_error.invalid_value", "[1].state")]
    file = {"styleId": 0, "fileName": "a.jpg", "category": "image", "state": "active"}
    file["url"] = "https://example.com/a.jpg"
    entries = [{"collection": "style-files", "item": file}] * 2
    transaction = await api.post("/api/transaction", entries)
    assert [name for _, name in transaction.details] == ["[0].item.styleId", "[1].item.styleId"]
    answer = await api.put("/api/style-files", [file, file], params={"match": "fileName"})
    assert [name for _, name in answer.details] == ["[0].styleId", "[1].styleId"]
