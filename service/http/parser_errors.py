"""Requests that the HTTP parser refuses, and what becomes of them (contract, Bad input).

aiohttp's own answers name it and repeat the line that it could not read, an API key included.
"""

import re
import secrets
from collections.abc import Callable
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMethod, HttpProcessingError, LineTooLong

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http import envelope
from service.http.parser_limits import LONGEST_LINE

MALFORMED: Final = "This is no HTTP request."
LONG_LINE: Final = f"Use at most {LONGEST_LINE // 1024} KiB."
LONG_HEADERS: Final = "Send fewer or shorter headers."
UNKNOWN_METHOD: Final = "There is no such method."

ON_PARSER_ERROR: web.AppKey[Callable[[web.BaseRequest, web.Response], None]] = web.AppKey("refused")
"""Told of every request that is refused so."""
_SHOWN: Final = "\n\n  "
"""Stands in the parser's message before the line that it could not read."""
_REQUEST_LINE: Final = re.compile(
    rf"""b['"][-!#$%&'*+.^_`|~\w]{{1,100}}+ \S{{1,{LONGEST_LINE}}}+ HTTP/1\.[01]""", re.ASCII
)
"""Request line of an unknown method, as ``repr`` writes it. Matched at one position only."""


class HeadTooLongError(HttpProcessingError):
    """A head of more bytes than any is waited for."""


def parser_error(error: BaseException) -> ApiError:
    """The failure that the parser's error is, without a word of what was sent."""
    message = getattr(error, "message", "")
    if isinstance(error, LineTooLong) and error.args[1] == LONGEST_LINE:
        return api_error(ErrorType.URI_TOO_LONG, message=LONG_LINE)
    if isinstance(error, LineTooLong | HeadTooLongError) or message.startswith("Too many headers"):
        return api_error(ErrorType.HEADERS_TOO_LARGE, message=LONG_HEADERS)
    if isinstance(error, BadHttpMethod) and _is_request_line(message):
        return api_error(ErrorType.NOT_IMPLEMENTED, message=UNKNOWN_METHOD)
    return api_error(ErrorType.MALFORMED_REQUEST, message=MALFORMED)


def _is_request_line(message: str) -> bool:
    """Return whether the parser stopped at a request line that is well-formed but for its method.

    ``search`` would start anew at every ``b'`` that the caller sent: quadratic in a line of them.
    """
    start = message.find(_SHOWN)
    return start >= 0 and _REQUEST_LINE.match(message, start + len(_SHOWN)) is not None


class ParserErrorResponse(web.Response):
    """An answer to what cannot be read as HTTP; its connection ends with it."""

    def __init__(self, error: ApiError) -> None:
        answer = envelope.failure(error)
        headers = {"Content-Type": "application/json", "X-Request-Id": secrets.token_hex(16)}
        super().__init__(body=answer.body, status=answer.status, headers=headers)
        self.headers["Cache-Control"] = envelope.NOT_SHARED
        self.force_close()

    async def _prepare_headers(self) -> None:
        """Whoever speaks no HTTP is not told what he speaks to."""
        await super()._prepare_headers()
        self.headers.popall("Server", None)
