"""HTTP transport: sends requests over one session, with the retries of a policy."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import aiohttp
from yarl import URL

from .errors import SelvedgeError, UnreachableError, error_of
from .queries import Parameters
from .retry_policy import RetryPolicy

_JSON = "application/json"
_COMPRESSED_BYTES: Final = 16 * 2**10
"""Bytes of a body from which on it is sent compressed."""
JSON_PATCH = "application/json-patch+json"
IDEMPOTENCY_KEY = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Request:
    """HTTP request.

    Its maker gives every write except a dry run an ``Idempotency-Key`` in ``headers``: without the
    key a retry could write twice.
    """

    method: str
    path: str
    """Path below the service's address, from its slash on, with percent-encoded segments."""
    parameters: Parameters = field(default_factory=list)
    """Query, not encoded."""
    body: Any = None
    """JSON value, or bytes as they are sent; None for no body."""
    media_type: str = _JSON
    """Media type of the body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_lines: bool = False
    """Whether the response is a line of JSON for each value, of which the body is the list."""
    exact: bool = False
    """Whether decimal numbers of the response are parsed as strings; integers stay integers."""

    @property
    def writes(self) -> bool:
        """Whether the request may write: it is neither a read nor a dry run."""
        return IDEMPOTENCY_KEY in self.headers


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Successful response: 200, 201, or 304, which has no body."""

    status: int
    headers: Mapping[str, str]
    body: Any
    """Parsed JSON; None for an empty body."""


def service_url(text: str) -> URL:
    """Parse the URL of a service; raise ValueError, which names it, unless it is http or https.

    It has a host and may have a path, with percent-encoded segments; a slash at the end is cut off.
    """
    try:
        url = URL(text.rstrip("/"), encoded=True)
        if url.scheme in ("http", "https") and url.host:
            return url
    except ValueError:
        pass  # of yarl: it does not name the URL
    raise ValueError(f"use a URL such as https://selvedge.example.com, not {text!r}")


class Transport:
    """Transport over one session, which its maker closes, with one API key."""

    def __init__(
        self, session: aiohttp.ClientSession, base: URL, key: str, retry_policy: RetryPolicy
    ) -> None:
        self._session = session
        self._base = base
        self._headers = {"Authorization": f"Bearer {key}"}
        self._retry_policy = retry_policy

    async def send(self, request: Request) -> HttpResponse:
        """Return the response to a request, with the status 200, 201 or 304.

        A failed request is repeated as the retry policy says, with the same headers and body. Raise
        the SelvedgeError of its last attempt; redirects are not followed and fail. A successful
        response that is not JSON raises SelvedgeError at once. Raise TypeError or ValueError for a
        body that is no JSON value, before anything is sent, and RuntimeError if the session is
        closed.
        """
        raw = request.body
        if raw is not None and not isinstance(raw, bytes):
            raw = encoded(raw)
        if raw is not None and len(raw) >= _COMPRESSED_BYTES:
            headers = {**request.headers, "Content-Encoding": "gzip"}
            request, raw = replace(request, headers=headers), gzip.compress(raw, 1)
        attempt = 1
        while True:
            try:
                return await self._send_once(request, raw)
            except SelvedgeError as error:
                delay = self._retry_policy.delay_seconds(error, attempt)
                if delay is None:
                    raise
            await asyncio.sleep(delay)
            attempt += 1

    async def _send_once(self, request: Request, raw: bytes | None) -> HttpResponse:
        headers = {**self._headers, **request.headers}
        if raw is not None:
            headers["Content-Type"] = request.media_type
        url = URL(f"{self._base}{request.path}", encoded=True).with_query(request.parameters)
        try:
            async with self._session.request(
                request.method, url, data=raw, headers=headers, allow_redirects=False
            ) as response:
                body = await response.read()
                status, response_headers = response.status, response.headers
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise UnreachableError(str(error)) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            raise UnreachableError(reason, may_have_executed=request.writes) from error
        if status not in (200, 201, 304):
            raise error_of(status, response_headers, body)
        return HttpResponse(status, response_headers, _parsed(body, request))


def encoded(body: Any) -> bytes:
    """Return a body as JSON; raise ValueError for numbers that JSON lacks."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _parsed(body: bytes, request: Request) -> Any:
    try:
        if request.is_lines:
            return [json.loads(line) for line in body.splitlines()]
        if not body:
            return None
        return json.loads(body, parse_float=str) if request.exact else json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SelvedgeError(
            "The response is not JSON: check that the URL is that of a Selvedge service."
        ) from error
