"""Request bodies: media type check, size limit, byte budget, timeouts of slow uploads, gzip."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import hdrs, web
from aiohttp.web_protocol import RequestPayloadError

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http import gzip_body
from service.http.authentication import authenticate
from service.http.body_scheduler import BODY_SCHEDULER
from service.http.byte_budget import MIN_COUNTED_BYTES, reserve
from service.http.context import caller_of
from service.http.expectations import meet_expectation
from service.http.headers import combined_value
from service.http.media_types import is_sent_as
from service.limits import (
    BODY_IDLE_SECONDS,
    BODY_SECONDS,
    KEY_CACHE_SECONDS,
    MAX_BODY_BYTES,
    SCHEDULED_BODY_BYTES,
)
from service.schemas.parsing import malformed

_CODINGS: Final = gzip_body.CODINGS | {"identity"}


def with_body(
    handler: Callable[[web.Request, bytes], Awaitable[web.StreamResponse]],
    media_types: tuple[str, ...],
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return a handler that first reads the body, and passes it on uncompressed.

    Bodies of SCHEDULED_BODY_BYTES or more as sent, and compressed ones, enter the body scheduler
    after they are read, and before they are unpacked. The request must be authenticated. Raise
    ApiError as ``receive`` and ``gzip_body.unpacked`` do, before the handler runs. Unpacked bodies
    of MIN_COUNTED_BYTES or more count in the byte budget beside the bytes as sent.
    """

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await receive(request, media_types)
        is_compressed = gzip_body.HEADER in request.headers and _coding(request) != "identity"
        if len(body) >= SCHEDULED_BODY_BYTES or is_compressed:
            await request.app[BODY_SCHEDULER].enter(caller_of(request).organization_id)
        if is_compressed:
            body = gzip_body.unpacked(body)
            reserve(request, len(body))
        return await handler(request, body)

    return handle


async def receive(request: web.Request, media_types: tuple[str, ...]) -> bytes:
    """Return the body's bytes as sent; send ``100 Continue`` first if the client may wait for it.

    MIN_COUNTED_BYTES or more count in the organization's byte budget until the response is sent;
    fewer do not count. Raise ApiError: ``unsupported_media_type`` for another media type, or none,
    and for a content coding other than gzip; ``payload_too_large`` above MAX_BODY_BYTES, by
    ``Content-Length`` before anything is read, else while it is; ``too_many_requests`` if the byte
    budget has fewer bytes left; ``request_timeout`` if nothing arrives for BODY_IDLE_SECONDS or the
    whole takes BODY_SECONDS; ``unauthorized`` if the key became invalid during an upload of more
    than KEY_CACHE_SECONDS; ``malformed_json`` if the client broke off, whatever the media type.
    """
    _check_media_type(request, media_types)
    declared = request.content_length or 0
    if declared > MAX_BODY_BYTES:
        raise _too_long()
    reserve(request, declared)
    try:
        if request.content.is_eof():
            return bytes(_checked_size(request.content.read_nowait()))
        return await _slow_body(request, declared)
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
    if gzip_body.HEADER in request.headers and _coding(request) not in _CODINGS:
        message = "Send the body uncompressed without this header, or compressed by gzip, once."
        raise api_error(
            ErrorType.UNSUPPORTED_MEDIA_TYPE, gzip_body.HEADER, message=message, headers=headers
        )


def _coding(request: web.Request) -> str:
    """Return the content coding of the body, in lowercase; "" without, several joined by commas."""
    return (combined_value(request, gzip_body.HEADER) or "").strip().lower()


async def _slow_body(request: web.Request, reserved: int) -> bytes:
    """Return a body that is still arriving.

    Raise ApiError ``unauthorized`` if it took more than KEY_CACHE_SECONDS and the key has become
    invalid.
    """
    started = time.monotonic()
    await meet_expectation(request)
    body = await _read(request, reserved)
    if time.monotonic() - started > KEY_CACHE_SECONDS:
        await authenticate(request, again=True)
    return body


async def _read(request: web.Request, reserved: int) -> bytes:
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
                _checked_size(buffer)
                if len(buffer) - reserved >= MIN_COUNTED_BYTES:
                    reserve(request, len(buffer) - reserved)
                    reserved = len(buffer)
        return bytes(buffer)
    finally:
        buffer.clear()


def _checked_size(body: bytes | bytearray) -> bytes | bytearray:
    if len(body) > MAX_BODY_BYTES:
        raise _too_long()
    return body


def _too_long() -> ApiError:
    return api_error(ErrorType.PAYLOAD_TOO_LARGE)
