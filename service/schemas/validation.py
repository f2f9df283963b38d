"""Validation of request bodies against ``schemas/``: reports all errors at once, up to a limit.

jsonschema-rs validates a bulk body of 227 kB in 0.4 ms; the pure Python package takes 82 ms. This
module turns its errors into error details with the service's messages, and adds checks that JSON
Schema cannot express (contract, Errors).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from typing import Any, Final, TypeAlias

import jsonschema_rs
import orjson

from service.error_types import ErrorType
from service.errors import (
    MAX_COLLECTED,
    MAX_SUGGESTIONS,
    ApiError,
    ErrorDetail,
    Path,
    api_error,
    one_per_field,
    with_nearest,
)
from service.limits import MAX_RECORD_BYTES, byte_size
from service.schemas.broken_values import Broken, without_broken
from service.schemas.definitions import definition, excerpts, reference, whole
from service.schemas.extra_checks import format_errors
from service.schemas.formats import formats_of
from service.schemas.messages import error_details, limit_message, type_message
from service.schemas.parsing import malformed
from service.schemas.truncate import truncate
from service.schemas.visible_text import with_visible_patterns

_TOO_DEEP: Final = (ValueError, RecursionError, orjson.JSONEncodeError)
"""Exceptions of values that are nested too deeply."""
_DIGITS: Final = bytes.maketrans(b"123456789eE", b"000000000..")
_FRACTION: Final = re.compile(rb"[\s:,\[]-?0+\.")
"""Number with a fraction or exponent, translated by ``_DIGITS``; texts can have such numbers."""

Rules: TypeAlias = Callable[[dict[str, Any]], Iterable[ErrorDetail]]
"""Checks of an object beyond its schema; values that broke the schema are ``Broken``."""
RulesOfList: TypeAlias = Callable[[list[Any]], Iterable[ErrorDetail]]
"""Checks of a whole list beyond its schema, if the list is a part of a record."""


def no_rules(_: Any) -> Iterable[ErrorDetail]:
    """Return nothing: the rules of objects for which the schema is enough."""
    return ()


_NAMES: Final = defaultdict[str, set[str]](set)
"""Names of the definitions that have validators, by file."""
_WHOLE: Final = "#"  # Paths of jsonschema-rs would leave out an empty name.


class Validator:
    """Validator of a definition in a schema file, compiled at its first use, with further rules.

    If the definition is a list, its items are validated one by one, with ``rules`` for each item;
    else ``rules`` are for the object. ``errors`` takes a body that is one record or part, and
    ``errors_of_items`` the list of a bulk write. ``rules_of_list`` are for ``errors`` of a list.
    ``follow_rules`` returns whether valid objects surely break no rule: a fast check before these.
    """

    max_bytes: int = MAX_RECORD_BYTES
    """Maximum size of a record or part as JSON."""

    def __init__(
        self,
        file: str,
        name: str | None = None,
        rules: Rules = no_rules,
        rules_of_list: RulesOfList = no_rules,
        follow_rules: Callable[[list[Any]], bool] = lambda _: False,
    ) -> None:
        self._schema = definition(file, name) if name else whole(file)
        self._is_list = "array" in self._schema.types
        self._file, self._name = file, name or _WHOLE
        _NAMES[file].add(self._name)
        self._object_schema = self._schema.items if self._is_list else self._schema
        self._rules = rules
        self._rules_of_list = rules_of_list
        self._follow_rules = follow_rules

    @cached_property
    def _compiled(self) -> Any:
        return _compile(self._file, frozenset(_NAMES[self._file]))

    def _body(self, item: Any) -> Any:
        # In a body alone: a validator of its own would take as much memory again.
        return {self._name: [item] if self._is_list else item}

    def errors(self, value: Any, raw: bytes) -> list[ErrorDetail]:
        """Return the error details of a parsed body, in request order, one for each path.

        ``raw`` is the body as bytes. It decides whether formats and the size of ``max_bytes`` are
        checked: with ``b""`` neither is. Checks stop after MAX_COLLECTED details each. Raise
        ApiError for a body of the wrong JSON type, a list of a wrong length, or deep nesting.
        """
        if self._is_list:
            items = self.errors_of_items(value, raw).items()
            details = [
                replace(detail, path=(index, *detail.path))
                for index, item_details in items
                for detail in item_details
            ]
            size = self._too_large(value) if len(raw) > self.max_bytes else []
            rules = _details_of(self._rules_of_list, value, details, MAX_COLLECTED)
            return one_per_field(value, [*size, *rules, *details])
        if not isinstance(value, dict):
            raise api_error(ErrorType.INVALID_TYPE, message=type_message(self._schema.types))
        details = self._errors_of_object(value, self._needed(raw), MAX_COLLECTED)
        return self._with_nearest(details)

    def errors_of_items(self, items: Any, raw: bytes) -> dict[int, list[ErrorDetail]]:
        """Return the error details of each invalid item, by its index in the body.

        Paths are relative to the item. After MAX_COLLECTED details, further invalid items get one
        detail of each check. Raise ApiError for a body that is not a list, has a wrong length or is
        nested too deeply. The definition must be a list.
        """
        self._check_length(items)
        try:
            needed = self._needed(raw, schema=not self._compiled.is_valid({self._name: items}))
        except _TOO_DEEP:
            raise _nested_too_deeply() from None
        errors, room = dict[int, list[ErrorDetail]](), MAX_COLLECTED
        for index, item in enumerate(items) if needed else self._breaking_rules(items):
            if details := self._errors_of_object(item, needed, max(room, 1)):
                is_first = len(errors) < MAX_SUGGESTIONS
                errors[index] = self._with_nearest(details) if is_first else details
                room -= len(details)
        return errors

    def _breaking_rules(self, items: list[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the items that break a rule, with their indexes."""
        if self._rules is not no_rules and not self._follow_rules(items):
            for index, item in enumerate(items):
                for _ in self._rules(item):
                    yield index, item
                    break

    def _check_length(self, items: Any) -> None:
        if not isinstance(items, list):
            raise api_error(ErrorType.INVALID_TYPE, message=type_message(self._schema.types))
        for keyword, is_wrong in (("minItems", int.__lt__), ("maxItems", int.__gt__)):
            limit = self._schema.schema.get(keyword)
            if limit is not None and is_wrong(len(items), limit):
                error_type, message = limit_message(keyword, limit)
                raise api_error(error_type, message=message)

    def _errors_of_object(
        self, item: Any, needed: "_NeededChecks", max_details: int
    ) -> list[ErrorDetail]:
        """Return the error details of an object, in its order: at most so many of each check.

        Rules get no values that broke the schema, and are left out if not all of these are known.
        Other values than objects are checked against the schema only.
        """
        details: list[ErrorDetail] = []
        if needed.schema or needed.formats:
            try:
                details = self._schema_errors(item, needed, max_details)
            except _TOO_DEEP:
                raise _nested_too_deeply() from None
        if isinstance(item, dict):
            size = self._too_large(item) if needed.size else ()
            rules = _details_of(self._rules, item, details, max_details)
            details = [*size, *rules, *details]
        return one_per_field(item, details) if details else details

    def _needed(self, raw: bytes, *, schema: bool = True) -> "_NeededChecks":
        """Return the checks that a body needs; texts with numbers in them may add some."""
        return _NeededChecks(schema, needs_formats(raw), len(raw) > self.max_bytes)

    def _too_large(self, record: Any) -> list[ErrorDetail]:
        """Return ``too_long`` if a record, serialized without spaces, exceeds the maximum size.

        Return nothing if it is nested too deeply.
        """
        try:
            size = len(orjson.dumps(record))
        except orjson.JSONEncodeError:
            return []
        if size <= self.max_bytes:
            return []
        message = f"Use at most {byte_size(self.max_bytes)} for one record."
        return [ErrorDetail(ErrorType.TOO_LONG, (), message)]

    def _with_nearest(self, details: list[ErrorDetail]) -> list[ErrorDetail]:
        """Return the details; the first unknown fields get the names that they are close to."""
        for index, detail in enumerate(details[:MAX_SUGGESTIONS]):
            if detail.type == ErrorType.UNKNOWN_FIELD:
                names = self._fields_at(detail.path[:-1])
                message = with_nearest(detail.value, str(detail.path[-1]), names)
                details[index] = replace(detail, message=message)
        return details

    def _fields_at(self, path: Path) -> Iterator[str]:
        """Yield the writable fields of an object in a body, by its path."""
        schema = self._object_schema
        for part in path:
            schema = schema.items if isinstance(part, int) else schema.properties[part]
        for name, field in schema.properties.items():
            if not field.schema.get("readOnly"):
                yield name

    def _schema_errors(
        self, item: Any, needed: "_NeededChecks", max_details: int
    ) -> list[ErrorDetail]:
        details, truncated = list[ErrorDetail](), item
        if needed.schema and not self._compiled.is_valid(self._body(item)):
            orjson.dumps(item)  # raises if nested too deeply, which truncation would hide
            if max_details > 1:
                truncated = truncate(item)
                errors = self._compiled.iter_errors(self._body(truncated))
            else:
                errors = self._first_error(item)
            details += islice(self._details(errors), max_details)
            if not details:  # What is wrong was cut off.
                details += self._details(self._first_error(item))
        if needed.formats:
            details += islice(format_errors(self._object_schema, truncated), max_details)
        return details

    def _details(self, errors: Iterable[Any]) -> Iterator[ErrorDetail]:
        return (detail for error in errors for detail in error_details(error, 1 + self._is_list))

    def _first_error(self, item: Any) -> Iterator[Any]:
        """Yield one error: collecting errors that are not reported takes time."""
        try:
            self._compiled.validate(self._body(item))
        except jsonschema_rs.ValidationError as error:
            yield error


