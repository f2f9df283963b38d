"""Bodies against ``schemas/``: what a request alone shows to be wrong, every failure at once.

jsonschema-rs judges (0.4 ms for a bulk body of 227 kB, where the pure Python package takes 82);
this module turns its errors into failures with messages of our own, and adds what no schema can
say (contract, Errors).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any, Final, TypeAlias

import jsonschema_rs
import orjson

from service.error_types import ErrorType
from service.errors import MAX_COLLECTED, ApiError, ErrorDetail, api_error, one_per_field
from service.schemas.definitions import definition, load, reference, whole
from service.schemas.extra_checks import format_errors
from service.schemas.messages import failures_of, of_kind, of_limit
from service.schemas.parsing import malformed
from service.schemas.truncate import truncate

MAX_RECORD_KIB: Final = 256
MAX_RECORD_BYTES: Final = MAX_RECORD_KIB * 1024
"""Of one record as JSON, so that pages and answers have a size that can be told."""

#: What comes of values that are nested too deeply to be looked at.
_TOO_DEEP: Final = (ValueError, RecursionError, orjson.JSONEncodeError)
_DIGITS: Final = bytes.maketrans(b"123456789eE", b"000000000..")

Rules: TypeAlias = Callable[[dict[str, Any]], Iterable[ErrorDetail]]
"""What is wrong with an object beyond its schema, which it may break too."""


RulesOfList: TypeAlias = Callable[[list[Any]], Iterable[ErrorDetail]]
"""What is wrong with a list that is a record's part, as a whole."""


def _no_rules(_: Any) -> Iterable[ErrorDetail]:
    return ()


class Validator:
    """A definition of a schema file, compiled once at start, and rules beyond it.

    Of a definition of a list each item is judged by itself, and the rules are the items'. One
    that stands for a record has rules of its own and a record's size.
    """

    def __init__(
        self,
        file: str,
        name: str | None = None,
        rules: Rules = _no_rules,
        rules_of_list: RulesOfList = _no_rules,
    ) -> None:
        self._located = definition(file, name) if name else whole(file)
        self._is_list = "array" in self._located.types
        self._whole = _compiled(reference(file, name))
        self._one = _compiled(f"{reference(file, name)}/items") if self._is_list else self._whole
        self._located_one = self._located.items if self._is_list else self._located
        self._rules = rules
        self._rules_of_list = rules_of_list

    def errors(self, value: Any, raw: bytes) -> list[ErrorDetail]:
        """Every failure of a parsed body, in request order; ``raw`` are the bytes it came as.

        Raises ApiError for a body of the wrong kind, or nested too deeply.
        """
        if self._is_list:
            items = self.errors_of_items(value, raw).items()
            found = [replace(one, path=(place, *one.path)) for place, of in items for one in of]
            size = _too_large(value) if len(raw) > MAX_RECORD_BYTES else []
            return one_per_field(value, [*size, *self._rules_of_list(value), *found])
        if not isinstance(value, dict):
            raise api_error(ErrorType.INVALID_TYPE, message=of_kind(self._located.types))
        return self._failures(value, _Doubts.about(raw), MAX_COLLECTED)

    def errors_of_items(self, items: Any, raw: bytes) -> dict[int, list[ErrorDetail]]:
        """The failures of each item that has any, by its place in the list that the body is.

        Their paths are those in the item. Raises ApiError for a body that is no list, or of a
        wrong length, before any item is looked at.
        """
        self._check_length(items)
        try:
            doubts = _Doubts.about(raw, unfit=not self._whole.is_valid(items))
        except _TOO_DEEP:
            raise _nested_too_deeply() from None
        found, room = dict[int, list[ErrorDetail]](), MAX_COLLECTED
        for place, item in enumerate(items) if doubts else self._breaking_rules(items):
            if failures := self._failures(item, doubts, max(room, 1)):
                found[place] = failures
                room -= len(failures)
        return found

    def _breaking_rules(self, items: list[Any]) -> Iterator[tuple[int, Any]]:
        """The items, with their places, that fit the schema and yet break a rule: mostly none."""
        if self._rules is not _no_rules:
            for place, item in enumerate(items):
                if any(True for _ in self._rules(item)):
                    yield place, item

    def _check_length(self, items: Any) -> None:
        if not isinstance(items, list):
            raise api_error(ErrorType.INVALID_TYPE, message=of_kind(self._located.types))
        for keyword, is_wrong in (("minItems", int.__lt__), ("maxItems", int.__gt__)):
            limit = self._located.schema.get(keyword)
            if limit is not None and is_wrong(len(items), limit):
                kind, message = of_limit(keyword, limit)
                raise api_error(f"validation_error.{kind}", message=message)

    def _failures(self, item: Any, doubts: "_Doubts", most: int) -> list[ErrorDetail]:
        """What is wrong with one object, in its order, with at most so many of each kind.

        The rules see no lists that are too long.
        """
        found: list[ErrorDetail] = []
        if doubts.unfit or doubts.miswritten:
            try:
                found = self._by_schema(item, doubts, most)
            except _TOO_DEEP:
                raise _nested_too_deeply() from None
        if isinstance(item, dict):
            size = _too_large(item) if doubts.too_large else ()
            seen = _without_long_lists(item, found) if found else item
            found = [*size, *islice(self._rules(seen), most), *found]
        return one_per_field(item, found) if found else found

    def _by_schema(self, item: Any, doubts: "_Doubts", most: int) -> list[ErrorDetail]:
        found: list[ErrorDetail] = []
        kept = item
        if doubts.unfit and not self._one.is_valid(item):
            orjson.dumps(item)  # raises for what is nested too deeply, which cutting would hide
            if most > 1:
                kept = truncate(item)
                errors = self._one.iter_errors(kept)
            else:
                errors = self._first_error(item)
            found += islice((f for error in errors for f in failures_of(error)), most)
        if doubts.miswritten:
            found += islice(format_errors(self._located_one, kept), most)
        return found

    def _first_error(self, item: Any) -> Iterator[Any]:
        """The first error alone: making all of them takes its time, also of those not told."""
        try:
            self._one.validate(item)
        except jsonschema_rs.ValidationError as error:
            yield error


