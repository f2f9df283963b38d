"""What calls answer: records as the service sends them, and pages of them."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from service.client.errors import Detail

Document: TypeAlias = dict[str, Any]
"""A record's JSON object; its fields are those of the OpenAPI document."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record, and the tag that ``If-Match`` guards it with."""

    data: Document
    etag: str | None

    @property
    def id(self) -> Any:
        """Its id: an integer, of sub-suppliers a text."""
        return self.data["id"]


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list."""

    records: list[Document]
    cursor: str | None
    """What leads to the next page; None on the last one."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What an API key stands for: ids of records belong to both."""

    installation_id: str
    """A UUID that stays when the service moves to another address."""
    organization_id: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one record of a synchronization."""

    record: Document
    """As it was sent."""
    outcome: str
    """``created``, ``updated``, ``unchanged``, ``deleted``, ``absent`` or ``failed``."""
    id: Any
    """Of the record there; None where there is none."""
    details: tuple[Detail, ...]
    """What is wrong with one that failed."""
    is_replayed: bool = False
    """Whether it is the first answer to the same request once more: nothing was done now."""
