"""Query parameters of lists: parses a query string into a list request (contract, Lists).

Nothing here depends on the organization but the scope of a cursor, so list requests can be cached
by query string.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias

from service.error_types import ErrorType
from service.errors import MAX_SUGGESTIONS, with_nearest
from service.limits import DEFAULT_PAGE_SIZE, MAX_CONDITIONS, MAX_PAGE_NUMBER, MAX_PAGE_SIZE
from service.listing import cursor
from service.listing.list_request import Condition, ListRequest, SortKey
from service.listing.operators import EQ, NAMES, OPERATORS, names_of
from service.listing.properties import Properties, Property, parse_earliest
from service.listing.query_reader import QueryReader
from service.listing.search import PARAMETER, QUERY_MESSAGES, RELEVANCE, Search, query_error

_IndexedMembers: TypeAlias = dict[int, dict[str, str]]
"""Members of the parameters ``filter[n]`` or ``sort[n]``, by their index."""

_INDEXED: Final = re.compile(r"(filter|sort)\[([0-9]{1,6})\]\.([A-Za-z]+)")
_MEMBERS: Final = {
    "filter": ("property", "operator", "value"),
    "sort": ("property", "order", "direction"),
}
_PAGE: Final = ("pageSize", "pageNumber")
_CHANGED_SINCE: Final = "changedSince"
FIELDS: Final = "fields"
_ORDERS: Final = {"asc": False, "ascending": False, "desc": True, "descending": True}


class _ListReader(QueryReader):
    """Query reader of lists: filters by field (``name=x``), indexed ones (``filter[0]``), sorts.

    After an error a method may return or yield a substitute. Nobody gets it, as ``raise_errors``
    raises.
    """

    __slots__ = ("own", "properties")

    def __init__(self, parameters: Iterable[tuple[str, str]], properties: Properties) -> None:
        super().__init__(parameters)
        self.properties = properties
        self.own = [*_PAGE, FIELDS]
        """Parameters of the list beside filters and sorts."""
        self.own += [PARAMETER] if properties.search else []
        self.own += [_CHANGED_SINCE] if properties.takes_time else []

    def filters_and_sorts(self) -> Iterator[str]:
        """Yield the other parameters than ``own``; report those with U+0000."""
        for name, texts in self.texts.items():
            if name in self.own:
                continue
            if any("\0" in text for text in texts):
                self.fail(ErrorType.INVALID_VALUE, name, message="Remove the character U+0000.")
            else:
                yield name

    def add_member(self, indexed: Mapping[str, _IndexedMembers], match: re.Match[str]) -> None:
        """Add the value of a parameter such as ``filter[0].value`` to the members of its index.

        Report an unknown member, and one that occurs twice, as ``filter[0]`` and ``filter[00]``.
        """
        members = indexed[match[1]].setdefault(int(match[2]), {})
        texts = self.texts[match[0]]
        if match[3] not in _MEMBERS[match[1]]:
            self.fail_unknown(match[0], ())
        else:
            if match[3] in members or len(texts) > 1:
                self.fail_duplicate(match[0])
            members.setdefault(match[3], texts[0])

    def changed_since(self) -> datetime | None:
        """Return the time of ``changedSince``, in UTC; None without it."""
        text = self.single(_CHANGED_SINCE)
        if text is None:
            return None
        try:
            return parse_earliest(text)
        except ValueError as error:
            self.fail(ErrorType.INVALID_VALUE, _CHANGED_SINCE, message=str(error))
            return None

    def search(self) -> Search | None:
        """Return the search by ``q``; None without it, and in a collection without a search."""
        columns = self.properties.search
        text = self.single(PARAMETER) if columns else None
        if columns is None or text is None:
            return None
        if error_type := query_error(text):
            self.fail(error_type, PARAMETER, message=QUERY_MESSAGES[error_type])
            return None
        return Search(text.strip(), columns)

    def field_conditions(self, texts_by_field: Mapping[str, list[str]]) -> Iterator[Condition]:
        """Yield an ``eq`` condition for each field; report unknown fields and invalid values."""
        for name, texts in texts_by_field.items():
            prop = self.properties.get(name)
            if prop is None:
                self.fail_unknown(name, [*self.own, *self.properties])
            else:
                yield Condition(prop, EQ, self.values(prop, texts, name))

    def values(self, prop: Property, texts: list[str], *path: str | int) -> tuple[Any, ...]:
        """Return the distinct parsed values, sorted; report the first invalid one, return (None,).

        A parameter of 32 KiB has thousands of values. Reporting each would take seconds.
        """
        try:
            values = {prop.parse(text) for text in texts}
        except ValueError as error:
            self.fail(ErrorType.INVALID_VALUE, *path, message=str(error))
            return (None,)
        return tuple(sorted(values))

    def indexed_condition(self, index: int, members: Mapping[str, str]) -> Iterator[Condition]:
        """Yield the condition of ``filter[index]``; report its errors.

        With an invalid value its values are (None,); with another error there is no condition.
        """
        path = ("filter", index)
        prop = self.property_of(path, members)
        operator = OPERATORS.get(members.get("operator", EQ.name).lower())
        if operator is None or (prop and not operator.fits(prop)):
            self.fail_choice(names_of(prop) if prop else NAMES, *path, "operator")
            operator = None
        if "value" not in members:
            self.fail_required(*path, "value")
        elif prop and operator:
            texts = members["value"].split(",") if operator.splits else [members["value"]]
            values = self.values(operator.compared(prop), texts, *path, "value")
            yield Condition(prop, operator, values)

    def sort_key(self, index: int, members: Mapping[str, str]) -> Iterator[SortKey]:
        """Yield the key of ``sort[index]``; report its errors.

        There is no key without a known field and a known order.
        """
        path = ("sort", index)
        prop = self.property_of(path, members)
        if prop and not prop.sortable:
            message = "Sort by another field: a counted field only filters."
            self.fail(ErrorType.INVALID_VALUE, *path, "property", message=message)
        if "order" in members and "direction" in members:
            message = "Give order or direction, not both."
            self.fail(ErrorType.EXCLUSIVE_PARAMETERS, *path, "direction", message=message)
        member = "direction" if "direction" in members else "order"
        descending = _ORDERS.get(members.get(member, "asc").lower())
        if descending is None:
            self.fail_choice(_ORDERS, *path, member)
        elif prop:
            yield SortKey(prop, descending)

    def check_required(self, conditions: Iterable[Condition]) -> None:
        """Report conditions on the required filters, unless there is one, with one value."""
        required = self.properties.required
        named = [c for c in conditions if c.property.name in required]
        if required and not named and not self.texts.keys() & {*required}:
            self.fail_required(required[0])
        for other in named[1:]:
            self.fail_beside(other.property.name, required)
        if any(len(condition.values) > 1 for condition in named[:1]):
            self.fail_duplicate(named[0].property.name)

    def property_of(self, path: tuple[str, int], members: Mapping[str, str]) -> Property | None:
        """Return the property that ``members`` name; report a missing or unknown one."""
        if "property" not in members:
            self.fail_required(*path, "property")
            return None
        prop = self.properties.get(members["property"])
        if prop is None:
            message, names = ErrorType.UNKNOWN_FIELD.message, self.properties
            if len(self._errors) < MAX_SUGGESTIONS:
                message = with_nearest(message, members["property"], names)
            self.fail(ErrorType.INVALID_VALUE, *path, "property", message=message)
        return prop


def _total_order(
    sort: dict[str, SortKey], properties: Properties, search: Search | None
) -> tuple[SortKey, ...]:
    """Return the sort keys as a total order: the id is the last key, as tie-break.

    Keys after the id are dropped, as they cannot matter. A search without sort keys sorts by
    relevance, the best records first. Adds the missing keys to ``sort``.
    """
    if search is not None and not sort:
        sort[RELEVANCE.name] = SortKey(RELEVANCE, descending=False)
    key = properties.key
    sort.setdefault(key, SortKey(properties[key], descending=False))
    return tuple(sort.values())[: list(sort).index(key) + 1]


def read_query(parameters: Iterable[tuple[str, str]], properties: Properties) -> ListRequest:
    """Parse a query without a cursor; raise ApiError with a detail for each wrong parameter.

    Of several wrong values of a parameter, one is reported. Names of fields may have any letter
    case. Conditions are sorted by field, operator and values, not in the order of the query. The
    position of ``changedSince`` is not looked up yet.
    """
    reader = _ListReader(parameters, properties)
    texts_by_field: dict[str, list[str]] = {}
    indexed: dict[str, _IndexedMembers] = {"filter": {}}
    indexed |= {} if properties.required else {"sort": {}}
    for name in reader.filters_and_sorts():
        match = _INDEXED.fullmatch(name)
        if name in indexed:
            message = f"Use {name}[0].property and the other {name}[0] parameters."
            reader.fail(ErrorType.INVALID_VALUE, name, message=message)
        elif match and match[1] in indexed:
            reader.add_member(indexed, match)
        else:
            prop = properties.get(name)
            texts = texts_by_field.setdefault(prop.name if prop else name, [])
            texts += reader.texts[name]
    list_request = _listing(reader, texts_by_field, indexed)
    reader.raise_errors()
    return list_request


def read_cursor(
    parameters: Iterable[tuple[str, str]], properties: Properties, scope: str
) -> ListRequest:
    """Return the list request that the query's cursor continues; the query must have ``cursor``.

    Raise ApiError for a repeated or invalid cursor, without details of other parameters, and for
    parameters beside a valid one. Filters by field, ``changedSince``, ``fields`` and ``q`` are
    allowed, all or some of them, if they have the values that the cursor carries.
    """
    reader = _ListReader(parameters, properties)
    reader.single("cursor")
    reader.raise_errors()
    list_request = cursor.decode(reader.texts["cursor"][0], properties, scope)
    if len(reader.texts) > 1:
        _check_beside_cursor(reader, list_request)
    return list_request


def _check_beside_cursor(reader: _ListReader, list_request: ListRequest) -> None:
    """Raise ApiError unless each parameter beside the cursor repeats what the cursor carries.

    Of a filter by field, all values must be the same; their order does not matter.
    """
    texts_by_field: dict[str, list[str]] = {}
    for name, texts in reader.texts.items():
        if prop := reader.properties.get(name):
            texts_by_field.setdefault(prop.name, []).extend(texts)
        elif not _is_known_beside_cursor(reader, name):
            reader.fail_unknown(name, ["cursor"])
        elif name != "cursor" and not _repeats(reader, list_request, name):
            reader.fail_beside_cursor(name)
    for condition in reader.field_conditions(texts_by_field):
        if None not in condition.values and condition not in list_request.conditions:
            message = "Leave this out: the cursor has other filters."
            name = condition.property.name
            reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, name, message=message)
    reader.raise_errors()


def _is_known_beside_cursor(reader: _ListReader, name: str) -> bool:
    """Return whether a list has a parameter that is no field's name."""
    if name == PARAMETER:
        return bool(reader.properties.search)
    names = ("cursor", _CHANGED_SINCE, FIELDS, "filter", "sort", *_PAGE)
    return name in names or _INDEXED.fullmatch(name) is not None


