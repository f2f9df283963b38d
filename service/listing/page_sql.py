"""SQL of pages: the part of a documents statement that selects and orders the records.

A page selects from ``record``, a common table expression of the documents statement, which
restricts the rows to the organization ``$1`` and the parents; pages do not. The rows of a page have
all columns of ``record``, ``page_order`` and ``sort_values``; those of a counted page the id only.

Every value of a caller but the page size is a parameter; column names come from properties and
search columns, never from a request. The keyset predicate has a term per sort key, with nulls
where PostgreSQL sorts them (last ascending, first descending). Its form allows an index range
scan: ``a <= $1 and (a < $1 or id > $2)``, for a descending field and the id.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, NamedTuple

from service.database.statements import Statement, id_array
from service.listing.list_request import Condition, ListRequest, SortKey
from service.listing.operators import Operator
from service.listing.properties import Property, stored_id
from service.listing.properties import column_of as column_of
from service.listing.search import Search, implied_words
from service.schemas.visible_text import normal_forms

_SQL_TYPES = {
    "integer": "bigint",
    "number": "double precision",
    "boolean": "boolean",
    "string": "text",
    "date": "date",
    "date-time": "timestamptz",
}
LIVE: Final = "record.state <> 'deleted'"
"""SQL condition of the records that are not deleted."""
_BY_ID: Final = """select record.*, record.id as page_order, null::text as sort_values
from record"""
UTC_TEXT = "to_char({} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"


@dataclass
class PageSql:
    """SQL text and parameters of a page; numbers its ``$n`` parameters."""

    leading: int
    """Number of the statement's parameters before the page's: the organization and the parents."""
    parameters: list[Any] = field(default_factory=list)
    text: str = ""
    query: str = ""
    """Placeholder of the search's text, with its type; "" without a search."""
    size: str = ""
    """Page size as a literal; "" if records are counted. With a placeholder the planner misjudges
    the cost of the page and makes a plan for every request, which doubles the time of a short
    list."""

    def parameter(self, value: Any, sql_type: str) -> str:
        """Add a parameter; return its placeholder with its type, such as ``$3::bigint``."""
        self.parameters.append(value)
        return f"${self.leading + len(self.parameters)}::{sql_type}"


class BatchPage(NamedTuple):
    """SQL text of the page of a batch, and its only parameter."""

    text: str
    ids: Any
    """A single id as an integer, otherwise the text of an id array."""


def all_records(order: str, listed: str = "") -> str:
    """Return the page of all records in an order, or of those that meet the condition."""
    return (
        f"select record.*, row_number() over (order by {order}) as page_order,"
        f" null::text as sort_values from record{f' where {listed}' if listed else ''}"
    )


def batch_page(leading: int, ids: list[int], *, listed: str = "") -> BatchPage:
    """Return the page of the records of ``ids``, in any order; ``page_order`` is the id.

    Unknown ids have no row, repeated ones have one. ``listed`` is the SQL condition of the records
    that lists show, or "" to include all, deleted ones, too. ``leading`` is as in PageSql.
    """
    # PostgreSQL estimates the generic plan of an array as costlier than that of one element, so it
    # would plan each request anew. A single id is therefore compared without an array.
    is_single = len(ids) == 1
    text = _batch_text(leading, is_single=is_single, listed=listed)
    return BatchPage(text, ids[0] if is_single else id_array(ids))


@cache
def _batch_text(leading: int, *, is_single: bool, listed: str) -> str:
    placeholder = f"${leading + 1}"
    ids = (
        f"{placeholder}::bigint"
        if is_single
        else f"any((select {placeholder}::text::bigint[])::bigint[])"
    )
    condition = f" and {listed}" if listed else ""
    return f"{_BY_ID} where record.id = {ids}{condition}"


