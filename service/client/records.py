"""Client results: records, pages, write outcomes and the identity of a key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from .errors import Detail

Document: TypeAlias = dict[str, Any]
"""JSON object of a record. The OpenAPI document describes its fields."""
Form: TypeAlias = Mapping[str, object]
"""JSON object to write: a dict, or one of the types in ``create_forms``."""
DocumentT = TypeVar("DocumentT", bound=Mapping[str, object])
"""Type of a collection's documents."""


@dataclass(frozen=True, slots=True)
class Record(Generic[DocumentT]):
    """Record, and its entity tag for ``If-Match``."""

    data: DocumentT
    etag: str | None

    @property
    def id(self) -> Any:
        """Id of the record: an integer, for sub-suppliers a string."""
        return self.data["id"]


@dataclass(frozen=True, slots=True)
class Page(Generic[DocumentT]):
    """Page of a list."""

    records: list[DocumentT]
    cursor: str | None
    """Cursor of the next page; None on the last one."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Installation and organization of an API key, the scope in which its record ids are valid."""

    installation_id: str
    """UUID that stays when the service moves to another address."""
    organization_id: int


@dataclass(frozen=True, slots=True)
class FieldChange:
    """Change of one field of a record's writable form, with its whole values."""

    field: str
    before: Any
    """Stored value; None if there is none, as in a new record."""
    after: Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one record of a bulk write."""

    record: Form
    """Record as sent."""
    outcome: str
    """``created``, ``updated``, ``unchanged``, ``deleted``, ``absent`` or ``failed``."""
    id: Any
    """Id of the stored record; None if there is none."""
    details: tuple[Detail, ...]
    """Errors of a failed record."""
    is_replayed: bool = False
    """Whether the service replayed the response of an earlier try, and wrote nothing now."""
    changes: tuple[FieldChange, ...] = ()
    """Fields that the write would change, in a preview."""
