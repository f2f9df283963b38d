"""Size ranges (contract, Size ranges)."""

from collections.abc import Iterable, Mapping

from service.database.connections import Connection
from service.database.id_arrays import id_array
from service.error_types import ErrorType
from service.queries.bound_statements import WritePlan
from service.queries.master_record import Dependency, LockedRow, MasterRecord, WriteSet

IS_LIVE = "owner.state <> 'deleted'"
"""Of a size: whether its size range can be referred to."""


class SizeRanges(MasterRecord):
    """Runs of sizes, of which an organization has one default at most.

    Promoting one demotes the previous default, also where the promoted one is new. The default
    may be inactive, and may be demoted without a successor; it is never a deleted one.
    """

    name = "size-ranges"
    table = "size_range"
    foreign_is_forbidden = True
    locks_organization = True
    unique_fields = ("isDefault",)
    own_failures = (ErrorType.UNKNOWN_REFERENCE,)
    inserts = ("demote", "insert")
    updates = ("demote", "update")

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """A deleted record, which a patch of other fields leaves deleted, is not promoted."""
        for number, item in enumerate(change.upserts.items):
            if item.get("isDefault") and item.get("state") == "deleted":
                kind, message = "invalid_value", "A deleted size range cannot be the default."
                change.upserts.fail(
                    number, f"validation_error.{kind}", "isDefault", message=message
                )
        return await super().check(connection, change)

    async def check_unused(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Report ranges whose sizes are in use, and the default unless a successor is promoted.

        Size ranges count as users as they are after the request.
        """
        if change.live_deletes:
            is_succeeded = any(item.get("isDefault") for item in change.upserts.items)
            rows = await connection.fetch(
                self.statements["in_use"].text,
                change.batch.caller.organization_id,
                id_array(change.live_deletes),
                [*change.restored_ids],
                is_succeeded,
            )
            change.deletes.fail_records(dict(map(tuple, rows)), ErrorType.CONFLICT_IN_USE)
        return []

    async def dependencies(
        self, connection: Connection, change: WriteSet, stored: Mapping[int, LockedRow]
    ) -> Iterable[Dependency]:
        """Return what relates to what: ranges go with those that relate to them, or come back."""
        text, organization_id = (
            self.statements["reliances"].text,
            change.batch.caller.organization_id,
        )
        rows = await connection.fetch(text, organization_id, change.batch.ids)
        gone, restored = {*change.deletes.ids}, {*change.restored_ids}
        unknown = ErrorType.UNKNOWN_REFERENCE
        message = "A size relates to a size of a deleted size range."
        return [
            *(
                Dependency(on, one, ErrorType.CONFLICT_IN_USE, "id", "Used by size ranges: 1.")
                for one, on in rows
                if on in gone and stored[one].state != "deleted"
            ),
            *(
                Dependency(one, on, unknown, "state", message)
                for one, on in rows
                if one in restored and stored[on].state == "deleted"
            ),
        ]
