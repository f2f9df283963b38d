"""Client results: records, pages, write outcomes and the identity of a key."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeAlias, TypeVar

from .errors import Detail

Document: TypeAlias = dict[str, Any]
"""JSON object of a record, or an entry of changes. The OpenAPI document describes its fields."""
Form: TypeAlias = Mapping[str, object]
"""JSON object to write: a dict, or one of the types in ``create_forms``."""
_INDEX: Final = re.compile(r"^\[([0-9]{1,4})\]", re.ASCII)
DocumentT = TypeVar("DocumentT", bound=Mapping[str, object])
"""Type of a collection's documents."""


@dataclass(frozen=True, slots=True)
class Record(Generic[DocumentT]):
    """Record as its document or writable form, and its entity tag for ``If-Match``."""

    data: DocumentT
    etag: str | None

    @property
    def id(self) -> Any:
        """Id of the record: an integer, for sub-suppliers a string.

        Raise KeyError for a writable form, which has none.
        """
        return self.data["id"]


@dataclass(frozen=True, slots=True)
class Page(Generic[DocumentT]):
    """Page of a list, or of the change feed."""

    records: list[DocumentT]
    cursor: str | None
    """Cursor of the next page. The last page of a list has None, a page of changes never."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Owner of an API key: record ids are valid within its installation and organization."""

    installation_id: str
    """UUID of the database; it stays when the service moves to another address."""
    organization_id: int
    organization_name: str
    key_name: str
    scope: str | None
    """``read`` or ``write``; None for other scopes."""
    scopes: tuple[str, ...]
    source: str
    """System that uses the key: the records that it creates are of this source."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """Change of one field of a record's writable form, with its whole values."""

    field: str
    before: Any
    """Stored value; None if there is none, as in a new record."""
    after: Any
    """Value after the write; new entries of a list have None as id."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one record of a bulk write (contract, Outcomes)."""

    record: Form
    """Record as the caller gave it; its document if ``delete_missing`` deletes it."""
    outcome: str
    """``created``, ``updated``, ``unchanged``, ``deleted``, ``absent``, ``failed``, …

    ``delete_missing`` refuses the deletes of a collection that are too many (``refused``), and
    leaves GTINs of styles that were published (``kept``), which is no failure.
    """
    id: Any
    """Id of the stored record, for a part of its owner; None if no record was found.

    A record that a dry run would create has none, nor has one that failed before the look-up.
    """
    details: tuple[Detail, ...]
    """Errors of a failed record; empty for other outcomes."""
    is_replayed: bool = False
    """Whether the service replayed the response to an earlier request with the idempotency key.

    The earlier request has written; this one wrote nothing.
    """
    changes: tuple[FieldChange, ...] = ()
    """Fields that the write would change, in a preview; otherwise empty."""


def outcome_of(record: Form, row: Document, *, is_replayed: bool) -> Outcome:
    """Return the outcome of a record, given its row of a response."""
    details = tuple(Detail(**detail) for detail in row["details"])
    changes = tuple(FieldChange(**change) for change in row.get("changes", ()))
    return Outcome(record, row["outcome"], row["id"], details, is_replayed, changes)


def shifted(details: Iterable[Detail], start: int) -> tuple[Detail, ...]:
    """Return errors of a request with the indexes of all records, of which it begins at one."""

    def index(match: re.Match[str]) -> str:
        return f"[{start + int(match[1])}]"

    return tuple(
        replace(detail, field=detail.field and _INDEX.sub(index, detail.field))
        for detail in details
    )
