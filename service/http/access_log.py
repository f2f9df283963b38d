"""Access log: one JSON line per request, buffered and written in batches.

Successful probes have no line, and API keys are masked. The middleware adds the line before it
sends the response, so a line does not mean that the client got it; for a request that the parser
refused it is added afterwards. aiohttp's access log takes most of the time of a short response.
This one takes a few microseconds.
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
from service.http.envelope import ApiResponse
from service.masking import mask_keys
from service.organizations.caller import Caller

FLUSH_SECONDS = 0.5
"""Maximum time, in seconds, that a line stays in the buffer."""
MAX_PATH = 140
MAX_QUERY = 300
MAX_HEADER = 64
"""MAX_PATH, MAX_QUERY and MAX_HEADER count characters of a path, query or header.

Longer values are truncated, so that no line exceeds 2 KB. The service's longest path has about 100.
"""
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths that load balancers and monitoring call."""


class AccessLog:
    """Buffer of log lines, written to ``stream`` (default: standard output) by a timer.

    The log level at its creation decides whether it writes anything: INFO or below.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._lines: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._is_enabled = logging.getLogger("service").isEnabledFor(logging.INFO)

    def write(
        self,
        request: web.Request,
        request_id: str,
        caller: Caller | None,
        response: ApiResponse,
        seconds: float,
    ) -> None:
        """Buffer the line of one request, unless it is a successful probe or INFO is not logged.

        A probe (PROBES) is successful below status 400. ``seconds`` is the time from the request's
        head to the finished response, without the sending. The line's ``bytes`` are those of the
        body as it is sent, also if HEAD gets none, and null for a streamed response.
        """
        if not self._is_enabled:
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
                    "path": _truncate(path, MAX_PATH),
                    "query": _truncate(query, MAX_QUERY) if query else None,
                    "status": response.status,
                    "bytes": response.content_length,
                    "milliseconds": round(seconds * 1000, 3),
                    "client": request.remote,
                    "forwarded_for": header_text(headers.get("X-Forwarded-For")),
                    "user_agent": header_text(headers.get("User-Agent")),
                    "service_api": header_text(headers.get("X-Service-Api")),
                },
                option=orjson.OPT_APPEND_NEWLINE,
            )
        )
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the buffered lines now. The timer calls it, and the application at its end."""
        self._timer = None
        lines, self._lines = self._lines, []
        if lines:
            self._stream.write(b"".join(map(printable, lines)).decode())
            self._stream.flush()


ACCESS_LOG: web.AppKey[AccessLog] = web.AppKey("access_log", AccessLog)


def _truncate(text: str, max_length: int) -> str:
    """Return the first ``max_length`` characters, in which API keys are masked, also cut ones.

    ``…`` follows if the text is longer.
    """
    return _masked(text) if len(text) <= max_length else f"{_masked(text[:max_length])}…"


@lru_cache(1024)
def _masked(text: str) -> str:
    """Return the text with API keys masked. Cached, for most paths and headers repeat."""
    return mask_keys(text)


def header_text(text: str | None) -> str | None:
    """Return the header's text, truncated and masked, with ``?`` for each byte outside of UTF-8.

    Return None without the header.
    """
    if text is None:
        return None
    truncated = _truncate(text, MAX_HEADER)
    return truncated if truncated.isascii() else truncated.encode(errors="replace").decode()
