"""Receiver client: sends messages to one receiver, at no address that the policy refuses.

For each connection it resolves the name, checks all addresses and connects to one of them without
resolving again (pinned resolution). It follows no redirects, uses no proxies and keeps no cookies.
"""

import asyncio
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Final

import aiohttp
from aiohttp import hdrs
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from service import __version__
from service.limits import MAX_RECEIVER_ANSWER_BYTES, MAX_RECEIVER_HEAD_BYTES, RECEIVER_SECONDS
from service.webhooks.addresses import NOT_PUBLIC, AddressPolicy, address_of
from service.webhooks.name_lookups import NameLookups


class AnswerTooLongError(aiohttp.ClientError):
    """Error of an answer of more than MAX_RECEIVER_HEAD_BYTES, heads and body together.

    It fails the request only if the head of the final answer is not complete within them.
    """


class BoundedConnector(aiohttp.TCPConnector):
    """Connector whose connections end with an answer that is too long."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(_BoundedProtocol, self._loop)  # type: ignore[assignment]


class _BoundedProtocol(ResponseHandler):
    """Connection that parses MAX_RECEIVER_HEAD_BYTES of each answer, and aborts itself for more.

    They include the informational answers before the final one, and its body. If the head of the
    final answer is within them, it is valid, and reading its body fails.
    """

    _left = 0

    def set_response_params(self, **parameters: Any) -> None:
        """Prepare for the answer to the next request; aiohttp calls it before it sends that."""
        self._left = MAX_RECEIVER_HEAD_BYTES
        super().set_response_params(**parameters)

    def data_received(self, data: bytes) -> None:
        """Parse bytes of the answer; without any left, set AnswerTooLongError and abort."""
        left = self._left
        self._left = max(0, left - len(data))
        super().data_received(data[:left])
        if len(data) > left and self.transport is not None:
            self.set_exception(AnswerTooLongError())
            self.transport.abort()


DELIVERED: Final = "delivered"
REJECTED: Final = "rejected"
THROTTLED: Final = "throttled"
GONE: Final = "gone"
TIMED_OUT: Final = "timed_out"
UNREACHABLE: Final = "unreachable"
REFUSED: Final = "refused"
RESULTS: Final = (DELIVERED, REJECTED, THROTTLED, GONE, TIMED_OUT, UNREACHABLE, REFUSED)
"""Results of tries.

``delivered`` is a status from 200 to 299, ``gone`` 410, ``throttled`` 429, ``rejected`` any other.
Without a response it is ``refused`` by the address policy, ``timed_out``, or ``unreachable``.
"""

_BODY_SECONDS: Final = 1
"""Time for the body of a response, which is read so that the connection can be used again."""
_BY_STATUS: Final = {410: GONE, 429: THROTTLED}


@dataclass(frozen=True, slots=True)
class Attempt:
    """Outcome of one try."""

    result: str
    """One of RESULTS."""
    status: int | None = None
    """Status of the receiver's response; None without one."""
    error: str | None = None
    """Cause of a failure, in words for the subscription's owner; None only if delivered."""
    retry_after: float | None = None
    """Seconds from a failed response's ``Retry-After``, not limited yet; None without one."""


