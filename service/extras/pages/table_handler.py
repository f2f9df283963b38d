"""Table handler: reads a file of a person for `/data`, in a bounded process; nothing is stored.

Source: tools, Files.
"""

import asyncio
from typing import Any, Final

import orjson
from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import api_error, too_many_requests
from service.extras.tables import bounded_process
from service.extras.tables.bounded_process import BoundError
from service.extras.tables.collections import transfer_collections
from service.extras.tables.headings import Headings
from service.extras.tables.table_answers import TableRequest, answer
from service.http.budgets import reserve
from service.http.context import caller_of
from service.http.envelope import ApiResponse, success
from service.http.form_files import FORM, file_of
from service.http.headers import is_sent_as
from service.limits import MAX_SHEET_ROWS, MAX_TABLE_READERS
from service.listing.query_reader import QueryReader

_RETRY_SECONDS: Final = 1
_COLLECTIONS: Final = transfer_collections()


class TableReaders:
    """Readers of tables of a worker: one of each organization, MAX_TABLE_READERS in all."""

    def __init__(self) -> None:
        self._organizations = set[int]()
        self._free = asyncio.Semaphore(MAX_TABLE_READERS)

    async def read(self, organization_id: int, raw: bytes, request: TableRequest) -> bytes:
        """Return the answer about a file; raise ApiError ``too_many_requests`` for a second one."""
        if organization_id in self._organizations:
            raise too_many_requests(_RETRY_SECONDS)
        self._organizations.add(organization_id)
        try:
            async with self._free:
                return await bounded_process.output_of(lambda: answer(raw, request))
        finally:
            self._organizations.discard(organization_id)


READERS: Final[web.AppKey[TableReaders]] = web.AppKey("table_readers", TableReaders)


async def read_table(request: web.Request, raw: bytes) -> ApiResponse:
    """Return headings, rows and cells of a file, and the documents that its rows are.

    Raise ApiError for the query, and ``malformed_request`` for a file that is no table.
    """
    table_request = _read_query(request)
    content_type = request.headers.get(hdrs.CONTENT_TYPE, "")
    if is_sent_as(content_type, FORM):
        raw = file_of(content_type, raw)
    try:
        content = await request.app[READERS].read(
            caller_of(request).organization_id, raw, table_request
        )
    except BoundError as error:
        raise _no_table(f"{error}.") from None
    refusal = content.rpartition(b"\n")[2] if b"\n" in content else b""
    if refusal:
        raise _no_table(orjson.loads(refusal)["error"])
    reserve(request, len(content))
    return success(content)


def _no_table(message: str) -> Exception:
    return api_error(ErrorType.MALFORMED_REQUEST, message=message[:1].upper() + message[1:])


def _read_query(request: web.Request) -> TableRequest:
    reader = QueryReader(request.query.items())
    reader.only("collection", "sheet", "headingRow", "columns")
    name = reader.choice("collection", *_COLLECTIONS)
    row = reader.integer("headingRow", 0, 1, MAX_SHEET_ROWS)
    columns = _columns(reader, reader.text("columns"))
    sheet = reader.text("sheet")
    reader.raise_errors()
    headings: Headings | None = _COLLECTIONS[name].headings if name else None
    return TableRequest(headings, sheet, row or None, columns)


def _columns(reader: QueryReader, text: str | None) -> list[Any] | None:
    """Return the chosen fields of the columns; report what is no list of them."""
    if text is None:
        return None
    try:
        columns = orjson.loads(text)
    except orjson.JSONDecodeError:
        columns = None
    if isinstance(columns, list) and all(map(_is_field, columns)):
        return columns
    message = "Use a list with null or the field of each column, as the headings have it."
    reader.fail(ErrorType.INVALID_VALUE, "columns", message=message)
    return None


def _is_field(value: Any) -> bool:
    if value is None:
        return True
    path = value.get("path") if isinstance(value, dict) else None
    return isinstance(path, list) and all(type(step) in (int, str) for step in path)
