"""Request bodies: media type check, size limit, byte budget, timeouts of slow uploads, gzip.

Without the timeouts bodies that stall hold their budgets for good (``make attack``: stalled).
"""

import asyncio
import time
import zlib
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.web_protocol import RequestPayloadError

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http.budgets import MIN_COUNTED_BYTES, reserve
from service.http.context import authenticate, caller_of
from service.http.envelope import ApiResponse
from service.http.headers import combined_value, is_sent_as
from service.http.router import Handler
from service.limits import (
    BODY_IDLE_SECONDS,
    BODY_SECONDS,
    KEY_CACHE_SECONDS,
    MAX_BODY_BYTES,
    SCHEDULED_BODY_BYTES,
    byte_size,
)
from service.schemas.parsing import malformed
from service.shares.body_scheduler import BODY_SCHEDULER

CODINGS: Final = frozenset({"gzip", "x-gzip"})
"""Values of ``Content-Encoding`` that mean gzip."""
HEADER: Final = "Content-Encoding"
"""Name of the header that names the coding of a body."""

_CONTINUE: Final = "100-continue"


def check_transfer_coding(request: web.Request) -> None:
    """Raise ApiError ``not_implemented`` for a coding other than chunked (RFC 9112, 6.1).

    A list of codings such as ``gzip, chunked`` is refused, too. The error's response closes the
    connection, for the end of the body is unknown.
    """
    coding = request.headers.get(hdrs.TRANSFER_ENCODING)
    if coding is not None and coding.lower() != "chunked":
        message = "Use chunked, or leave the header out."
        headers = {"Connection": "close"}
        raise api_error(
            ErrorType.NOT_IMPLEMENTED, "Transfer-Encoding", message=message, headers=headers
        )


def check_expectation(request: web.Request) -> None:
    """Raise ApiError ``expectation_failed`` for an ``Expect`` other than ``100-continue``."""
    expected = combined_value(request, hdrs.EXPECT)
    if expected and expected.lower() != _CONTINUE:
        raise api_error(ErrorType.EXPECTATION_FAILED, "Expect")


async def meet_expectation(request: web.Request) -> None:
    """Send ``100 Continue`` if the client may wait for it.

    Only the reader of the body calls it, once. So a client whose request is refused before gets the
    error without ``100 Continue``. It may send the body all the same.
    """
    if may_await_continue(request):
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # The interim response does not count as a part of the final one.
        request.writer.output_size = 0


def may_await_continue(request: web.Request) -> bool:
    """Return whether the client may wait for ``100 Continue``.

    It has sent ``Expect`` over HTTP/1.1, and the body has not arrived completely. The result stays
    true after ``100 Continue`` was sent, until the body is complete. The middleware closes the
    connection after a final response in this state, for the body may or may not follow.
    """
    return (
        hdrs.EXPECT in request.headers
        and request.version >= HttpVersion11
        and not request.content.is_eof()
    )


def with_body(
    handler: Callable[[web.Request, bytes], Awaitable[ApiResponse]],
    media_types: tuple[str, ...],
    max_bytes: int = MAX_BODY_BYTES,
) -> Handler:
    """Return a handler that first reads the body, and passes it on uncompressed.

    Bodies of SCHEDULED_BODY_BYTES or more as sent, and compressed ones, enter the body scheduler
    after they are read, and before they are unpacked. The request must be authenticated. Raise
    ApiError as ``receive`` and ``unpacked`` do, before the handler runs. Unpacked bodies
    of MIN_COUNTED_BYTES or more count in the byte budget beside the bytes as sent.
    """

    async def handle(request: web.Request) -> ApiResponse:
        body = await receive(request, media_types, max_bytes)
        is_compressed = HEADER in request.headers and _coding(request) != "identity"
        if len(body) >= SCHEDULED_BODY_BYTES or is_compressed:
            await request.app[BODY_SCHEDULER].enter(caller_of(request).organization_id)
        if is_compressed:
            body = unpacked(body, max_bytes)
            reserve(request, len(body))
        return await handler(request, body)

    return handle


async def receive(
    request: web.Request, media_types: tuple[str, ...], max_bytes: int = MAX_BODY_BYTES
) -> bytes:
    """Return the body's bytes as sent; send ``100 Continue`` first if the client may wait for it.

    MIN_COUNTED_BYTES or more count in the organization's byte budget until the response is sent;
    fewer do not count. Raise ApiError: ``unsupported_media_type`` for another media type, or none,
    and for a content coding other than gzip; ``payload_too_large`` above ``max_bytes``, by
    ``Content-Length`` before anything is read, else while it is; ``too_many_requests`` if the byte
    budget has fewer bytes left; ``request_timeout`` if nothing arrives for BODY_IDLE_SECONDS or the
    whole takes BODY_SECONDS; ``unauthorized`` if the key became invalid during an upload of more
    than KEY_CACHE_SECONDS; ``malformed_json`` if the client broke off, whatever the media type.
    """
    _check_media_type(request, media_types)
    declared = request.content_length or 0
    if declared > max_bytes:
        raise _too_long(max_bytes)
    reserve(request, declared)
    try:
        if request.content.is_eof():
            return bytes(_checked_size(request.content.read_nowait(), max_bytes))
        return await _slow_body(request, declared, max_bytes)
    except TimeoutError:
        raise api_error(ErrorType.REQUEST_TIMEOUT, headers={"Connection": "close"}) from None
    except (ConnectionError, RequestPayloadError, RuntimeError) as error:
        # The connection failed, or was closed before (RuntimeError). The stream keeps the error,
        # and its traceback would keep this frame and the stream in a reference cycle.
        error.with_traceback(None)
    raise malformed("The body broke off.")


