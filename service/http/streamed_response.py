"""Streamed response: its body is generated while it is sent, at the pace of the client.

It is neither compressed nor tagged by content negotiation, and counts in no byte budget.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from aiohttp import web

_log = logging.getLogger("service")


class StreamedResponse(web.StreamResponse):
    """Response, 200, whose chunks are generated while it is sent.

    After more than 64 KiB of chunks, the next one waits while the write buffer is full. The sender
    calls ``prepare``, ``stream`` and, in every case, ``close``. An error of a chunk can no longer
    become an error response.
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
        """Releases the resources of the chunks, such as a database snapshot; awaited once."""

    async def stream(self, request: web.Request) -> None:
        """Send the chunks of the prepared response, and end it; to HEAD send no chunks.

        Raise ConnectionError if the client has gone, or if a chunk failed. In the latter case log
        the error and abort the connection, so that the client does not take the body for complete.
        A chunk that fails with a ConnectionError counts as a client that has gone.
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
