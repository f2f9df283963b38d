"""What a check finds has to be written, as statements that wait for all checks to pass."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias


class Step(NamedTuple):
    """A statement, and its parameters after the organization."""

    text: str
    parameters: tuple[Any, ...]


FIRST: Final = 2
"""The number of a step's first parameter."""

Plan: TypeAlias = list[Step]
"""Statements in the order in which they run."""

Aside: TypeAlias = Callable[[int], Step]
"""A step that may go within another statement: from the number of its first parameter to it."""
