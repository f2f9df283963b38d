"""Query parameters of lists: parse a query string into a list request (contract, Lists)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.errors import ApiError, ErrorDetail, in_query_order
from service.limits import DEFAULT_PAGE_SIZE, MAX_CONDITIONS, MAX_PAGE_SIZE
from service.listing.list_request import (
    MAX_PAGE_NUMBER,
    Condition,
    Listing,
    SortKey,
)
from service.listing.operators import EQ, NAMES, OPERATORS, names_of
from service.listing.properties import Properties, Property

_INDEXED = re.compile(r"(filter|sort)\[([0-9]{1,6})\]\.([A-Za-z]+)")
_WHOLE = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_MEMBERS = {
    "filter": ("property", "operator", "value"),
    "sort": ("property", "order", "direction"),
}
_ORDERS = {"asc": False, "ascending": False, "desc": True, "descending": True}


@dataclass
class _Reader:
    """Reader of one query string; collects an error detail for each wrong parameter."""

    properties: Properties
    errors: list[ErrorDetail] = field(default_factory=list)

    def fail(self, kind: str, *path: str | int, message: str) -> None:
        self.errors.append(ErrorDetail(f"validation_error.{kind}", path, message))

    def raise_errors(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Raise ApiError with the error details in query order, if there are any."""
        if self.errors:
            raise ApiError(in_query_order(pairs, self.errors))

    def number(self, name: str, texts: list[str], default: int, limit: int) -> int:
        if not texts:
            return default
        if len(texts) > 1:
            self.fail("duplicate", name, message="Give this parameter once.")
        elif not _WHOLE.fullmatch(texts[0]):
            self.fail("invalid_value", name, message="Use a whole number.")
        elif not 1 <= int(texts[0]) <= limit:
            self.fail("out_of_range", name, message=f"Use a number from 1 to {limit}.")
        else:
            return int(texts[0])
        return default

    def fields(self, plain: Mapping[str, list[str]]) -> Iterator[Condition]:
        for name, texts in plain.items():
            prop = self.properties.get(name)
            if prop is None:
                message = "There is no such parameter or field."
                self.fail("unknown_parameter", name, message=message)
            else:
                yield Condition(prop, EQ, self.values(prop, texts, name))

    def values(self, prop: Property, texts: list[str], *path: str | int) -> tuple[Any, ...]:
        """Return the parsed values, sorted; report the first invalid one and return (None,).

        A parameter of 32 KiB has thousands of values. Reporting each would take seconds.
        """
        try:
            values = {prop.parse(text) for text in texts}
        except ValueError as error:
            self.fail("invalid_value", *path, message=str(error))
            return (None,)
        return tuple(sorted(values))

    def filter(self, index: int, members: Mapping[str, str]) -> Iterator[Condition]:
        path = ("filter", index)
        prop = self.named(path, members)
        operator = OPERATORS.get(members.get("operator", EQ.name).lower())
        if operator is None or (prop and not operator.fits(prop)):
            message = f"Use one of {', '.join(names_of(prop) if prop else NAMES)}."
            self.fail("invalid_value", *path, "operator", message=message)
            operator = None
        if "value" not in members:
            self.fail("required_field", *path, "value", message="This parameter is required.")
        elif prop and operator:
            texts = members["value"].split(",") if operator.splits else [members["value"]]
            values = self.values(operator.compared(prop), texts, *path, "value")
            yield Condition(prop, operator, values)

    def sort(self, index: int, members: Mapping[str, str]) -> Iterator[SortKey]:
        path = ("sort", index)
        prop = self.named(path, members)
        if prop and not prop.sortable:
            message = "Sort by another field: a counted field only filters."
            self.fail("invalid_value", *path, "property", message=message)
        if "order" in members and "direction" in members:
            message = "Give order or direction, not both."
            self.fail("exclusive_parameters", *path, "direction", message=message)
        spelled = "direction" if "direction" in members else "order"
        descending = _ORDERS.get(members.get(spelled, "asc").lower())
        if descending is None:
            message = f"Use one of {', '.join(_ORDERS)}."
            self.fail("invalid_value", *path, spelled, message=message)
        elif prop:
            yield SortKey(prop, descending)

    def named(self, path: tuple[str, int], members: Mapping[str, str]) -> Property | None:
        if "property" not in members:
            self.fail("required_field", *path, "property", message="This parameter is required.")
            return None
        prop = self.properties.get(members["property"])
        if prop is None:
            self.fail("invalid_value", *path, "property", message="There is no such field.")
        return prop


