"""JSON Patch: edits of a record's writable form (RFC 6902; contract, Patches).

The ``jsonpatch`` package applies the operations. The status of each error is decided here first:
400 for an invalid patch, a target that is no writable field, or a patched document that violates
the schema; 409 for a failed ``test``; 413 if the document and all that the operations add exceed
MAX_BODY_BYTES or MAX_VALUES (``apply``); 422 for any other operation that cannot be applied.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jsonpatch
import jsonpointer
import orjson

from service import schemas
from service.batches.entry import Edit, Item
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, api_error, one_per_field
from service.limits import MAX_BODY_BYTES, MAX_POINTER_PARTS, MAX_VALUES, byte_size
from service.records.parts import RecordPart
from service.records.writable_resource import WritableResource
from service.schemas.parsing import count_values, malformed, parse
from service.schemas.validation import Validator

_PATCH_FORM = Validator("common/json-patch")
_INAPPLICABLE = (
    jsonpatch.JsonPatchException,
    jsonpointer.JsonPointerException,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    RecursionError,
)
"""Errors that ``jsonpatch`` raises for an operation that cannot be applied."""
_INAPPLICABLE_MESSAGES = {
    "add": "Nothing can be added at {path}.",
    "copy": "There is nothing at {from}, or nothing can be added at {path}.",
    "move": "There is nothing at {from}, or it cannot go to {path}.",
    "remove": "There is nothing to remove at {path}.",
    "replace": "There is nothing to replace at {path}.",
}


def patch_editor(resource: WritableResource, raw: bytes) -> Edit:
    """Return the edit that applies the patch to a writable form.

    Raise ApiError, 400, for errors of the patch itself, which need no stored record. The edit
    raises 409, 413 and 422 as above, and 400 if the patched form violates the replace schema. It
    leaves the stored form unchanged and can be applied again.
    """
    operations = parse(raw)
    form_errors = _PATCH_FORM.errors(operations, b"")
    target_errors = [
        detail
        for index, operation in enumerate(operations)
        for detail in _target_errors(resource, index, operation)
    ]
    if details := one_per_field(operations, target_errors + form_errors):
        raise ApiError(details)
    touches_state = any(_touches(operation, "state") for operation in operations)
    items = _tested_items(resource, operations)

    def edit(stored: Item, with_ids: Sequence[Item]) -> Item:
        values = dict(zip(items, with_ids, strict=True))
        resolved = [
            operation | {"value": _value_at(operation["path"], values[index])}
            if index in values
            else operation
            for index, operation in enumerate(operations)
        ]
        patched = apply(resolved, orjson.loads(orjson.dumps(stored)))
        return validated(resource, stored, patched, touches_state=touches_state)

    return Edit(edit, [*items.values()])


def _tested_items(resource: WritableResource, operations: list[Item]) -> dict[int, Item]:
    """Return the values that may have key objects as items, by the index of the operation.

    A value stands in its item where the pointer leads in a record. There are none without a
    ``test`` or ``compares_patched``; values with another error than a missing member are left out.
    """
    items = dict[int, Item]()
    is_compared = isinstance(resource, RecordPart) and resource.compares_patched
    if not is_compared and all(operation["op"] != "test" for operation in operations):
        return items
    for index, operation in enumerate(operations):
        item = operation.get("value")
        if isinstance(item, dict | list):
            for part in reversed(jsonpointer.JsonPointer(operation["path"]).parts):
                item = [item] if _is_index(part) else {part: item}
            if isinstance(item, dict):
                errors = resource.validators["replace"].errors(item, _to_json(item))
                if all(error.type == ErrorType.REQUIRED_FIELD for error in errors):
                    items[index] = item
    return items


def _value_at(pointer: str, item: Any) -> Any:
    """Return the value that ``_tested_items`` put into an item."""
    for part in jsonpointer.JsonPointer(pointer).parts:
        item = item[0 if _is_index(part) else part]
    return item


def _is_index(part: str) -> bool:
    return part == "-" or part.isdecimal()


def validated(
    resource: WritableResource, stored: Item, patched: Any, *, touches_state: bool
) -> Item:
    """Return the patched form; raise ApiError, 400, if it violates the replace schema.

    The schema does not allow the state ``deleted``. It is accepted, and stays, if the record is
    deleted and the patch does not touch its state.
    """
    stays_deleted = not touches_state and stored.get("state") == "deleted"
    probe = patched | {"state": "active"} if stays_deleted else patched
    if details := resource.validators["replace"].errors(probe, _to_json(probe)):
        if isinstance(resource, RecordPart):
            details = [*resource.patched_errors(stored, probe, details)]
        raise ApiError(details)
    return dict(patched)


def _to_json(document: Any) -> bytes:
    """Return the document as JSON; raise 400 if the operations nested it too deeply."""
    try:
        return orjson.dumps(document)
    except orjson.JSONEncodeError:
        raise malformed("The patched document is nested too deeply.") from None


def _touches(operation: dict[str, Any], name: str) -> bool:
    """Return whether the operation writes or removes a top-level member, or the whole document.

    A change within the member counts, a ``test`` does not.
    """
    targets = [operation["path"]] if operation["op"] != "test" else []
    if operation["op"] == "move":
        targets.append(operation["from"])
    return any(target == "" or target.split("/")[1] == name for target in targets)


def _target_errors(resource: WritableResource, index: int, operation: Any) -> Iterator[ErrorDetail]:
    """Yield errors of an operation's pointers, and of a value that is nested too deeply.

    An operation of a wrong form, such as a text, is left to the schema.
    """
    if not isinstance(operation, dict):
        return
    for member in ("path", "from") if operation.get("op") in ("move", "copy") else ("path",):
        pointer = operation.get(member)
        if isinstance(pointer, str) and (type_ := _target_error_type(resource, pointer)):
            message = f"{pointer} is not a writable field. Use a path of the writable form."
            yield ErrorDetail(type_, (index, member), message)
    if _json_or_none(operation.get("value")) is None:
        type_, message = ErrorType.INVALID_VALUE, "The value is nested too deeply."
        yield ErrorDetail(type_, (index, "value"), message)


def _target_error_type(resource: WritableResource, pointer: str) -> ErrorType | None:
    """Return the error type of a pointer; None if it is valid and within the writable fields.

    None also for the whole document, and below a scalar or reference, which ``apply`` decides.
    """
    if pointer.count("/") + pointer.count("~") > MAX_POINTER_PARTS:
        return ErrorType.INVALID_VALUE
    try:
        parts = jsonpointer.JsonPointer(pointer).parts
    except jsonpointer.JsonPointerException:
        return ErrorType.INVALID_VALUE
    writable_form = schemas.definition(resource.name, "writable")
    has_fields = "fields" in schemas.load()[resource.name]["$defs"]
    schema = schemas.definition(resource.name, "fields") if has_fields else writable_form
    readable, writable = schema.properties.keys(), writable_form.properties.keys()
    if parts and parts[0] in readable - writable:
        return ErrorType.READ_ONLY_FIELD
    for part in parts:
        if "array" in schema.types:
            schema = schema.items
            continue
        members = schema.properties
        if not members or schema.types - {"object", "null"}:
            return None  # below a scalar, or the id of a reference, which an object may replace
        if part not in members:
            return ErrorType.UNKNOWN_FIELD
        schema = members[part]
        if schema.schema.get("readOnly"):
            return ErrorType.READ_ONLY_FIELD
    return None


def apply(operations: list[dict[str, Any]], document: Any) -> Any:
    """Return the document after the valid operations, which may change the given one in place.

    A size budget limits the sum of the document and of all values that the operations add; values
    that they remove are not given back. Raise ApiError for the first operation that fails: 409, 413
    or 422 as above.
    """
    budget = _SizeBudget()
    budget.take(_to_json(document))
    for index, operation in enumerate(operations):
        if operation["op"] == "test":
            if message := _test_error(document, operation):
                raise api_error(ErrorType.CONFLICT_TEST_FAILED, index, "path", message=message)
            continue
        try:
            applied = operation
            if operation["op"] in ("add", "replace", "copy"):
                value_json = _value_json(document, operation)
                if not budget.take(value_json):
                    message = (
                        f"The patched document exceeds {byte_size(MAX_BODY_BYTES)} "
                        f"or {MAX_VALUES:,} values."
                    )
                    raise api_error(ErrorType.PAYLOAD_TOO_LARGE, index, message=message)
                applied = _with_value(operation, value_json)
            document = jsonpatch.JsonPatch([applied]).apply(document, in_place=True)
        except _INAPPLICABLE:
            message = _inapplicable_message(operation)
            raise api_error(ErrorType.UNPROCESSABLE_PATCH, index, "path", message=message) from None
    return document


def _inapplicable_message(operation: dict[str, Any]) -> str:
    """Return the message for an operation that could not be applied."""
    source = {"remove": "path", "move": "from"}.get(operation["op"])
    if source and operation[source] == "":
        return "The whole document cannot be moved or removed. Use a path within it."
    return _INAPPLICABLE_MESSAGES[operation["op"]].format_map(operation)


def _test_error(document: Any, operation: dict[str, Any]) -> str | None:
    """Return the message of a failed test, None for a passed one (RFC 6902, 4.6)."""
    try:
        value = jsonpointer.resolve_pointer(document, operation["path"])
    except jsonpointer.JsonPointerException:
        return f"There is nothing at {operation['path']}."
    is_equal = _equal(value, operation["value"])
    return None if is_equal else ErrorType.CONFLICT_TEST_FAILED.message


def _equal(left: Any, right: Any) -> bool:
    """Return whether values are equal as JSON, where true does not equal 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


