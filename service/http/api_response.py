"""What goes out for a request, before it is HTTP: so it can be stored and given again."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """Status, body bytes and the headers that belong to them."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
