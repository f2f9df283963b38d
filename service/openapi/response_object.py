"""Response of an operation, with the name of its component."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ResponseObject:
    """Response of an operation: its status and its OpenAPI description."""

    code: int | str
    """Status code, or a range of them: ``4XX``."""
    name: str
    """Name of the component; different responses may have the same name."""
    response: dict[str, Any]
