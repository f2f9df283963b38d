"""HTTP transport: sends requests over one session, with retries."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import orjson
from yarl import URL

from service.client.errors import SelvedgeError, UnreachableError, error_of
from service.client.queries import Parameters
from service.client.retry_policy import RetryPolicy

_JSON = "application/json"
JSON_PATCH = "application/json-patch+json"


@dataclass(frozen=True, slots=True)
class Request:
    """HTTP request. Every write except a dry run has an ``Idempotency-Key`` in its headers.

    Without the key a retry could write twice.
    """

    method: str
    path: str
    """Path below the service's address, with quoted segments."""
    parameters: Parameters = field(default_factory=list)
    body: Any = None
    """JSON value; None for no body."""
    media_type: str = _JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False
    """Whether decimal numbers of the response are parsed as strings."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Successful response."""

    status: int
    headers: Mapping[str, str]
    body: Any
    """Parsed JSON; None for an empty body."""


class Transport:
    """Transport over one session, with one API key."""

    def __init__(
        self, session: aiohttp.ClientSession, url: str, key: str, retry_policy: RetryPolicy
    ) -> None:
        self._session = session
        self._base = URL(url.rstrip("/"), encoded=True)
        self._headers = {"Authorization": f"Bearer {key}"}
        self._retry_policy = retry_policy

    async def send(self, request: Request) -> HttpResponse:
        """Send a request, with retries. Return the successful response. Raise SelvedgeError."""
        raw = None if request.body is None else orjson.dumps(request.body)
        tries = 1
        while True:
            try:
                return await self._send_once(request, raw)
            except SelvedgeError as error:
                wait = self._retry_policy.wait(error, tries)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
            tries += 1

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
        except aiohttp.ClientConnectorError as error:
            raise UnreachableError(str(error)) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            raise UnreachableError(reason, may_be_done=request.method != "GET") from error
        if status not in (200, 201, 304):
            raise error_of(status, response_headers, body)
        return HttpResponse(status, response_headers, _parsed(body, exact=request.exact))


def _parsed(body: bytes, *, exact: bool) -> Any:
    try:
        if exact:
            return json.loads(body, parse_float=str)
        return orjson.loads(body) if body else None
    except ValueError as error:
        raise SelvedgeError("The server sent no JSON: check that the URL is a Selvedge.") from error
