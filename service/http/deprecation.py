"""Deprecation: headers of operations that will be removed (RFC 9745, RFC 8594)."""

from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from functools import cached_property

from multidict import CIMultiDict

from service.http.headers import LINK


@dataclass(frozen=True)
class Deprecation:
    """Announcement that an operation will be removed; times have the time zone UTC."""

    since: datetime
    sunset: datetime | None
    """Time from which the operation may be gone; None if that is not decided."""
    guide: str
    """Path, on this service, of the HTML page that says what to use instead."""

    @cached_property
    def headers(self) -> dict[str, str]:
        """Return ``Deprecation``, as ``@`` and Unix seconds, and ``Sunset`` if it is decided."""
        headers = {"Deprecation": f"@{int(self.since.timestamp())}"}
        if self.sunset is not None:
            headers["Sunset"] = format_datetime(self.sunset, usegmt=True)
        return headers

    @property
    def description(self) -> str:
        """Return the text for the description in the OpenAPI document."""
        text = f"Deprecated since {self.since:%Y-%m-%d}; see `{self.guide}`."
        return text if self.sunset is None else f"{text} Removed after {self.sunset:%Y-%m-%d}."

    def mark(self, headers: CIMultiDict[str]) -> None:
        """Add the headers to those of a response, and a ``Link`` to the guide beside other links.

        The middleware calls it for every response of the operation, errors included.
        """
        headers.update(self.headers)
        headers.add(LINK, f'<{self.guide}>; rel="deprecation"; type="text/html"')
