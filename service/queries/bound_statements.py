"""Bound statements: SQL texts with their parameters, and the write plans made of them."""

from typing import Any, NamedTuple, TypeAlias


class BoundStatement(NamedTuple):
    """SQL text with its parameters, except the organization (``$1``)."""

    text: str
    parameters: tuple[Any, ...]


WritePlan: TypeAlias = list[BoundStatement]
"""Statements to execute in this order, once all checks have passed."""
