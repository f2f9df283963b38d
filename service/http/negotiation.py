"""What of an answer depends on what its caller accepts, and on what it has already.

Compressed an answer is another representation, so its strong tag is another one too (RFC 9110,
8.8.3): the coding is decided first, then the tag, then whether the caller has that one.
"""

import re
from functools import lru_cache
from typing import Final

from aiohttp import hdrs, web

from service.http import envelope
from service.http.etag import is_known, of_coding
from service.http.headers import joined

READS: Final = ("GET", "HEAD")
_CODINGS: Final = (web.ContentCoding.gzip, web.ContentCoding.deflate)
_OF_CONTENT: Final = (hdrs.CONTENT_TYPE, hdrs.CONTENT_LENGTH, hdrs.CONTENT_ENCODING)
_LONGEST_ACCEPTED: Final = 500
"""Characters of ``Accept-Encoding`` that are read; browsers send about 20."""
_WEIGHT_ZERO: Final = re.compile(r"q=0(\.0*)?")


def negotiated(
    request: web.Request, response: web.StreamResponse, *, is_same_for_all: bool
) -> web.StreamResponse:
    """The response in the coding that the caller accepts; 304 where the caller has that already.

    What is the same for all is compressed once.
    """
    if not isinstance(response, web.Response):
        return response
    body, coding = response.body, None
    if isinstance(body, bytes) and len(body) >= envelope.COMPRESS_FROM:
        response.headers[hdrs.VARY] = "Accept-Encoding"
        coding = _coding((joined(request, hdrs.ACCEPT_ENCODING) or "")[:_LONGEST_ACCEPTED])
    tag = response.headers.get(hdrs.ETAG)
    if tag is not None:
        if coding is not None:
            response.headers[hdrs.ETAG] = tag = of_coding(tag, coding.value)
        if request.method in READS and is_known(joined(request, hdrs.IF_NONE_MATCH), tag):
            return _unchanged(response)
    if coding is not None and isinstance(body, bytes):
        if is_same_for_all:
            envelope.put_compressed(response, body, coding)
        else:
            response.enable_compression(coding)
    return response


def _unchanged(response: web.Response) -> web.Response:
    """304 with the headers that the response itself would have for caches (RFC 9110, 15.4.5)."""
    kept = [(name, text) for name, text in response.headers.items() if name not in _OF_CONTENT]
    return web.Response(status=304, headers=kept)


@lru_cache(maxsize=256)
def _coding(accepted: str) -> web.ContentCoding | None:
    """The best coding that the header names and does not refuse (RFC 9110, 12.5.3)."""
    parted = [coding.partition(";") for coding in accepted.lower().split(",")]
    wanted = {
        name.strip() for name, _, weight in parted if not _WEIGHT_ZERO.fullmatch(weight.strip())
    }
    return next((coding for coding in _CODINGS if coding.value in wanted), None)
