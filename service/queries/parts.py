"""Parts of records that have a path of their own (contract, Parts).

What a record's own writes leave alone is read and replaced below it, as a whole. To the engine a
part is its owner's record seen from another side: the same row is locked, and what changes is a
change of the owner; documents, writable form and statements are the part's.
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
from service.queries.change_recorder import SHOWN, ChangeRecorder
from service.queries.master_record import MasterRecord, WriteSet
from service.queries.resource import Resource
from service.schemas.extra_checks import duplicate_errors
from service.schemas.validation import Validator


class RecordPart(MasterRecord):
    """A part of a record of ``owner``: ``schemas/<name>.json`` and ``sql/<name>.sql``.

    Each row that its statements answer tells that the record has changed. The row's ``id`` is what
    others show, where ``shown`` says that they show something else now: the ``shown_in_…``
    statements take these ids.
    """

    owner: ClassVar[type[MasterRecord]]
    is_patched = False
    hides_deleted = False
    keeps_omitted = True
    updates = ()
    named_once: ClassVar[tuple[str, ...]] = ()
    """Members that no two entries of a list which is the body may share."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.table = cls.owner.table
        cls.stored_state = cls.owner.stored_state
        cls.locks_organization = cls.owner.locks_organization
        cls.foreign_is_forbidden = cls.owner.foreign_is_forbidden

    def __init__(self) -> None:
        Resource.__init__(self)
        self.key_fields = ()
        self.own_key = self.own_key_within = None
        self.can_be_in_use = False
        self.replace_form = Validator(
            self.name, "replace", self.item_errors, rules_of_list=self.list_errors
        )

    @property
    def collection(self) -> str:
        """The owner's."""
        return self.owner.name

    @property
    def key_column(self) -> str:
        """The owner's: outcomes of a part name the owner's record."""
        key_fields = schemas.key_fields(self.owner.name)
        return column_of(key_fields[0]) if key_fields else "null::text"

    def list_errors(self, entries: Sequence[Any]) -> Iterator[ErrorDetail]:
        """What is wrong with the list that a body is, beyond what its schema says."""
        for name in self.named_once:
            yield from duplicate_errors(enumerate(entries), name)

    def record_id(self, batch: Batch) -> int:
        """The owner's record that the batch is about: a part is written alone."""
        return batch.ids[0]

    def outcome_id(self, batch: Batch, item: Item) -> int:  # noqa: ARG002
        """Return the id of the owner's record."""
        return self.record_id(batch)

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """What leads from the stored part to the one that was sent."""
        return await self.plan(connection, change.upserts) if change.upserts.items else []

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """The same for a batch of one item; reports to it what the database shows to be wrong."""
        raise NotImplementedError

    def step(self, name: str, *parameters: Any) -> BoundStatement:
        """The statement of that name, with its parameters after the organization."""
        return BoundStatement(self.statements[name].text, parameters)

    async def fetch(
        self, connection: Connection, batch: Batch, name: str, *parameters: Any
    ) -> Sequence[asyncpg.Record]:
        """The rows of the statement of that name, with its parameters after the organization."""
        text, organization_id = self.statements[name].text, batch.caller.organization_id
        found: Sequence[asyncpg.Record] = await connection.fetch(text, organization_id, *parameters)
        return found

    def collect_changes(self, changed: ChangeRecorder, batch: Batch, rows: Sequence[asyncpg.Record]) -> None:
        """Whatever a statement changed is a change of the owner's record."""
        if rows:
            changed.ids[self.collection].add(self.record_id(batch))
        changed.causes[self.name].update(row["id"] for row in rows if row.get(SHOWN))

    def changed_ids(self, changed: ChangeRecorder, batch: Batch) -> Container[int]:
        """The batch's one item, if anything changed."""
        return batch.ids if changed.ids else ()
