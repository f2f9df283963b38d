"""What a request expects of the connection before its body comes (RFC 9110, 10.1.1 and 7.4)."""

from typing import Final

from aiohttp import HttpVersion11, hdrs, web

from service.error_types import ErrorType
from service.errors import api_error
from service.http.headers import joined

_CONTINUE: Final = "100-continue"
NOT_MET: Final = f"Expect {_CONTINUE} or nothing."


def check_transfer_coding(request: web.Request) -> None:
    """Raise ApiError ``not_implemented`` for a body that is more than chunked (RFC 9112, 6.1)."""
    coding = request.headers.get(hdrs.TRANSFER_ENCODING)
    if coding is not None and coding.lower() != "chunked":
        message = "Send the body as it is, or chunked."
        headers = {"Connection": "close"}
        raise api_error(
            ErrorType.NOT_IMPLEMENTED, "Transfer-Encoding", message=message, headers=headers
        )


def check_expectation(request: web.Request) -> None:
    """Raise ApiError ``expectation_failed`` for anything but ``100-continue``."""
    expected = joined(request, hdrs.EXPECT)
    if expected and expected.lower() != _CONTINUE:
        raise api_error(ErrorType.EXPECTATION_FAILED, "Expect", message=NOT_MET)


async def meet_expectation(request: web.Request) -> None:
    """Tell a caller that waits for it to send the body."""
    if is_waited_for(request):
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # Of the answer itself nothing is sent yet.
        request.writer.output_size = 0


def is_waited_for(request: web.Request) -> bool:
    """Whether the caller may keep the rest of the body until it is told to send it.

    An answer given before that ends the connection, for nobody knows whether the body still comes.
    """
    return (
        hdrs.EXPECT in request.headers
        and request.version >= HttpVersion11
        and not request.content.is_eof()
    )
