"""Sub-suppliers (contract, Sub-suppliers)."""

from collections import defaultdict
from collections.abc import Iterator

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.related import Related
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.matching import MatchKey, Row, match_existing
from service.queries.write_set import WriteSet
from service.resources.plain_records import PlainRecord
from service.schemas.extra_checks import duplicate_errors

_CONTACT = ("firstName", "lastName", "email", "phone", "role", "faxNumber", "countryCode")
_MATCH_KEYS: tuple[MatchKey, ...] = (lambda row: row, lambda row: row[_CONTACT.index("email")])
"""Keys that match contacts without an id to stored ones: the whole row, then the email, if any."""


def _row(contact: Item) -> Row:
    return tuple(contact.get(name) for name in _CONTACT)


class SubSuppliers(PlainRecord):
    """Companies: soft delete, never refused. A delete soft-deletes their contacts and facilities.

    A restoring write restores the facilities that were deleted with the sub-supplier and have not
    moved since, and the contacts that the item lists. The writable form of a deleted sub-supplier
    lists its contacts, so a patch of the state alone, or a replace by that form with another
    state, loses none. Contacts that a write leaves out are removed for good, as on a live
    sub-supplier, so that replaces stay idempotent.
    """

    name = "sub-suppliers"
    table = "sub_supplier"
    string_ids = True
    related = (
        Related(
            "contacts",
            "sub_supplier_contact",
            "sub_supplier_id",
            {"id": "id"},
            {"email": "email"},
            shown_condition="not entry.deleted_with_sub_supplier",
        ),
    )
    own_error_types = (ErrorType.UNKNOWN_REFERENCE,)
    children = ("update_contacts", "remove_contacts", "insert_contacts", "restore_facilities")
    deletes = ("delete", "delete_contacts", "delete_facilities")

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the writes of contacts and facilities; report unknown contact ids.

        Before that, contacts without an id are matched to stored ones.
        """
        await self._match_contacts(connection, write_set.upserts)
        return await super().check(connection, write_set)

    async def _match_contacts(self, connection: Connection, batch: Batch) -> None:
        """Give each contact without an id the id of the stored contact that it matches, if any.

        Stored contacts that the item names by id are not matched. Items get new lists.
        """
        new_rows = {
            item_index: {
                contact_index: _row(contact)
                for contact_index, contact in enumerate(item["contacts"])
                if not contact.get("id")
            }
            for item_index, item in enumerate(batch.items)
            if item.get("contacts")
        }
        if not any(new_rows.values()):
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
        for item_index, rows in new_rows.items():
            item = batch.items[item_index]
            request_ids = {contact.get("id") for contact in item["contacts"]}
            free_rows = {
                contact_id: row
                for contact_id, row in stored[item["id"]].items()
                if contact_id not in request_ids
            }
            matches = match_existing(rows, free_rows, _MATCH_KEYS)
            item["contacts"] = [
                contact | {"id": matches[index]} if index in matches else contact
                for index, contact in enumerate(item["contacts"])
            ]

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each repeated contact id."""
        contacts = item.get("contacts")
        if isinstance(contacts, list):
            yield from duplicate_errors(enumerate(contacts), "id", "contacts")
