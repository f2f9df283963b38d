"""What calls answer: records as the service sends them, and pages of them."""

from dataclasses import dataclass
from typing import Any, TypeAlias

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
