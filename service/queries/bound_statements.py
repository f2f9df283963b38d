"""Bound statements: SQL texts with their parameters, and the write plans made of them."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias


class BoundStatement(NamedTuple):
    """SQL text with its parameters, except the organization (``$1``)."""

    text: str
    parameters: tuple[Any, ...]


FIRST_PARAMETER: Final = 2
"""Number of the first parameter after the organization."""

WritePlan: TypeAlias = list[BoundStatement]
"""Statements to execute in this order, once all checks have passed."""

EmbeddedStatement: TypeAlias = Callable[[int], BoundStatement]
"""Builds a statement that can be embedded as a CTE. Takes the number of its first parameter."""
