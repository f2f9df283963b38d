"""What a list is asked for, typed and checked, before any SQL exists (contract, Lists)."""

from dataclasses import dataclass
from typing import Any

from service.listing.operators import Operator
from service.listing.properties import Property

DEFAULT_PAGE_SIZE = 30
MAX_PAGE_SIZE = 100
MAX_PAGE_NUMBER = 2**31 - 1
MAX_CONDITIONS = 50


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter; ``values`` are typed, and several of them mean any of them."""

    property: Property
    operator: Operator
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SortKey:
    """One sort column."""

    property: Property
    descending: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of one collection; ``after`` holds the sort values of the last record before it."""

    conditions: tuple[Condition, ...] = ()
    sort: tuple[SortKey, ...] = ()
    page_size: int = DEFAULT_PAGE_SIZE
    page_number: int | None = None
    """None for the first page, and where ``after`` says where the page begins."""
    after: tuple[Any, ...] | None = None

    def filters(self, name: str) -> bool:
        """Whether any condition is on the property."""
        return any(condition.property.name == name for condition in self.conditions)
