"""Change feed client: follows changes by long polling (contract, Changes)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Final

from .errors import (
    FailureError,
    SelvedgeError,
    TooManyRequestsError,
    UnavailableError,
    UnreachableError,
)
from .queries import Parameters
from .records import Document, Page
from .transport import Request, Transport

_PATH: Final = "/api/changes"
_WAIT_SECONDS: Final = 30
"""Seconds of a long poll: the service waits at most so long for changes before it answers.

The read timeout of the client (by default 60 s) must be longer.
"""
_RETRY_SECONDS: Final = 1.0
"""Seconds that ``follow`` waits after an outage error on which the retry policy has given up."""


class Changes:
    """Change feed of the key's organization.

    A cursor carries the filter that it was made with: ``collections`` (none for all), ``documents``
    (whether entries have them) and ``limit`` (1 to 1,000 entries on a page, by default 100).
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def now(
        self,
        *,
        collections: Sequence[str] = (),
        documents: bool = False,
        limit: int | None = None,
    ) -> str:
        """Return a cursor of the feed's end, with the given filter.

        To keep a replica, take the cursor, then read the lists completely, then follow the cursor:
        no change is missed. Unlike ``follow``, it gives up on an outage: raise SelvedgeError if the
        last attempt of the retry policy fails.
        """
        query = [("from", "now"), *_parameters(collections, documents=documents, limit=limit)]
        return str((await self._page(query)).cursor)

    async def follow(
        self,
        cursor: str | None = None,
        *,
        collections: Sequence[str] = (),
        documents: bool = False,
        limit: int | None = None,
    ) -> AsyncIterator[Page[Document]]:
        """Yield pages of entries after a cursor, by default from the oldest, without end.

        No page is empty. A cursor carries its own filter: with one, the other arguments are
        ignored. Store the cursor of a page after processing its entries. A service that is out of
        reach or responds with 429, 500, 502, 503 or 504 is called again without end, whatever the
        retry policy. Raise GoneError if the changes after the cursor may have been deleted or the
        service was restored from a backup, and SelvedgeError for any other error.
        """
        query = _parameters(collections, documents=documents, limit=limit)
        while True:
            if cursor is not None:
                query = [("cursor", cursor), ("wait", str(_WAIT_SECONDS))]
            try:
                page = await self._page(query)
            except SelvedgeError as error:
                if not _is_transient(error):
                    raise
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            cursor = page.cursor
            if page.records:
                yield page

    async def _page(self, query: Parameters) -> Page[Document]:
        response = await self._transport.send(Request("GET", _PATH, query))
        return Page(response.body["data"], response.body["pagination"]["cursor"])


def _parameters(collections: Sequence[str], *, documents: bool, limit: int | None) -> Parameters:
    query = [("collection", name) for name in collections]
    query += [("documents", "true")] if documents else []
    return query + ([] if limit is None else [("limit", str(limit))])


def _is_transient(error: SelvedgeError) -> bool:
    """Return whether ``follow`` calls again: the service or a proxy may recover from the error."""
    if isinstance(error, UnreachableError | UnavailableError | TooManyRequestsError):
        return True
    return isinstance(error, FailureError) and error.status in (500, 502, 504)
