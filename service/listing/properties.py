"""Properties: the fields that lists filter and sort by.

They are the scalar members of a collection's documents, derived from ``schemas/``, and the members
of related records or of list entries (``Related``), which only filter. Also parses the values that
they are compared with. Source: contract, Lists.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from service import schemas
from service.database.statements import SHARED, Statement
from service.listing.search_columns import SearchColumns
from service.schemas.formats import parse_day
from service.schemas.write_forms import ZERO_FILLED

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
_ID = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,307})(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_EXCESS_PLACES = re.compile(r"(?<=\.[0-9]{6})[0-9]+")
_LIST_OF_IDS = re.compile(r"Ids\Z")
"""End of the name of a list of ids; those of its records filter by ``…s.id``, too."""
_INVALID_TIME = "Use a time such as 2026-11-20T09:18:00.000000Z."


@dataclass(frozen=True, slots=True)
class Property:
    """Field that lists filter by: a scalar of documents, or a member of related records or entries.

    Entries are those of a list in the documents.
    """

    name: str
    """Name in the letter case of the document; with a dot if related, as ``brand.customId``."""
    kind: str
    """Kind in responses: JSON type of a scalar, ``date`` or ``date-time``."""
    nullable: bool
    """Whether the value may be null, or the field may be absent from a document."""
    sortable: bool
    """Whether lists sort by it; counts, members of related records or of entries only filter."""
    choices: frozenset[str] | None = None
    """Values of an enumeration, without null; None for any value."""
    stored_as_integer: bool = False
    """Whether the stored value is an integer whatever ``kind`` is, as some ids are strings in JSON.

    It is set for ids only, not for other fields of the kind ``integer``.
    """
    zero_filled: int = 0
    """Digits to which values get zeros before them, as in a GTIN that was scanned without them."""
    column: str = ""
    """SQL of the stored value; "" for the record's column with the field's name in snake case."""
    words: SearchColumns | None = None
    """Columns of the collection's search if this field is one of them, else None."""
    within: Statement | None = None
    """SQL condition with the slot ``condition`` for the comparison, if ``column`` belongs to a
    related record or a list entry, else None."""
    is_key: bool = False
    """Whether the value is an own key, whose normal forms filters take for one."""
    keys: tuple[int, ...] | None = None
    """Ids of the records that define the field, for the slot ``keys`` of ``within``.

    () before their look-up (``service/listing/custom_fields.py``); None if nobody defines it.
    """

    @property
    def stored_kind(self) -> str:
        """Return the kind of the stored value, by which lists sort."""
        return "integer" if self.stored_as_integer else self.kind

    def parse(self, text: str) -> Any:
        """Parse a value in the response's format.

        Raise ValueError, with a message for the caller, for an invalid value and for one beyond
        ``choices``. A text is returned as it is, also one that is no id; a time is in UTC.
        """
        if self.choices is not None and text not in self.choices:
            raise ValueError(f"Use one of {', '.join(sorted(self.choices))}.")
        return _PARSERS[self.kind](text.zfill(self.zero_filled) if self.zero_filled else text)

    def parse_stored(self, text: str) -> Any:
        """Parse a stored value in a cursor's format, whatever ``choices``; raise ValueError."""
        return _PARSERS[self.stored_kind](text)


ALWAYS_SHOWN: Final = "x-always-shown"
"""Keyword of a member that a selection of members does not hide."""
SOURCE: Final = Property("source", "string", nullable=True, sortable=False)
"""Source of the key that created a record."""


