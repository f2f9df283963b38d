"""JSON Patch of a record's writable form (RFC 6902; contract, Patches).

The ``jsonpatch`` package applies the operations. What a failure means is decided here, by rule and
first: 400 for what is no valid patch or goes where no writable field is, 409 for a failed test,
422 for anything else that cannot be applied.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jsonpatch
import jsonpointer
import orjson

from service import schemas
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, api_error, one_per_field
from service.http.media_types import MAX_BODY_BYTES
from service.queries.batch import Item
from service.queries.master_record import MasterRecord
from service.schemas.parsing import MAX_VALUES, count_values, malformed, parse
from service.schemas.validation import Validator

#: Parts and escapes of a pointer: far more than lead to any field, for each takes its time.
_LONGEST_POINTER = 16

_PATCH_FORM = Validator("common/json-patch")
#: What the package and the values that it works on say of an operation that cannot be applied.
_INAPPLICABLE = (
    jsonpatch.JsonPatchException,
    jsonpointer.JsonPointerException,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    RecursionError,
)
_WHY_NOT = {
    "add": "Nothing can be added at {path}.",
    "copy": "There is nothing at {from}, or nothing can be added at {path}.",
    "move": "There is nothing at {from}, or it cannot go to {path}.",
    "remove": "There is nothing to remove at {path}.",
    "replace": "There is nothing to replace at {path}.",
}


def patch_editor(resource: MasterRecord, raw: bytes) -> Callable[[Item], Item]:
    """What changes a writable form by the patch; raises 400 for what the patch alone shows.

    The returned function raises 409 and 422 as above, and 400 when the patched form breaks the
    write schema.
    """
    operations = parse(raw)
    failures = _PATCH_FORM.errors(operations, b"")
    own = [one for place, each in enumerate(operations) for one in _failures(resource, place, each)]
    if found := one_per_field(operations, own + failures):
        raise ApiError(found)
    touches_state = any(_touches(operation, "state") for operation in operations)

    def edit(stored: Item) -> Item:
        patched = apply(operations, orjson.loads(orjson.dumps(stored)))
        return _checked(resource, stored, patched, touches_state)

    return edit


def _checked(resource: MasterRecord, stored: Item, patched: Any, touches_state: bool) -> Item:
    """The patched form if it can be written; a deleted record stays so unless state is touched."""
    stays_deleted = not touches_state and stored.get("state") == "deleted"
    probe = patched | {"state": "active"} if stays_deleted else patched
    if found := resource.replace_form.errors(probe, _written(probe)):
        raise ApiError(found)
    return dict(patched)


def _written(document: Any) -> bytes:
    """The document as JSON; raises 400 where the operations have nested it too deeply."""
    try:
        return orjson.dumps(document)
    except orjson.JSONEncodeError:
        raise malformed("The patched document is nested too deeply.") from None


def _touches(operation: dict[str, Any], name: str) -> bool:
    """Whether the operation writes or takes away that top-level member."""
    targets = [operation["path"]] if operation["op"] != "test" else []
    if operation["op"] == "move":
        targets.append(operation["from"])
    return any(target == "" or target.split("/")[1] == name for target in targets)


def _failures(resource: MasterRecord, number: int, operation: Any) -> Iterator[ErrorDetail]:
    """What is wrong with where an operation goes, and with a value too deep to handle."""
    if not isinstance(operation, dict):
        return
    for member in ("path", "from") if operation.get("op") in ("move", "copy") else ("path",):
        pointer = operation.get(member)
        if isinstance(pointer, str) and (kind := _wrong_target(resource, pointer)):
            message = f"{pointer} is no writable field."
            yield ErrorDetail(f"validation_error.{kind}", (number, member), message)
    if _text(operation.get("value")) is None:
        kind, message = ErrorType.INVALID_VALUE, "The value is nested too deeply."
        yield ErrorDetail(kind, (number, "value"), message)


def _wrong_target(resource: MasterRecord, pointer: str) -> str | None:
    """The row type for a pointer that is none, or that leaves the writable fields."""
    if pointer.count("/") + pointer.count("~") > _LONGEST_POINTER:
        return "invalid_value"
    try:
        parts = jsonpointer.JsonPointer(pointer).parts
    except jsonpointer.JsonPointerException:
        return "invalid_value"
    place = schemas.definition(resource.name, "fields")
    readable = place.properties.keys()
    writable = schemas.definition(resource.name, "writable").properties.keys()
    if parts and parts[0] in readable - writable:
        return "read_only_field"
    for part in parts:
        if "array" in place.types:
            place = place.items
            continue
        members = place.properties
        if not members:
            return None
        if part not in members:
            return "unknown_field"
        place = members[part]
        if place.schema.get("readOnly"):
            return "read_only_field"
    return None


def apply(operations: list[dict[str, Any]], document: Any) -> Any:
    """The document after all operations; what they bring in is measured, for copies double."""
    room = _CopyBudget()
    room.take(_written(document))
    for number, operation in enumerate(operations):
        if operation["op"] == "test":
            if message := _test(document, operation):
                raise api_error(ErrorType.CONFLICT_TEST_FAILED, number, "path", message=message)
            continue
        try:
            change = operation
            if operation["op"] in ("add", "replace", "copy"):
                brought = _brought(document, operation)
                if not room.take(brought):
                    message = "The document grows too large."
                    raise api_error(ErrorType.PAYLOAD_TOO_LARGE, number, message=message)
                change = _bringing(operation, brought)
            document = jsonpatch.JsonPatch([change]).apply(document, in_place=True)
        except _INAPPLICABLE:
            message = _why_not(operation)
            raise api_error(
                ErrorType.UNPROCESSABLE_PATCH, number, "path", message=message
            ) from None
    return document


def _why_not(operation: dict[str, Any]) -> str:
    """Why an operation could not be applied, in words of our own."""
    goes = {"remove": "path", "move": "from"}.get(operation["op"])
    if goes and operation[goes] == "":
        return "The document as a whole stays where it is."
    return _WHY_NOT[operation["op"]].format_map(operation)


def _test(document: Any, operation: dict[str, Any]) -> str | None:
    """What is wrong, if anything, by RFC 6902, 4.6, in JSON's terms, where true is not 1."""
    try:
        found = jsonpointer.resolve_pointer(document, operation["path"])
    except jsonpointer.JsonPointerException:
        return f"There is nothing at {operation['path']}."
    same = _equal(found, operation["value"])
    return None if same else "The stored value is another one."


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


