"""What lists are asked for, as parameters of a query (contract, Lists)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool
Parameters: TypeAlias = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a field, such as ``Filter("name", "startsWith", "Deep")``."""

    property: str
    operator: str
    value: Scalar | Sequence[Scalar]
    """Several only for ``in``; texts with a comma cannot be among them."""


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort key; the first one sorts first."""

    property: str
    descending: bool = False


def parameters(
    fields: dict[str, Scalar | Sequence[Scalar]], filters: Iterable[Filter], sort: Iterable[Sort]
) -> Parameters:
    """The parameters of a list."""
    found = [(name, text) for name, value in fields.items() for text in _texts(value)]
    for number, one in enumerate(filters):
        found += _numbered("filter", number, one.property, operator=one.operator)
        found.append((f"filter[{number}].value", ",".join(_texts(one.value))))
    for number, key in enumerate(sort):
        found += _numbered("sort", number, key.property, order="desc" if key.descending else "asc")
    return found


def _numbered(name: str, number: int, field: str, **more: str) -> Iterator[tuple[str, str]]:
    for member, text in {"property": field, **more}.items():
        yield f"{name}[{number}].{member}", text


def _texts(value: Scalar | Sequence[Scalar]) -> list[str]:
    if isinstance(value, str | int | float):
        return [_text(value)]
    return [_text(one) for one in value]


def _text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
