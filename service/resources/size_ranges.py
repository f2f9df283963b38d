"""Size ranges (contract, Size ranges)."""

from service.database.connections import Connection
from service.queries.master_record import Change, MasterRecord
from service.queries.steps import Plan


class SizeRanges(MasterRecord):
    """Runs of sizes, of which an organization has one default at most.

    Promoting one demotes the previous default, also where the promoted one is new. The default
    may be inactive, and may be demoted without a successor; it is never a deleted one.
    """

    name = "size-ranges"
    table = "size_range"
    foreign_is_forbidden = True
    one_writer = True
    unique = ("isDefault",)
    inserts = ("demote", "insert")
    updates = ("demote", "update")

    async def check(self, connection: Connection, change: Change) -> Plan:
        """A deleted record, which a patch of other fields leaves deleted, is not promoted."""
        for number, item in enumerate(change.kept.items):
            if item.get("isDefault") and item.get("state") == "deleted":
                kind, message = "invalid_value", "A deleted size range cannot be the default."
                change.kept.fail(number, f"validation_error.{kind}", "isDefault", message=message)
        return await super().check(connection, change)

    async def check_unused(self, connection: Connection, change: Change) -> Plan:
        """The default goes only where the same request promotes its successor."""
        if any(item.get("isDefault") for item in change.kept.items):
            return []
        return await super().check_unused(connection, change)
