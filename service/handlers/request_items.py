"""Request items: parses bodies, ids and keys into items; ids become stored ids (contract, Errors).

Errors of the request as a whole raise ApiError, 400. Errors of an item of a bulk write are stored
under its request index, so that the other items can be checked further. The database is not used.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from service import schemas
from service.batches.batch import RequestItems, list_path
from service.batches.entry import DELETE, UPSERT, EntryOperation, Item
from service.batches.renames import NEW_KEY
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, Path, api_error, one_per_field
from service.listing.properties import parse_ids
from service.records.master_record import MasterRecord
from service.records.resource import ids_schema
from service.records.writable_resource import WritableResource
from service.schemas.broken_values import without_broken
from service.schemas.extra_checks import duplicate_errors, key_errors
from service.schemas.parsing import parse
from service.schemas.validation import Validator
from service.schemas.visible_text import normal
from service.writing.outcomes import WriteOptions


def one_item(
    validator: Validator, raw: bytes, operation: EntryOperation, name: str = ""
) -> RequestItems:
    """Return the item of a single write by id; raise ApiError with all its errors.

    With ``name``, the body is a list, which the item stores under this name. The ``id`` of the path
    is set later, and replaces one in the body.
    """
    body = parse(raw)
    if details := validator.errors(body, raw):
        raise ApiError(details)
    if name:
        return RequestItems([{name: body}], list_path(name), operation=operation)
    return RequestItems([dict(body)], operation=operation)


def keyed_item(resource: MasterRecord, raw: bytes, key: str) -> RequestItems:
    """Return the item of a single write whose path has the own key; raise ApiError for its errors.

    The body may leave the key out, or have null, where the item gets the key of the path. Another
    key in the body is an error. Errors of the path's key are at the path parameter. If
    ``key`` is "", the path is wrong, and the body's own key is not checked.
    """
    body, name = parse(raw), str(resource.own_key)
    sent = body.get(name) if isinstance(body, dict) else None
    details = []
    if isinstance(body, dict) and sent is None:
        body[name] = key
    elif isinstance(sent, str) and normal(sent) != normal(key):
        message = "Leave this out, or use the key of the path."
        details = [ErrorDetail(ErrorType.INVALID_VALUE, (name,), message)]
    details += resource.validators["replace"].errors(body, raw)
    if not key:
        details = [detail for detail in details if detail.path != (name,)]
    elif sent in (None, key):
        at_path = (resource.key,)
        details = [replace(d, path=at_path) if d.path == (name,) else d for d in details]
    if details := one_per_field(body, details):
        raise ApiError(details)
    return RequestItems([dict(body)], is_by_id=False)


@dataclass(frozen=True, slots=True)
class BulkBody:
    """Body of a bulk write, parsed or with the errors of parsing."""

    raw: bytes
    items: Any
    """Parsed JSON, which may be anything, also None for ``null``; None if it was not parsed."""
    parse_errors: Sequence[ErrorDetail] = ()
    """Errors of a body that could not be parsed."""

    @classmethod
    def of(cls, raw: bytes, read: Callable[[bytes], Any] = parse) -> "BulkBody":
        """Parse a body by ``read`` and keep its errors."""
        try:
            return cls(raw, read(raw))
        except ApiError as error:
            return cls(raw, None, error.details)

    def raise_parse_errors(self) -> None:
        """Raise ApiError if the body could not be parsed."""
        if self.parse_errors:
            raise ApiError(self.parse_errors)

    def objects(self) -> Iterator[tuple[int, Item]]:
        """Yield the items that are objects, with their request indexes."""
        for index, item in enumerate(self.items if isinstance(self.items, list) else ()):
            if isinstance(item, dict):
                yield index, item

    @property
    def total_items(self) -> int:
        """Number of items; 0 if the body is not a list."""
        return len(self.items) if isinstance(self.items, list) else 0


def many_items(
    resource: WritableResource,
    validator: Validator,
    body: BulkBody,
    options: WriteOptions,
    operation: EntryOperation = UPSERT,
) -> RequestItems:
    """Return the items of a bulk write with their errors; those of ``body`` are changed in place.

    Without ``match_by_key`` a valid item that has an id gets the stored id as ``id``; key objects
    are resolved later. Raise ApiError for errors of the body as a whole, such as malformed JSON or
    too many items. Of several items with the same unique value or id (with ``match_by_key``, own
    key instead of id) all but the first have an error; with ``skip_failed``, all of them. Unique
    values of items that delete do not count.
    """
    body.raise_parse_errors()
    items = body.items
    details = validator.errors_of_items(items, body.raw)
    objects = readable_objects(enumerate(items), details)
    identify_objects(resource, objects, details, options)
    id_field = resource.own_key if options.match_by_key else resource.key
    add_repeated_values(resource, objects, details, options, without=id_field)
    is_by_id = not options.match_by_key
    return RequestItems(items, in_body, details, True, operation, is_by_id)


Details: TypeAlias = dict[int, list[ErrorDetail]]
"""Errors of items by request index; their paths start at the item."""


def readable_objects(items: Iterable[tuple[int, Any]], details: Details) -> list[tuple[int, Item]]:
    """Return the items that are objects, given with their request indexes, to be compared.

    Those that broke their schema are copies with ``Broken`` values, by ``details``.
    """
    if details:
        items = ((index, without_broken(item, details.get(index, ()))) for index, item in items)
    return [(index, item) for index, item in items if isinstance(item, dict)]


def identify_objects(
    resource: WritableResource,
    objects: list[tuple[int, Item]],
    details: Details,
    options: WriteOptions,
) -> None:
    """Set the stored ids of items, given with their request indexes, that name records by id.

    Add errors to ``details`` for repeated ids, or with ``match_by_key`` for repeated own keys, and
    for renames.
    """
    by_key = options.match_by_key and resource.own_key is not None
    id_field = str(resource.own_key) if by_key else resource.key
    for group in _group_by_parent(objects, resource.own_key_within if by_key else None):
        _add_duplicates(group, id_field, details, options)
    if by_key and any(NEW_KEY in item for _, item in objects):
        _check_renames(resource, objects, details, options)
    if not options.match_by_key:
        _set_ids(resource, (item for index, item in objects if index not in details))


def _set_ids(resource: WritableResource, items: Iterable[Item]) -> None:
    """Set the stored ids of items that name their records by id, unless they have them."""
    key = resource.key
    if resource.string_ids or key != "id":
        for item in items:
            if key in item and not isinstance(item[key], dict):
                item["id"] = resource.stored_id(item[key]) if resource.string_ids else item[key]


def add_repeated_values(
    resource: WritableResource,
    objects: list[tuple[int, Item]],
    details: Details,
    options: WriteOptions,
    without: str | None = None,
) -> None:
    """Add errors for repeated values of unique fields, but for those of the field ``without``."""
    for name in resource.unique_fields:
        if name != without:
            _add_duplicates(_live(objects), name, details, options)


def _live(objects: list[tuple[int, Item]]) -> list[tuple[int, Item]]:
    """Return the items that do not delete; those of an unreadable state may."""
    states = ((entry, entry[1].get("state")) for entry in objects)
    return [entry for entry, state in states if state is None or state in ("active", "inactive")]


def _add_duplicates(
    objects: list[tuple[int, Item]], name: str, details: Details, options: WriteOptions
) -> None:
    for detail in duplicate_errors(objects, name, all_of_them=options.skip_failed):
        error = ErrorDetail(detail.type, (name,), detail.message)
        details.setdefault(int(detail.path[0]), []).append(error)


def _check_renames(
    resource: WritableResource,
    objects: list[tuple[int, Item]],
    details: Details,
    options: WriteOptions,
) -> None:
    """Add errors for items that delete and rename a record, and for own keys that would repeat.

    Compared are the keys that the records have after the write.
    """
    own_key, by_index = str(resource.own_key), dict(objects)
    for request_index, item in objects:
        if item.get("state") == "deleted" and isinstance(item.get(NEW_KEY), str):
            message = "Leave this out: the item deletes its record."
            error = ErrorDetail(ErrorType.INVALID_VALUE, (NEW_KEY,), message)
            details.setdefault(request_index, []).append(error)
    live_objects = [
        (index, {**item, own_key: item.get(NEW_KEY) or item.get(own_key)})
        for index, item in _live(objects)
    ]
    for group in _group_by_parent(live_objects, resource.own_key_within):
        for detail in duplicate_errors(group, own_key, all_of_them=options.skip_failed):
            request_index = int(detail.path[0])
            name = NEW_KEY if by_index[request_index].get(NEW_KEY) else own_key
            error = ErrorDetail(detail.type, (name,), detail.message)
            if error not in details.get(request_index, ()):
                details.setdefault(request_index, []).append(error)


def _group_by_parent(
    objects: list[tuple[int, Item]], within: str | None
) -> Iterable[list[tuple[int, Item]]]:
    """Group the items by the field ``within``, the parent within which own keys are looked up.

    Without it, all are one group. Items without a plain parent id are left out:
    ``own_keys.resolve_scopes`` compares them later.
    """
    if within is None:
        return [objects]
    groups = defaultdict[Any, list[tuple[int, Item]]](list)
    for request_index, item in objects:
        if isinstance(item.get(within), int | str):
            groups[item[within]].append((request_index, item))
    return groups.values()


def many_ids(resource: MasterRecord, texts: list[str], options: WriteOptions) -> RequestItems:
    """Return the items of a bulk delete, from its ``ids`` parameters, with their stored ids.

    Raise ApiError for too few or too many ids. A malformed id, and each repeated one but the first
    (with ``skip_failed`` all of them), is an error of its item. In a collection with text ids a
    malformed one becomes 0, which no record has.
    """
    _check_number(resource, texts, "id")
    if (ids := parse_ids(texts)) and len({*texts}) == len(texts):
        items: list[Item] = [{"id": record_id} for record_id in ids]
        return RequestItems(items, in_query, is_bulk=True, operation=DELETE)
    items, details = [], defaultdict[int, list[ErrorDetail]](list)
    for request_index, text in enumerate(texts):
        try:
            items.append({"id": resource.stored_id(text)})
        except ValueError as error:
            items.append({})
            details[request_index].append(ErrorDetail(ErrorType.INVALID_VALUE, (), str(error)))
    _add_repeated(texts, details, options)
    return RequestItems(items, in_query, details, is_bulk=True, operation=DELETE)


def many_keys(resource: MasterRecord, texts: list[str], options: WriteOptions) -> RequestItems:
    """Return the items of a bulk delete by own key, from its ``keys`` parameters.

    Raise ApiError for too few or too many keys. Malformed and repeated keys are errors of their
    items, as in ``many_ids``.
    """
    _check_number(resource, texts, "key")
    details = defaultdict[int, list[ErrorDetail]](list)
    for request_index, text in enumerate(texts):
        details[request_index] += key_errors(text)
    _add_repeated(texts, details, options)
    items: list[Item] = [{str(resource.own_key): text} for text in texts]
    failed = {request_index: rows for request_index, rows in details.items() if rows}
    return RequestItems(items, _in_keys, failed, True, DELETE, is_by_id=False)


def _check_number(resource: MasterRecord, texts: list[str], noun: str) -> None:
    """Raise ApiError for too few or too many ids or keys of a bulk delete."""
    if not texts:
        raise api_error(ErrorType.REQUIRED_FIELD, f"{noun}s", message=f"Give at least one {noun}.")
    maximum = schemas.definition(ids_schema(resource), "ids").schema["maxItems"]
    if len(texts) > maximum:
        message = f"Give at most {maximum} {noun}s."
        raise api_error(ErrorType.TOO_MANY_ITEMS, f"{noun}s", message=message)


def _add_repeated(
    texts: list[str], details: defaultdict[int, list[ErrorDetail]], options: WriteOptions
) -> None:
    """Add an error for each repeated text but the first; with ``skip_failed``, for all of them."""
    counts, seen = Counter(texts) if options.skip_failed else {}, set[str]()
    for request_index, text in enumerate(texts):
        if text in seen or counts.get(text, 0) > 1:
            details[request_index].append(ErrorDetail(ErrorType.DUPLICATE, (), "Given twice."))
        seen.add(text)


def in_body(request_index: int, path: Path) -> Path:
    """Return the path of an item's field in a body that lists items."""
    return (request_index, *path)


def in_query(request_index: int, _: Path) -> Path:
    """Return the path of an item that a repeated parameter ``ids`` names."""
    return ("ids", request_index)


def _in_keys(request_index: int, _: Path) -> Path:
    """Return the path of an item that a repeated parameter ``keys`` names."""
    return ("keys", request_index)
