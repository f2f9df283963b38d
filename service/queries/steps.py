"""What a check finds has to be written, as statements that wait for all checks to pass."""

from typing import Any, NamedTuple, TypeAlias


class Step(NamedTuple):
    """A statement, and its parameters after the organization."""

    text: str
    parameters: tuple[Any, ...]


Plan: TypeAlias = list[Step]
"""Statements in the order in which they run."""
