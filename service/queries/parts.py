"""Record parts: sub-resources of records with paths of their own (contract, Parts).

Writes of a record do not take its parts, though some change them: languages of a color, sizes of a
sample request, hard deletes. A part is read and replaced as a whole, and some take patches. A
sample request has such a part for each requested size. A write of a part locks its owner's row. The
change feed shows it as a change of the part's collection, which has one record for each owner
(``service/queries/part_collections.py``).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import asyncpg

from service import schemas
from service.database.connections import Connection
from service.database.statements import Statement
from service.errors import ErrorDetail
from service.listing.page_sql import column_of
from service.queries.batch import Batch, Item
from service.queries.bound_statements import BoundStatement, WritePlan
from service.queries.master_record import MasterRecord
from service.queries.path_keys import KeyLookup
from service.queries.writable_resource import WritableResource
from service.queries.write_set import WriteSet
from service.schemas.extra_checks import duplicate_errors
from service.schemas.validation import Validator


class RecordPart(WritableResource):
    """Part of a record of ``owner``: ``schemas/<name>.json`` and ``sql/<name>.sql``.

    Rows that write statements return have the owner's id in ``id``, if they have that column: the
    id of the changed record of the part's collection (``service/queries/change_recorder.py``). The
    fragment ``filled`` is the condition of the owners, as ``record``, whose part is not empty.
    """

    owner: ClassVar[type[MasterRecord]]
    is_patched = False
    keeps_omitted = True
    named_once: ClassVar[tuple[str, ...]] = ()
    """Members that must differ between the entries of the list; true is a value, false is none."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.stored_state = self.owner.table, self.owner.stored_state
        self.locks_organization = self.owner.locks_organization
        self.foreign_is_forbidden = self.owner.foreign_is_forbidden
        # Outcomes of a part name the owner's record.
        for name in schemas.key_fields(self.owner.name)[:1]:
            self.key_column = column_of(name)
        if not self.parents:
            lookup = KeyLookup.of(self.owner.name, self.table, self.stored_state)
            self.key_lookups = {self.key: lookup}
        if self.list_name:
            self.validators["replace"] = Validator(
                self.name, "replace", rules_of_list=self._list_errors
            )

    @property
    def collection(self) -> str:
        """Name of the owner's collection; the part's own collection is called ``name``."""
        return self.owner.name

    @property
    def fan_outs(self) -> Mapping[str, Mapping[str, Statement]]:
        """Fan-out statements by the name of the cause, then as ``shown_in``."""
        return {self.name: self.shown_in}

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements of the SQL file, and the forms of a single part in their place."""
        return {**super()._load_statements(), **self.forms()}

    def forms(self, owner_field: str = "") -> Mapping[str, Statement]:
        """Return the statements of documents and writables, by name.

        With ``owner_field`` they render records of the part's collection, which have the owner's id
        under that name.
        """
        if owner_field:
            member = f'"{self.list_name}":' if self.list_name else ""
            opening = f"'{{\"{owner_field}\":' || page.id || ',{member}' || "
        else:
            opening = "" if self.list_name else "'{' || "
        closing = " || '}'" if opening else ""
        return {
            name: shape.bind(opening=opening, closing=closing)
            for name, shape in self.shapes().items()
        }

    def shapes(self) -> Mapping[str, Statement]:
        """Return ``documents`` and ``writables``, with the slots ``opening`` and ``closing``."""
        raise NotImplementedError

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield the errors of an item of the collection, or of a body that is an object.

        They are those beyond the schema.
        """
        entries = item.get(self.list_name)
        if isinstance(entries, list):
            for name in self.named_once:
                yield from duplicate_errors(enumerate(entries), name, self.list_name)

    def _list_errors(self, entries: Sequence[Any]) -> Iterator[ErrorDetail]:
        """Yield the errors of a body that is a list, beyond its schema."""
        for name in self.named_once:
            yield from duplicate_errors(enumerate(entries), name)

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the plan of the upserts, [] without any; parts are never deleted."""
        return await self.plan(connection, write_set.upserts) if write_set.upserts.items else []

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the plan that makes the stored parts equal to the items, at least one.

        Add the errors that the database reveals to the batch, and note parts that become filled or
        empty (``Batch.note_part``). The owners are locked.
        """
        raise NotImplementedError

    def bound(self, name: str, *parameters: Any) -> BoundStatement:
        """Return the named statement with its parameters after the organization."""
        return BoundStatement(self.statements[name].text, parameters)

    async def fetch(
        self, connection: Connection, batch: Batch, name: str, *parameters: Any
    ) -> Sequence[asyncpg.Record]:
        """Return the rows of the named statement, given its parameters after the organization."""
        text, organization_id = self.statements[name].text, batch.caller.organization_id
        rows: Sequence[asyncpg.Record] = await connection.fetch(text, organization_id, *parameters)
        return rows
