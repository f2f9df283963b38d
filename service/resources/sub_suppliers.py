"""Sub-suppliers (contract, Sub-suppliers)."""

from collections.abc import Iterator

from service.failures import Failure
from service.queries.batch import Item
from service.queries.master_record import MasterRecord
from service.schemas.beyond_schema import repeated


class SubSuppliers(MasterRecord):
    """Companies with contacts and facilities, which a deletion takes along.

    Restoring brings the facilities back, and of the contacts those that the restoring write
    names: the writable form of a deleted sub-supplier still lists them, so a patch of the state
    alone, or a replace by the writable form with another state, loses none. A replace that leaves
    them out clears them, as it does on a live one: sent twice it does the same as once.
    """

    name = "sub-suppliers"
    table = "sub_supplier"
    string_ids = True
    own_failures = ("validation_error.unknown_reference",)
    children = ("update_contacts", "remove_contacts", "insert_contacts", "restore_facilities")
    deletes = ("delete", "delete_contacts", "delete_facilities")

    def item_failures(self, item: Item) -> Iterator[Failure]:
        """Contacts differ by id."""
        contacts = item.get("contacts")
        if isinstance(contacts, list):
            yield from repeated(enumerate(contacts), "id", "contacts")
