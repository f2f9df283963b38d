"""What compliance and style custom fields share: allowed values and parents."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from service.database import Connection
from service.faults import Fault, repeated
from service.queries.batch import Batch, Item
from service.queries.records import MasterRecord, lock_organization
from service.statements import Statement, load, load_bound


class CustomFields(MasterRecord):
    """Fields with a type for good, a set of allowed values, and a parent whose values they refine.

    Values sent with an id keep their identity; a parent of live fields is not deleted.
    """

    kind: ClassVar[str]
    """What leads the names of the tables."""
    parent_is_fixed: ClassVar[bool]
    """Whether the parent is set at creation only."""
    children: ClassVar[tuple[str, ...]] = (
        "update_allowed_values",
        "remove_allowed_values",
        "insert_allowed_values",
    )

    def load_statements(self) -> Mapping[str, Statement]:
        """Those that both kinds share, on this one's tables, and its own."""
        is_fixed = str(self.parent_is_fixed).lower()
        return {
            **load_bound("custom_fields", kind=self.kind, parent_is_fixed=is_fixed),
            **load(f"{self.kind}_allowed_values"),
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
        await self.report(connection, "check_allowed_values", batch)

    async def check_unused(
        self, connection: Connection, kept: Batch, gone: Batch, live: list[int]
    ) -> None:
        """Parents of live fields, as these will be after the batch."""
        text, organization_id = self.statements["in_use"].text, gone.caller.organization_id
        for row in await connection.fetch(text, organization_id, live, kept.json) if live else ():
            gone.fail_record(row["id"], "conflict.in_use", row["value"])


def _defaults(values: list[object]) -> list[int]:
    """The places of the values that are to be the default."""
    return [
        place
        for place, value in enumerate(values)
        if isinstance(value, dict) and value.get("isDefaultValue") is True
    ]