class Properties(Mapping[str, Property]):
    """Mapping from name to property: a collection's scalar fields and its filters by reference.

    Names are looked up in any letter case, and iterated in that of the documents: fields in the
    order of the schema, then the related ones. ``search`` has the columns of the search by words.
    Without the argument they are those of the name or text, and of keys such as ``customId``, among
    the fields (``SearchColumns.of``), or None without a name or text. ``members`` are the names of
    all members of a document, or of the entries of one that is a list, in the order of the schema.
    ``key`` is the name of the property with the record's id. ``defined`` is that of all fields that
    callers define: its name is the part before theirs.
    """

    def __init__(
        self,
        collection: str,
        related: Iterable[Property] = (),
        search: SearchColumns | None = None,
        *,
        takes_time: bool = True,
        defined: Property | None = None,
    ) -> None:
        self._defined = defined
        self.required: tuple[str, ...] = ()
        """Names of filters of which lists need one, with one value; such lists take no sorts."""
        document = schemas.definition(collection, "document")
        self.takes_time = takes_time
        """Whether lists take ``changedSince``."""
        self.key = schemas.item_id(collection)
        """Name of the property with the record's id, the tie-break of sorts."""
        fields = document.items if "array" in document.types else document
        self.members = tuple(fields.properties)
        """Names of all members of a document, or of the entries of one that is a list."""
        self.always_shown = tuple(
            name for name, field in fields.properties.items() if ALWAYS_SHOWN in field.schema
        )
        """Members that a selection of members does not hide."""
        scalars = [*_scalars(document)]
        self.search = search or SearchColumns.of([prop.name for prop in scalars])
        """Columns of the search by words; None if the collection has none."""
        own_key = schemas.key_fields(collection)[:1]
        scalars = [_found(prop, self.search, own_key) for prop in scalars]
        self._by_name = {prop.name.lower(): prop for prop in (*scalars, *related)}
        self._by_name |= {prop.name.lower(): prop for prop in self._lists_of_ids(document)}

    def _lists_of_ids(self, document: schemas.ResolvedSchema) -> Iterator[Property]:
        """Yield the lists of ids among the fields, which filter like the ids of their records."""
        for name in filter(_LIST_OF_IDS.search, document.properties):
            if of_related := self._by_name.get(_LIST_OF_IDS.sub("s.id", name).lower()):
                yield replace(of_related, name=name)

    def limit(self, names: Iterable[str], more: Iterable[Property]) -> None:
        """Leave the named properties alone, and others that documents do not have; no time."""
        left = {name.lower(): self[name] for name in names}
        self._by_name = left | {prop.name.lower(): prop for prop in more}
        self.takes_time = False

    def look_up(self, name: str, column: str) -> None:
        """Read a field of other records by an SQL expression, for the row ``record``."""
        self._by_name[name.lower()] = replace(self[name], column=column)

    def __getitem__(self, name: str) -> Property:
        beginning, _, key = name.partition(".")
        defined = self._defined
        if defined and key and "\0" not in key and beginning.lower() + "." == defined.name.lower():
            return replace(defined, name=defined.name + key)
        return self._by_name[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return (prop.name for prop in self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)


@cache
def column_of(name: str) -> str:
    """Return the column of a field: its name in snake case, as ``user_defined_id2``."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _scalars(document: schemas.ResolvedSchema) -> Iterator[Property]:
    required = document.schema.get("required", ())
    for name, schema in document.properties.items():
        if prop := _property(name, schema, name in required):
            yield prop


def _found(prop: Property, search: SearchColumns | None, own_key: tuple[str, ...]) -> Property:
    """Return the property with how its values are found: by words, or as own keys."""
    words = search if search and search.has(prop.name) else None
    return replace(prop, words=words, is_key=prop.name in own_key)


def _property(name: str, resolved: schemas.ResolvedSchema, required: bool) -> Property | None:
    """Return the property of a field; None unless it is a scalar or a set of plain values."""
    types, schema = resolved.types, resolved.schema
    kind = next(iter(types - {"null"}), "")
    if schema.get("x-stored") == "values":
        return Property(
            name,
            "string",
            nullable=True,
            sortable=False,
            choices=_choices(resolved.items),
            column="entry.value",
            within=SHARED["has_value"].bind(column=column_of(name)),
        )
    if kind not in ("integer", "number", "boolean", "string"):
        return None
    return Property(
        name,
        schema["format"] if schema.get("format") in ("date", "date-time") else kind,
        nullable="null" in types or not required,
        sortable=not schema.get("x-filter-only", False),
        choices=_choices(resolved),
        stored_as_integer=name == "id" or schema.get("x-stored") == "integer",
        zero_filled=schema.get(ZERO_FILLED, 0),
    )


def _choices(resolved: schemas.ResolvedSchema) -> frozenset[str] | None:
    """Return the values of an enumeration without null; None for other schemas."""
    if "enum" not in resolved.schema:
        return None
    return frozenset(choice for choice in resolved.schema["enum"] if choice is not None)


def parse_id(text: str) -> int:
    """Parse an id of a path or query; raise ValueError unless it is from 1 to 2**63 - 1.

    A sign, a leading zero or a space is invalid, too.
    """
    if not _ID.fullmatch(text) or (id_ := int(text)) >= 2**63:
        raise ValueError("Use a positive whole number of at most 64 bits.")
    return id_


def stored_id(value: Any) -> int:
    """Return the stored id of a JSON id, an integer or a text.

    An integer is returned as it is. A text that is no id is 0, which no record has.
    """
    if isinstance(value, int):
        return value
    try:
        return parse_id(value)
    except ValueError:
        return 0


def parse_ids(texts: list[str]) -> list[int] | None:
    """Parse ids as ``parse_id`` does, in their order; return None if any of them is invalid."""
    if not all(map(_ID.fullmatch, texts)):
        return None
    ids = [*map(int, texts)]
    return ids if max(ids, default=0) < 2**63 else None


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text) or not -(2**63) <= int(text) < 2**63:
        raise ValueError("Use a whole number of at most 64 bits.")
    return int(text)


def _number(text: str) -> float:
    value = float(text) if _NUMBER.fullmatch(text) else float("inf")
    if abs(value) == float("inf"):
        raise ValueError("Use a number.")
    return value


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("Use true or false.")
    return text == "true"


def parse_timestamp(text: str) -> datetime:
    """Parse a time with an offset (RFC 3339) and return it in UTC; raise ValueError if invalid.

    ``T`` and ``Z`` must be uppercase. A second has up to 6 decimal places, and is never 60.
    """
    if _TIMESTAMP.fullmatch(text.replace(" ", "+")) and " " in text:
        raise ValueError("Write + before the offset; in a URL it is %2B.")
    if not _TIMESTAMP.fullmatch(text):
        raise ValueError(_INVALID_TIME)
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError:
        raise ValueError("Use a time within the years 1 to 9999.") from None
    except ValueError:
        raise ValueError(_INVALID_TIME) from None  # Python's message names its own types.


def parse_earliest(text: str) -> datetime:
    """Parse a time as ``parse_timestamp`` does, in any form of RFC 3339 but for a second of 60.

    ``t`` and ``z`` may be lowercase. Decimal places after the sixth are cut off.
    """
    return parse_timestamp(_EXCESS_PLACES.sub("", text.upper()))


_PARSERS: dict[str, Callable[[str], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "string": str,
    "date": parse_day,
    "date-time": parse_timestamp,
}
