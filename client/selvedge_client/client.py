"""Client entry point: calls one service with the API key of one organization."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable
from types import TracebackType
from typing import Self, TypeAlias, TypeVar, Unpack

import aiohttp

from .changes import Changes
from .collections import Collection
from .documents import COLLECTIONS
from .missing import SentRecords, delete_missing, sent_of
from .options import MissingOptions, SyncOptions, require_known
from .parts import Part
from .queries import Parameters
from .records import Document, DocumentT, Form, Identity, Outcome
from .retry_policy import RetryPolicy
from .transactions import MAX_ENTRIES, Transaction, TransactionOptions
from .transport import HttpResponse, Request, Transport, encoded, service_url

_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)
"""Default timeouts of one attempt in seconds: 10 to connect, 60 between two reads.

A write may queue 5 s for a database connection, then run for 30 s in one statement.
"""
_VERIFICATION = "/api/migration-verification"

_T = TypeVar("_T")
Items: TypeAlias = Iterable[_T] | AsyncIterable[_T]
"""Items of any iterable, or of an asynchronous one such as a database cursor."""
RecordSet: TypeAlias = tuple[str, Items[Form]]
"""Collection, and records to write with own keys; items of part collections name their owners."""


class Client:
    """Client of the service at ``url``, with one API key.

    Calls need its asynchronous context: before it is entered, ``collection``, ``typed``, ``part``,
    ``changes`` and calls raise RuntimeError; after it is left, calls do. It can be entered again,
    but collections, parts and change feeds of an earlier context stay closed. ``retry_policy`` is
    ``RetryPolicy()`` by default. ``url`` may have a path; the paths of the service are below it.
    Raise ValueError for another URL than of http or https.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retry_policy: RetryPolicy | None = None,
        timeout: aiohttp.ClientTimeout = _TIMEOUT,
    ) -> None:
        self._url, self._key, self._timeout = service_url(url), key, timeout
        self._retry_policy = retry_policy or RetryPolicy()
        self._session: aiohttp.ClientSession | None = None
        self._transport: Transport | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(timeout=self._timeout)
        # aiohttp repeats PUT and DELETE by itself if a pooled connection was closed. The retry
        # policy decides that instead.
        self._session._retry_connection = False
        self._transport = Transport(self._session, self._url, self._key, self._retry_policy)
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    def collection(self, *path: str | int, exact: bool = False) -> Collection[Document]:
        """Return a collection by its path: ``("colors")``, ``("styles", 5, "sample-requests")``.

        With ``exact`` its lists have decimal numbers as strings with all digits: ``52.50``.
        """
        return Collection(self._require_transport(), path, exact=exact)

    def typed(self, document: type[DocumentT]) -> Collection[DocumentT]:
        """Return the collection of a type of ``documents``: ``client.typed(documents.Color)``.

        For type checkers its methods return documents of this type; nothing is checked at run time.
        Raise KeyError for a type that is not a key of ``documents.COLLECTIONS``.
        """
        return Collection(self._require_transport(), [COLLECTIONS[document]])

    def part(self, *path: str | int) -> Part:
        """Return a part of a record by its path: ``("colors", 7, "translations")``."""
        return Part(self._require_transport(), path)

    async def sync(
        self,
        record_sets: Items[RecordSet],
        **options: Unpack[SyncOptions],
    ) -> AsyncIterator[tuple[str, Outcome]]:
        """Upsert records by own key in transactions. Yield collection and outcome of each record.

        The sets, and the records of each, may be asynchronous iterables. If there are more than
        MAX_ENTRIES records, give referenced collections first. A failed record has the outcome
        ``failed``, and the others are written. With ``delete_missing`` the outcomes of missing
        records follow, as ``delete_missing`` returns them.
        """
        require_known(options, SyncOptions)
        operation = "merge" if options.get("merge") else "upsert"
        dry_run = options.get("dry_run", False)
        batch = self.transaction(skip=True, splits=True, dry_run=dry_run)
        async for name, records in _each(record_sets):
            async for record in _each(records):
                batch.add(name, operation, record)
                if len(batch) == MAX_ENTRIES:
                    for pair in await batch.send():
                        yield pair
        for pair in await batch.send():
            yield pair
        if options.get("delete_missing"):
            for pair in await delete_missing(
                self._require_transport(), sent_of(batch.outcomes), options
            ):
                yield pair

    async def delete_missing(
        self,
        sent: Iterable[tuple[str, Outcome] | SentRecords],
        **options: Unpack[MissingOptions],
    ) -> list[tuple[str, Outcome]]:
        """Delete the live records with an own key that are of the key's source and were not sent.

        ``sent`` are the outcomes of transactions that sent all records of their collections, or a
        ``SentRecords`` for each of these. Missing records of these collections are deleted in one
        transaction. Return their outcomes:
        ``deleted``, ``failed`` (in use), ``absent`` (gone), ``kept`` (GTINs of styles that were
        published), or ``refused``, if more than ``at_most`` of a collection are missing: of these
        none is deleted.
        """
        require_known(options, MissingOptions)
        return await delete_missing(self._require_transport(), sent_of(sent), options)

    def transaction(self, **options: Unpack[TransactionOptions]) -> Transaction:
        """Return a transaction over collections: ``async with client.transaction() as batch``.

        ``TransactionOptions`` has the options; raise TypeError for others.
        """
        return Transaction(self._require_transport(), **options)

    async def me(self) -> Identity:
        """Return whose the key is, by ids and names (``GET /api/me``)."""
        document = (await self.get("/api/me")).body["data"]
        organization, key = document["organization"], document["key"]
        return Identity(
            document["installation"]["id"],
            organization["id"],
            organization["name"],
            key["name"],
            key["scope"],
            tuple(key["scopes"]),
            key["source"],
        )

    async def migration_counts(self, *collections: str) -> list[Document]:
        """Return counts and key checksums of the collections, or of all with an own key."""
        query = [("collection", name) for name in collections]
        return list((await self.get(_VERIFICATION, query)).body["data"])

    async def compare_migration(self, comparisons: Iterable[Form]) -> list[Document]:
        """Return how collections differ from the ``count``, ``keyChecksum`` or ``keys`` of each.

        The service stores nothing, and a key that may only read suffices. Raise ValueError without
        a comparison.
        """
        body = b"\n".join(map(encoded, comparisons))
        if not body:
            raise ValueError("nothing to compare: give 1 to 100 comparisons")
        request = Request("POST", _VERIFICATION, [], body, "application/x-ndjson")
        return list((await self._require_transport().send(request)).body["data"])

    @property
    def changes(self) -> Changes:
        """Change feed of the key's organization."""
        return Changes(self._require_transport())

    async def get(
        self, path: str, parameters: Parameters | None = None, *, exact: bool = False
    ) -> HttpResponse:
        """Return the response to GET of any path that has JSON: ``/api/…/measurements/9``.

        The path has percent-encoded segments and no query, which ``parameters`` are. With ``exact``
        decimal numbers are strings with all digits: ``52.50``. Raise SelvedgeError if it fails.
        """
        return await self._require_transport().send(
            Request("GET", path, parameters or [], exact=exact)
        )

    def _require_transport(self) -> Transport:
        if self._transport is None:
            raise RuntimeError("Enter the client's context first: async with Client(…) as client.")
        return self._transport


async def _each(items: Items[_T]) -> AsyncIterator[_T]:
    """Yield the items of either kind of iterable."""
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
