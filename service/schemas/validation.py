"""Bodies against ``schemas/``: what a request alone shows to be wrong, every failure at once.

jsonschema-rs judges (0.4 ms for a bulk body of 227 kB, where the pure Python package takes 82);
this module turns its errors into failures with messages of our own, and adds what no schema can
say: integers written as ``1.0``, and NUL in texts (contract, Errors).
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import jsonschema_rs
import orjson

from service.failures import MAX_MADE, ApiError, Failure, Path, failed, in_request_order
from service.schemas.budget import check_values
from service.schemas.cutting import cut
from service.schemas.definitions import Located, definition, load, reference, whole
from service.schemas.members import check_members
from service.schemas.messages import failures_of, of_kind, of_limit

_SIGNS = bytes.maketrans(b"123456789eE", b"000000000..")
_PLAIN = frozenset({int, bool, type(None)})
#: Of several failures at one field these speak of its value as a whole.
_FIRST = ("validation_error.required_field", "validation_error.invalid_type")


def parse(raw: bytes) -> Any:
    """The JSON value of a body (RFC 8259).

    Raises ApiError ``malformed_json``, for members that stand twice as well, or ``too_many_items``
    before the values are made.
    """
    check_values(raw)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise malformed(f"Not valid JSON: {error}.") from None
    check_members(raw, value)
    return value


def malformed(message: str) -> ApiError:
    """400: the body is no JSON that the service reads."""
    return failed("validation_error.malformed_json", message=message)


class Validator:
    """One definition of a schema file, compiled once at start; of an array, its items as well."""

    def __init__(self, file: str, name: str | None = None) -> None:
        # Masked, for a long value would leave no room for what is wrong with it.
        self._compiled = jsonschema_rs.validator_for(
            {"$ref": reference(file, name)}, registry=_registry(), mask="This"
        )
        self._located = definition(file, name) if name else whole(file)

    def failures(self, value: Any, raw: bytes) -> list[Failure]:
        """Every failure of a parsed body, in request order; ``raw`` are the bytes it came as.

        Raises ApiError for a body of the wrong kind, or nested too deeply.
        """
        types = self._located.types
        if "array" in types:
            found = self.failures_of_items(value, raw).items()
            return [_at(one, (place, *one.path)) for place, items in found for one in items]
        if not isinstance(value, dict):
            raise failed("validation_error.invalid_type", message=of_kind(types))
        with _nesting():
            return self._failures(value, _may_be_unsayable(raw), MAX_MADE)

    def failures_of_items(self, items: Any, raw: bytes) -> dict[int, list[Failure]]:
        """The failures of each item that has any, by its place in the list that the body is.

        Their paths are those in the item. Raises ApiError for a body that is no list, or of a
        wrong length, before any item is looked at.
        """
        self._check_length(items)
        suspicious, room = _may_be_unsayable(raw), MAX_MADE
        found = dict[int, list[Failure]]()
        with _nesting():
            if not suspicious and self._compiled.is_valid(items):
                return found
            for place, item in enumerate(items):
                if failures := self._failures([item], suspicious, max(room, 1)):
                    found[place] = [_at(failure, failure.path[1:]) for failure in failures]
                    room -= len(failures)
        return found

    def _check_length(self, items: Any) -> None:
        if not isinstance(items, list):
            raise failed("validation_error.invalid_type", message=of_kind(self._located.types))
        for keyword, is_wrong in (("minItems", int.__lt__), ("maxItems", int.__gt__)):
            limit = self._located.schema.get(keyword)
            if limit is not None and is_wrong(len(items), limit):
                kind, message = of_limit(keyword, limit)
                raise failed(f"validation_error.{kind}", message=message)

    def _failures(self, value: Any, suspicious: bool, most: int) -> list[Failure]:
        found, kept = list[Failure](), value
        if not self._compiled.is_valid(value):
            if most > 1:
                kept = cut(value)
                errors = self._compiled.iter_errors(kept)
            else:
                errors = self._first_error(value)
            found += islice((f for error in errors for f in failures_of(error)), most)
        if suspicious:
            found += islice(_unsayable(self._located, kept), most)
        return first_of_each_field(kept, found)

    def _first_error(self, value: Any) -> Iterator[Any]:
        """The first error alone: making all of them takes its time, also of those not told."""
        try:
            self._compiled.validate(value)
        except jsonschema_rs.ValidationError as error:
            yield error


@contextmanager
def _nesting() -> Iterator[None]:
    """Refuse what is nested too deeply to be looked at."""
    try:
        yield
    except (ValueError, RecursionError):
        raise malformed("The body is nested too deeply.") from None


@cache
def _registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(schema["$id"], schema) for schema in load().values()])


def first_of_each_field(root: Any, found: list[Failure]) -> list[Failure]:
    """The failures in request order; of several at one field the one that speaks of all of it."""
    if len(found) < 2:
        return found
    ranked = sorted(found, key=lambda failure: failure.type not in _FIRST)
    by_path = {failure.path: failure for failure in reversed(ranked)}
    return in_request_order(root, by_path.values())


def _at(failure: Failure, path: Path) -> Failure:
    """The failure as one at another path."""
    return replace(failure, path=path)


def _may_be_unsayable(raw: bytes) -> bool:
    """Whether a body has a number with fraction or exponent, or a NUL; texts may look alike.

    Searching the translated bytes takes a twentieth of a regular expression's time.
    """
    return b"0." in raw.translate(_SIGNS) or b"\\u0000" in raw


def _unsayable(located: Located, value: Any, path: Path = ()) -> Iterator[Failure]:
    """What no schema can say of the values that this one describes; others are not read."""
    types = located.types
    if isinstance(value, dict):
        for name, prop in _read_properties(located, value):
            if name in value and not _is_plain(value[name]):
                yield from _unsayable(prop, value[name], (*path, name))
    elif isinstance(value, list) and "array" in types:
        for index, member in enumerate(value):
            if not _is_plain(member):
                yield from _unsayable(located.items, member, (*path, index))
    elif isinstance(value, str) and "\0" in value and "string" in types:
        message = "A text cannot hold the character U+0000."
        yield Failure("validation_error.invalid_value", path, message)
    elif isinstance(value, float) and "integer" in types and _is_disguised(value):
        message = "Write a whole number without fraction or exponent."
        yield Failure("validation_error.invalid_type", path, message)


def _is_plain(value: Any) -> bool:
    """Whether there is nothing to be said of the value whatever describes it."""
    kind = type(value)
    return kind in _PLAIN or (kind is str and "\0" not in value)


def _read_properties(located: Located, value: dict[str, Any]) -> Iterable[tuple[str, Located]]:
    """The properties that are read of an object: fewer of an item that deletes."""
    yield from located.properties.items()
    if value.get("state") != "deleted":
        yield from located.otherwise.properties.items()


def _is_disguised(number: float) -> bool:
    """Whether it is whole, and not beyond 64 bits: that is a failure of its own."""
    return number.is_integer() and abs(number) < 2**63
