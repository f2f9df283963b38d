"""From a listing to the page that a documents statement reads: filters, order, keyset.

Every value is a parameter; column names come from the properties alone. The keyset predicate is
spelled out per sort key with nulls where PostgreSQL sorts them (last ascending, first
descending), in the form that an index range serves: ``a <= $1 and (a < $1 or id > $2)``.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from service.database.id_arrays import id_array
from service.listing.list_request import Condition, Listing, SortKey
from service.listing.properties import Property

_SQL_TYPES = {
    "integer": "bigint",
    "number": "double precision",
    "boolean": "boolean",
    "string": "text",
    "date-time": "timestamptz",
}
ALL_RECORDS: Final = (
    "select record.*, record.id as page_order, null::text as sort_values from record"
)
"""Not a page, but everything, in any order; the ``page_order`` is the id."""
_LIVE = "record.state <> 'deleted'"
_UTC = "to_char({} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"


@dataclass
class PageSql:
    """Text and parameters of a page; one allocator hands out the numbers."""

    leading: int
    """How many parameters of the statement come before the page's."""
    parameters: list[Any] = field(default_factory=list)
    text: str = ""
    size: str = ""
    """The page size, a literal: behind a placeholder the planner guesses a page that costs a
    multiple, and makes a plan anew for every request (twice the time of a short list)."""

    def parameter(self, value: Any, sql_type: str) -> str:
        """The placeholder of a new parameter, with its type."""
        self.parameters.append(value)
        return f"${self.leading + len(self.parameters)}::{sql_type}"


def batch_page(leading: int, ids: list[int], *, hides_deleted: bool = False) -> PageSql:
    """The records of ``ids``, in any order; their ``page_order`` is the id."""
    # An array of one would be planned anew every time: a plan for any array costs more.
    wanted = ids[0] if len(ids) == 1 else id_array(ids)
    text = _batch_text(leading, alone=len(ids) == 1, hides_deleted=hides_deleted)
    return PageSql(leading, [wanted], text)


@cache
def _batch_text(leading: int, *, alone: bool, hides_deleted: bool) -> str:
    wanted = f"${leading + 1}"
    ids = f"{wanted}::bigint" if alone else f"any((select {wanted}::text::bigint[])::bigint[])"
    hidden = f" and {_LIVE}" if hides_deleted else ""
    return (
        "select record.*, record.id as page_order, null::text as sort_values\n"
        f"from record where record.id = {ids}{hidden}"
    )


def listing_page(
    leading: int, listing: Listing, *, hides_deleted: bool, may_end_anywhere: bool = False
) -> PageSql:
    """One page of a listing and one record more, which tells whether there are more pages.

    Each row has the ``page_order`` from 1; the page's last one has the ``sort_values``, the JSON
    array that a cursor continues from. Where the page may end anywhere, every row has them.
    """
    page = PageSql(leading, size=str(listing.page_size))
    conditions = _conditions(page, listing, hides_deleted=hides_deleted)
    if listing.after is not None:
        keys = list(zip(listing.sort, listing.after, strict=True))
        conditions.append(_after(page, keys))
    order = ", ".join(_column(key.property) + " desc" * key.descending for key in listing.sort)
    key = ", ".join(_key(key.property) for key in listing.sort)
    where = _where(conditions)
    skipped = ((listing.page_number or 1) - 1) * listing.page_size
    offset = page.parameter(skipped, "bigint") if skipped else "0"
    page_order = f"row_number() over (order by {order}) - {offset}"
    sort_values = f"json_build_array({key})::text"
    if not may_end_anywhere:
        sort_values = f"case {page_order} when {page.size} then {sort_values} end"
    page.text = (
        f"select record.*, {page_order} as page_order,\n{sort_values} as sort_values\n"
        f"from record {where}order by {order} limit {page.size} + 1 offset {offset}"
    )
    return page


def counted_page(leading: int, listing: Listing, *, hides_deleted: bool) -> PageSql:
    """All records of a listing, whatever its pages are."""
    page = PageSql(leading)
    where = _where(_conditions(page, listing, hides_deleted=hides_deleted))
    page.text = f"select record.id from record {where}"
    return page


def _conditions(page: PageSql, listing: Listing, *, hides_deleted: bool) -> list[str]:
    """What records have to be, by the filters."""
    conditions = [_condition(page, condition) for condition in listing.conditions]
    if hides_deleted and not listing.filters("state"):
        conditions.append(_LIVE)
    return conditions


def _where(conditions: list[str]) -> str:
    return f"where {' and '.join(conditions)}\n" if conditions else ""


def _column(prop: Property) -> str:
    return f"record.{column_of(prop.name)}"


@cache
def column_of(name: str) -> str:
    """The column of a field's name."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _key(prop: Property) -> str:
    return _UTC.format(_column(prop)) if prop.kind == "date-time" else _column(prop)


def _condition(page: PageSql, condition: Condition) -> str:
    prop, operator, values = condition.property, condition.operator, condition.values
    compared = operator.compared(prop)
    shown = not operator.of_null and compared.kind != prop.stored
    column, sql_type = _column(prop) + "::text" * shown, _SQL_TYPES[compared.kind]
    if len(values) > 1:
        return f"{column} = any({page.parameter(list(values), sql_type + '[]')})"
    return operator.sql.format(column, page.parameter(values[0], sql_type))


def _after(page: PageSql, keys: list[tuple[SortKey, Any]]) -> str:
    """What comes after the record with these sort values, key by key.

    For each key: within the range from its value on, either beyond the value, or at it and
    after by the keys that follow.
    """
    (key, value), *rest = keys
    column = _column(key.property)
    if value is None:
        at_or_beyond = "true" if key.descending else f"{column} is null"
        beyond = f"{column} is not null" if key.descending else "false"
        tied = f"{column} is null and " if key.descending else ""
    else:
        placeholder = page.parameter(value, _SQL_TYPES[key.property.stored])
        sign = "<" if key.descending else ">"
        # Ascending, the nulls are still to come.
        nulls = f" or {column} is null" * (key.property.nullable and not key.descending)
        at_or_beyond = f"({column} {sign}= {placeholder}{nulls})"
        beyond = f"{column} {sign} {placeholder}{nulls}"
        tied = ""
    if not rest:
        return beyond
    return f"{at_or_beyond} and ({beyond} or {tied}{_after(page, rest)})"