@dataclass(slots=True)
class _NeededChecks:
    """Checks that the objects of a body need, judged from the body as a whole."""

    schema: bool
    """Whether the body violates the schema."""
    formats: bool
    """Whether a number may have a fraction or an exponent, or a text a NUL."""
    size: bool
    """Whether a record may be too large."""

    def __bool__(self) -> bool:
        return self.schema or self.formats or self.size


def needs_formats(raw: bytes) -> bool:
    """Return whether a number of a body, or one in a text, may have a fraction, or a text a NUL.

    Searching translated bytes for a text takes a tenth of the regular expression's time.
    """
    translated = raw.translate(_DIGITS)
    has_fractions = b"0." in translated and _FRACTION.search(translated) is not None
    return has_fractions or (b"\\" in raw and b"\\u0000" in raw)


def _details_of(
    rules: Rules | RulesOfList, value: Any, broken: Sequence[ErrorDetail], max_details: int
) -> list[ErrorDetail]:
    """Return the error details of rules, but for those of values that broke the schema.

    Return none if the schema may have more errors than those in ``broken``.
    """
    if not broken:
        return [*islice(rules(value), max_details)]
    readable = without_broken(value, broken)
    if len(broken) >= max_details or isinstance(readable, Broken):
        return []
    paths = {detail.path for detail in broken}
    return [detail for detail in islice(rules(readable), max_details) if detail.path not in paths]


def _nested_too_deeply() -> ApiError:
    return malformed("Send JSON with less nesting: the body is nested too deeply.")


@cache
def _compile(file: str, names: frozenset[str]) -> Any:
    """Compile definitions of a file, as members of an object; errors mask values, often very long.

    One validator for all takes a third of the memory of one for each.
    """
    references = {name: reference(file, name if name != _WHOLE else None) for name in names}
    files = with_visible_patterns(excerpts(references.values()))
    return jsonschema_rs.validator_for(
        {"properties": {name: {"$ref": url} for name, url in references.items()}},
        registry=jsonschema_rs.Registry([*files.items()]),
        mask="This",
        formats=formats_of(files),
        validate_formats=True,
    )
