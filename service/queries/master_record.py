"""Master record: interface between a resource and the write engine (contract, Surface).

A resource is a subclass of :class:`MasterRecord` with the statements of its SQL file.
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
    """Write set: the items that a batch stores and deletes, with their records locked.

    ``upserts`` and ``deletes`` exclude items that have failed.
    """

    batch: Batch
    """All items, in request order."""
    upserts: Batch
    """Items to insert or update."""
    deletes: Batch
    """Items whose records are to be deleted."""
    live_deletes: list[int]
    """Ids of ``deletes`` whose records are not deleted yet."""
    created_ids: Sequence[int] = ()
    """Ids of the records to insert."""
    restored_ids: Sequence[int] = ()
    """Ids of ``upserts`` whose records are deleted now."""


class LockedRow(asyncpg.Record):  # type: ignore[misc]  # asyncpg has no types
    """Row of a stored record as the locking statement returned it."""

    @property
    def state(self) -> str:
        """The state before the write."""
        return str(self["state"])

    @property
    def key(self) -> str | None:
        """The own key before the write, if any."""
        return self["key"]  # type: ignore[no-any-return]


class Dependency(NamedTuple):
    """Dependency between items: ``id`` fails with this error if ``depends_on`` fails."""

    id: int
    depends_on: int
    type: str
    field: str
    message: str


class MasterRecord(Resource):
    """Base class of the resources that callers write.

    Statements by name, with ``$1`` the organization:

    - ``inserts``, ``updates`` and ``children`` take the items as JSON in ``$2``; ``children`` run
      last.
    - ``check`` takes the items as well and returns a row (item from 1, type, path as a JSON array,
      message) for each error.
    - ``deletes`` take ids in ``$2``, as ``id_array`` writes them, and delete the records.
    - ``in_use`` takes ids as well and returns (id, message) of the records that others use.

    Deletes run before updates and inserts, so that a deleted record's unique values are free for
    the other items. Each write statement returns the ids that it changed
    (``service/queries/change_recorder.py``).
    """

    table: ClassVar[str]
    stored_state: ClassVar[str] = "state"
    """Column of the state; for records without one, a literal."""
    hides_deleted = True
    has_position: ClassVar[bool] = False
    """Whether records have a position; creates number on from the highest one."""
    locks_organization: ClassVar[bool] = False
    """Whether writes change records that they do not name, and so lock the organization."""
    unique_fields: ClassVar[tuple[str, ...]] = ()
    """Fields whose values must differ between the live items of a request."""
    keeps_omitted: ClassVar[bool] = False
    """Whether a replace leaves omitted fields unchanged."""
    list_name: ClassVar[str] = ""
    """Member under which items store the list, if bodies are lists."""
    is_patched: ClassVar[bool] = True
    """Whether a single record has PATCH."""
    references: ClassVar[tuple[Reference, ...]] = ()
    """References to records that must exist and stay undeleted during the write."""
    uses: ClassVar[tuple[ReferencedBy, ...]] = ()
    """References from other records, which prevent a delete."""
    written_separately: ClassVar[tuple[str, ...]] = ()
    """Fields that the class writes itself: ``$2`` of the statements omits them."""
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
        """Column of the own key, or a null literal if records have none."""
        return column_of(self.own_key) if self.own_key else "null::text"

    @property
    def within_column(self) -> str:
        """Column of the parent within which the own key is looked up, or a null literal."""
        return column_of(self.own_key_within) if self.own_key_within else "null::bigint"

    def lock_text(self, strength: str) -> str:
        """Return the statement that locks rows by id, ``$2``; it returns id, state and own key."""
        return self._locking(strength, SHARED["id_is_sent"].text)

    def lock_by_key_text(self, strength: str) -> str:
        """Return the statement that locks rows by own key, ``$2``, and any parent id, ``$3``."""
        columns = {"table": self.table, "key": self.key_column}
        if self.own_key_within:
            within = self.within_column
            return self._locking(
                strength, SHARED["key_within_is_sent"].fill(**columns, within=within)
            )
        return self._locking(strength, SHARED["key_is_sent"].fill(**columns))

    def _locking(self, strength: str, condition: str) -> str:
        columns = (self.stored_state, self.key_column, self.within_column)
        return _lock_text(self.table, *columns, condition, strength)

    def collect_changes(
        self,
        recorder: ChangeRecorder,
        batch: Batch,  # noqa: ARG002
        rows: Sequence[asyncpg.Record],
    ) -> None:
        """Record the ids that a write statement returned."""
        recorder.collect(self.name, rows)

    def changed_ids(self, recorder: ChangeRecorder, batch: Batch) -> Container[int]:  # noqa: ARG002
        """Return the ids of the items whose records the write changed."""
        return recorder.ids[self.name]

    def outcome_id(self, batch: Batch, item: Item) -> int:  # noqa: ARG002
        """Return the id of the record that the outcome of an item names."""
        record_id: int = item["id"]
        return record_id

    def _form(self, name: str) -> Validator:
        return Validator(self.name, name, self.item_errors)

    def item_errors(self, item: Item) -> Iterable[ErrorDetail]:  # noqa: ARG002
        """Return the errors of a single item beyond its schema.

        The item may violate its schema, too.
        """
        return ()

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the plan for the children of the upserts.

        Add the errors that only the database reveals to the batch.
        """
        upserts = write_set.upserts
        # The check statement reads referenced records, which others could delete meanwhile.
        # References lock them, so they are checked first.
        for reference in self.references:
            await reference.check(connection, upserts)
        if "check" in self.statements and upserts.items:
            upserts.fail_all(
                await connection.fetch(
                    self.statements["check"].text,
                    upserts.caller.organization_id,
                    upserts.json(self.written_separately),
                )
            )
        return self.item_statements(self.children, upserts)

    async def check_unused(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the plan that clears references to the records to delete.

        Add ``conflict.in_use`` to the batch for records that live records use.
        """
        clearing_plan: WritePlan = []
        if write_set.live_deletes and self.uses:
            counts = await in_use(
                connection, write_set.batch.caller, self.uses, write_set.live_deletes
            )
            write_set.deletes.fail_records(usage_messages(counts), ErrorType.CONFLICT_IN_USE)
            nouns = {noun for counts_by_noun in counts.values() for noun in counts_by_noun}
            clearing_names = [use.cleared_by for use in self.uses if use.noun in nouns]
            clearing_plan = self.id_statements(write_set.live_deletes, filter(None, clearing_names))
        if write_set.live_deletes and "in_use" in self.statements:
            text, organization_id = (
                self.statements["in_use"].text,
                write_set.batch.caller.organization_id,
            )
            rows = await connection.fetch(text, organization_id, id_array(write_set.live_deletes))
            write_set.deletes.fail_records(dict(map(tuple, rows)), ErrorType.CONFLICT_IN_USE)
        return clearing_plan

    async def dependencies(
        self,
        connection: Connection,  # noqa: ARG002
        write_set: WriteSet,  # noqa: ARG002
        stored: Mapping[int, LockedRow],  # noqa: ARG002
    ) -> Iterable[Dependency]:
        """Return the dependencies between the items of the batch.

        They replace the check rounds that would find them one by one.
        """
        return ()

    def item_statements(self, names: Iterable[str], batch: Batch) -> WritePlan:
        """Bind the named statements to the batch's items."""
        if not batch.items:
            return []
        items = batch.json(self.written_separately)
        return [BoundStatement(self.statements[name].text, (items,)) for name in names]

    def id_statements(self, ids: list[int], names: Iterable[str]) -> WritePlan:
        """Bind the named statements to the ids of records to delete."""
        if not ids:
            return []
        ids_parameter = id_array(ids)
        return [BoundStatement(self.statements[name].text, (ids_parameter,)) for name in names]

    def constraint_error(
        self,
        batch: Batch,  # noqa: ARG002
        error: asyncpg.IntegrityConstraintViolationError,  # noqa: ARG002
    ) -> ApiError | None:
        """Return the error for a constraint violation after all checks; None if it is a defect."""
        return None

    async def last_documents(
        self,
        connection: Connection,  # noqa: ARG002
        write_set: WriteSet,  # noqa: ARG002
    ) -> Mapping[int, bytes]:
        """Return the last documents of hard-deleted records, by id; read before the delete."""
        return {}


@cache
def _lock_text(table: str, state: str, key: str, within: str, condition: str, strength: str) -> str:
    return SHARED["lock_records"].fill(
        table=table, state=state, key=key, within=within, sent=condition, strength=strength
    )
