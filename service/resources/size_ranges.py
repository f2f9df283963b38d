"""Size ranges (specification, Size range and Size ranges)."""

from service.database.connections import Connection
from service.queries.batch import Batch
from service.queries.master_record import MasterRecord, lock_organization


class SizeRanges(MasterRecord):
    """Runs of sizes, of which an organization has one default at most.

    Promoting one demotes the previous default, also where the promoted one is new. The default
    may be inactive, and may be demoted without a successor; it is never a deleted one.
    """

    name = "size-ranges"
    table = "size_range"
    foreign_is_forbidden = True
    unique = ("isDefault",)
    inserts = ("demote", "insert")
    updates = ("demote", "update")

    async def prepare(self, connection: Connection, batch: Batch) -> None:
        """One writer at a time: promotions concern a record that the request does not name."""
        await lock_organization(connection, batch.caller)

    async def check(self, connection: Connection, batch: Batch) -> None:
        """A deleted record, which a patch of other fields leaves deleted, is not promoted."""
        for number, item in enumerate(batch.items):
            if item.get("isDefault") and item.get("state") == "deleted":
                message = "A deleted size range cannot be the default."
                batch.fail(number, "validation_error.invalid_value", "isDefault", message)
        await super().check(connection, batch)

    async def check_unused(
        self, connection: Connection, kept: Batch, gone: Batch, live: list[int]
    ) -> None:
        """The default goes only where the same request promotes its successor."""
        if not any(item.get("isDefault") for item in kept.items):
            await super().check_unused(connection, kept, gone, live)
