"""Client entry point: calls one service with the API key of one organization."""

import gzip
import json
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import Self, TypeAlias, Unpack

import aiohttp

from .changes import Changes
from .collections import Collection
from .documents import COLLECTIONS
from .options import MAX_MISSING_SHARE, SyncOptions, require_known
from .parts import Part
from .queries import Parameters
from .records import Document, DocumentT, Form, Identity, Outcome
from .retry_policy import RetryPolicy
from .sync import Items, Sync, each
from .transactions import Transaction, TransactionOptions
from .transport import HttpResponse, Request, Transport, service_url

_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)
"""Default timeouts of one attempt in seconds: 10 to connect, 60 between two reads.

A write may queue 5 s for a database connection, then run for 30 s in one statement.
"""
_VERIFICATION = "/api/migration-verification"

RecordSet: TypeAlias = tuple[str, str | None, int, Items[Form]]
"""Collection, field of its own key, maximum number of records in a request, records to write.

The field is None for part collections, whose items name their owners.
"""


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
        """Sync several collections in the given order. Yield a name and outcome for each record.

        The sets, and the records of each, may be asynchronous iterables.
        Give referenced collections first. Each is synced like ``Collection.sync`` does, but with
        ``delete_missing`` missing records are deleted after all upserts, collections in reverse
        order, so that records go before those that they refer to. Raise TooManyMissingError, and
        delete no record of any collection, if too many of one collection are missing; the upserts
        stay.
        """
        require_known(options, SyncOptions)
        merge, dry_run = options.get("merge", False), options.get("dry_run", False)
        runs = list[Sync]()
        async for name, match, size, records in each(record_sets):
            runs.append(Sync(self.collection(name), match, merge, size, dry_run))
            async for outcome in runs[-1].upsert(records):
                yield name, outcome
        if options.get("delete_missing"):
            at_most = options.get("at_most", MAX_MISSING_SHARE)
            missing = [(run, await run.missing(at_most)) for run in runs]
            for run, records in reversed(missing):
                async for outcome in run.delete(records):
                    yield run.collection.name, outcome

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
        )

    async def migration_counts(self, *collections: str) -> list[Document]:
        """Return counts and key checksums of the collections, or of all with an own key."""
        query = [("collection", name) for name in collections]
        return list((await self.get(_VERIFICATION, query)).body["data"])

    async def compare_migration(self, comparisons: Iterable[Form]) -> list[Document]:
        """Return how collections differ from the ``count``, ``keyChecksum`` or ``keys`` of each.

        The service stores nothing, and a key that may only read suffices.
        """
        lines = [json.dumps(each, ensure_ascii=False, allow_nan=False) for each in comparisons]
        body, headers = gzip.compress("\n".join(lines).encode(), 1), {"Content-Encoding": "gzip"}
        request = Request("POST", _VERIFICATION, [], body, "application/x-ndjson", headers)
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
