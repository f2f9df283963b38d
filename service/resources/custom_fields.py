"""What compliance and style custom fields share: allowed values and parents."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from service.database.connections import Connection
from service.database.statements import Statement, load, load_bound
from service.faults import Fault, repeated
from service.queries.batch import Batch, Item
from service.queries.master_record import MasterRecord, lock_organization
from service.resources.allowed_values import AllowedValues, Sent


class CustomFields(MasterRecord):
    """Fields with a type for good, a set of allowed values, and a parent whose values they refine.

    Values sent with an id keep their identity; a parent of live fields is not deleted.
    """

    kind: ClassVar[str]
    """What leads the names of the tables."""
    parent_is_fixed: ClassVar[bool]
    """Whether the parent is set at creation only."""
    value_members: ClassVar[tuple[str, ...]] = ()
    """What is stored of an allowed value beside what both kinds store."""
    value_removals: ClassVar[tuple[str, ...]] = ("remove_values",)
    """The statements that take allowed values away."""
    written_separately: ClassVar[tuple[str, ...]] = ("allowedValues",)

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

    def faults(self, item: Item) -> Iterator[Fault]:
        """Allowed values differ by id, and at most one is the default.

        An item that deletes shows nothing else.
        """
        values = item.get("allowedValues")
        if not isinstance(values, list) or item.get("state") == "deleted":
            return
        for path, kind, message in repeated([*enumerate(values)], "id"):
            yield ["allowedValues", *path], kind, message
        for place in _defaults(values)[1:]:
            path = ["allowedValues", place, "isDefaultValue"]
            yield path, "duplicate", "Another value is the default already."

    async def prepare(self, connection: Connection, batch: Batch) -> None:
        """One writer at a time: fields refer to each other, and values to values."""
        await lock_organization(connection, batch.caller)

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Types, parents, and allowed values that are not the field's own."""
        await super().check(connection, batch)
        changes = batch.found[self] = await self.values.compare(connection, batch)
        for one in changes.unknown:
            fail_value(batch, one, "id", "The custom field has no such allowed value.")

    async def check_unused(
        self, connection: Connection, kept: Batch, gone: Batch, live: list[int]
    ) -> None:
        """Parents of live fields, as these will be after the batch."""
        if live:
            text, organization_id = self.statements["in_use"].text, gone.caller.organization_id
            items = kept.json(self.written_separately)
            for row in await connection.fetch(text, organization_id, live, items):
                gone.fail_record(row["id"], "conflict.in_use", row["value"])

    async def write_children(self, connection: Connection, batch: Batch) -> None:
        """Allowed values."""
        await self.values.write(connection, batch, batch.found[self])


def fail_value(batch: Batch, one: Sent, member: str, message: str) -> None:
    """Report an allowed value that names what is not there."""
    name = f"allowedValues[{one.place}].{member}"
    batch.fail(one.number, "validation_error.unknown_reference", name, message)


def _defaults(values: list[object]) -> list[int]:
    """The places of the values that are to be the default."""
    return [
        place
        for place, value in enumerate(values)
        if isinstance(value, dict) and value.get("isDefaultValue") is True
    ]
