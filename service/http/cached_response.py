"""Cached response: a body that is sent several times, with its compressed forms."""

import zlib
from collections.abc import Mapping
from typing import Final

from aiohttp import web

_WINDOW_BITS: Final = {web.ContentCoding.gzip: 31, web.ContentCoding.deflate: 15}
"""Argument of zlib by content coding."""


class CachedBody:
    """Body of responses that stay in memory, compressed at most once for each coding."""

    __slots__ = ("_compressed", "body", "headers")

    def __init__(self, body: bytes, headers: Mapping[str, str]) -> None:
        self.body = body
        self.headers = headers
        """Headers of each response, before content negotiation and the middleware add theirs."""
        self._compressed: dict[web.ContentCoding, bytes] = {}

    @property
    def size(self) -> int:
        """Return the number of bytes of the body and of its compressed forms so far."""
        return len(self.body) + sum(map(len, self._compressed.values()))

    def compressed(self, coding: web.ContentCoding) -> bytes:
        """Return the body in a coding. The first call compresses it, in the event loop."""
        if coding not in self._compressed:
            self._compressed[coding] = zlib.compress(self.body, wbits=_WINDOW_BITS[coding])
        return self._compressed[coding]


class CachedResponse(web.Response):
    """Response, 200, with a cached body, of which content negotiation may send a compressed form.

    It has its own copy of the headers; the cached ones stay as they are.
    """

    def __init__(self, cached: CachedBody) -> None:
        super().__init__(body=cached.body, headers=cached.headers)
        self.cached = cached
