"""Sub-suppliers (contract, Sub-suppliers)."""

from service.batches.change_recorder import WritePlan
from service.batches.write_set import WriteSet
from service.listing.related import Related
from service.records.child_list import ChildList
from service.resources.plain_records import PlainRecord


def contact_filters(owner: str) -> Related:
    """Return the filters by contacts, which deleted owners do not show."""
    return Related(
        "contacts",
        f"{owner}_contact",
        f"{owner}_id",
        {"id": "id"},
        {"email": "email"},
        shown_condition=f"exists (select 1 from {owner} owner"
        f" where owner.organization_id = $1::bigint and owner.id = entry.{owner}_id"
        " and owner.state <> 'deleted')",
    )


class SubSuppliers(PlainRecord):
    """Companies: soft delete, never refused. A delete soft-deletes their contacts and facilities.

    A restoring write restores the facilities that were deleted with the sub-supplier and have not
    moved since, and the contacts that the item lists. The writable form of a deleted sub-supplier
    lists its contacts, so a patch of the state alone, or a replace by that form with another
    state, loses none. Contacts that a write leaves out are removed for good, as on a live
    sub-supplier, so that replaces stay idempotent.
    """

    name = "sub-suppliers"
    related = (contact_filters("sub_supplier"),)
    lists = (ChildList(name="contacts", noun="contact"),)

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the writes of contacts; report the errors that stored data show.

        Where own keys are unique, these are also restores of facilities that share a name.
        """
        upserts = write_set.upserts
        if write_set.restored_ids and upserts.caller.unique_keys:
            items = upserts.json(self._written_separately)
            upserts.fail_all(await self._fetch(upserts, "check_facilities", items))
        return await super().check(write_set)
