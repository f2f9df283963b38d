"""Checks of ``Expect`` and ``Transfer-Encoding``, and ``100 Continue`` (RFC 9110, 10.1.1)."""

from typing import Final

from aiohttp import HttpVersion11, hdrs, web

from service.error_types import ErrorType
from service.errors import api_error
from service.http.headers import combined_value

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
