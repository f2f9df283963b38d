"""Bodies, as they arrive: how long they may be, and how long that may take."""

import asyncio
from typing import Final

from aiohttp import web
from aiohttp.web_protocol import RequestPayloadError

from service.failures import ApiError, failed
from service.http.accounts import COUNTED_FROM, hold
from service.http.expectations import meet_expectation
from service.http.media import MAX_BODY_BYTES, TOO_LONG
from service.schemas.validation import malformed

IDLE_SECONDS: Final = 30
"""Without a byte."""
TOO_LATE: Final = "The body did not arrive in time."
LONGEST_SECONDS: Final = 300
"""From the first byte to the last."""


async def receive(request: web.Request) -> bytes:
    """The body's bytes, held by the caller's organization until it is answered.

    Raises ApiError: ``payload_too_large``, before anything is read where its length is told;
    ``request_timeout``; ``too_many_requests``; ``malformed_json`` where it breaks off.
    """
    declared = request.content_length or 0
    if declared > MAX_BODY_BYTES:
        raise _too_long()
    hold(request, declared)
    try:
        if request.content.is_eof():
            return bytes(_checked(request.content.read_nowait()))
        await meet_expectation(request)
        return await _read(request, declared)
    except TimeoutError:
        raise failed("request_timeout", message=TOO_LATE, headers={"Connection": "close"}) from None
    except (ConnectionError, RequestPayloadError, RuntimeError) as error:
        # What is wrong with the connection; the last of them, that it was closed before. The
        # stream keeps the error, which would keep this call, and with it the stream.
        error.with_traceback(None)
    raise malformed("The body broke off.")


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
                if len(buffer) - held >= COUNTED_FROM:
                    hold(request, len(buffer) - held)
                    held = len(buffer)
        return bytes(buffer)
    finally:
        buffer.clear()


def _checked(body: bytes | bytearray) -> bytes | bytearray:
    if len(body) > MAX_BODY_BYTES:
        raise _too_long()
    return body


def _too_long() -> ApiError:
    return failed("payload_too_large", message=TOO_LONG)