class _CopyBudget:
    """What the document may still grow by, in bytes of JSON and in values."""

    def __init__(self) -> None:
        self._bytes = MAX_BODY_BYTES
        self._values = MAX_VALUES

    def take(self, text: bytes) -> bool:
        """Whether there was room for this too."""
        self._bytes -= len(text)
        self._values -= count_values(text) + 1
        return self._bytes >= 0 and self._values >= 0


def _brought(document: Any, operation: dict[str, Any]) -> bytes:
    """What an operation brings into the document, as JSON."""
    if operation["op"] == "copy":
        return orjson.dumps(jsonpointer.resolve_pointer(document, operation["from"]))
    return orjson.dumps(operation["value"])


def _bringing(operation: dict[str, Any], brought: bytes) -> dict[str, Any]:
    """The operation with the value that it brings; a copy is an addition."""
    kind = "replace" if operation["op"] == "replace" else "add"
    return {"op": kind, "path": operation["path"], "value": _Json(brought)}


@dataclass(frozen=True, slots=True)
class _Json:
    """A value that the package copies by reading it, in a tenth of the time."""

    text: bytes

    def __deepcopy__(self, _: Any) -> Any:
        return orjson.loads(self.text)


def _text(value: Any) -> bytes | None:
    """The value as JSON; None when it is nested too deeply to be written."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return None
