"""Writable resource: interface between the write engine and what it writes (contract, Surface).

Three kinds implement it: master records, their parts, and the collections of parts.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final

import asyncpg

from service.database.connections import Connection
from service.errors import ApiError, ErrorDetail
from service.organizations.caller import Caller
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.change_recorder import ChangeRecorder, Rows
from service.queries.references import Reference
from service.queries.resource import SHARED, DocumentRequest, Resource
from service.queries.write_set import Dependency, LockedRow, WriteSet
from service.schemas.validation import Validator

FOR_NO_KEY_UPDATE: Final = "for no key update"
"""Row lock of writes that keep all records."""
FOR_UPDATE: Final = "for update"
"""Row lock of writes that delete records."""


class WritableResource(Resource):
    """Base class of what is written: attributes and hooks that the write engine uses.

    Methods that raise NotImplementedError are required; the others are hooks with a default.
    """

    table: str
    stored_state: str = "state"
    """Column of the state; for records without one, a literal."""
    locks_organization: bool = False
    """Whether writes change records that they do not name, and so lock the organization."""
    has_position: ClassVar[bool] = False
    """Whether records have a position; creates number on from the highest one."""
    keeps_omitted: ClassVar[bool] = False
    """Whether a replace leaves omitted fields unchanged."""
    is_patched: ClassVar[bool] = True
    """Whether PATCH of a single record is available."""
    list_name: ClassVar[str] = ""
    """Member under which items store the list, if bodies are lists."""
    resolves_scope: ClassVar[bool] = False
    """Whether the resource itself resolves keys within the ``reference_scope``."""
    references: ClassVar[tuple[Reference, ...]] = ()
    """References to records that must exist and stay undeleted during the write."""
    parts: ClassVar[tuple[str, ...]] = ()
    """Parts of the records; their collections have the same ids."""
    unique_fields: ClassVar[tuple[str, ...]] = ()
    """Fields whose values must differ between the live items of a request."""
    own_key: str | None = None
    """Field with the own key of the items, if any."""
    own_key_within: str | None = None
    """Field with the parent within which the own key is looked up, if any."""
    key_column: str = "null::text"
    """Column of the own key, or a null literal."""
    within_column: str = "null::bigint"
    """Column of ``own_key_within``, or a null literal."""
    replace_form: Validator
    bulk_replace_form: Validator
    bulk_merge_form: Validator

    @property
    def tagged_resource(self) -> "WritableResource":
        """Resource whose representations have the entity tags of the records."""
        return self

    def lock_text(self, strength: str) -> str:
        """Return the statement that locks rows by id, ``$2``; it returns a ``LockedRow`` each."""
        return self._locks_by_id[strength]

    @cached_property
    def _locks_by_id(self) -> Mapping[str, str]:
        return self.locking_texts(SHARED["id_is_sent"].text)

    def locking_texts(self, condition: str) -> Mapping[str, str]:
        """Return the statements that lock the rows of a condition, by lock strength."""
        lock = SHARED["lock_records"].bind(
            table=self.table,
            state=self.stored_state,
            key=self.key_column,
            within=self.within_column,
            sent=condition,
        )
        strengths = (FOR_NO_KEY_UPDATE, FOR_UPDATE)
        return {strength: lock.fill(strength=strength) for strength in strengths}

    @cached_property
    def merge_form(self) -> Validator:
        """Return the validator of a merge patch of one record."""
        return Validator(self.name, "merge", self.item_errors)

    def item_errors(self, item: Item) -> Iterable[ErrorDetail]:  # noqa: ARG002
        """Return the errors of a single item beyond its schema.

        The item may violate its schema, too.
        """
        return ()

    def list_errors(self, entries: Sequence[Any]) -> Iterable[ErrorDetail]:  # noqa: ARG002
        """Return the errors of a body that is a list, beyond its schema."""
        return ()

    def reference_scope(self, batch: Batch, item: Item) -> int | None:  # noqa: ARG002
        """Return the id of the record within which keys without a parent are looked up."""
        return None

    async def identify(
        self,
        connection: Connection,  # noqa: ARG002
        batch: Batch,  # noqa: ARG002
        *,
        skip_failed: bool,  # noqa: ARG002
    ) -> None:
        """Set the ids of items that name their records by keys; add errors for unknown keys."""
        return

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the plan for children, links or parts; add the errors that stored data show."""
        raise NotImplementedError

    async def check_unused(
        self,
        connection: Connection,  # noqa: ARG002
        write_set: WriteSet,  # noqa: ARG002
    ) -> WritePlan:
        """Return the plan to run before the deletes; add errors for records in use."""
        return []

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

    def last_documents(self, write_set: WriteSet) -> DocumentRequest | None:  # noqa: ARG002
        """Return the request for the last documents of hard-deleted records, read before."""
        return None

    def record_statements(self, write_set: WriteSet) -> WritePlan:  # noqa: ARG002
        """Return the plan for the records themselves; it runs before that of dependent rows."""
        return []

    def constraint_error(
        self,
        batch: Batch,  # noqa: ARG002
        error: asyncpg.IntegrityConstraintViolationError,  # noqa: ARG002
    ) -> ApiError | None:
        """Return the error for a constraint violation after all checks; None if it is a defect."""
        return None

    def collect_changes(self, recorder: ChangeRecorder, batch: Batch, rows: Rows) -> None:
        """Record the changes that the rows of a write statement report."""
        raise NotImplementedError

    def changed_ids(self, recorder: ChangeRecorder, batch: Batch) -> Container[int]:
        """Return the ids of the items that the write changed."""
        raise NotImplementedError

    def outcome_id(self, batch: Batch, item: Item) -> int:
        """Return the id of the record that the outcome of an item names."""
        raise NotImplementedError

    async def key_texts(
        self,
        connection: Connection,  # noqa: ARG002
        caller: Caller,  # noqa: ARG002
        keys: Collection[Any],  # noqa: ARG002
    ) -> Mapping[Any, str]:
        """Return the texts that outcomes show of own keys that are references, by key."""
        return {}
