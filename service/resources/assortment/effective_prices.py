"""Effective prices: what SKUs cost in a price list on a day (contract, Effective prices)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Final

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.errors import api_error
from service.listing import parameters
from service.listing.list_request import Condition, ListRequest
from service.listing.operators import EQ
from service.listing.properties import Property
from service.listing.query_reader import QueryReader
from service.listing.related import Related
from service.organizations.caller import Caller
from service.records.path_keys import ambiguous_message
from service.records.resource import ListQuery, Resource

_LIST, _KEY, _DATE = _REQUIRED = ("priceListId", "priceList.userDefinedId", "date")
_FILTERS: Final = ("styleId", "style.number", "sku")
PARAMETERS: Final = (*_REQUIRED, *_FILTERS, "pageSize", "cursor", "fields")


def today() -> date:
    """Return the day of prices where callers name none."""
    return datetime.now(UTC).date()


def priced(skus: str, lists: str) -> str:
    """Return the query for all that is shown of effective prices of SKUs in price lists.

    Both are SQL for a table expression.
    """
    sql = load("effective_prices")
    is_effective = sql["is_effective"].text
    matched = sql["matched"].fill(skus=skus, lists=lists, is_effective=is_effective)
    return sql["priced"].fill(matched=matched)


class EffectivePrices(Resource):
    """List of the effective prices of all live SKUs that have one; computed when it is read."""

    name = "effective-prices"
    collection = "style-prices"
    key = "styleSkuId"
    related = (
        Related("style", "style_sku", "id", {"id": "style_id"}, {"number": "number"}, "style"),
    )
    _leading = 3

    def __init__(self) -> None:
        super().__init__()
        self.required = {
            _LIST: self.properties[_LIST],
            _KEY: Property(_KEY, "string", nullable=False, sortable=False),
            _DATE: Property(_DATE, "date", nullable=False, sortable=False),
        }
        self.properties.limit((self.key, *_FILTERS), self.required.values())

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statement of documents."""
        sql = load("effective_prices")
        record = sql["record"].bind(is_effective=sql["is_effective"].text)
        few = f"({sql['few'].text}) as sku"
        documents = sql["documents"].bind(
            priced=priced(sql["skus"].text, sql["list"].text),
            of_few=record.fill(skus=few, is_chosen="exists"),
            of_many=record.fill(skus="style_sku sku", is_chosen="not exists"),
        )
        return {"documents": documents}

    def _selection(self, list_request: ListRequest) -> tuple[ListRequest, str, Statement]:
        """Return the selection without what is a parameter of the statement."""
        others = (c for c in list_request.conditions if c.property.name not in _REQUIRED)
        return super()._selection(replace(list_request, conditions=tuple(others)))

    async def require_parents(
        self, connection: Connection, caller: Caller, parents: Sequence[int]
    ) -> None:
        """Raise ``unknown_reference`` for a price list by id that does not exist."""
        await self._price_list(connection, caller, {_LIST: parents[0]})

    def query(self, query: Iterable[tuple[str, str]], scope: str) -> ListQuery:
        """Return the list query of parameters; raise ApiError with all of their errors."""
        pairs = [*query]
        reader = QueryReader(pairs)
        reader.only(*PARAMETERS)
        reader.raise_errors()
        if reader.single("cursor") is not None:
            return self.compile_list(parameters.read_cursor(pairs, self.properties, scope))
        for name in _REQUIRED:
            reader.single(name)
        if (_LIST in reader.texts) == (_KEY in reader.texts):
            if _LIST in reader.texts:
                reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, _KEY, message=f"Leave out {_LIST}.")
            else:
                reader.fail_required(_LIST)
        reader.raise_errors()
        list_request = parameters.read_query(pairs, self.properties)
        if _DATE not in reader.texts:
            day = Condition(self.required[_DATE], EQ, (today(),))
            conditions = (*list_request.conditions, day)
            list_request = replace(list_request, conditions=conditions)
        return self.compile_list(list_request)

    async def price_list_and_day(
        self, connection: Connection, caller: Caller, list_request: ListRequest
    ) -> tuple[Any, date]:
        """Return the id of the price list and the day; raise ApiError for an unknown key.

        An unknown id has no prices, so it is looked up only then, by ``require_parents``.
        """
        values = {c.property.name: c.values[0] for c in list_request.conditions}
        price_list_id = values.get(_LIST)
        if price_list_id is None:
            price_list_id = await self._price_list(connection, caller, values)
        return price_list_id, values.get(_DATE) or today()

    async def _price_list(
        self, connection: Connection, caller: Caller, values: Mapping[str, Any]
    ) -> Any:
        text, names = load("effective_prices")["price_lists"].text, (_LIST, _KEY)
        rows = await connection.fetch(text, caller.organization_id, *map(values.get, names))
        name = _KEY if _KEY in values else _LIST
        if not rows:
            message = "There is no such price list."
            raise api_error(ErrorType.UNKNOWN_REFERENCE, name, message=message)
        if len(rows) > 1:
            message = ambiguous_message([row["id"] for row in rows])
            raise api_error(ErrorType.CONFLICT_AMBIGUOUS_KEY, name, message=message)
        return rows[0]["id"]
