"""API response: status, body and headers, independent of aiohttp so that it can be stored."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """Response of a handler, before content negotiation."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    """Without ``Content-Type`` the body is JSON."""