def _total(sort: dict[str, SortKey], properties: Properties) -> tuple[SortKey, ...]:
    """Return a total order: append the id as tie-break, and drop the keys after the id."""
    sort.setdefault("id", SortKey(properties["id"], descending=False))
    return tuple(sort.values())[: list(sort).index("id") + 1]


def read(pairs: Sequence[tuple[str, str]], properties: Properties) -> Listing:
    """Parse page-mode parameters; raise ApiError with a detail for each wrong one."""
    single: dict[str, list[str]] = {"pageSize": [], "pageNumber": []}
    plain: dict[str, list[str]] = {}
    indexed: dict[str, dict[int, dict[str, str]]] = {"filter": {}, "sort": {}}
    reader = _Reader(properties)
    for name, text in pairs:
        if "\0" in name or "\0" in text:
            message = "Remove the character U+0000."
            reader.fail("invalid_value", name.replace("\0", ""), message=message)
        elif name in single:
            single[name].append(text)
        elif name in indexed:
            message = f"Use {name}[0].property and the other {name}[0] parameters."
            reader.fail("invalid_value", name, message=message)
        elif match := _INDEXED.fullmatch(name):
            members = indexed[match[1]].setdefault(int(match[2]), {})
            if match[3] not in _MEMBERS[match[1]]:
                reader.fail("unknown_parameter", name, message="There is no such parameter.")
            elif match[3] in members:
                reader.fail("duplicate", name, message="Give this parameter once.")
            else:
                members[match[3]] = text
        else:
            prop = properties.get(name)
            plain.setdefault(prop.name if prop else name, []).append(text)
    listing = _listing(reader, plain, indexed, single)
    reader.raise_errors(pairs)
    return listing


def check_beside_cursor(
    pairs: Sequence[tuple[str, str]], properties: Properties, listing: Listing
) -> None:
    """Raise ApiError for parameters beside a cursor, except field filters that it carries."""
    reader, plain = _Reader(properties), dict[str, list[str]]()
    for name, text in pairs:
        prop = properties.get(name)
        if prop:
            plain.setdefault(prop.name, []).append(text)
        elif name in ("pageSize", "pageNumber", "filter", "sort") or _INDEXED.fullmatch(name):
            message = "Leave this out: the cursor has it."
            reader.fail("exclusive_parameters", name, message=message)
        elif name != "cursor":
            reader.fail("unknown_parameter", name, message="There is no such parameter.")
    carried_filters = [(c.property, c.values) for c in listing.conditions if c.operator is EQ]
    for condition in reader.fields(plain):
        if (
            None not in condition.values
            and (condition.property, condition.values) not in carried_filters
        ):
            message = "Leave this out: the cursor has other filters."
            reader.fail("exclusive_parameters", condition.property.name, message=message)
    reader.raise_errors(pairs)


def _listing(
    reader: _Reader,
    plain: dict[str, list[str]],
    indexed: dict[str, dict[int, dict[str, str]]],
    single: dict[str, list[str]],
) -> Listing:
    conditions = list(reader.fields(plain))
    for index, members in sorted(indexed["filter"].items()):
        conditions += reader.filter(index, members)
    sort: dict[str, SortKey] = {}
    for index, members in sorted(indexed["sort"].items()):
        for key in reader.sort(index, members):
            if sort.setdefault(key.property.name, key) is not key:
                message = "Remove this sort key: another one has the same field."
                reader.fail("duplicate", "sort", index, "property", message=message)
    if len(conditions) > MAX_CONDITIONS:
        message = f"Use at most {MAX_CONDITIONS} conditions."
        reader.fail("too_many_items", "filter", message=message)
    return Listing(
        # Sort conditions, so that their order in the query adds no distinct statements.
        tuple(sorted(conditions, key=lambda c: (c.property.name, c.operator.name, repr(c.values)))),
        _total(sort, reader.properties),
        reader.number("pageSize", single["pageSize"], DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
        reader.number("pageNumber", single["pageNumber"], 1, MAX_PAGE_NUMBER)
        if single["pageNumber"]
        else None,
    )
