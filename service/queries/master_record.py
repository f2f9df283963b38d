"""Master records: what a resource says of itself for the engine to write it (contract, Surface).

A resource is a subclass of :class:`MasterRecord` and the statements of its SQL file.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

import asyncpg

from service import schemas
from service.database.connections import Connection
from service.database.id_arrays import id_array
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail
from service.listing.page_sql import column_of
from service.queries.batch import Batch, Item
from service.queries.bound_statements import BoundStatement, WritePlan
from service.queries.change_recorder import ChangeRecorder
from service.queries.references import Reference, ReferencedBy, in_use, usage_messages
from service.queries.resource import SHARED, Resource
from service.schemas.validation import Validator


@dataclass(frozen=True, slots=True)
class WriteSet:
    """What a batch is about to do, its records being locked.

    Of items that failed so far neither part has any.
    """

    batch: Batch
    """All items, in request order."""
    upserts: Batch
    """Those to be stored."""
    deletes: Batch
    """Those whose records are deleted."""
    live_deletes: list[int]
    """Of these the ids that are not deleted yet."""
    created_ids: Sequence[int] = ()
    """The ids of records that it makes."""
    restored_ids: Sequence[int] = ()
    """The ids of records to be stored that are deleted so far."""


class LockedRow(asyncpg.Record):  # type: ignore[misc]  # asyncpg has no types
    """What is known of a record that was there before: the row that locked it, as it came."""

    @property
    def state(self) -> str:
        """Its state."""
        return str(self["state"])

    @property
    def key(self) -> str | None:
        """Its own key."""
        return self["key"]  # type: ignore[no-any-return]


class Dependency(NamedTuple):
    """That the item of one record fails, and why, where that of another one fails."""

    id: int
    depends_on: int
    type: str
    field: str
    message: str


class MasterRecord(Resource):
    """One of the resources that callers write.

    Statements by name, each with ``$1`` the organization and ``$2`` the items as JSON:
    those of ``inserts``, of ``updates``, and of ``children``, which run after both; ``check``
    answers a row (item from 1, type, path, message) for each thing that is wrong with items, the
    path as a JSON array. With ``$2`` ids, as ``id_array`` has them: those of ``deletes`` mark
    records deleted and see to what hangs on them, and ``in_use`` answers (id, message) of those
    that others need. Deletes come before updates: what a deleted record held is free for the others
    of its request.

    Each answers what it changed (``service/queries/change_recorder.py``).
    """

    table: ClassVar[str]
    stored_state: ClassVar[str] = "state"
    """The column of the state; of records without one, the literal that says what they are."""
    hides_deleted = True
    has_position: ClassVar[bool] = False
    """Whether records have a position, which creating counts on from the highest."""
    locks_organization: ClassVar[bool] = False
    """Whether its writes concern records that they do not name, so that one goes at a time."""
    unique_fields: ClassVar[tuple[str, ...]] = ()
    """Fields whose values no two live items of a request may share."""
    keeps_omitted: ClassVar[bool] = False
    """Whether a replace leaves as it is what an item does not say."""
    list_name: ClassVar[str] = ""
    """Where bodies are lists, by what name items have them."""
    is_patched: ClassVar[bool] = True
    """Whether there is a PATCH of one."""
    references: ClassVar[tuple[Reference, ...]] = ()
    """What records refer to and nobody may delete meanwhile."""
    uses: ClassVar[tuple[ReferencedBy, ...]] = ()
    """Who refers to records, which are not deleted then."""
    written_separately: ClassVar[tuple[str, ...]] = ()
    """Fields that the class writes in its own way: the items of statements are without them."""
    inserts: ClassVar[tuple[str, ...]] = ("insert",)
    updates: ClassVar[tuple[str, ...]] = ("update",)
    children: ClassVar[tuple[str, ...]] = ()
    deletes: ClassVar[tuple[str, ...]] = ("delete",)

    def __init__(self) -> None:
        super().__init__()
        self.key_fields = schemas.key_fields(self.name)
        self.own_key, self.own_key_within = (*self.key_fields, None, None)[:2]
        self.can_be_in_use = bool(self.uses) or "in_use" in self.statements
        self.create_form = self._form("create")
        self.replace_form = self._form("replace")
        self.bulk_create_form = self._form("bulkCreate")
        self.bulk_replace_form = self._form("bulkReplace")
        self.bulk_merge_form = self._form("bulkMerge")
        if self.own_key:
            self.bulk_replace_by_key_form = self._form("bulkReplaceByKey")
            self.bulk_merge_by_key_form = self._form("bulkMergeByKey")

    @property
    def key_column(self) -> str:
        """The own key's column, or nothing where records have none."""
        return column_of(self.own_key) if self.own_key else "null::text"

    @property
    def within_column(self) -> str:
        """The column of the record within which the own key names one, or nothing."""
        return column_of(self.own_key_within) if self.own_key_within else "null::bigint"

    def lock_text(self, strength: str) -> str:
        """The statement that locks the records of ids, ``$2``: it answers id, state and own key."""
        return self._locking(strength, SHARED["id_is_sent"].text)

    def lock_by_key_text(self, strength: str) -> str:
        """The same of own keys, ``$2``, and of the ids that these are within, if any, ``$3``."""
        columns = {"table": self.table, "key": self.key_column}
        if self.own_key_within:
            within = self.within_column
            return self._locking(
                strength, SHARED["key_within_is_sent"].fill(**columns, within=within)
            )
        return self._locking(strength, SHARED["key_is_sent"].fill(**columns))

    def _locking(self, strength: str, sent: str) -> str:
        columns = (self.stored_state, self.key_column, self.within_column)
        return _lock_text(self.table, *columns, sent, strength)

    def collect_changes(
        self,
        changed: ChangeRecorder,
        batch: Batch,  # noqa: ARG002
        rows: Sequence[asyncpg.Record],
    ) -> None:
        """Take note of what a statement that wrote the batch's items answered."""
        changed.collect(self.name, rows)

    def changed_ids(self, changed: ChangeRecorder, batch: Batch) -> Container[int]:  # noqa: ARG002
        """The ids of those items of the batch that the write changed anything of."""
        return changed.ids[self.name]

    def outcome_id(self, batch: Batch, item: Item) -> int:  # noqa: ARG002
        """Return the id of the record that the outcome of an item names."""
        record_id: int = item["id"]
        return record_id

    def _form(self, name: str) -> Validator:
        return Validator(self.name, name, self.item_errors)

    def item_errors(self, item: Item) -> Iterable[ErrorDetail]:  # noqa: ARG002
        """What an item alone shows to be wrong beyond its schema, which it may break too."""
        return ()

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """What hangs on the kept records and has to be written.

        Reports to the batch what the database shows to be wrong with its items.
        """
        kept = change.upserts
        # First, for they hold what they look at: what the statement sees then stays so.
        for reference in self.references:
            await reference.check(connection, kept)
        if "check" in self.statements and kept.items:
            kept.fail_all(
                await connection.fetch(
                    self.statements["check"].text,
                    kept.caller.organization_id,
                    kept.json(self.written_separately),
                )
            )
        return self.item_statements(self.children, kept)

    async def check_unused(self, connection: Connection, change: WriteSet) -> WritePlan:
        """What has to be done before records can go; reports those that others need."""
        room: WritePlan = []
        if change.live_deletes and self.uses:
            counts = await in_use(connection, change.batch.caller, self.uses, change.live_deletes)
            change.deletes.fail_records(usage_messages(counts), ErrorType.CONFLICT_IN_USE)
            users = {one for found in counts.values() for one in found}
            clearing = [use.cleared_by for use in self.uses if use.noun in users]
            room = self.id_statements(change.live_deletes, filter(None, clearing))
        if change.live_deletes and "in_use" in self.statements:
            text, organization_id = (
                self.statements["in_use"].text,
                change.batch.caller.organization_id,
            )
            rows = await connection.fetch(text, organization_id, id_array(change.live_deletes))
            change.deletes.fail_records(dict(map(tuple, rows)), ErrorType.CONFLICT_IN_USE)
        return room

    async def dependencies(
        self,
        connection: Connection,  # noqa: ARG002
        change: WriteSet,  # noqa: ARG002
        stored: Mapping[int, LockedRow],  # noqa: ARG002
    ) -> Iterable[Dependency]:
        """Which items cannot do without which others: what ``check`` would find round by round."""
        return ()

    def item_statements(self, names: Iterable[str], batch: Batch) -> WritePlan:
        """The statements of those names on the batch's items."""
        if not batch.items:
            return []
        items = batch.json(self.written_separately)
        return [BoundStatement(self.statements[name].text, (items,)) for name in names]

    def id_statements(self, ids: list[int], names: Iterable[str]) -> WritePlan:
        """The statements of those names on records that go."""
        if not ids:
            return []
        sent = id_array(ids)
        return [BoundStatement(self.statements[name].text, (sent,)) for name in names]

    def constraint_error(
        self,
        batch: Batch,  # noqa: ARG002
        error: asyncpg.IntegrityConstraintViolationError,  # noqa: ARG002
    ) -> ApiError | None:
        """What a constraint that spoke after all checks means; None where it is a defect."""
        return None

    async def last_documents(
        self,
        connection: Connection,  # noqa: ARG002
        change: WriteSet,  # noqa: ARG002
    ) -> Mapping[int, bytes]:
        """The documents of records of which nothing is left to read once they are deleted."""
        return {}


@cache
def _lock_text(table: str, state: str, key: str, within: str, sent: str, strength: str) -> str:
    return SHARED["lock_records"].fill(
        table=table, state=state, key=key, within=within, sent=sent, strength=strength
    )