class Receiver(AbstractResolver):
    """HTTP client of one receiver, for a few messages in a row, and the client's resolver.

    It is an asynchronous context manager, which closes its connections. Create it in a coroutine.
    """

    def __init__(
        self, url: str, organization_id: int, policy: AddressPolicy, lookups: NameLookups
    ) -> None:
        self._url = URL(url, encoded=True)
        self.url = url
        self._organization_id = organization_id
        self._policy, self._lookups = policy, lookups
        self._refusal: str | None = None
        self._session = aiohttp.ClientSession(
            connector=BoundedConnector(resolver=self, use_dns_cache=False),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=RECEIVER_SECONDS),
            headers={hdrs.USER_AGENT: f"Selvedge/{__version__}"},
            skip_auto_headers=[hdrs.ACCEPT_ENCODING],
            auto_decompress=False,
            read_bufsize=MAX_RECEIVER_ANSWER_BYTES,
        )

    @property
    def host(self) -> str:
        """Host of the URL, for the log."""
        return str(self._url.raw_host)

    async def __aenter__(self) -> "Receiver":
        """Return the receiver."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self._session.close()

    async def post(self, body: bytes, headers: Mapping[str, str]) -> Attempt:
        """Send a message and return the outcome; failures do not raise.

        One try, without retries, takes at most RECEIVER_SECONDS, name look-up included. The URL is
        checked first. The body is JSON; ``headers`` have its id and signatures.
        """
        if problem := self._policy.url_problem(self.url):
            return Attempt(REFUSED, error=problem)
        headers = {hdrs.CONTENT_TYPE: "application/json", **headers}
        try:
            async with self._session.post(
                self._url, data=body, headers=headers, allow_redirects=False
            ) as response:
                await _discard(response)
                return _attempt_of(response)
        except TimeoutError:
            return Attempt(TIMED_OUT, error=f"No answer within {RECEIVER_SECONDS} seconds.")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if self._refusal is not None:
                return Attempt(REFUSED, error=self._refusal)
            return Attempt(UNREACHABLE, error=_cause(error))

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002
    ) -> list[ResolveResult]:
        """Return the addresses of the host; raise OSError if the policy refuses any of them.

        aiohttp calls it for each new connection to a name, not for an address in the URL. Also
        raise OSError if there is none. ``family`` is ignored: the result has both families.
        """
        addresses = await self._lookups.resolve(self._organization_id, host, port)
        is_plain = self._url.scheme == "http"
        refusals = [self._policy.refusal(address_of(text), is_plain=is_plain) for text in addresses]
        self._refusal = next(filter(None, refusals), None)
        if self._refusal is not None:
            raise OSError(NOT_PUBLIC)
        return [_resolved(host, text, port) for text in addresses]

    async def close(self) -> None:
        """Do nothing: a resolver has no resources. Leaving the context closes the connections."""


def _resolved(host: str, address: str, port: int) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=0,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )


async def _discard(response: aiohttp.ClientResponse) -> None:
    """Read up to 4 KiB of the body for up to 1 s; close the connection if there is more."""
    remaining = MAX_RECEIVER_ANSWER_BYTES
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            while remaining > 0 and (chunk := await response.content.read(remaining)):
                remaining -= len(chunk)
    except (TimeoutError, aiohttp.ClientError):
        response.close()


def _attempt_of(response: aiohttp.ClientResponse) -> Attempt:
    status = response.status
    if 200 <= status < 300:
        return Attempt(DELIVERED, status)
    error = f"The receiver answered {status}."
    if 300 <= status < 400:
        error += " Redirects are not followed."
    result = _BY_STATUS.get(status, REJECTED)
    return Attempt(result, status, error, _retry_after(response.headers.get(hdrs.RETRY_AFTER)))


def _retry_after(text: str | None) -> float | None:
    """Return the seconds of a ``Retry-After``, from 0; None without a valid one (RFC 9110)."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        time = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _cause(error: Exception) -> str:
    """Return the cause of a failed connection as a sentence without addresses."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "The receiver's name cannot be resolved."
    if isinstance(error, aiohttp.ClientSSLError):
        return "The receiver's certificate or TLS is not accepted."
    if isinstance(error, aiohttp.ClientConnectorError):
        reason = os.strerror(error.os_error.errno) if error.os_error.errno else "it failed"
        return f"No connection to the receiver: {reason}."
    if isinstance(error, AnswerTooLongError):
        return "The receiver's answer is too long."
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError | ConnectionError):
        return "The receiver closed the connection without an answer."
    return "The receiver's answer is not HTTP."
