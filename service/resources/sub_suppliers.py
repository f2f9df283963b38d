"""Sub-suppliers (contract, Sub-suppliers)."""

from collections import defaultdict
from collections.abc import Iterator

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.master_record import WriteSet
from service.queries.matching import MatchKey, Row, match_existing
from service.resources.plain_records import PlainRecord
from service.schemas.extra_checks import duplicate_errors

_CONTACT = ("firstName", "lastName", "email", "phone", "role", "faxNumber", "countryCode")
#: How contacts that are sent without an id are known: whole, else by their email.
_WAYS: tuple[MatchKey, ...] = (lambda row: row, lambda row: row[_CONTACT.index("email")])


def _row(contact: Item) -> Row:
    return tuple(contact.get(name) for name in _CONTACT)


class SubSuppliers(PlainRecord):
    """Companies with contacts and facilities, which a deletion takes along.

    Restoring brings the facilities back, and of the contacts those that the restoring write
    names: the writable form of a deleted sub-supplier still lists them, so a patch of the state
    alone, or a replace by the writable form with another state, loses none. A replace that leaves
    them out clears them, as it does on a live one: sent twice it does the same as once.
    """

    name = "sub-suppliers"
    table = "sub_supplier"
    string_ids = True
    own_failures = (ErrorType.UNKNOWN_REFERENCE,)
    children = ("update_contacts", "remove_contacts", "insert_contacts", "restore_facilities")
    deletes = ("delete", "delete_contacts", "delete_facilities")

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Contacts that are sent without an id are looked for among the stored ones first."""
        await self._recognize(connection, change.upserts)
        return await super().check(connection, change)

    async def _recognize(self, connection: Connection, batch: Batch) -> None:
        """Give contacts that are sent without an id that of the stored one that they are."""
        unnamed = {
            number: {
                place: _row(one) for place, one in enumerate(item["contacts"]) if not one.get("id")
            }
            for number, item in enumerate(batch.items)
            if item.get("contacts")
        }
        if not any(unnamed.values()):
            return
        text, organization_id = (
            self.statements["stored_contacts"].text,
            batch.caller.organization_id,
        )
        stored = defaultdict[int, dict[int, Row]](dict)
        for owner_id, contact_id, *row in await connection.fetch(
            text, organization_id, batch.id_array
        ):
            stored[owner_id][contact_id] = tuple(row)
        for number, rows in unnamed.items():
            item = batch.items[number]
            named = {one.get("id") for one in item["contacts"]}
            free = {one: row for one, row in stored[item["id"]].items() if one not in named}
            found = match_existing(rows, free, _WAYS)
            item["contacts"] = [
                one | {"id": found[place]} if place in found else one
                for place, one in enumerate(item["contacts"])
            ]

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Contacts differ by id."""
        contacts = item.get("contacts")
        if isinstance(contacts, list):
            yield from duplicate_errors(enumerate(contacts), "id", "contacts")