@dataclass(slots=True)
class _Doubts:
    """What may be wrong with any object of a body, as far as the body as a whole shows."""

    unfit: bool
    """That it does not fit the schema."""
    miswritten: bool
    """That a number has a fraction or an exponent, or a text a NUL."""
    too_large: bool

    def __bool__(self) -> bool:
        return self.unfit or self.miswritten or self.too_large

    @classmethod
    def about(cls, raw: bytes, *, unfit: bool = True) -> "_Doubts":
        """Those that the bytes of a body leave; what texts hold may look like something wrong.

        Searching translated bytes takes a twentieth of a regular expression's time.
        """
        miswritten = b"0." in raw.translate(_DIGITS) or (b"\\" in raw and b"\\u0000" in raw)
        return cls(unfit, miswritten, len(raw) > MAX_RECORD_BYTES)


def _too_large(record: Any) -> list[ErrorDetail]:
    """What is wrong with the size of a record, if anything; of one nested too deeply nothing."""
    try:
        size = len(orjson.dumps(record))
    except orjson.JSONEncodeError:
        return []
    if size <= MAX_RECORD_BYTES:
        return []
    message = f"Use at most {MAX_RECORD_KIB} KiB for one record."
    return [ErrorDetail(ErrorType.TOO_LONG, (), message)]


def _without_long_lists(item: dict[str, Any], found: list[ErrorDetail]) -> dict[str, Any]:
    """The item without the lists that have too many items."""
    long = {one.path[0] for one in found if one.type == ErrorType.TOO_MANY_ITEMS}
    return {name: item[name] for name in item if name not in long} if long else item


def _nested_too_deeply() -> ApiError:
    return malformed("The body is nested too deeply.")


def _compiled(place: str) -> Any:
    """The library's validator; values are masked, for a long one would leave an error no room."""
    return jsonschema_rs.validator_for({"$ref": place}, registry=_registry(), mask="This")


@cache
def _registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(schema["$id"], schema) for schema in load().values()])
