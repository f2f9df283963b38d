"""What was changed, in order and without end (contract, Changes)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Final

from service.client.errors import (
    FailureError,
    SelvedgeError,
    TooManyRequestsError,
    UnavailableError,
    UnreachableError,
)
from service.client.queries import Parameters
from service.client.records import Page
from service.client.transport import Request, Transport

_PATH: Final = "/api/changes"
_WAIT_SECONDS: Final = 30
"""Seconds that the service holds an answer back while there is nothing."""
_RETRY_SECONDS: Final = 1.0
"""Seconds between tries while the service is away."""


class Changes:
    """The changes of the key's organization. A cursor carries what was asked for with it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def now(
        self,
        *,
        collections: Sequence[str] = (),
        documents: bool = False,
        limit: int | None = None,
    ) -> str:
        """The cursor of now: take it before walking the lists, and nothing is missed."""
        asked = [("from", "now"), *_parameters(collections, documents=documents, limit=limit)]
        return str((await self._page(asked)).cursor)

    async def follow(
        self,
        cursor: str | None = None,
        *,
        collections: Sequence[str] = (),
        documents: bool = False,
        limit: int | None = None,
    ) -> AsyncIterator[Page]:
        """The pages of entries after a cursor, or from the oldest on; it waits for more, forever.

        Keep the cursor of a page once its entries are dealt with. While the service is away it
        is asked again. Raises GoneError where the cursor's changes are kept no longer, and
        SelvedgeError for what no second try can mend.
        """
        asked = _parameters(collections, documents=documents, limit=limit)
        while True:
            if cursor is not None:
                asked = [("cursor", cursor), ("wait", str(_WAIT_SECONDS))]
            try:
                page = await self._page(asked)
            except SelvedgeError as error:
                if not _is_transient(error):
                    raise
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            cursor = page.cursor
            if page.records:
                yield page

    async def _page(self, asked: Parameters) -> Page:
        answer = await self._transport.send(Request("GET", _PATH, asked))
        return Page(answer.body["data"], answer.body["pagination"]["cursor"])


def _parameters(collections: Sequence[str], *, documents: bool, limit: int | None) -> Parameters:
    found = [("collection", name) for name in collections]
    found += [("documents", "true")] if documents else []
    return found + ([] if limit is None else [("limit", str(limit))])


def _is_transient(error: SelvedgeError) -> bool:
    """Whether the service, or something between, is only away for a while."""
    if isinstance(error, UnreachableError | UnavailableError | TooManyRequestsError):
        return True
    return isinstance(error, FailureError) and error.status in (500, 502, 504)
