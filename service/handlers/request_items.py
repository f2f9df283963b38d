"""What requests send: bodies and ids become items with stored ids (contract, Errors).

What is wrong with a request as a whole is an ApiError, 400; what is wrong with an item of several
is kept with it, so that the others can be looked at further.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service import schemas
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, Path, api_error
from service.listing.properties import parse_ids
from service.queries.batch import Item, RequestItems
from service.queries.master_record import MasterRecord
from service.queries.outcomes import WriteOptions
from service.schemas.extra_checks import duplicate_errors
from service.schemas.parsing import parse
from service.schemas.validation import Validator

_LARGE: Final = 2**20
"""Bytes that take several milliseconds to parse."""


def one_item(form: Validator, raw: bytes, name: str = "") -> Item:
    """The item of a single write; raises ApiError with everything that is wrong with it.

    Where the body is a list, the item has it by that name.
    """
    sent = parse(raw)
    if found := form.errors(sent, raw):
        raise ApiError(found)
    return {name: sent} if name else dict(sent)


@dataclass(frozen=True, slots=True)
class BulkBody:
    """The body of a bulk write as it was parsed."""

    raw: bytes
    items: Any
    unread: Sequence[ErrorDetail] = ()
    """Why there are no items, if there are none."""

    @classmethod
    async def read(cls, raw: bytes) -> "BulkBody":
        """The body of those bytes; if parsing took its time, others come before it is looked at."""
        try:
            return cls(raw, parse(raw))
        except ApiError as error:
            return cls(raw, None, error.details)
        finally:
            if len(raw) > _LARGE:
                await asyncio.sleep(0)

    @property
    def total_items(self) -> int:
        """How many items it has."""
        return len(self.items) if isinstance(self.items, list) else 0


def many_items(
    resource: MasterRecord, form: Validator, body: BulkBody, manner: WriteOptions
) -> RequestItems:
    """The items of a bulk write, with stored ids where they have one.

    Raises ApiError for what is wrong with the body as a whole. Of items that share what only one
    may have, the first is right, but not where only what fails is left out.
    """
    if body.unread:
        raise ApiError(body.unread)
    items = body.items
    found = form.errors_of_items(items, body.raw)
    known = [(place, item) for place, item in enumerate(items) if isinstance(item, dict)]
    named = resource.own_key if manner.match_by_key and resource.own_key else "id"
    others = [name for name in resource.unique_fields if name != named]
    live = [one for one in known if one[1].get("state") != "deleted"] if others else []
    apart = _apart(known, resource.own_key_within if manner.match_by_key else None)
    for name, among in (*((named, some) for some in apart), *((name, live) for name in others)):
        for failure in duplicate_errors(among, name, all_of_them=manner.skip_failed):
            place = int(failure.path[0])
            found.setdefault(place, []).append(ErrorDetail(failure.type, (name,), failure.message))
    if resource.string_ids:
        for item in (
            item
            for place, item in known
            if place not in found and not manner.match_by_key and "id" in item
        ):
            item["id"] = resource.stored_id(item["id"])
    return RequestItems(items, in_body, found, is_bulk=True)


def _apart(known: list[tuple[int, Item]], within: str | None) -> Iterable[list[tuple[int, Item]]]:
    """The items by the record within which their keys name others, if keys do so."""
    if within is None:
        return [known]
    found = defaultdict[Any, list[tuple[int, Item]]](list)
    for place, item in known:
        if isinstance(item.get(within), int | str):
            found[item[within]].append((place, item))
    return found.values()


def many_ids(resource: MasterRecord, texts: list[str], manner: WriteOptions) -> RequestItems:
    """The items of a bulk delete, from its ``ids`` parameters; raises ApiError for their number."""
    if not texts:
        raise api_error(ErrorType.REQUIRED_FIELD, "ids", message="Give at least one id.")
    most = schemas.definition(resource.home_of_ids, "ids").schema["maxItems"]
    if len(texts) > most:
        message = f"Give at most {most} ids."
        raise api_error(ErrorType.TOO_MANY_ITEMS, "ids", message=message)
    if (ids := parse_ids(texts)) and len({*texts}) == len(texts):
        return RequestItems([{"id": one} for one in ids], in_query, is_bulk=True)
    items, found, seen = list[Item](), dict[int, list[ErrorDetail]](), set[str]()
    twice = {text for text, times in Counter(texts).items() if manner.skip_failed and times > 1}
    for place, text in enumerate(texts):
        try:
            items.append({"id": resource.stored_id(text)})
        except ValueError as error:
            items.append({})
            found[place] = [ErrorDetail(ErrorType.INVALID_VALUE, (), str(error))]
        if text in seen or text in twice:
            found.setdefault(place, []).append(ErrorDetail(ErrorType.DUPLICATE, (), "Given twice."))
        seen.add(text)
    return RequestItems(items, in_query, found, is_bulk=True)


def in_body(place: int, path: Path) -> Path:
    """Where a field stands in a request whose body is a list of items."""
    return (place, *path)


def in_query(place: int, _: Path) -> Path:
    """Where an item stands that a repeated parameter ``ids`` names."""
    return ("ids", place)
