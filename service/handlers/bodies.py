"""What a request alone shows to be wrong: round one of the checks, always 400.

Bodies and ids become items with stored ids, or an ApiError with every failure (contract,
section 4).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from service.errors import ApiError, Row
from service.faults import Fault, repeated
from service.queries.batch import Item
from service.queries.master_record import MasterRecord
from service.schemas.validation import Validator, parse

MAX_IDS = 200


@dataclass
class BulkOperation:
    """A bulk operation under way; ``total`` counts its items as soon as they are known."""

    name: str
    total: int = 0


@contextmanager
def bulk_operation(name: str) -> Iterator[BulkOperation]:
    """Add to every failure within what bulk failures tell (specification, Errors)."""
    operation = BulkOperation(name)
    try:
        yield operation
    except ApiError as error:
        raise error.of_bulk(operation.name, operation.total) from error.__cause__


def one_item(resource: MasterRecord, form: Validator, raw: bytes) -> Item:
    """The item of a single write."""
    item = parse(raw)
    faults = resource.faults(item) if isinstance(item, dict) else ()
    if rows := form.rows(item, raw, faults):
        raise ApiError(rows)
    return dict(item)


def many_items(
    resource: MasterRecord, form: Validator, raw: bytes, operation: BulkOperation
) -> list[Item]:
    """The items of a bulk write, with stored ids where they have one."""
    items = parse(raw)
    if isinstance(items, list):
        operation.total = len(items)
        faults = [*_items_faults(resource, items)]
    else:
        faults = []
    if rows := form.rows(items, raw, faults):
        raise ApiError(rows)
    if resource.string_ids:
        for item in items:
            if isinstance(item.get("id"), str):
                item["id"] = resource.stored_id(item["id"])
    return list(items)


def many_ids(resource: MasterRecord, texts: list[str], operation: BulkOperation) -> list[Item]:
    """The items of a bulk delete, from its ``ids`` parameters."""
    operation.total = len(texts)
    items, rows, seen = [], [], set()
    if not texts:
        rows.append(Row("validation_error.required_field", "ids", "Give at least one id."))
    if len(texts) > MAX_IDS:
        rows.append(Row("validation_error.too_many_items", "ids", f"Give at most {MAX_IDS} ids."))
    for place, text in enumerate(texts):
        try:
            items.append({"id": resource.stored_id(text)})
        except ValueError as error:
            rows.append(Row("validation_error.invalid_value", f"ids[{place}]", str(error)))
        if text in seen:
            rows.append(Row("validation_error.duplicate", f"ids[{place}]", "Given twice."))
        seen.add(text)
    if rows:
        raise ApiError(rows)
    return items


def _items_faults(resource: MasterRecord, items: list[Any]) -> Iterator[Fault]:
    known = [(place, item) for place, item in enumerate(items) if isinstance(item, dict)]
    for place, item in known:
        for path, kind, message in resource.faults(item):
            yield [place, *path], kind, message
    yield from repeated(known, "id")
    for name in resource.unique:
        live = [(place, item) for place, item in known if item.get("state") != "deleted"]
        yield from repeated(live, name)
