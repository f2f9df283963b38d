"""Filters by custom fields: the look-up of the fields that conditions name by their own keys.

Source: contract, Filters by reference.
"""

from dataclasses import replace
from typing import Final

from service.database.connections import Connection
from service.database.statements import load
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail
from service.listing.list_request import Condition, ListRequest

SCOPE: Final = "custom-field-values:read"
"""Scope that such filters need: they tell values."""
_SQL: Final = load("custom_field_values")["fields_by_key"].text
_NUMBER: Final = "entry.number::double precision"


def names(list_request: ListRequest) -> list[str]:
    """Return the names of the conditions on custom fields."""
    properties = (condition.property for condition in list_request.conditions)
    return [each.name for each in properties if each.keys is not None]


async def look_up(
    connection: Connection, organization_id: int, list_request: ListRequest
) -> ListRequest:
    """Return the list request with the ids of its custom fields; numbers compare as such.

    Raise ApiError for keys of no live field, and for texts that are no numbers.
    """
    keys = {each.property.name.partition(".")[2] for each in list_request.conditions}
    types: dict[str, dict[int, str]] = {}
    for row in await connection.fetch(_SQL, organization_id, sorted(keys)):
        types.setdefault(row["key"], {})[row["id"]] = row["type"]
    conditions, errors = list[Condition](), list[ErrorDetail]()
    for condition in list_request.conditions:
        prop = condition.property
        fields = types.get(prop.name.partition(".")[2], {})
        if prop.keys is None:
            conditions.append(condition)
            continue
        if not fields:
            errors.append(ErrorDetail(ErrorType.UNKNOWN_PARAMETER, (prop.name,)))
        prop, values = replace(prop, keys=tuple(sorted(fields))), condition.values
        if {*fields.values()} == {"numeric"}:
            prop = replace(prop, kind="number", column=_NUMBER)
            try:
                values = tuple(map(prop.parse, values))
            except ValueError as error:
                errors.append(ErrorDetail(ErrorType.INVALID_VALUE, (prop.name,), str(error)))
        conditions.append(Condition(prop, condition.operator, values))
    if errors:
        raise ApiError(errors)
    return replace(list_request, conditions=tuple(conditions))
