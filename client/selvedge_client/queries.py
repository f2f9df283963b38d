"""Query parameters of lists: filters, sort keys and fields (contract, Lists)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool
"""Value of a filter; booleans are sent as ``true`` and ``false``."""
Parameters: TypeAlias = list[tuple[str, str]]
"""Names and values of a query string, in order and not encoded; a name may repeat."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Condition on a field, such as ``Filter("name", "startsWith", "Deep")`` (contract, Filters).

    Related records have a dot: ``Filter("groups.userDefinedId", "in", ["G1", "G2"])``. Several
    conditions must all hold. The service checks names and operators: InvalidError.
    """

    property: str
    operator: str
    value: Scalar | Sequence[Scalar]
    """Value, or for ``in`` and ``notIn`` a list of values, whose strings cannot contain a comma."""


@dataclass(frozen=True, slots=True)
class Sort:
    """Sort key. In a list of keys, the first one has precedence."""

    property: str
    descending: bool = False


def parameters(
    fields: dict[str, Scalar | Sequence[Scalar]], filters: Iterable[Filter], sort: Iterable[Sort]
) -> Parameters:
    """Return the query parameters of a list: fields first, then filters, then sort keys.

    Each value of a field is one ``field=value``; the values of a filter are joined by commas. Raise
    ValueError for a field with an empty list of values, which would give all records.
    """
    query = Parameters()
    for name, value in fields.items():
        texts = _texts(value)
        if not texts:
            raise ValueError(f"{name} has no values: give one, or leave it out for all records")
        query += [(name, text) for text in texts]
    for index, condition in enumerate(filters):
        query += _indexed("filter", index, condition.property, operator=condition.operator)
        query.append((f"filter[{index}].value", ",".join(_texts(condition.value))))
    for index, key in enumerate(sort):
        query += _indexed("sort", index, key.property, order="desc" if key.descending else "asc")
    return query


def _indexed(name: str, index: int, field: str, **members: str) -> Iterator[tuple[str, str]]:
    for member, text in {"property": field, **members}.items():
        yield f"{name}[{index}].{member}", text


def _texts(value: Scalar | Sequence[Scalar]) -> list[str]:
    if isinstance(value, str | int | float):
        return [_text(value)]
    return [_text(scalar) for scalar in value]


def _text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
