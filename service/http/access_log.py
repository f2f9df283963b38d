"""One JSON line per request, gathered for a moment and written in one piece.

The stock access log takes most of the time of a short answer; this one a few microseconds.
"""

import asyncio
import logging
import sys
from datetime import UTC, datetime
from functools import lru_cache
from typing import TextIO

import orjson
from aiohttp import web

from service.events import printable
from service.masking import mask_keys
from service.organizations.caller import Caller

FLUSH_SECONDS = 0.5
#: Characters; the longest path of ours has about 100. Of longer ones the beginning is written, so
#: that no line is longer than 2 KB, whoever calls.
LONGEST_PATH = 140
LONGEST_QUERY = 300
LONGEST_HEADER = 64
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


class AccessLog:
    """Writes to ``stream`` at most FLUSH_SECONDS after an answer, and when it is closed."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._lines: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._wanted = logging.getLogger("service").isEnabledFor(logging.INFO)

    def write(
        self,
        request: web.Request,
        request_id: str,
        caller: Caller | None,
        response: web.StreamResponse,
        seconds: float,
    ) -> None:
        """Add the line of one answered request."""
        if not self._wanted:
            return
        path = request.rel_url.raw_path
        if path in PROBES and response.status < 400:
            return
        query, headers = request.rel_url.raw_query_string, request.headers
        self._lines.append(
            orjson.dumps(
                {
                    "time": datetime.now(UTC),
                    "request_id": request_id,
                    "organization": caller.organization_id if caller else None,
                    "key": caller.key_id if caller else None,
                    "method": request.method,
                    "path": _cut(path, LONGEST_PATH),
                    "query": _cut(query, LONGEST_QUERY) if query else None,
                    "status": response.status,
                    "bytes": response.content_length,
                    "milliseconds": round(seconds * 1000, 3),
                    "client": request.remote,
                    "forwarded_for": _header(headers.get("X-Forwarded-For")),
                    "user_agent": _header(headers.get("User-Agent")),
                    "service_api": _header(headers.get("X-Service-Api")),
                },
                option=orjson.OPT_APPEND_NEWLINE,
            )
        )
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write what has gathered."""
        self._timer = None
        lines, self._lines = self._lines, []
        if lines:
            self._stream.write(b"".join(map(printable, lines)).decode())
            self._stream.flush()


def _cut(text: str, longest: int) -> str:
    """Return the beginning, with API keys masked: keys that the cut divides are masked, too."""
    return _masked(text) if len(text) <= longest else f"{_masked(text[:longest])}…"


@lru_cache(1024)
def _masked(text: str) -> str:
    """Return the text with API keys masked. Most paths and headers come again and again."""
    return mask_keys(text)


def _header(text: str | None) -> str | None:
    """The header's beginning, with a question mark for each byte that was no UTF-8."""
    if text is None:
        return None
    shown = _cut(text, LONGEST_HEADER)
    return shown if shown.isascii() else shown.encode(errors="replace").decode()
