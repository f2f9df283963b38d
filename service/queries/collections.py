"""What can be listed and read: one documents statement, and the page that it is given."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from service import statements
from service.caller import Caller
from service.database import Connection
from service.errors import failure
from service.listing import Listing
from service.properties import Properties, parse_id
from service.queries.pages import batch_page, listing_page

SHARED = statements.load("shared")


@dataclass(frozen=True, slots=True)
class PageOfDocuments:
    """Rendered documents, joined by commas, and the sort values to continue from, if any."""

    documents: bytes
    last: list[Any] | None


class Collection:
    """A collection of the interface: ``schemas/<name>.json`` and ``sql/<name>.sql``.

    Its ``documents`` statement takes the organization as ``$1`` and has one slot, the page; it
    answers a row ``(ordinal, key, document)`` per record. Where the path leads through parents,
    their ids follow the organization, and ``unknown_parent`` answers the parameter of the first
    that is not there.
    """

    name: str
    root = ""
    """The path of the collection, if it is not ``/api/<name>``."""
    key = "id"
    """The path's parameter that names one record."""
    hides_deleted = False
    string_ids = False
    """Whether ids are texts in JSON; they are integers in the database all the same."""

    def __init__(self, name: str = "") -> None:
        self.name = name or self.name
        self.root = self.root or f"/api/{self.name}"
        self.parents = re.findall(r"{(\w+)}", self.root)
        self.properties = Properties(self.name)
        self.statements = self.load_statements()

    def load_statements(self) -> Mapping[str, statements.Statement]:
        """The collection's statements by name: those of its file."""
        return statements.load(self.name.replace("-", "_"))

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

    async def page(
        self, connection: Connection, caller: Caller, listing: Listing, parents: Sequence[int] = ()
    ) -> PageOfDocuments:
        """One page of documents, in the listing's order, of those that hang on ``parents``."""
        leading = [caller.organization_id, *parents]
        page = listing_page(leading, listing, hides_deleted=self.hides_deleted)
        text = SHARED["collect_page"].fill(
            documents=self.statements["documents"].fill(page=page.text), size=page.size
        )
        row = await connection.fetchrow(text, *page.parameters)
        if not row["documents"]:
            await self.require_parents(connection, caller, parents)
        return PageOfDocuments(
            row["documents"], orjson.loads(row["last_key"]) if row["has_more"] else None
        )

    async def documents(
        self,
        connection: Connection,
        caller: Caller,
        ids: list[int],
        form: str = "documents",
        parents: Sequence[int] = (),
    ) -> bytes:
        """The documents of ``ids`` in that order, joined by commas; unknown ids are left out.

        ``form`` is ``documents`` or ``writables``.
        """
        page = batch_page([caller.organization_id, *parents], ids)
        text = SHARED["collect_batch"].fill(documents=self.statements[form].fill(page=page.text))
        documents: bytes = await connection.fetchval(text, *page.parameters)
        return documents

    async def require_parents(
        self, connection: Connection, caller: Caller, parents: Sequence[int]
    ) -> None:
        """Raise ``not_found`` for the first of the parents that is not there."""
        if parents:
            statement = self.statements["unknown_parent"].text
            unknown = await connection.fetchval(statement, caller.organization_id, *parents)
            if unknown:
                raise failure("not_found", unknown, "There is no such record.")
