"""Resource: base class of collections, lists and parts; reads their documents by SQL statements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from service.batches.change_recorder import BoundStatement
from service.database.connections import Connection
from service.database.statements import SHARED, Statement, load
from service.error_types import ErrorType
from service.errors import api_error
from service.limits import MAX_BATCH_BYTES, MAX_PAGE_BYTES, byte_size
from service.listing.cursor import CursorWriter
from service.listing.list_request import ListRequest
from service.listing.page_sql import batch_page, counted_page, listing_page
from service.listing.properties import Properties, Property, parse_id
from service.listing.related import Related
from service.listing.search_columns import SearchColumns
from service.organizations.caller import Caller
from service.records.path_keys import KeyLookup
from service.records.rendering import batch_text, rendered

SHOWN_IN: Final = "shown_in_"


@dataclass(frozen=True)
class ListQuery:
    """Compiled list query: SQL text of a list request, for any organization and parents."""

    list_request: ListRequest
    text: str
    parameters: tuple[Any, ...]
    """Parameters after the organization and the parents."""

    @cached_property
    def cursors(self) -> CursorWriter:
        """Return the writer of the cursors of the list request."""
        return CursorWriter(self.list_request)


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Documents of a page."""

    documents: bytes
    """Documents in the order of the list, joined by commas; b"" for none."""
    last: list[Any] | None
    """Sort values of the last record, to continue from; None on the last page."""
    total: int | None
    """Number of records on all pages; None unless requested (``counts``)."""


class DocumentRequest(NamedTuple):
    """Request for the documents of records, by their ids."""

    ids: list[int]
    form: str = "documents"
    """Name of the statement: ``documents``, ``writables`` or another of that shape."""
    parents: Sequence[int] = ()


