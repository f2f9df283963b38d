"""Record part: sub-resource of a record with a path of its own (contract, Parts).

A record's own writes leave its parts unchanged; a part is read and replaced as a whole. A write of
a part locks its owner's row and is recorded as a change of the owner. Documents, writable form and
statements are the part's own.
"""

from collections.abc import Container, Iterator, Sequence
from typing import Any, ClassVar

import asyncpg

from service import schemas
from service.database.connections import Connection
from service.errors import ErrorDetail
from service.listing.page_sql import column_of
from service.queries.batch import Batch, Item
from service.queries.bound_statements import BoundStatement, WritePlan
from service.queries.change_recorder import SHOWN, ChangeRecorder, Rows
from service.queries.master_record import MasterRecord
from service.queries.path_keys import KeyLookup
from service.queries.writable_resource import WritableResource
from service.queries.write_set import WriteSet
from service.schemas.extra_checks import duplicate_errors
from service.schemas.validation import Validator


class RecordPart(WritableResource):
    """Part of a record of ``owner``: ``schemas/<name>.json`` and ``sql/<name>.sql``.

    Each row that a write statement returns means that the owner has changed. If its ``shown`` is
    true, the row's ``id`` is a cause: the ``shown_in_<collection>`` statements find the records
    that show it.
    """

    owner: ClassVar[type[MasterRecord]]
    is_patched = False
    keeps_omitted = True
    named_once: ClassVar[tuple[str, ...]] = ()
    """Members that must differ between the entries of a body that is a list."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.stored_state = self.owner.table, self.owner.stored_state
        self.locks_organization = self.owner.locks_organization
        self.foreign_is_forbidden = self.owner.foreign_is_forbidden
        # Outcomes of a part name the owner's record.
        for name in schemas.key_fields(self.owner.name)[:1]:
            self.key_column = column_of(name)
        if not self.parents:
            self.key_lookups = {self.key: KeyLookup.of(self.owner)}
        self.replace_form = Validator(
            self.name, "replace", self.item_errors, rules_of_list=self.list_errors
        )

    @property
    def collection(self) -> str:
        """Name of the owner's collection."""
        return self.owner.name

    def list_errors(self, entries: Sequence[Any]) -> Iterator[ErrorDetail]:
        """Yield the errors of a body that is a list, beyond its schema."""
        for name in self.named_once:
            yield from duplicate_errors(enumerate(entries), name)

    def record_id(self, batch: Batch) -> int:
        """Return the id of the owner's record; a batch of a part has one item."""
        return batch.ids[0]

    def outcome_id(self, batch: Batch, item: Item) -> int:  # noqa: ARG002
        """Return the id of the owner's record."""
        return self.record_id(batch)

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the plan that makes the stored part equal to the item."""
        return await self.plan(connection, write_set.upserts) if write_set.upserts.items else []

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the plan for a batch of one item; add the errors that the database reveals."""
        raise NotImplementedError

    def step(self, name: str, *parameters: Any) -> BoundStatement:
        """Bind the named statement to its parameters after the organization."""
        return BoundStatement(self.statements[name].text, parameters)

    async def fetch(
        self, connection: Connection, batch: Batch, name: str, *parameters: Any
    ) -> Sequence[asyncpg.Record]:
        """Return the rows of the named statement, given its parameters after the organization."""
        text, organization_id = self.statements[name].text, batch.caller.organization_id
        rows: Sequence[asyncpg.Record] = await connection.fetch(text, organization_id, *parameters)
        return rows

    def collect_changes(self, recorder: ChangeRecorder, batch: Batch, rows: Rows) -> None:
        """Record a change of the owner if the statement returned rows."""
        if rows:
            recorder.ids[self.collection].add(self.record_id(batch))
        recorder.causes[self.name].update(row["id"] for row in rows if row.get(SHOWN))

    def changed_ids(self, recorder: ChangeRecorder, batch: Batch) -> Container[int]:
        """Return the batch's ids if the write changed anything, else nothing."""
        return batch.ids if recorder.ids else ()
