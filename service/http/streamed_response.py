"""Streamed response: its body is generated while it is sent, at the pace of the client."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from aiohttp import web

_log = logging.getLogger("service")


class StreamedResponse(web.StreamResponse):
    """Response whose next chunk is generated when the client has taken the one before.

    The sender calls ``prepare``, ``stream`` and, in every case, ``close``.
    """

    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        headers: Mapping[str, str],
        close: Callable[[], Awaitable[object]],
    ) -> None:
        super().__init__(headers=headers)
        self._chunks = chunks
        self.close = close
        """Releases the resources of the chunks, such as a database snapshot."""

    async def stream(self, request: web.Request) -> None:
        """Send the chunks of the prepared response, and end it; to HEAD send no chunks.

        Raise ConnectionError if the client has gone, or if a chunk failed. In the latter case the
        connection is aborted, so that the client does not take the body for complete.
        """
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
