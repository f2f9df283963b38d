"""Writable resource: interface between the write engine and what it writes (contract, Surface).

Three kinds implement it: master records, their parts, and the collections of parts.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final

import asyncpg

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.entry import Item
from service.batches.write_set import Dependency, WriteSet
from service.database.statements import SHARED
from service.errors import ApiError, ErrorDetail
from service.limits import MAX_RECORD_BYTES
from service.records.references import Reference
from service.records.resource import Resource
from service.schemas.validation import Validator, no_rules

_FORMS: Final = (
    *("create", "replace", "merge"),
    *("bulkCreate", "bulkReplace", "bulkMerge", "bulkReplaceByKey", "bulkMergeByKey"),
)
FOR_NO_KEY_UPDATE: Final = "for no key update"
"""Row lock of writes that keep all records."""
FOR_UPDATE: Final = "for update"
"""Row lock of writes that delete at least one record; it holds for all of their records."""


class WritableResource(Resource):
    """Base class of what is written: attributes and hooks that the write engine uses.

    Methods that raise NotImplementedError are required; the others are hooks with a default.
    """

    table: str
    stored_state: str = "state"
    """Column of the state; for records without one, a literal."""
    locks_organization: bool | tuple[bytes, ...] = False
    """Whether writes lock the organization, for they change or judge records they do not name.

    By words, a replace whose body has none of them begins without the lock, so that parallel ones
    need not wait, and again with it if it must (``WriteSet.require_organization_lock``).
    """
    keeps_omitted: bool = False
    """Whether a replace leaves omitted and null fields unchanged; of parts, only the own key."""
    is_patched: ClassVar[bool] = True
    """Whether PATCH of a single record is available."""
    list_name: ClassVar[str] = ""
    """Member under which items store the list, if bodies are lists."""
    scope_field: str = ""
    """Field of items with the id of the record within which keys without a parent are looked up.

    Without such an id it is the first parent of the path, or the parent of the stored record.
    """
    sizes_of: ClassVar[str] = ""
    """Statement that leads from ids in ``scope_field`` to size ranges, for keys of sizes."""
    references: tuple[Reference, ...] = ()
    """References to records that must exist and stay undeleted; checks lock these records."""
    parts: ClassVar[Mapping[str, str]] = {}
    """Parts of the records: SQL conditions of records whose part is not empty, by name.

    Parts set this on their owner. The collections of parts have the same ids.
    """
    unique_fields: ClassVar[tuple[str, ...]] = ()
    """Fields whose values must differ between the live items of a request.

    A boolean may be true in one item, and its write may change that of others. A bulk merge
    therefore leaves out such fields that its item does not have.
    """
    always_unique: tuple[tuple[str, str | None], ...] = ()
    """Keys that no two live records share: a field, and the field of the parent if it has one."""
    own_key: str | None = None
    """Field with the own key of the items; None if there is none, as for parts."""
    own_key_within: str | None = None
    """Field with the parent within which the own key is looked up; None if keys have none."""
    key_columns: tuple[str, str] = ("null::text", "null::bigint")
    """Columns of the own key, for parts the owner's, and of ``own_key_within``; null literals."""

    stored_fields: Mapping[str, str] = {}
    """Fields whose stored values writes keep, with the keyword of the schema that says when.

    ``x-since``: a replace without the field; ``x-fixed``: all; ``x-kept``: those without a value.
    """
    _stored_fields_sql: str = "null::text"
    """SQL of the JSON object with their stored values."""
    _max_bytes: ClassVar[int] = MAX_RECORD_BYTES
    """Maximum size of an item as JSON."""

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        defined = schemas.load()[self.name]["$defs"]
        self.validators = {form: self._validator(form) for form in _FORMS if form in defined}
        """Validators of bodies, by the form of the schema file."""

    def _validator(self, form: str) -> Validator:
        rules = self.item_errors if self._has_rules else no_rules
        validator = Validator(self.name, form, rules, follow_rules=self._follow_rules)
        validator.max_bytes = self._max_bytes
        return validator

    def _follow_rules(self, _items: Sequence[Item]) -> bool:
        """Return whether items surely have no ``item_errors``: a fast check before it."""
        return False

    @property
    def _has_rules(self) -> bool:
        """Whether ``item_errors`` may return any."""
        return True

    @property
    def feed_name(self) -> str:
        """Collection under which the change feed has the records that writes change."""
        return self.name

    @cached_property
    def locks_by_id(self) -> Mapping[str, str]:
        """Statements that lock rows by id, in order, by strength; they return ``LockedRow``s.

        ``$2`` has the ids as ``id_array`` writes them; ids of parents follow.
        """
        return self._locking_texts(SHARED["id_is_sent"].text)

    def _locking_texts(self, condition: str) -> Mapping[str, str]:
        """Return the statements that lock the rows of an SQL condition, by lock strength."""
        lock = SHARED["lock_records"].bind(
            table=self.table,
            state=self.stored_state,
            key=self.key_columns[0],
            within=self.key_columns[1],
            fields=self._stored_fields_sql,
            sent=condition,
        )
        strengths = (FOR_NO_KEY_UPDATE, FOR_UPDATE)
        return {strength: lock.fill(strength=strength) for strength in strengths}

    def item_errors(self, item: Item) -> Iterable[ErrorDetail]:  # noqa: ARG002
        """Return the errors of a single item beyond its schema.

        Values that broke its schema are ``Broken``.
        """
        return ()

    async def identify(self, batch: Batch, *, skip_failed: bool) -> None:
        """Set the ids of items that name their records by key objects, before the lock.

        Add errors to the batch for keys that do not name one record. Only writes by id call it.
        """

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the plan for children, links or parts; add the errors that stored data show.

        It writes nothing. The records are locked. Key objects are ids by now, but for those that
        the resource resolves itself. With ``skip_failed`` it is called again with fewer of the same
        items after some have failed.
        """
        raise NotImplementedError

    async def check_result(self, write_set: WriteSet) -> None:
        """Add the errors that only the state after the whole request shows.

        It runs after ``check``, in a transaction after all its collections are stored.
        """

    async def check_unused(self, write_set: WriteSet) -> WritePlan:  # noqa: ARG002
        """Return the plan to run before the deletes; add errors for those of records in use."""
        return []

    async def dependencies(self, write_set: WriteSet) -> Iterable[Dependency]:  # noqa: ARG002
        """Return the dependencies between the items of the write set, failed ones included.

        They replace the check rounds that would find them one by one.
        """
        return ()

    def record_statements(self, write_set: WriteSet) -> WritePlan:  # noqa: ARG002
        """Return the plan for the records themselves; it runs between the plans of the checks.

        That of ``check_unused`` runs before it, and that of ``check`` after it.
        """
        return []

    def constraint_error(
        self, batch: Batch, error: asyncpg.IntegrityConstraintViolationError
    ) -> ApiError | None:
        """Return the error for a constraint violation after all checks; None if it is a defect.

        A violation that is no defect comes from a concurrent write.
        """

    async def _fetch(self, batch: Batch, name: str, *parameters: Any) -> Sequence[asyncpg.Record]:
        """Return the rows of the named statement, given its parameters after the organization."""
        return await batch.fetch(self.statements[name].text, *parameters)
