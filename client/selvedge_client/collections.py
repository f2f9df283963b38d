"""Collection client: reads and writes the records of one collection (contract, Surface)."""

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, Generic, Unpack
from urllib.parse import quote
from uuid import uuid4

from .options import BulkOptions, WriteMode, require_known
from .queries import Filter, Scalar, Sort, parameters
from .records import DocumentT, Form, Outcome, Page, Record, outcome_of
from .transport import IDEMPOTENCY_KEY, JSON_PATCH, HttpResponse, Request, Transport

_JSON = "application/json"
_MERGE_PATCH = "application/merge-patch+json"
_METHODS: Final[dict[WriteMode, tuple[str, str]]] = {
    "create": ("POST", _JSON),
    "replace": ("PUT", _JSON),
    "merge": ("PATCH", _MERGE_PATCH),
}


class Collection(Generic[DocumentT]):
    """Collection at a path below ``/api``.

    A ``record_id`` is an id, or the own key of a live record: ``"number=TH26-1"``. Every method
    raises SelvedgeError if its call fails. Calls are retried by the client's policy. Each write but
    a dry run carries an ``Idempotency-Key``, the given ``key`` or a new one, so that a retry writes
    only once. A request with several records has at most 200; creates, replaces and merges have at
    most 1,000 in some collections (contract, Bulk). A method that the collection lacks raises
    FailureError (405): reference lists are only read.
    """

    def __init__(
        self, transport: Transport, path: Sequence[str | int], *, exact: bool = False
    ) -> None:
        self._transport, self._exact = transport, exact
        self._path = api_path(path)

    async def pages(
        self,
        /,
        *,
        filters: Iterable[Filter] = (),
        sort: Iterable[Sort] = (),
        page_size: int | None = None,
        cursor: str | None = None,
        **fields: Scalar | Sequence[Scalar],
    ) -> AsyncIterator[Page[DocumentT]]:
        """Yield the pages of a list, read on demand; one empty page if nothing matches.

        ``fields`` are equality filters, such as ``state="active"``, or other parameters of lists,
        such as ``q``. A value may be a list of alternatives; raise ValueError for an empty
        list, which would be no filter. Without a filter on ``state`` deleted records are left out.
        A page has ``page_size`` records (1 to 100, by default 30) or fewer. With a ``cursor`` the
        pages begin there, and the other arguments are not sent, because the cursor carries the
        query.
        """
        query = parameters(fields, filters, sort)
        if page_size is not None:
            query.append(("pageSize", str(page_size)))
        while True:
            query = query if cursor is None else [("cursor", cursor)]
            request = Request("GET", self._path, query, exact=self._exact)
            response = await self._transport.send(request)
            cursor = response.body["pagination"].get("cursor")
            yield Page(response.body["data"], cursor)
            if cursor is None:
                return

    async def records(self, /, **query: Any) -> AsyncIterator[DocumentT]:
        """Yield the records of a list. The arguments are those of ``pages``."""
        async for page in self.pages(**query):
            for record in page.records:
                yield record

    async def read(
        self, record_id: str | int, *, writable: bool = False, at: int | datetime | None = None
    ) -> Record[DocumentT]:
        """Return a record: its document, or its writable form, which has no ``id``.

        With ``at`` it is the writable form after that change, by number or by a time with an
        offset. By id a record in the state ``deleted`` is returned, too. Raise NotFoundError if
        there is none.
        """
        query = form_query(at, writable=writable)
        return await self._record(Request("GET", self._record_path(record_id), query))

    async def create(self, record: Form, *, key: str | None = None) -> Record[DocumentT]:
        """Create a record. Return its document."""
        return await self._record(Request("POST", self._path, body=record, headers=_key(key)))

    async def create_many(
        self, records: Sequence[Form], *, key: str | None = None
    ) -> list[DocumentT]:
        """Create records, all or none, in one request. Return their documents in the same order."""
        return await self._documents(
            Request("POST", self._path, body=[*records], headers=_key(key))
        )

    async def replace(
        self,
        record_id: str | int,
        record: Form,
        *,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Record[DocumentT]:
        """Replace a record; most fields that are left out are cleared. Return its document.

        By own key it is an upsert: without a live record one is restored or created. Raise
        PreconditionFailedError if ``if_match`` is not its present entity tag.
        """
        headers = write_headers(if_match, key)
        return await self._record(
            Request("PUT", self._record_path(record_id), body=record, headers=headers)
        )

    async def replace_many(
        self, records: Sequence[Form], *, key: str | None = None
    ) -> list[DocumentT]:
        """Replace records by their ``id``, all or none; delete those with ``state`` ``deleted``.

        Return their documents in the same order.
        """
        return await self._documents(Request("PUT", self._path, body=[*records], headers=_key(key)))

    async def patch(
        self,
        record_id: str | int,
        changes: Sequence[Form],
        *,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Record[DocumentT]:
        """Apply a JSON Patch (RFC 6902) to the writable form of a record. Return its document."""
        return await self._record(
            Request(
                "PATCH",
                self._record_path(record_id),
                body=[*changes],
                media_type=JSON_PATCH,
                headers=write_headers(if_match, key),
            )
        )

    async def delete(
        self, record_id: str | int, *, if_match: str | None = None, key: str | None = None
    ) -> Record[DocumentT]:
        """Delete a record. Return its document as it was deleted.

        Raise ConflictError if other records need it.
        """
        headers = write_headers(if_match, key)
        return await self._record(Request("DELETE", self._record_path(record_id), headers=headers))

    async def delete_many(
        self, ids: Sequence[str | int], *, key: str | None = None
    ) -> list[DocumentT]:
        """Delete records by id, all or none. Return their documents as they were deleted."""
        query = [("ids", str(record_id)) for record_id in ids]
        return await self._documents(Request("DELETE", self._path, query, headers=_key(key)))

    async def write(
        self, records: Sequence[Form], mode: WriteMode, **options: Unpack[BulkOptions]
    ) -> list[Outcome]:
        """Create, replace or merge records in one request. Return outcomes in the same order.

        ``BulkOptions`` has the options; raise TypeError for others. Records to replace or merge are
        named by ``id`` or the field ``match``, and may have ``ifMatch``, the entity tag that the
        stored record must have. A failed record raises FailureError unless ``skip``, and nothing is
        written then.
        """
        require_known(options, BulkOptions)
        method, media_type = _METHODS[mode]
        match, preview = options.get("match"), options.get("preview", False)
        dry_run = preview or options.get("dry_run", False)
        query = [("match", match)] if match else []
        query += [("onError", "skip")] * options.get("skip", False)
        query += [("dryRun", "true")] * dry_run + [("preview", "true")] * preview
        headers = {"Prefer": "return=minimal"} | ({} if dry_run else _key(options.get("key")))
        request = Request(method, self._path, query, [*records], media_type, headers)
        response = await self._transport.send(request)
        is_replayed = "Idempotent-Replayed" in response.headers
        return [
            outcome_of(record, row, is_replayed=is_replayed)
            for record, row in zip(records, response.body["data"], strict=True)
        ]

    @property
    def name(self) -> str:
        """Path below ``/api``, with percent-encoded segments."""
        return self._path.removeprefix("/api/")

    def _record_path(self, record_id: str | int) -> str:
        return f"{self._path}/{quote(str(record_id), safe='')}"

    async def _record(self, request: Request) -> Record[DocumentT]:
        response: HttpResponse = await self._transport.send(request)
        return Record(response.body["data"], response.headers.get("ETag"))

    async def _documents(self, request: Request) -> list[DocumentT]:
        response = await self._transport.send(request)
        documents: list[DocumentT] = response.body["data"]
        return documents


def form_query(at: int | datetime | None, *, writable: bool) -> list[tuple[str, str]]:
    """Return the query of a read for a form: the present one, or that after a change."""
    if at is not None:
        return [("at", at.isoformat() if isinstance(at, datetime) else str(at))]
    return [("form", "writable")] if writable else []


def api_path(path: Sequence[str | int]) -> str:
    """Return ``/api`` and the segments, which are percent-encoded: ``/api/styles/5``."""
    return "/".join(("/api", *(quote(str(segment), safe="") for segment in path)))


def _key(key: str | None) -> dict[str, str]:
    """Return the header with the given or a new idempotency key."""
    return {IDEMPOTENCY_KEY: key or str(uuid4())}


def write_headers(etag: str | None, key: str | None) -> dict[str, str]:
    """Return the headers of a write of one record: idempotency key, and precondition if any."""
    return _key(key) | ({} if etag is None else {"If-Match": etag})