def _repeats(reader: _ListReader, list_request: ListRequest, name: str) -> bool:
    """Return whether a parameter has the value that the cursor carries; pages have none."""
    if name == _CHANGED_SINCE:
        return reader.changed_since() == list_request.changed_since
    if name == FIELDS:
        return reader.members(FIELDS, reader.properties.members) == list_request.fields
    return name == PARAMETER and reader.search() == list_request.search


def _listing(
    reader: _ListReader,
    texts_by_field: Mapping[str, list[str]],
    indexed: Mapping[str, _IndexedMembers],
) -> ListRequest:
    """Return the list request of the parameters; report errors to ``reader``, which raises none."""
    search = reader.search()
    conditions = list(reader.field_conditions(texts_by_field))
    for index, members in sorted(indexed["filter"].items()):
        conditions += reader.indexed_condition(index, members)
    reader.check_required(conditions)
    sort: dict[str, SortKey] = {}
    for index, members in sorted(indexed.get("sort", {}).items()):
        for key in reader.sort_key(index, members):
            if sort.setdefault(key.property.name, key) is not key:
                message = "Remove this sort key: another one has the same field."
                reader.fail(ErrorType.DUPLICATE, "sort", index, "property", message=message)
    if len(conditions) > MAX_CONDITIONS:
        message = f"Use at most {MAX_CONDITIONS} conditions."
        reader.fail(ErrorType.TOO_MANY_ITEMS, "filter", message=message)
    return ListRequest(
        # Sort conditions, so that their order in the query adds no distinct statements.
        tuple(sorted(conditions, key=lambda c: (c.property.name, c.operator.name, repr(c.values)))),
        _total_order(sort, reader.properties, search),
        reader.integer("pageSize", DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE),
        reader.integer("pageNumber", 0, 1, MAX_PAGE_NUMBER) or None,
        search=search,
        changed_since=reader.changed_since(),
        fields=reader.members(FIELDS, reader.properties.members),
    )