class Resource:
    """Collection, list or part of the interface: ``schemas/<name>.json``, ``sql/<name>.sql``.

    The ``documents`` statement takes the organization as ``$1``, has one slot, the page, and
    returns a row ``(page_order, sort_values, document)`` per record. For records below parents, the
    parents' ids follow the organization, and ``unknown_parent`` takes the same parameters and
    returns the name of the first unknown id.
    """

    name: str
    collection: str = ""
    """Collection whose records the resource is about; by default that of its own name."""
    parents: ClassVar[Mapping[str, str]] = {}
    """Collections of the parents, by the name of their path id, outermost first."""
    segment: str = ""
    """Last segment of the path, if it differs from the name."""
    below: ClassVar[str] = ""
    """Path suffix after the id of a record, for parts."""
    key = "id"
    """Name of the record's own id in the path; of part collections, the owner's id in items."""
    listed: str = ""
    """SQL condition of the records that lists show unless they filter on ``state``."""
    table: str | None = None
    """Table of the records, if the engine runs its own statements on it."""
    key_lookups: Mapping[str, KeyLookup] = {}
    """Lookups by own key of the ids in the path, by the name of the path parameter."""
    foreign_is_forbidden: bool = False
    """Whether the id of another organization's record is 403 instead of 404."""
    _leading: ClassVar[int] = 0
    """Number of parameters of ``documents``, if they are not the organization and the parents."""
    is_in_feed = True
    """Whether a change of what is read shows in the change feed, or never happens."""
    _scope_name: str | None = None
    """Collection that scopes name, if it is not ``collection``, or a whole scope.

    Without a scope, "", every key may read it.
    """
    string_ids = False
    """Whether JSON has ids as strings. The database has integers."""
    related: ClassVar[tuple[Related, ...]] = ()
    """Related records and entries that lists filter by."""
    _filters: ClassVar[tuple[Property, ...]] = ()
    """Further properties that lists filter by, which documents do not show."""
    search: ClassVar[SearchColumns | None] = None
    """Columns of the search by words, if they are not those of the fields."""
    _defined: ClassVar[Property | None] = None
    """Filters by fields that callers define (``Properties``)."""

    def __init__(self, name: str = "", scope_name: str | None = None) -> None:
        self.name = name or self.name
        self._scope_name = self._scope_name if scope_name is None else scope_name
        self.collection = self.collection or self.name
        related = [prop for related in self.related for prop in related.properties()]
        self.properties = Properties(
            self.name,
            (*related, *self._filters),
            self.search,
            takes_time=self.is_in_feed,
            defined=self._defined,
        )
        self.statements = self._load_statements()

    def scope(self, access: str) -> str:
        """Return the scope that an access needs; "" for none."""
        name = self.collection if self._scope_name is None else self._scope_name
        return f"{name}:{access}" if name and ":" not in name else name

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements of the collection's SQL file, by name."""
        return load(self.name.replace("-", "_"))

    @cached_property
    def shown_in(self) -> Mapping[str, Statement]:
        """Fan-out statements by the collection of the records that they find.

        Each takes ids of this resource in ``$2`` and returns the ids of the records that show them.
        """
        return shown_in(self.statements)

    def stored_id(self, text: str) -> int:
        """Return the stored id of a path or query value.

        Raise ValueError for a malformed integer id. A malformed string id is 0, which no record
        has.
        """
        try:
            return parse_id(text)
        except ValueError:
            if self.string_ids:
                return 0
            raise

    def compile_list(self, list_request: ListRequest, *, is_cut: bool = False) -> ListQuery:
        """Compile a list request into a list query.

        With ``is_cut``, the page ends after as many records as fit into ``MAX_PAGE_BYTES``, one at
        least. Without, a page that exceeds it has no documents: ``page`` then compiles it anew.
        """
        selected, listed, documents = self._selection(list_request)
        leading = self._leading or 1 + len(self.parents)
        page = listing_page(leading, selected, listed=listed, may_end_anywhere=is_cut)
        text = SHARED["collect_cut_page" if is_cut else "collect_page"].fill(
            documents=documents.fill(page=page.text), size=page.size, max_bytes=str(MAX_PAGE_BYTES)
        )
        return ListQuery(list_request, text, tuple(page.parameters))

    def _selection(self, list_request: ListRequest) -> tuple[ListRequest, str, Statement]:
        """Return the request as SQL has it, ``listed`` for it, and the documents' statement."""
        return list_request, self.listed, self.statements["documents"]

    def _compile_count(self, list_request: ListRequest) -> ListQuery:
        """Compile the statement that counts the records on all pages of a list request."""
        selected, listed, documents = self._selection(list_request)
        leading = self._leading or 1 + len(self.parents)
        page = counted_page(leading, selected, listed=listed)
        documents_head = documents.pieces[0]
        text = SHARED["count"].fill(beginning=documents_head, page=page.text)
        return ListQuery(list_request, text, tuple(page.parameters))

    async def page(
        self,
        connection: Connection,
        caller: Caller,
        list_query: ListQuery,
        parents: Sequence[Any] = (),
        *,
        counts: bool = False,
    ) -> DocumentPage:
        """Return one page of the documents below ``parents``, in the list request's order.

        A page that would exceed ``MAX_PAGE_BYTES`` ends early, but has one record at least. Raise
        ``out_of_range`` instead for a page by number of more than one record: the next number would
        skip the records that were cut off. Raise ``not_found`` if a parent does not exist. With
        ``counts``, count the records on all pages by a statement of its own.
        """
        total = None
        if counts:
            total = await self._count(connection, caller, list_query.list_request, parents)
        row = await connection.fetchrow(
            list_query.text, caller.organization_id, *parents, *list_query.parameters
        )
        if row["documents"] is None:
            if list_query.list_request.page_number and list_query.list_request.page_size > 1:
                size = byte_size(MAX_PAGE_BYTES)
                message = f"This page exceeds {size}. Use a smaller pageSize, or cursors."
                raise api_error(ErrorType.OUT_OF_RANGE, "pageSize", message=message)
            cut_query = self.compile_list(list_query.list_request, is_cut=True)
            row = await connection.fetchrow(
                cut_query.text, caller.organization_id, *parents, *cut_query.parameters
            )
        if not row["documents"]:
            await self.require_parents(connection, caller, parents)
        last = orjson.loads(row["last_values"]) if row["has_more"] else None
        return DocumentPage(row["documents"], last, total)

    async def _count(
        self,
        connection: Connection,
        caller: Caller,
        list_request: ListRequest,
        parents: Sequence[Any],
    ) -> int:
        """Return the number of records on all pages of a list request."""
        query = self._compile_count(list_request)
        parameters = (caller.organization_id, *parents, *query.parameters)
        total: int = await connection.fetchval(query.text, *parameters)
        return total

    async def render(
        self, connection: Connection, caller: Caller, request: DocumentRequest
    ) -> dict[int, bytes]:
        """Return the requested documents by id, those of deleted records too; skip unknown ids.

        Raise ``too_many_items`` if several documents exceed ``MAX_BATCH_BYTES`` together.
        """
        statement = self.render_statement(request)
        row = await connection.fetchrow(
            statement.text, caller.organization_id, *statement.parameters
        )
        return rendered(row)

    def render_statement(self, request: DocumentRequest) -> BoundStatement:
        """Return the statement of the requested documents, whose row :func:`rendered` reads."""
        page = batch_page(1 + len(request.parents), request.ids)
        text = batch_text(self.statements[request.form], page.text, MAX_BATCH_BYTES)
        return BoundStatement(text, (*request.parents, page.ids))

    async def require_parents(
        self, connection: Connection, caller: Caller, parents: Sequence[int]
    ) -> None:
        """Raise ``not_found`` for the first parent that does not exist; deleted ones do."""
        if parents:
            statement = self.statements["unknown_parent"].text
            unknown = await connection.fetchval(statement, caller.organization_id, *parents)
            if unknown:
                raise api_error(ErrorType.NOT_FOUND, unknown)


def ids_schema(resource: Resource) -> str:
    """Return the schema file that defines ``id`` and ``ids`` of requests."""
    return resource.name if resource.string_ids else "common/scalars"


def shown_in(loaded: Mapping[str, Statement]) -> dict[str, Statement]:
    """Return the statements named ``shown_in_<collection>``, by collection."""
    return {
        name.removeprefix(SHOWN_IN).replace("_", "-"): statement
        for name, statement in loaded.items()
        if name.startswith(SHOWN_IN)
    }
