"""List request: typed and checked filters, sort and paging (contract, Lists)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.limits import DEFAULT_PAGE_SIZE
from service.listing.operators import Operator
from service.listing.properties import Property
from service.listing.search import Search

MAX_PAGE_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Condition:
    """Filter condition on one property; ``values`` are typed, and any of them may match."""

    property: Property
    operator: Operator
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SortKey:
    """Sort key: a property and its direction."""

    property: Property
    descending: bool


@dataclass(frozen=True, slots=True)
class ChangedRecords:
    """Restriction of a list to the records that the change feed names after a transaction."""

    epoch: int
    after: int
    """Sequence number of the transaction."""
    condition: str = ""
    """SQL condition with the slot ``n``; "" if all records may have changed."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Request for one page of a collection."""

    conditions: tuple[Condition, ...] = ()
    sort: tuple[SortKey, ...] = ()
    page_size: int = DEFAULT_PAGE_SIZE
    page_number: int | None = None
    """1-based; None for the first page and with ``after``."""
    after: tuple[Any, ...] | None = None
    """Sort values of the last record of the page before (keyset pagination)."""
    search: Search | None = None
    changed_since: datetime | None = None
    changed: ChangedRecords | None = None
    """Position of ``changed_since`` in the change feed, once it has been looked up."""
    fields: tuple[str, ...] = ()
    """Members of the documents that the caller takes; () for all."""
