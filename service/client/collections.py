"""What can be done with the records of a collection (contract, Surface)."""

from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import islice
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import quote
from uuid import uuid4

from service.client.errors import Detail
from service.client.queries import Filter, Scalar, Sort, parameters
from service.client.records import Document, Outcome, Page, Record
from service.client.transport import JSON_PATCH, HttpResponse, Request, Transport

_JSON = "application/json"
_MERGE_PATCH = "application/merge-patch+json"
WriteMode: TypeAlias = Literal["create", "replace", "merge"]
"""What a bulk write does with its records."""
_METHODS: Final[dict[WriteMode, tuple[str, str]]] = {
    "create": ("POST", _JSON),
    "replace": ("PUT", _JSON),
    "merge": ("PATCH", _MERGE_PATCH),
}


class Collection:
    """The records at a path below ``/api``.

    Every method raises SelvedgeError. Reads and writes are tried again. Each write carries an
    ``Idempotency-Key``: the given one, else a new one, so that a retry does nothing twice.
    """

    def __init__(self, transport: Transport, path: Sequence[str | int]) -> None:
        self._transport = transport
        self._path = api_path(path)

    async def pages(
        self,
        *,
        filters: Iterable[Filter] = (),
        sort: Iterable[Sort] = (),
        page_size: int | None = None,
        cursor: str | None = None,
        **fields: Scalar | Sequence[Scalar],
    ) -> AsyncIterator[Page]:
        """The pages of a list, each asked for when it is wanted; or those from a cursor on."""
        asked = parameters(fields, filters, sort)
        if page_size is not None:
            asked.append(("pageSize", str(page_size)))
        while True:
            asked = asked if cursor is None else [("cursor", cursor)]
            answer = await self._transport.send(Request("GET", self._path, asked))
            cursor = answer.body["pagination"].get("cursor")
            yield Page(answer.body["data"], cursor)
            if cursor is None:
                return

    async def records(self, **query: Any) -> AsyncIterator[Document]:
        """Every record of a list, whose query is that of ``pages``."""
        async for page in self.pages(**query):
            for record in page.records:
                yield record

    async def read(self, record_id: str | int, *, writable: bool = False) -> Record:
        """One record, deleted or not; or the form of it that is written."""
        wanted = [("form", "writable")] if writable else []
        return await self._record(Request("GET", self._record_path(record_id), wanted))

    async def create(self, record: Document, *, key: str | None = None) -> Record:
        """A new record."""
        return await self._record(Request("POST", self._path, body=record, headers=_key(key)))

    async def create_many(
        self, records: Sequence[Document], *, key: str | None = None
    ) -> list[Document]:
        """New records, all or none, in that order."""
        return await self._documents(
            Request("POST", self._path, body=[*records], headers=_key(key))
        )

    async def replace(
        self,
        record_id: str | int,
        record: Document,
        *,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Record:
        """The record with new content."""
        headers = write_headers(if_match, key)
        return await self._record(
            Request("PUT", self._record_path(record_id), body=record, headers=headers)
        )

    async def replace_many(
        self, records: Sequence[Document], *, key: str | None = None
    ) -> list[Document]:
        """Records with new content, all or none; those with ``state`` ``deleted`` are deleted."""
        return await self._documents(Request("PUT", self._path, body=[*records], headers=_key(key)))

    async def patch(
        self,
        record_id: str | int,
        changes: Sequence[Document],
        *,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Record:
        """The record changed by a JSON Patch of its writable form (RFC 6902)."""
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
    ) -> Record:
        """The record as it was deleted."""
        headers = write_headers(if_match, key)
        return await self._record(Request("DELETE", self._record_path(record_id), headers=headers))

    async def delete_many(
        self, ids: Sequence[str | int], *, key: str | None = None
    ) -> list[Document]:
        """The records as they were deleted, all or none."""
        named = [("ids", str(one)) for one in ids]
        return await self._documents(Request("DELETE", self._path, named, headers=_key(key)))

    async def sync(
        self,
        records: Iterable[Document],
        *,
        match: str,
        merge: bool = False,
        size: int = 200,
        dry_run: bool = False,
    ) -> AsyncIterator[Outcome]:
        """What becomes of each record, in that order: each is found by its own key, ``match``.

        What is not there is created, what is there replaced (or merged into), what has ``state``
        ``deleted`` is deleted, what fails is left out. So many go in one request, each of which is
        one transaction; doing it again does the same. A dry run only tells.
        """
        how: WriteMode = "merge" if merge else "replace"
        waiting = iter(records)
        while sent := [*islice(waiting, size)]:
            for outcome in await self.write(sent, how, match=match, skip=True, dry_run=dry_run):
                yield outcome

    async def write(
        self,
        records: Sequence[Document],
        mode: WriteMode,
        *,
        match: str | None = None,
        skip: bool = False,
        dry_run: bool = False,
        key: str | None = None,
    ) -> list[Outcome]:
        """What became of each record of one request: created, replaced or merged.

        With ``match`` the own key of that name finds records, else their ``id``. What fails is left
        out with ``skip``; without it FailureError tells of it, and nothing is written.
        """
        method, media_type = _METHODS[mode]
        asked = [("match", match)] if match else []
        asked += [("onError", "skip")] * skip + [("dryRun", "true")] * dry_run
        headers = {"Prefer": "return=minimal"} | ({} if dry_run else _key(key))
        request = Request(method, self._path, asked, [*records], media_type, headers)
        answer = await self._transport.send(request)
        again = "Idempotent-Replayed" in answer.headers
        return [
            _outcome(record, row, is_replayed=again)
            for record, row in zip(records, answer.body["data"], strict=True)
        ]

    def _record_path(self, record_id: str | int) -> str:
        return f"{self._path}/{quote(str(record_id), safe='')}"

    async def _record(self, request: Request) -> Record:
        answer: HttpResponse = await self._transport.send(request)
        return Record(answer.body["data"], answer.headers.get("ETag"))

    async def _documents(self, request: Request) -> list[Document]:
        answer = await self._transport.send(request)
        documents: list[Document] = answer.body["data"]
        return documents


def _outcome(record: Document, row: Document, *, is_replayed: bool) -> Outcome:
    details = tuple(Detail(**one) for one in row["details"])
    return Outcome(record, row["outcome"], row["id"], details, is_replayed)


def api_path(path: Sequence[str | int]) -> str:
    """The path below ``/api`` that leads there."""
    return "/".join(("/api", *(quote(str(part), safe="") for part in path)))


def _key(key: str | None) -> dict[str, str]:
    """Return the header with the idempotency key, a new one unless one is given."""
    return {"Idempotency-Key": key or str(uuid4())}


def write_headers(etag: str | None, key: str | None) -> dict[str, str]:
    """Return the headers of a write of one record: the key, and the precondition if any."""
    return _key(key) | ({} if etag is None else {"If-Match": etag})
