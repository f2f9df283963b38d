"""Query strings of lists: from parameters to a frozen description, before any SQL exists.

Source: specification, List endpoints in general; contract, section 5.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from service.errors import ApiError, Row
from service.listing.properties import OPERATORS, RANGES, Properties, Property

DEFAULT_PAGE_SIZE = 30
MAX_PAGE_SIZE = 100
MAX_PAGE_NUMBER = 2**31 - 1
MAX_CONDITIONS = 50

_INDEXED = re.compile(r"(filter|sort)\[([0-9]{1,6})\]\.([A-Za-z]+)")
_WHOLE = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_MEMBERS = {
    "filter": ("property", "operator", "value"),
    "sort": ("property", "order", "direction"),
}
_ORDERS = {"asc": False, "ascending": False, "desc": True, "descending": True}


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter; ``values`` are typed, and several of them mean any of them."""

    property: Property
    operator: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SortKey:
    """One sort column."""

    property: Property
    descending: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of one collection, wanted; ``after`` holds the sort values of the last record."""

    conditions: tuple[Condition, ...] = ()
    sort: tuple[SortKey, ...] = ()
    page_size: int = DEFAULT_PAGE_SIZE
    page_number: int = 1
    after: tuple[Any, ...] | None = None

    def filters(self, name: str) -> bool:
        """Whether any condition is on the property."""
        return any(condition.property.name == name for condition in self.conditions)


@dataclass
class _Reader:
    """Reads one query string and gathers every row that is wrong with it."""

    properties: Properties
    rows: list[Row] = field(default_factory=list)

    def fail(self, kind: str, name: str, value: str) -> None:
        self.rows.append(Row(f"validation_error.{kind}", name, value))

    def raise_failures(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Raise ApiError with every row so far, in the order of the query, if there are any."""
        if self.rows:
            places = dict[str, int]()
            for place, (name, _) in enumerate(pairs):
                places.setdefault(_group(name), place)
            last = len(pairs)
            raise ApiError(sorted(self.rows, key=lambda row: places.get(_group(row.field), last)))

    def value(self, prop: Property, text: str, name: str) -> Any:
        try:
            return prop.parse(text)
        except ValueError as error:
            self.fail("invalid_value", name, str(error))
            return None

    def number(self, name: str, texts: list[str], default: int, limit: int) -> int:
        if not texts:
            return default
        if len(texts) > 1:
            self.fail("duplicate", name, "Give this parameter once.")
        elif not _WHOLE.fullmatch(texts[0]):
            self.fail("invalid_value", name, "Use a whole number.")
        elif not 1 <= int(texts[0]) <= limit:
            self.fail("out_of_range", name, f"Use a number from 1 to {limit}.")
        else:
            return int(texts[0])
        return default

    def fields(self, plain: Mapping[str, list[str]]) -> Iterator[Condition]:
        for name, texts in plain.items():
            prop = self.properties.get(name)
            if prop is None:
                self.fail("unknown_parameter", name, "There is no such parameter or field.")
            else:
                yield Condition(prop, "eq", self.values(prop, texts, name))

    def values(self, prop: Property, texts: list[str], name: str) -> tuple[Any, ...]:
        found = {self.value(prop, text, name): None for text in texts}
        return tuple(sorted(found, key=lambda value: (value is None, value)))

    def filter(self, name: str, members: Mapping[str, str]) -> Iterator[Condition]:
        prop = self.named(name, members)
        text = members.get("operator", "eq")
        operator = OPERATORS.get(text.lower())
        if operator is None or (prop and operator not in prop.operators):
            allowed = sorted(prop.operators if prop else OPERATORS.values())
            self.fail("invalid_value", f"{name}.operator", f"Use one of {', '.join(allowed)}.")
        if "value" not in members:
            self.fail("required_field", f"{name}.value", "This parameter is required.")
        elif prop and operator in prop.operators:
            texts = members["value"].split(",") if operator == "in" else [members["value"]]
            asked = asked_of(prop, operator)
            yield Condition(prop, operator, self.values(asked, texts, f"{name}.value"))

    def sort(self, name: str, members: Mapping[str, str]) -> Iterator[SortKey]:
        prop = self.named(name, members)
        if prop and not prop.sortable:
            self.fail(
                "invalid_value", f"{name}.property", "This field is counted: it only filters."
            )
        if "order" in members and "direction" in members:
            self.fail("exclusive_parameters", f"{name}.direction", "Give order or direction.")
        spelled = "direction" if "direction" in members else "order"
        descending = _ORDERS.get(members.get(spelled, "asc").lower())
        if descending is None:
            allowed = ", ".join(_ORDERS)
            self.fail("invalid_value", f"{name}.{spelled}", f"Use one of {allowed}.")
        elif prop:
            yield SortKey(prop, descending)

    def named(self, name: str, members: Mapping[str, str]) -> Property | None:
        if "property" not in members:
            self.fail("required_field", f"{name}.property", "This parameter is required.")
            return None
        prop = self.properties.get(members["property"])
        if prop is None:
            self.fail("invalid_value", f"{name}.property", "There is no such field.")
        return prop