def _check_media_type(request: web.Request, media_types: tuple[str, ...]) -> None:
    """Raise ApiError ``unsupported_media_type`` for another media type or content coding.

    The message names the accepted ones. The headers name gzip, and the media types only for PATCH.
    """
    headers: dict[str, str] = {hdrs.ACCEPT_ENCODING: "gzip"}
    if request.method == "PATCH":
        headers["Accept-Patch"] = ", ".join(media_types)
    content_type = request.headers.get(hdrs.CONTENT_TYPE, "")
    if not any(is_sent_as(content_type, media_type) for media_type in media_types):
        message = f"Send {' or '.join(media_types)} in UTF-8."
        raise api_error(
            ErrorType.UNSUPPORTED_MEDIA_TYPE, "Content-Type", message=message, headers=headers
        )
    if HEADER in request.headers and _coding(request) not in {*CODINGS, "identity"}:
        message = "Send the body uncompressed without this header, or compressed by gzip, once."
        raise api_error(ErrorType.UNSUPPORTED_MEDIA_TYPE, HEADER, message=message, headers=headers)


def _coding(request: web.Request) -> str:
    """Return the content coding of the body, in lowercase; "" without, several joined by commas."""
    return (combined_value(request, HEADER) or "").strip().lower()


async def _slow_body(request: web.Request, reserved: int, max_bytes: int) -> bytes:
    """Return a body that is still arriving.

    Raise ApiError ``unauthorized`` if it took more than KEY_CACHE_SECONDS and the key has become
    invalid.
    """
    started = time.monotonic()
    await meet_expectation(request)
    body = await _read(request, reserved, max_bytes)
    if time.monotonic() - started > KEY_CACHE_SECONDS:
        await authenticate(request, again=True)
    return body


async def _read(request: web.Request, reserved: int, max_bytes: int) -> bytes:
    """Return the body, read in chunks. Its first ``reserved`` bytes count in the budget already.

    Further ones are reserved in steps of MIN_COUNTED_BYTES or more. Raise TimeoutError, or ApiError
    for size and budget. The buffer's memory is freed even if the body is incomplete.
    """
    buffer, now = bytearray(), asyncio.get_running_loop().time
    deadline = now() + BODY_SECONDS
    try:
        async with asyncio.timeout(None) as timeout:
            while not request.content.at_eof():
                timeout.reschedule(min(now() + BODY_IDLE_SECONDS, deadline))
                buffer += await request.content.readany()
                _checked_size(buffer, max_bytes)
                if len(buffer) - reserved >= MIN_COUNTED_BYTES:
                    reserve(request, len(buffer) - reserved)
                    reserved = len(buffer)
        return bytes(buffer)
    finally:
        buffer.clear()


def _checked_size(body: bytes | bytearray, max_bytes: int) -> bytes | bytearray:
    if len(body) > max_bytes:
        raise _too_long(max_bytes)
    return body


def _too_long(max_bytes: int) -> ApiError:
    return api_error(ErrorType.PAYLOAD_TOO_LARGE, message=f"Use at most {byte_size(max_bytes)}.")


_WINDOW_BITS: Final = 31
"""Argument by which zlib reads the format of gzip, and nothing else."""
_CHUNK_BYTES: Final = 2**16
_MAX_MEMBERS: Final = 1000
"""Maximum number of members of a body. Each takes time, however short it is."""


def unpacked(body: bytes, max_bytes: int = MAX_BODY_BYTES) -> bytes:
    """Return the content of a gzip body, which may have several members.

    Raise ApiError ``payload_too_large`` as soon as the content exceeds ``max_bytes``. Raise
    ``malformed_request`` for a body that is empty or ends within a member, for content that differs
    from its checksum, for other data after a member (zero bytes, too), and for more than 1,000
    members. It blocks the event loop, so callers enter the body scheduler first.
    """
    output, members, decoder = bytearray(), 1, zlib.decompressobj(_WINDOW_BITS)
    try:
        for start in range(0, len(body), _CHUNK_BYTES):
            chunk = body[start : start + _CHUNK_BYTES]
            while chunk:
                if decoder.eof:
                    members, decoder = members + 1, zlib.decompressobj(_WINDOW_BITS)
                output += decoder.decompress(chunk, max_bytes + 1 - len(output))
                if len(output) > max_bytes:
                    raise _too_long(max_bytes)
                if members > _MAX_MEMBERS:
                    raise _malformed(f"It has more than {_MAX_MEMBERS:,} members.")
                chunk = decoder.unused_data
    except zlib.error:
        raise _malformed("It is damaged, or followed by other data.") from None
    if not decoder.eof:
        raise _malformed("It is incomplete.")
    return bytes(output)


def _malformed(message: str) -> ApiError:
    return api_error(
        ErrorType.MALFORMED_REQUEST, HEADER, message=f"Send the body as gzip. {message}"
    )
