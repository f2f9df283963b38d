"""What compliance and style custom fields share: allowed values and parents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import asyncpg

from service.database.connections import Connection
from service.database.id_arrays import id_array
from service.database.statements import Statement, load, load_bound
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.queries.batch import Item
from service.queries.bound_statements import WritePlan
from service.queries.master_record import Dependency, LockedRow, MasterRecord, WriteSet
from service.resources.allowed_values import AllowedValues, ValueDifferences
from service.schemas.extra_checks import duplicate_errors


class CustomFields(MasterRecord):
    """Fields with a type for good, a set of allowed values, and a parent whose values they refine.

    Values sent with an id keep their identity; a parent of live fields is not deleted.
    """

    locks_organization = True
    kind: ClassVar[str]
    """What leads the names of the tables."""
    parent_is_fixed: ClassVar[bool]
    """Whether the parent is set at creation only."""
    value_members: ClassVar[tuple[str, ...]] = ()
    """What is stored of an allowed value beside what both kinds store."""
    value_removals: ClassVar[tuple[str, ...]] = ("remove_values",)
    """The statements that take allowed values away."""
    written_separately: ClassVar[tuple[str, ...]] = ("allowedValues",)
    own_failures: ClassVar[tuple[str, ...]] = (ErrorType.UNKNOWN_REFERENCE,)

    def __init__(self) -> None:
        super().__init__()
        self.values = AllowedValues(self.statements, self.value_members, self.value_removals)

    def load_statements(self) -> Mapping[str, Statement]:
        """Those that both kinds share, on this one's tables, and its own."""
        is_fixed = str(self.parent_is_fixed).lower()
        values = f"{self.kind}_allowed_values"
        return {
            **load_bound("custom_fields", kind=self.kind, parent_is_fixed=is_fixed),
            **load_bound(values, sent=load(values)["sent"].text),
            **super().load_statements(),
        }

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Allowed values differ by id, and at most one is the default.

        An item that deletes shows nothing else.
        """
        values = item.get("allowedValues")
        if not isinstance(values, list) or item.get("state") == "deleted":
            return
        yield from duplicate_errors(enumerate(values), "id", "allowedValues")
        for place in _defaults(values)[1:]:
            path = ("allowedValues", place, "isDefaultValue")
            message = "Another value is the default already."
            yield ErrorDetail(ErrorType.DUPLICATE, path, message)

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Types, parents, and allowed values that are not the field's own."""
        plan = await super().check(connection, change)
        if not change.upserts.items:
            return plan
        found = await self.values.compare(connection, change.upserts)
        for one in found.unknown:
            one.fail(change.upserts, "id", "The custom field has no such allowed value.")
        await self.check_values(connection, change, found)
        return plan + self.values.steps(found)

    async def check_values(
        self, connection: Connection, change: WriteSet, found: ValueDifferences
    ) -> None:
        """Report what else is wrong with allowed values."""

    async def check_unused(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Reports parents of live fields, as these will be after the batch."""
        if change.live_deletes:
            text, organization_id = (
                self.statements["in_use"].text,
                change.batch.caller.organization_id,
            )
            items = change.upserts.json(self.written_separately)
            rows = await connection.fetch(
                text, organization_id, id_array(change.live_deletes), items
            )
            change.deletes.fail_records(dict(rows), ErrorType.CONFLICT_IN_USE)
        return []

    async def dependencies(
        self,
        connection: Connection,
        change: WriteSet,
        stored: Mapping[int, LockedRow],  # noqa: ARG002
    ) -> Iterable[Dependency]:
        """Children rely on parents that come back, and parents that go on children that leave."""
        items, gone = change.batch.items, {*change.deletes.ids}
        rows = await connection.fetch(
            self.statements["reliances"].text,
            change.batch.caller.organization_id,
            change.batch.ids,
            [item.get("parentCustomFieldId") for item in items],
        )
        return [*_on_parents(rows, gone), *_on_children(rows, gone)]


def _on_parents(rows: Sequence[asyncpg.Record], gone: set[int]) -> Iterator[Dependency]:
    kind, message = "unknown_reference", "There is no such custom field, or it is deleted."
    for row in rows:
        if row["has_deleted_parent"] and row["id"] not in gone:
            field = "parentCustomFieldId"
            yield Dependency(
                row["id"], row["parent_id"], f"validation_error.{kind}", field, message
            )


def _on_children(rows: Sequence[asyncpg.Record], gone: set[int]) -> Iterator[Dependency]:
    message = "Used by custom fields: 1."
    for row in rows:
        if row["is_live"] and row["stored_parent_id"] in gone:
            yield Dependency(
                row["stored_parent_id"], row["id"], ErrorType.CONFLICT_IN_USE, "id", message
            )


def _defaults(values: list[object]) -> list[int]:
    """The places of the values that are to be the default."""
    return [
        place
        for place, value in enumerate(values)
        if isinstance(value, dict) and value.get("isDefaultValue") is True
    ]