class _SizeBudget:
    """Remaining bytes of JSON and number of values for a document and what is added to it."""

    def __init__(self) -> None:
        self._bytes = MAX_BODY_BYTES
        self._values = MAX_VALUES

    def take(self, text: bytes) -> bool:
        """Take the size of a JSON text, also beyond the budget; return whether it sufficed."""
        self._bytes -= len(text)
        self._values -= count_values(text) + 1
        return self._bytes >= 0 and self._values >= 0


def _value_json(document: Any, operation: dict[str, Any]) -> bytes:
    """Return the value that an operation adds, as JSON."""
    if operation["op"] == "copy":
        return orjson.dumps(jsonpointer.resolve_pointer(document, operation["from"]))
    return orjson.dumps(operation["value"])


def _with_value(operation: dict[str, Any], value_json: bytes) -> dict[str, Any]:
    """Return the operation with the value as _Json; a copy becomes an add."""
    op = "replace" if operation["op"] == "replace" else "add"
    return {"op": op, "path": operation["path"], "value": _Json(value_json)}


@dataclass(frozen=True, slots=True)
class _Json:
    """JSON text whose deep copy is its parsed value, in a tenth of the time of copying a value."""

    text: bytes

    def __deepcopy__(self, _: Any) -> Any:
        return orjson.loads(self.text)


def _json_or_none(value: Any) -> bytes | None:
    """Return the value as JSON; None if it is nested too deeply."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return None
