"""Size ranges (contract, Size ranges)."""

from collections.abc import Iterable

from service.batches.change_recorder import WritePlan
from service.batches.entry import LockedRow
from service.batches.write_set import Dependency, WriteSet
from service.error_types import ErrorType
from service.listing.related import Related
from service.records.master_record import MasterRecord
from service.records.usage import named_record

IS_LIVE = "owner.state <> 'deleted'"
"""SQL condition of a size that records can refer to: its size range, ``owner``, is live."""


class SizeRanges(MasterRecord):
    """Ranges of sizes: soft delete. An organization has at most one default.

    Setting ``isDefault`` on a new or stored size range clears it on the previous default. The
    default may be inactive, and may be cleared without a successor. Only a request that sets
    another default can delete it. A size range cannot be deleted while a sample request, the chart
    of a live style, or a size of another size range that is live after the request uses one of its
    sizes. Every write locks the organization. Another organization's record is 403.
    """

    name = "size-ranges"
    _counted_in_use = ("styles",)
    foreign_is_forbidden = True
    locks_organization = True
    unique_fields = ("isDefault",)
    related = (
        Related(
            "sizes",
            "size_range_size",
            "size_range_id",
            {"id": "id", "relatedSizeRangeSizeId": "related_size_range_size_id"},
            {"name": "name", "sizeId": "size_id"},
            shown_condition="not entry.is_deactivated",
        ),
    )

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Report ``isDefault`` on deleted records, which a patch can leave deleted.

        Also report restores of size ranges whose sizes relate to those of a deleted size range that
        the request does not restore.
        """
        kind, message = ErrorType.INVALID_VALUE, "A deleted size range cannot be the default."
        for index, item in enumerate(write_set.upserts.items):
            if item.get("isDefault") and item.get("state") == "deleted":
                write_set.upserts.fail(index, kind, "isDefault", message=message)
        return await super().check(write_set)

    async def check_unused(self, write_set: WriteSet) -> WritePlan:
        """Report deletes of ranges with sizes in use, and of the default without a successor.

        Uses by other size ranges are judged by the state after the request. The plan is empty.
        """
        if write_set.live_deletes:
            is_succeeded = any(item.get("isDefault") for item in write_set.upserts.items)
            restored_ids = [*write_set.restored_ids]
            await self._fail_used(write_set, restored_ids, is_succeeded)
        return []

    async def dependencies(self, write_set: WriteSet) -> Iterable[Dependency]:
        """Return dependencies between size ranges of the batch whose sizes relate to each other.

        A delete depends on the items of live users, a restore on the items of deleted targets.
        """
        rows = await self._fetch(write_set.batch, "reliances", write_set.batch.ids)
        deleted, restored = {*write_set.deletes.ids}, {*write_set.restored_ids}
        stored = write_set.stored
        in_use, unknown = ErrorType.CONFLICT_IN_USE, ErrorType.UNKNOWN_REFERENCE
        message = "A size relates to a size of a deleted size range."
        return [
            *(
                Dependency(used_id, user_id, in_use, "id", _used_by(stored[user_id]))
                for user_id, used_id in rows
                if used_id in deleted and stored[user_id]["state"] != "deleted"
            ),
            *(
                Dependency(user_id, used_id, unknown, "state", message)
                for user_id, used_id in rows
                if user_id in restored and stored[used_id]["state"] == "deleted"
            ),
        ]


def _used_by(row: LockedRow) -> str:
    """Return the message of a size range in use that names one user: the row's size range."""
    return f"Used by size ranges: 1 ({named_record(row['id'], row['key'])})."
