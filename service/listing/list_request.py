"""List request: typed and checked filters, sort, search and paging (contract, Lists)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.limits import DEFAULT_PAGE_SIZE
from service.listing.operators import Operator
from service.listing.properties import Property
from service.listing.search import Search

MAX_PAGE_NUMBER = 2**31 - 1
"""Maximum of ``pageNumber``."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Filter condition on one property; ``values`` are typed, several only for some operators."""

    property: Property
    operator: Operator
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SortKey:
    """Sort key: property and direction."""

    property: Property
    descending: bool


@dataclass(frozen=True, slots=True)
class ChangedRecords:
    """Restriction of a list to the records that the change feed names after a transaction."""

    epoch: int
    after: int
    """Sequence number of the transaction."""
    condition: str = ""
    """SQL condition with the slot ``n``, the number; "" if all records may have changed."""


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Request for one page of a collection. Records must meet all conditions."""

    conditions: tuple[Condition, ...] = ()
    sort: tuple[SortKey, ...] = ()
    """Total order: the last key is the id."""
    page_size: int = DEFAULT_PAGE_SIZE
    page_number: int | None = None
    """1-based; None for the first page, and with ``after``."""
    after: tuple[Any, ...] | None = None
    """Sort values of the last record of the page before (keyset pagination)."""
    search: Search | None = None
    changed_since: datetime | None = None
    changed: ChangedRecords | None = None
    """Position of ``changed_since`` in the change feed, once it has been looked up."""
    fields: tuple[str, ...] = ()
    """Selected members of the documents; () for all."""
