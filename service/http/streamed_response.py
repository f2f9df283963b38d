"""Streamed response: a body that is made while it is sent, at the pace of the caller."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from aiohttp import web

_log = logging.getLogger("service")


class StreamedResponse(web.StreamResponse):
    """Response whose chunks are made one after the other, each when the one before is taken."""

    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        headers: Mapping[str, str],
        close: Callable[[], Awaitable[object]],
    ) -> None:
        super().__init__(headers=headers)
        self._chunks = chunks
        self.close = close
        """Releases what the chunks are made from."""

    async def stream(self, request: web.Request) -> None:
        """Send the chunks. After a failure abort the connection: the body has no end then."""
        try:
            if request.method != "HEAD":
                async for chunk in self._chunks:
                    await self.write(chunk)
            await self.write_eof()
        except ConnectionError:
            raise
        except Exception as error:
            _log.exception("a response broke off")
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionAbortedError("the response broke off") from error
