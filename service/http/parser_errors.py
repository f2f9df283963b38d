"""Parser errors: responses to malformed requests (contract, Bad input).

aiohttp's own responses name its version and repeat the malformed line, which may have an API key.
"""

import re
import secrets
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMethod, LineTooLong

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http import envelope
from service.limits import MAX_HEADER_BYTES, MAX_HEADERS, MAX_TARGET_BYTES

ON_PARSER_ERROR: web.AppKey[Callable[[web.BaseRequest, web.Response], None]] = web.AppKey(
    "on_parser_error"
)
"""Called with each request that the parser refused, and with its response after it was written.

It is not called if the connection is lost before the response is written.
"""
_LINE_SEPARATOR: Final = "\n\n  "
"""Text in the parser's message before the malformed line."""
_REQUEST_LINE: Final = re.compile(
    rf"""b['"][-!#$%&'*+.^_`|~\w]{{1,100}}+ \S{{1,{MAX_TARGET_BYTES}}}+ HTTP/1\.[01]""", re.ASCII
)
"""Request line of an unknown method, in the notation of ``repr``."""
_REPEATED: Final = re.compile(r"Duplicate '([\w-]{1,40})' header found\.", re.ASCII)
"""Message about a header that may occur once only; aiohttp has a list of these names."""


def parser_error(error: BaseException) -> ApiError:
    """Return the ApiError of an error of the parser, without any text of the request.

    ``uri_too_long`` (414) for a target that is too long, ``headers_too_large`` (431) for too many
    or too long headers, ``not_implemented`` (501) for an unknown method in a request line that is
    valid otherwise, ``malformed_request`` (400) for all others, at the header if one is repeated.
    """
    message = getattr(error, "message", "")
    if isinstance(error, LineTooLong) and error.args[1] == MAX_TARGET_BYTES:
        return api_error(ErrorType.URI_TOO_LONG)
    if isinstance(error, LineTooLong) or message.startswith("Too many headers"):
        return api_error(ErrorType.HEADERS_TOO_LARGE)
    if isinstance(error, BadHttpMethod) and _is_request_line(message):
        return api_error(ErrorType.NOT_IMPLEMENTED)
    if repeated := _REPEATED.fullmatch(message):
        return api_error(ErrorType.MALFORMED_REQUEST, repeated[1], message="Give this header once.")
    return api_error(ErrorType.MALFORMED_REQUEST)


def _is_request_line(message: str) -> bool:
    """Return whether the parser stopped at a request line that is valid except for its method.

    ``search`` would start again at each ``b'`` in the line, in quadratic time. So the pattern is
    matched at one position only.
    """
    start = message.find(_LINE_SEPARATOR)
    return start >= 0 and _REQUEST_LINE.match(message, start + len(_LINE_SEPARATOR)) is not None


class ParserErrorResponse(web.Response):
    """Error response outside of the middleware, in the error envelope.

    It has a random request id, not that of the request, and no headers of CORS, rate limits or
    ``error``. The connection closes after it.
    """

    def __init__(self, error: ApiError) -> None:
        response = envelope.failure(error)
        headers = {"Content-Type": "application/json", "X-Request-Id": secrets.token_hex(16)}
        super().__init__(body=response.body, status=response.status, headers=headers)
        self.headers["Cache-Control"] = envelope.NOT_SHARED
        self.force_close()

    async def _prepare_headers(self) -> None:
        """Prepare the headers without ``Server``."""
        await super()._prepare_headers()
        self.headers.popall("Server", None)


PARSER_LIMITS: Final[dict[str, Any]] = {
    "max_line_size": MAX_TARGET_BYTES,
    "max_field_size": MAX_HEADER_BYTES,
    "max_headers": MAX_HEADERS,
    # ``service.http.request_body`` unpacks bodies. aiohttp's decompression of a truncated or
    # mislabeled body fails outside of every handler, or never ends.
    "auto_decompress": False,
}
"""Arguments of ``aiohttp.web.AppRunner``."""
