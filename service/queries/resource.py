"""What can be listed and read: one documents statement, and the page that it is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Final

import orjson

from service.database import statements
from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import api_error
from service.listing.list_request import Listing
from service.listing.page_sql import PageSql, batch_page, counted_page, listing_page
from service.listing.properties import Properties, parse_id
from service.organizations.caller import Caller
from service.queries.bound_statements import BoundStatement, EmbeddedStatement

SHARED = statements.load("shared")
SHOWN_IN: Final = "shown_in_"
MAX_PAGE_BYTES: Final = 8 * 2**20
"""Of the documents of one page; beyond, it ends before its size."""
MAX_BATCH_BYTES: Final = 32 * 2**20
"""Of the documents of one bulk write; beyond, it is refused."""


@dataclass(frozen=True, slots=True)
class ListQuery:
    """A listing, and the statement that answers it for whichever organization and parents."""

    listing: Listing
    text: str
    parameters: tuple[Any, ...]
    """Those after the organization and the parents."""


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Rendered documents, joined by commas, and the sort values to continue from, if any."""

    documents: bytes
    last: list[Any] | None


class Resource:
    """A collection of the interface: ``schemas/<name>.json`` and ``sql/<name>.sql``.

    Its ``documents`` statement takes the organization as ``$1`` and has one slot, the page; it
    answers a row ``(page_order, sort_values, document)`` per record. Where records hang on parents,
    whose ids follow the organization, ``unknown_parent`` answers the name of the first id that is
    not there.
    """

    name: str
    parents: ClassVar[Mapping[str, str]] = {}
    """The collections whose records lead to these, by the names of their ids, outermost first."""
    segment: ClassVar[str] = ""
    """The last part of the path, where it is not the name."""
    below: ClassVar[str] = ""
    """What the path of one record goes on with, of a part of it."""
    key = "id"
    """The name of a record's own id beside theirs."""
    hides_deleted = False
    table: ClassVar[str | None] = None
    """The table of the records, where the engine has statements of its own on it."""
    foreign_is_forbidden: ClassVar[bool] = False
    """Whether another organization's record is told from an unknown one."""
    can_be_in_use = False
    """Whether deleting a record can be refused for who needs it."""
    string_ids = False
    """Whether ids are texts in JSON; they are integers in the database all the same."""
    own_failures: ClassVar[tuple[str, ...]] = ()
    """Types of failures that bodies meet here beside those that every resource answers."""
    own_texts: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Summary and description of operations, by kind, that the common ones do not fit."""

    def __init__(self, name: str = "") -> None:
        self.name = name or self.name
        self.properties = Properties(self.name)
        self.statements = self.load_statements()

    @property
    def collection(self) -> str:
        """The collection whose records it is about."""
        return self.name

    @property
    def home_of_ids(self) -> str:
        """The schema file that defines ``id`` and ``ids`` as callers send them."""
        return self.name if self.string_ids else "common/scalars"

    def load_statements(self) -> Mapping[str, statements.Statement]:
        """The collection's statements by name: those of its file."""
        return statements.load(self.name.replace("-", "_"))

    @cached_property
    def shown_in(self) -> Mapping[str, statements.Statement]:
        """What finds the ids of others that show its records, by the collection of those.

        From ``$2``, the ids of what is shown: statements whose name says so.
        """
        return shown_in(self.statements)

    def stored_id(self, text: str) -> int:
        """The stored id of one in a path or query; ValueError where the form is wrong.

        Of string ids every form is right: one that no record can have is 0.
        """
        try:
            return parse_id(text)
        except ValueError:
            if self.string_ids:
                return 0
            raise

    def compile_list(self, wanted: Listing, *, is_cut: bool = False) -> ListQuery:
        """What a listing asks; if it is cut, as many records as fit into a page's bytes."""
        leading, hidden = 1 + len(self.parents), self.hides_deleted
        page = listing_page(leading, wanted, hides_deleted=hidden, may_end_anywhere=is_cut)
        text = SHARED["collect_cut_page" if is_cut else "collect_page"].fill(
            documents=self.statements["documents"].fill(page=page.text),
            size=page.size,
            most=str(MAX_PAGE_BYTES),
        )
        return ListQuery(wanted, text, tuple(page.parameters))

    async def page(
        self, connection: Connection, caller: Caller, asked: ListQuery, parents: Sequence[int] = ()
    ) -> DocumentPage:
        """One page of documents, in the listing's order, of those that hang on ``parents``.

        One that would have too many bytes ends early, after a record at least. Numbers could not
        lead on from there: a numbered page is refused.
        """
        row = await connection.fetchrow(
            asked.text, caller.organization_id, *parents, *asked.parameters
        )
        if row["documents"] is None:
            if asked.listing.page_number and asked.listing.page_size > 1:
                message = (
                    f"This page exceeds {_mib(MAX_PAGE_BYTES)}: use a smaller one, or cursors."
                )
                raise api_error(ErrorType.OUT_OF_RANGE, "pageSize", message=message)
            cut = self.compile_list(asked.listing, is_cut=True)
            row = await connection.fetchrow(
                cut.text, caller.organization_id, *parents, *cut.parameters
            )
        if not row["documents"]:
            await self.require_parents(connection, caller, parents)
        return DocumentPage(
            row["documents"], orjson.loads(row["last_values"]) if row["has_more"] else None
        )

    async def count(
        self,
        connection: Connection,
        caller: Caller,
        wanted: Listing,
        parents: Sequence[int] = (),
    ) -> int:
        """How many records a listing has on all its pages together."""
        page = counted_page(1 + len(parents), wanted, hides_deleted=self.hides_deleted)
        beginning = self.statements["documents"].pieces[0]
        text = SHARED["count"].fill(beginning=beginning, page=page.text)
        total: int = await connection.fetchval(
            text, caller.organization_id, *parents, *page.parameters
        )
        return total

    async def documents(
        self,
        connection: Connection,
        caller: Caller,
        ids: list[int],
        form: str = "documents",
        parents: Sequence[int] = (),
    ) -> bytes:
        """The documents of ``ids`` in that order, joined by commas; unknown ids are left out."""
        return joined(await self.render(connection, caller, ids, form, parents), ids)

    async def render(
        self,
        connection: Connection,
        caller: Caller,
        ids: list[int],
        form: str = "documents",
        parents: Sequence[int] = (),
        aside: EmbeddedStatement | None = None,
    ) -> dict[int, bytes]:
        """The documents of ``ids``, which hang on ``parents``, by id; unknown ids are left out.

        ``form`` is ``documents``, ``writables``, or another statement of their kind. What is done
        aside costs no statement of its own. Raises ApiError where they have too many bytes.
        """
        page = batch_page(1 + len(parents), ids)
        found = await self._collected(
            connection, caller, page, form, parents, MAX_BATCH_BYTES, aside
        )
        if found is None:
            message = f"The answer exceeds {_mib(MAX_BATCH_BYTES)}: send fewer items."
            raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)
        return found

    async def render_live(
        self, connection: Connection, caller: Caller, ids: list[int]
    ) -> dict[int, bytes] | None:
        """The documents of those of ``ids`` that lists show; None if a page is too short."""
        page = batch_page(1, ids, hides_deleted=self.hides_deleted)
        return await self._collected(connection, caller, page, "documents", (), MAX_PAGE_BYTES)

    async def _collected(
        self,
        connection: Connection,
        caller: Caller,
        page: PageSql,
        form: str,
        parents: Sequence[int],
        most: int,
        aside: EmbeddedStatement | None = None,
    ) -> dict[int, bytes] | None:
        parameters = [caller.organization_id, *parents, *page.parameters]
        step = BoundStatement("", ()) if aside is None else aside(len(parameters) + 1)
        text = _batch_text(self.statements[form], page.text, most, step.text)
        found, documents = await connection.fetchrow(text, *parameters, *step.parameters)
        if found and documents is None:
            return None
        return dict(zip(found or (), documents or (), strict=True))

    async def require_parents(
        self, connection: Connection, caller: Caller, parents: Sequence[int]
    ) -> None:
        """Raise ``not_found`` for the first of the parents that is not there."""
        if parents:
            statement = self.statements["unknown_parent"].text
            unknown = await connection.fetchval(statement, caller.organization_id, *parents)
            if unknown:
                raise api_error(ErrorType.NOT_FOUND, unknown, message="There is no such record.")


def shown_in(known: Mapping[str, statements.Statement]) -> dict[str, statements.Statement]:
    """The statements named ``shown_in_<collection>``, by collection."""
    return {
        name.removeprefix(SHOWN_IN).replace("_", "-"): statement
        for name, statement in known.items()
        if name.startswith(SHOWN_IN)
    }


def joined(documents: Mapping[int, bytes], ids: list[int]) -> bytes:
    """Those of the documents that there are, in the order of ``ids``, joined by commas."""
    return b",".join([documents[one] for one in ids if one in documents])


def _mib(size: int) -> str:
    return f"{size // 2**20} MiB"


@cache
def _batch_text(documents: statements.Statement, page: str, most: int, aside: str) -> str:
    """The statement that collects a batch: long, and on the way of every write."""
    return SHARED["collect_batch"].fill(
        documents=documents.fill(page=page),
        most=str(most),
        aside=SHARED["aside"].fill(step=aside) if aside else "",
    )