def listing_page(
    leading: int, list_request: ListRequest, *, listed: str, may_end_anywhere: bool = False
) -> PageSql:
    """Return the page of a list request plus one record, which shows that another page follows.

    ``listed`` is the SQL condition of the records that lists show, or ""; a filter on ``state``
    replaces it. Each row has its ``page_order`` from 1. Row number ``page_size`` has
    ``sort_values``, the JSON array that a cursor continues from; the others have null, so that a
    shorter page has none. In the order of ids, ``page_order`` is the id, and no row has
    ``sort_values``: numbers take a quarter of the time of such a page. With ``may_end_anywhere``,
    for pages that are cut, every row has a number and ``sort_values``.
    """
    page = PageSql(leading, size=str(list_request.page_size))
    conditions = _conditions(page, list_request, listed)
    source = "record"
    if list_request.search is not None and list_request.is_ranked:
        source = f"{_ranked(page, list_request.search, conditions)} as record"
        conditions = []
    if list_request.after is not None:
        keys = list(zip(list_request.sort, list_request.after, strict=True))
        conditions.append(_after(page, keys))
    order = ", ".join(_column(key.property) + " desc" * key.descending for key in list_request.sort)
    skipped = ((list_request.page_number or 1) - 1) * list_request.page_size
    offset = page.parameter(skipped, "bigint") if skipped else "0"
    columns = _columns(page, list_request.sort, order, may_end_anywhere=may_end_anywhere)
    # A sort for row_number() would not stop at the limit, but sort every match.
    page.text = (
        f"select record.*, {columns}\nfrom (\nselect * from {source} {_where(conditions)}"
        f"order by {order} limit {page.size} + 1 offset {offset}\n) as record"
    )
    return page


def export_page(size: int, listed: str) -> str:
    """Return the page of up to ``size`` records after the id ``$2``, in the order of ids.

    ``listed`` is the SQL condition of the records that lists show, or "".
    """
    where = _where(["record.id > $2::bigint", *([listed] if listed else ())])
    return f"{_BY_ID} {where}order by record.id limit {size}"


def counted_page(leading: int, list_request: ListRequest, *, listed: str) -> PageSql:
    """Return the page with the ids of all records that match a list request, for counting.

    It covers all pages: ``after``, sort, page size and page number have no effect.
    """
    page = PageSql(leading)
    where = _where(_conditions(page, list_request, listed))
    page.text = f"select record.id from record {where}"
    return page


def _columns(
    page: PageSql, sort: tuple[SortKey, ...], order: str, *, may_end_anywhere: bool
) -> str:
    """Return the columns ``page_order`` and ``sort_values`` of the rows of a page."""
    if order == _column(sort[-1].property) and not may_end_anywhere:
        return f"{order} as page_order, null::text as sort_values"
    number = f"row_number() over (order by {order})"
    sort_values = f"json_build_array({', '.join(_sort_value(key.property) for key in sort)})::text"
    if not may_end_anywhere:
        sort_values = f"case {number} when {page.size} then {sort_values} end"
    return f"{number} as page_order,\n{sort_values} as sort_values"


def _conditions(page: PageSql, list_request: ListRequest, listed: str) -> list[str]:
    """Return the SQL conditions of a list request, and ``listed`` unless it filters by state.

    Add their values to the page's parameters, and set ``page.query``.
    """
    conditions = [_condition(page, condition) for condition in list_request.conditions]
    conditions += [list_request.within] if list_request.within else []
    if listed and all(c.property.name != "state" for c in list_request.conditions):
        conditions.append(listed)
    if list_request.search is not None:
        conditions.append(_search_condition(page, list_request, list_request.search))
    changed = list_request.changed
    if changed is not None and changed.condition:
        statement = Statement.read("changed_records", changed.condition)
        conditions.append(statement.fill(n=page.parameter(changed.after, "bigint")))
    return conditions


def _search_condition(page: PageSql, list_request: ListRequest, search: Search) -> str:
    page.query = page.parameter(search.text, "text")
    is_read_whole = list_request.is_ranked and not list_request.is_filtered
    return search.columns.condition(page.query, is_read_whole=is_read_whole)


