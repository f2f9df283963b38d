"""Bodies, as they arrive: as what, how long they may be, and how long that may take."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import hdrs, web
from aiohttp.web_protocol import RequestPayloadError

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http.authentication import authenticate
from service.http.byte_budget import MIN_COUNTED_BYTES, reserve
from service.http.context import caller
from service.http.expectations import meet_expectation
from service.http.headers import joined
from service.http.media_types import MAX_BODY_BYTES, TOO_LONG, is_sent_as
from service.http.turnstile import LARGE, TURNSTILE
from service.organizations.caller import CACHE_SECONDS
from service.schemas.parsing import malformed

IDLE_SECONDS: Final = 30
"""Without a byte."""
TOO_LATE: Final = "The body did not arrive in time."
LONGEST_SECONDS: Final = 300
"""From the first byte to the last."""


def with_body(
    handler: Callable[[web.Request, bytes], Awaitable[web.StreamResponse]], media_type: str
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return a handler that receives the body first and waits for the turn of a large one."""

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await receive(request, media_type)
        if len(body) >= LARGE:
            await request.app[TURNSTILE].enter(caller(request).organization_id)
        return await handler(request, body)

    return handle


async def receive(request: web.Request, media_type: str) -> bytes:
    """The body's bytes, held by the caller's organization until it is answered.

    Raises ApiError: ``unsupported_media_type`` unless they are declared as JSON of that kind, in no
    coding; ``payload_too_large``, before anything is read where its length is told;
    ``request_timeout``; ``too_many_requests``; ``malformed_json`` where it breaks off.
    """
    _check_kind(request, media_type)
    declared = request.content_length or 0
    if declared > MAX_BODY_BYTES:
        raise _too_long()
    reserve(request, declared)
    try:
        if request.content.is_eof():
            return bytes(_checked(request.content.read_nowait()))
        return await _awaited(request, declared)
    except TimeoutError:
        raise api_error(
            ErrorType.REQUEST_TIMEOUT, message=TOO_LATE, headers={"Connection": "close"}
        ) from None
    except (ConnectionError, RequestPayloadError, RuntimeError) as error:
        # What is wrong with the connection; the last of them, that it was closed before. The
        # stream keeps the error, which would keep this call, and with it the stream.
        error.with_traceback(None)
    raise malformed("The body broke off.")


def _check_kind(request: web.Request, media_type: str) -> None:
    headers = {"Accept-Patch": media_type} if request.method == "PATCH" else {}
    if not is_sent_as(request.headers.get(hdrs.CONTENT_TYPE, ""), media_type):
        message = f"Send {media_type} in UTF-8."
        raise api_error(
            ErrorType.UNSUPPORTED_MEDIA_TYPE, "Content-Type", message=message, headers=headers
        )
    if (joined(request, "Content-Encoding") or "identity").lower() != "identity":
        message = "Send the body as it is."
        raise api_error(
            ErrorType.UNSUPPORTED_MEDIA_TYPE, "Content-Encoding", message=message, headers=headers
        )


async def _awaited(request: web.Request, held: int) -> bytes:
    """Return the body; raise ``unauthorized`` if the key was revoked while a slow one arrived."""
    began = time.monotonic()
    await meet_expectation(request)
    body = await _read(request, held)
    if time.monotonic() - began > CACHE_SECONDS:
        await authenticate(request, again=True)
    return body


async def _read(request: web.Request, held: int) -> bytes:
    """The body, chunk by chunk; of one that breaks off nothing stays in memory.

    Its first ``held`` bytes are counted already.
    """
    buffer, now = bytearray(), asyncio.get_running_loop().time
    last = now() + LONGEST_SECONDS
    try:
        async with asyncio.timeout(None) as limit:
            while not request.content.at_eof():
                limit.reschedule(min(now() + IDLE_SECONDS, last))
                buffer += await request.content.readany()
                _checked(buffer)
                if len(buffer) - held >= MIN_COUNTED_BYTES:
                    reserve(request, len(buffer) - held)
                    held = len(buffer)
        return bytes(buffer)
    finally:
        buffer.clear()


def _checked(body: bytes | bytearray) -> bytes | bytearray:
    if len(body) > MAX_BODY_BYTES:
        raise _too_long()
    return body


def _too_long() -> ApiError:
    return api_error(ErrorType.PAYLOAD_TOO_LARGE, message=TOO_LONG)