def _total(sort: dict[str, SortKey], properties: Properties) -> tuple[SortKey, ...]:
    """The sort made total: it ends in the id, and nothing can matter after the id."""
    sort.setdefault("id", SortKey(properties["id"], descending=False))
    return tuple(sort.values())[: list(sort).index("id") + 1]


#: ``isNull`` takes a boolean whatever the property's own kind.
_IS_NULL = Property("isNull", "boolean", nullable=False, sortable=False)


def asked_of(prop: Property, operator: str) -> Property:
    """The property whose values an operator takes: those of parts of texts are not bound.

    What comes before and after is as it sorts: ids are numbers, also where they show as texts.
    """
    if operator == "isNull":
        return _IS_NULL
    if operator in RANGES:
        return replace(prop, kind=prop.stored)
    return replace(prop, choices=None) if operator in ("contains", "startsWith") else prop


def read(pairs: Sequence[tuple[str, str]], properties: Properties) -> Listing:
    """The listing that page-mode parameters ask for; raises ApiError with every wrong one."""
    single: dict[str, list[str]] = {"pageSize": [], "pageNumber": []}
    plain: dict[str, list[str]] = {}
    indexed: dict[str, dict[int, dict[str, str]]] = {"filter": {}, "sort": {}}
    reader = _Reader(properties)
    for name, text in pairs:
        if "\0" in name or "\0" in text:
            reader.fail("invalid_value", name.replace("\0", ""), "U+0000 cannot be in a text.")
        elif name in single:
            single[name].append(text)
        elif name in indexed:
            reader.fail("invalid_value", name, f"Use {name}[0].property and its companions.")
        elif match := _INDEXED.fullmatch(name):
            members = indexed[match[1]].setdefault(int(match[2]), {})
            if match[3] not in _MEMBERS[match[1]]:
                reader.fail("unknown_parameter", name, "There is no such parameter.")
            elif match[3] in members:
                reader.fail("duplicate", name, "Give this parameter once.")
            else:
                members[match[3]] = text
        else:
            known = properties.get(name)
            plain.setdefault(known.name if known else name, []).append(text)
    listing = _listing(reader, plain, indexed, single)
    reader.raise_failures(pairs)
    return listing


def _group(name: str | None) -> str:
    """What a parameter stands with: a missing member of a filter has no place of its own."""
    return str(name).partition(".")[0].lower()


def check_beside_cursor(
    pairs: Sequence[tuple[str, str]], properties: Properties, carried: Listing
) -> None:
    """Raise ApiError for what cannot stand beside a cursor: anything but its own field filters."""
    reader, plain = _Reader(properties), dict[str, list[str]]()
    for name, text in pairs:
        known = properties.get(name)
        if known:
            plain.setdefault(known.name, []).append(text)
        elif name in ("pageSize", "pageNumber", "filter", "sort") or _INDEXED.fullmatch(name):
            reader.fail("exclusive_parameters", name, "A cursor carries the whole query.")
        elif name != "cursor":
            reader.fail("unknown_parameter", name, "There is no such parameter.")
    own = [(c.property, c.values) for c in carried.conditions if c.operator == "eq"]
    for condition in reader.fields(plain):
        if None not in condition.values and (condition.property, condition.values) not in own:
            message = "A cursor carries the whole query, and not this filter."
            reader.fail("exclusive_parameters", condition.property.name, message)
    reader.raise_failures(pairs)


def _listing(
    reader: _Reader,
    plain: dict[str, list[str]],
    indexed: dict[str, dict[int, dict[str, str]]],
    single: dict[str, list[str]],
) -> Listing:
    conditions = list(reader.fields(plain))
    for index, members in sorted(indexed["filter"].items()):
        conditions += reader.filter(f"filter[{index}]", members)
    sort: dict[str, SortKey] = {}
    for index, members in sorted(indexed["sort"].items()):
        for key in reader.sort(f"sort[{index}]", members):
            if sort.setdefault(key.property.name, key) is not key:
                reader.fail("duplicate", f"sort[{index}].property", "This field sorts already.")
    if len(conditions) > MAX_CONDITIONS:
        reader.fail("too_many_items", "filter", f"Use at most {MAX_CONDITIONS} conditions.")
    return Listing(
        # One canonical order keeps the number of distinct statements small.
        tuple(sorted(conditions, key=lambda c: (c.property.name, c.operator, repr(c.values)))),
        _total(sort, reader.properties),
        reader.number("pageSize", single["pageSize"], DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
        reader.number("pageNumber", single["pageNumber"], 1, MAX_PAGE_NUMBER),
    )
