"""What requests send: bodies and ids become items with stored ids (contract, Errors).

What is wrong with a request as a whole is an ApiError, 400; what is wrong with an item of several
is kept with it, so that the others can be looked at further.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from service import schemas
from service.failures import MAX_MADE, ApiError, Failure, failed
from service.queries.batch import Item, Sent, in_body, in_query
from service.queries.master_record import MasterRecord
from service.schemas.budget import MAX_RECORD_BYTES, record_failures
from service.schemas.repetitions import repeated
from service.schemas.validation import Validator, first_of_each_field, parse


def one_item(resource: MasterRecord, form: Validator, raw: bytes) -> Item:
    """The item of a single write; raises ApiError with everything that is wrong with it."""
    item = parse(raw)
    check_item(resource, form, item, raw)
    return dict(item)


def check_item(resource: MasterRecord, form: Validator, item: Any, raw: bytes) -> None:
    """Raise ApiError with everything that is wrong with an item that came as these bytes."""
    failures = form.failures(item, raw)
    if found := _with_own(resource, item, failures, MAX_MADE, may_be_large=_may_be_large(raw)):
        raise ApiError(found)


@dataclass(frozen=True, slots=True)
class BulkBody:
    """The body of a bulk write as it was parsed."""

    raw: bytes
    items: Any
    unread: Sequence[Failure] = ()
    """Why there are no items, if there are none."""

    @classmethod
    def read(cls, raw: bytes) -> "BulkBody":
        """The body of those bytes."""
        try:
            return cls(raw, parse(raw))
        except ApiError as error:
            return cls(raw, None, error.failures)

    @property
    def total_items(self) -> int:
        """How many items it has."""
        return len(self.items) if isinstance(self.items, list) else 0


def many_items(resource: MasterRecord, form: Validator, body: BulkBody) -> Sent:
    """The items of a bulk write, with stored ids where they have one.

    Raises ApiError for what is wrong with the body as a whole.
    """
    if body.unread:
        raise ApiError(body.unread)
    items = body.items
    found = form.failures_of_items(items, body.raw)
    known = [(place, item) for place, item in enumerate(items) if isinstance(item, dict)]
    room, may_be_large = MAX_MADE - sum(map(len, found.values())), _may_be_large(body.raw)
    for place, item in known:
        failures = found.get(place, [])
        if told := _with_own(resource, item, failures, max(room, 1), may_be_large=may_be_large):
            found[place] = told
            room -= len(told) - len(failures)
    live = [(place, item) for place, item in known if item.get("state") != "deleted"]
    for name, among in (("id", known), *((name, live) for name in resource.unique)):
        for failure in repeated(among, name):
            place = int(failure.path[0])
            found.setdefault(place, []).append(Failure(failure.type, (name,), failure.message))
    if resource.string_ids:
        for item in (item for place, item in known if place not in found and "id" in item):
            item["id"] = resource.stored_id(item["id"])
    return Sent(items, in_body, found)


def many_ids(resource: MasterRecord, texts: list[str]) -> Sent:
    """The items of a bulk delete, from its ``ids`` parameters; raises ApiError for their number."""
    if not texts:
        raise failed("validation_error.required_field", "ids", message="Give at least one id.")
    most = schemas.definition(resource.home_of_ids, "ids").schema["maxItems"]
    if len(texts) > most:
        message = f"Give at most {most} ids."
        raise failed("validation_error.too_many_items", "ids", message=message)
    items, found, seen = list[Item](), dict[int, list[Failure]](), set[str]()
    for place, text in enumerate(texts):
        try:
            items.append({"id": resource.stored_id(text)})
        except ValueError as error:
            items.append({})
            found[place] = [Failure("validation_error.invalid_value", (), str(error))]
        if text in seen:
            found.setdefault(place, []).append(
                Failure("validation_error.duplicate", (), "Given twice.")
            )
        seen.add(text)
    return Sent(items, in_query, found)


def _may_be_large(raw: bytes) -> bool:
    """Whether a record in these bytes can be larger than one may be."""
    return len(raw) > MAX_RECORD_BYTES


def _with_own(
    resource: MasterRecord, item: Item, failures: list[Failure], most: int, *, may_be_large: bool
) -> list[Failure]:
    """The failures of an item with at most that many that its size and the resource show.

    It looks only at lists that are not too long.
    """
    too_long = {one.path[0] for one in failures if one.type == "validation_error.too_many_items"}
    seen = {name: item[name] for name in item if name not in too_long} if too_long else item
    size = record_failures(item) if may_be_large else ()
    own = islice(resource.item_failures(seen), most)
    return first_of_each_field(item, [*size, *own, *failures])
