"""What a check finds has to be written, as statements that wait for all checks to pass."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias


class BoundStatement(NamedTuple):
    """A statement, and its parameters after the organization."""

    text: str
    parameters: tuple[Any, ...]


FIRST_PARAMETER: Final = 2
"""The number of a step's first parameter."""

WritePlan: TypeAlias = list[BoundStatement]
"""Statements in the order in which they run."""

EmbeddedStatement: TypeAlias = Callable[[int], BoundStatement]
"""A step that may go within another statement: from the number of its first parameter to it."""