def _ranked(page: PageSql, search: Search, conditions: list[str]) -> str:
    """Return the SQL of the records that meet the conditions, with their rank as ``relevance``.

    Needs ``page.query``, which ``_conditions`` sets. The offsets make PostgreSQL fold the text
    once, and rank each record once.
    """
    return (
        f"(\nselect record.*, {search.columns.rank(page.query, 'search.folded')} as relevance\n"
        f"from record cross join (select search_fold({page.query}) as folded offset 0) as search\n"
        f"{_where(conditions)}offset 0\n)"
    )


def _where(conditions: list[str]) -> str:
    return f"where {' and '.join(conditions)}\n" if conditions else ""


def _column(prop: Property) -> str:
    """Return the SQL of the stored value; decimals are compared and sorted as doubles."""
    cast = "::double precision" * (prop.kind == "number")
    return prop.column or f"record.{column_of(prop.name)}{cast}"


def _sort_value(prop: Property) -> str:
    """Return the SQL of a sort value in a cursor: times as text, in UTC and to the microsecond."""
    return UTC_TEXT.format(_column(prop)) if prop.kind == "date-time" else _column(prop)


def _condition(page: PageSql, condition: Condition) -> str:
    """Return the SQL condition of a filter, and add its values to the page's parameters."""
    prop, operator, values = condition.property, condition.operator, condition.values
    compared = operator.compared(prop)
    as_text = not operator.tests_null and compared.kind != prop.stored_kind
    if as_text and prop.within:
        # Ids of related records are compared as they are stored, which an index supports.
        compared, as_text = replace(prop, kind=prop.stored_kind), False
        values = tuple(map(stored_id, values))
    column, sql_type = _column(prop) + "::text" * as_text, _SQL_TYPES[compared.kind]
    if prop.is_key and operator.takes_forms:
        values = tuple(normal_forms(values))
    comparison = _comparison(page, operator, column, sql_type, values)
    if prop.words and (words := implied_words(operator, values[0])):
        comparison += f" and {prop.words.condition(page.parameter(words, 'text'))}"
    return comparison if prop.within is None else _within(page, prop, prop.within, comparison)


def _within(page: PageSql, prop: Property, within: Statement, comparison: str) -> str:
    """Return the condition of a field of related records or entries."""
    slots = {} if prop.keys is None else {"keys": page.parameter([*prop.keys], "bigint[]")}
    return within.fill(condition=comparison, **slots)


def _comparison(
    page: PageSql, operator: Operator, column: str, sql_type: str, values: tuple[Any, ...]
) -> str:
    if len(values) > 1:
        placeholder = page.parameter(list(values), f"{sql_type}[]")
        return operator.comparison_with_several(column, placeholder)
    return operator.sql.format(column, page.parameter(values[0], sql_type))


def _after(page: PageSql, keys: list[tuple[SortKey, Any]]) -> str:
    """Return the keyset predicate: records after the one with these sort values.

    The term of each key selects values beyond the given one, or equal ones whose following keys
    are beyond theirs.
    """
    (key, value), *rest = keys
    column = _column(key.property)
    if value is None:
        at_or_beyond = "true" if key.descending else f"{column} is null"
        beyond = f"{column} is not null" if key.descending else "false"
        tied = f"{column} is null and " if key.descending else ""
    else:
        placeholder = page.parameter(value, _SQL_TYPES[key.property.stored_kind])
        sign = "<" if key.descending else ">"
        # Ascending, the nulls are still to come.
        nulls = f" or {column} is null" * (key.property.nullable and not key.descending)
        at_or_beyond = f"({column} {sign}= {placeholder}{nulls})"
        beyond = f"{column} {sign} {placeholder}{nulls}"
        tied = ""
    if not rest:
        return beyond
    return f"{at_or_beyond} and ({beyond} or {tied}{_after(page, rest)})"
