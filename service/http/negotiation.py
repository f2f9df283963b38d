"""Content negotiation: compression by ``Accept-Encoding``, 304 by ``If-None-Match``, ``Accept``.

A compressed response is another representation with its own strong tag (RFC 9110, 8.8.3). So the
coding is chosen first, and its tag is compared with ``If-None-Match``.
"""

import asyncio
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Final

from aiohttp import hdrs, web

from service import background
from service.http.envelope import ApiResponse, names_tag, with_coding
from service.http.headers import PREFER, combined_value
from service.limits import MIN_COMPRESSED_BYTES

READS: Final = ("GET", "HEAD")
_CODINGS: Final = (web.ContentCoding.gzip, web.ContentCoding.deflate)
_MAX_ACCEPT_LENGTH: Final = 500
"""Characters of ``Accept`` and ``Accept-Encoding`` that are parsed. Browsers send 20 to 150."""
_WEIGHT: Final = re.compile(r"[01](?:\.[0-9]{0,3})?", re.ASCII)
_WEIGHT_ZERO: Final = re.compile(r"q=0(\.0*)?")


async def negotiate(request: web.Request, response: ApiResponse) -> None:
    """Change the response to a coding that the client accepts, or to 304 if the client has it.

    Bodies of MIN_COMPRESSED_BYTES or more get ``Vary: Accept-Encoding``; smaller ones are not
    compressed, and streamed ones not here. A CachedResponse is compressed once per coding for all
    clients. The 304, of a GET or HEAD, has all headers but ``Content-Type`` (RFC 9110, 15.4.5).
    """
    headers, coding = response.headers, _chosen_coding(request, response)
    tag = headers.get("ETag")
    if tag is not None:
        if coding is not None:
            headers["ETag"] = tag = with_coding(tag, coding.value)
        if request.method in READS and names_tag(combined_value(request, hdrs.IF_NONE_MATCH), tag):
            response.status, response.body = 304, b""
            headers.pop("Content-Type", None)
            return
    if coding is not None:
        cached = response.cached if isinstance(response, CachedResponse) else None
        response.body = await (cached or CachedBody(response.body, {})).compressed(coding)
        headers["Content-Encoding"] = coding.value


def _chosen_coding(request: web.Request, response: ApiResponse) -> web.ContentCoding | None:
    """Return the coding of the body; None for none. Set ``Vary`` if it depends on the request."""
    if len(response.body) < MIN_COMPRESSED_BYTES:
        return None
    vary = response.headers.get("Vary")
    response.headers["Vary"] = f"{vary}, Accept-Encoding" if vary else "Accept-Encoding"
    return _accepted_coding(request)


def accepts_gzip(request: web.Request) -> bool:
    """Return whether ``Accept-Encoding`` names gzip with a weight above 0.

    It is for streams, which ``negotiate`` leaves as they are.
    """
    return _accepted_coding(request) is web.ContentCoding.gzip


def _accepted_coding(request: web.Request) -> web.ContentCoding | None:
    header = combined_value(request, hdrs.ACCEPT_ENCODING) or ""
    return _coding(header[:_MAX_ACCEPT_LENGTH])


def prefers(request: web.Request, media_type: str, other: str) -> bool:
    """Return whether ``Accept`` names a media type with a higher weight than another one's.

    A range such as ``*/*`` gives its weight to the other type if that has none of its own
    (RFC 9110, 12.5.1), but never to the first one, which must be named. Both are lowercase. Equal
    weights prefer ``other``. Only the first _MAX_ACCEPT_LENGTH characters of the header count.
    """
    header = (combined_value(request, hdrs.ACCEPT) or "")[:_MAX_ACCEPT_LENGTH].lower()
    if media_type not in header:  # Most callers name no media type.
        return False
    weights = dict(map(_weighted, header.split(",")))
    return weights.get(media_type, 0.0) > _weight(weights, other)


def _weighted(entry: str) -> tuple[str, float]:
    """Return the media range of an entry of ``Accept``, and its weight.

    The weight is 1 if it is missing, 0 if it is malformed.
    """
    name, *parameters = (part.strip() for part in entry.split(";"))
    weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
    return name, float(weight) if _WEIGHT.fullmatch(weight) else 0.0


def _weight(weights: Mapping[str, float], media_type: str) -> float:
    """Return the weight of a media type, by its name or else by the narrowest range; 0 without."""
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
    return next((weights[name] for name in ranges if name in weights), 0.0)


@lru_cache(maxsize=256)
def _coding(header: str) -> web.ContentCoding | None:
    """Return gzip or else deflate, whichever ``Accept-Encoding`` names with a weight above 0.

    Weights are not compared, and ``*`` does not count. Return None without either.
    """
    entries = [entry.partition(";") for entry in header.lower().split(",")]
    accepted = {
        name.strip() for name, _, weight in entries if not _WEIGHT_ZERO.fullmatch(weight.strip())
    }
    return next((coding for coding in _CODINGS if coding.value in accepted), None)


APPLIED: Final = "Preference-Applied"
_MAX_LENGTH: Final = 500
"""Characters of the header's joined values that are parsed; further ones are ignored."""


def preferences(request: web.Request) -> Mapping[str, str]:
    """Return the request's preferences, name -> value, in lowercase, without their parameters.

    The first of a repeated name counts; a preference without a value has an empty one. Commas and
    semicolons split also within quotes. An empty part has the name "", as has an absent header.
    """
    values: dict[str, str] = {}
    for preference in ",".join(request.headers.getall(PREFER, ()))[:_MAX_LENGTH].split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        values.setdefault(name.strip().lower(), value.strip().strip('"').lower())
    return values


_WINDOW_BITS: Final = {web.ContentCoding.gzip: 31, web.ContentCoding.deflate: 15}
"""Argument of zlib by content coding."""
_SMALL_BYTES: Final = 4096
"""Size up to which a body is compressed in the event loop: a thread would take longer."""


class CachedBody:
    """Body of responses that stay in memory, compressed at most once for each coding."""

    __slots__ = ("_compressed", "_compressions", "body", "headers")

    def __init__(self, body: bytes, headers: Mapping[str, str]) -> None:
        self.body = body
        self.headers = headers
        """Headers of each response, before content negotiation and the middleware add theirs."""
        self._compressed: dict[web.ContentCoding, bytes] = {}
        self._compressions: dict[web.ContentCoding, asyncio.Task[bool]] = {}

    @property
    def size(self) -> int:
        """Return the number of bytes of the body and of its compressed forms so far."""
        return len(self.body) + sum(map(len, self._compressed.values()))

    async def compressed(self, coding: web.ContentCoding) -> bytes:
        """Return the body in a coding. The first call compresses it, a longer body in a thread."""
        if coding not in self._compressed:
            if coding not in self._compressions:
                self._compressions[coding] = background.run(partial(self._compress, coding))
            # A client that disconnects does not cancel the compression for the others.
            await asyncio.shield(self._compressions[coding])
        return self._compressed[coding]

    async def _compress(self, coding: web.ContentCoding) -> None:
        compress = partial(zlib.compress, self.body, wbits=_WINDOW_BITS[coding])
        try:
            is_small = len(self.body) <= _SMALL_BYTES
            self._compressed[coding] = compress() if is_small else await asyncio.to_thread(compress)
        finally:
            del self._compressions[coding]


class CachedResponse(ApiResponse):
    """Response, 200, with a cached body, of which content negotiation may send a compressed form.

    It has its own copy of the headers; the cached ones stay as they are.
    """

    def __init__(self, cached: CachedBody) -> None:
        super().__init__(200, cached.body, {**cached.headers})
        self.cached = cached
