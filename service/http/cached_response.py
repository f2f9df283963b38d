"""Cached response: a body that is sent several times, with its compressed forms."""

import asyncio
import zlib
from collections.abc import Mapping
from functools import partial
from typing import Final

from aiohttp import web

from service import background

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


class CachedResponse(web.Response):
    """Response, 200, with a cached body, of which content negotiation may send a compressed form.

    It has its own copy of the headers; the cached ones stay as they are.
    """

    def __init__(self, cached: CachedBody) -> None:
        super().__init__(body=cached.body, headers=cached.headers)
        self.cached = cached
