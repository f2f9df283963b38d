"""List request: typed and checked filters, sort, search and paging (contract, Lists)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.limits import DEFAULT_PAGE_SIZE
from service.listing.operators import Operator
from service.listing.properties import Property
from service.listing.search import RELEVANCE, Search


@dataclass(frozen=True, slots=True)
class Condition:
    """Filter condition on one property."""

    property: Property
    operator: Operator
    values: tuple[Any, ...]
    """One value or more, parsed by the property that ``Operator.compared`` returns.

    There are several only if ``takes_several``: with ``eq`` and ``in``, a record matches any of
    them; with ``notIn``, none.
    """


@dataclass(frozen=True, slots=True)
class SortKey:
    """Sort key: property and direction."""

    property: Property
    descending: bool


@dataclass(frozen=True, slots=True)
class ChangedRecords:
    """Restriction of a list to the records that the change feed names after a transaction."""

    epoch: int
    """Epoch of the change feed, within which ``after`` has a meaning."""
    after: int
    """Sequence number of the transaction."""
    condition: str = ""
    """SQL condition with the slot ``n``, the number; "" for no restriction.

    It is "" if all records may have changed, and as read from a cursor, before the look-up.
    """


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Request for one page of a collection.

    Records must meet all conditions, the search and the restriction by ``changed``.
    """

    conditions: tuple[Condition, ...] = ()
    sort: tuple[SortKey, ...] = ()
    """Total order: the last key is the id. () only by default: a page needs the keys."""
    page_size: int = DEFAULT_PAGE_SIZE
    """1 to MAX_PAGE_SIZE records."""
    page_number: int | None = None
    """1-based; None without the parameter ``pageNumber``, and with ``after``."""
    after: tuple[Any, ...] | None = None
    """Sort values of the last record of the page before (keyset pagination), one per sort key."""
    search: Search | None = None
    changed_since: datetime | None = None
    """Time of the parameter ``changedSince``, in UTC. It has no effect without ``changed``."""
    changed: ChangedRecords | None = None
    """Position of ``changed_since`` in the change feed, looked up or carried by the cursor.

    It is None without ``changed_since`` and until the look-up.
    """
    within: str = ""
    """SQL condition of the records that the caller may know of; "" for all."""
    fields: tuple[str, ...] = ()
    """Selected members of the documents, in the order of the documents; () for all."""

    @property
    def is_first_page(self) -> bool:
        """Return whether no page precedes the requested one."""
        return self.after is None and (self.page_number or 1) == 1

    @property
    def is_filtered(self) -> bool:
        """Return whether more than the search restricts the records."""
        return bool(self.conditions or self.within or (self.changed and self.changed.condition))

    @property
    def is_ranked(self) -> bool:
        """Return whether the records have the order of a search, the best first."""
        return any(key.property is RELEVANCE for key in self.sort)
