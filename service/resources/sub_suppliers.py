"""Sub-suppliers (contract, Sub-suppliers)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from service.database.connections import Connection
from service.errors import ErrorDetail
from service.listing.related import Related
from service.queries.batch import Item
from service.queries.bound_statements import WritePlan
from service.queries.matching import MatchKey, Row, match_existing
from service.queries.new_ids import next_ids
from service.queries.write_set import WriteSet
from service.resources.plain_records import PlainRecord
from service.schemas.extra_checks import duplicate_errors

_CONTACT = ("firstName", "lastName", "email", "phone", "role", "faxNumber", "countryCode")
_MATCH_KEYS: tuple[MatchKey, ...] = (lambda row: row, lambda row: row[_CONTACT.index("email")])
"""Keys that match contacts without an id to stored ones: the whole row, then the email, if any."""


def _row(contact: Item) -> Row:
    return tuple(contact.get(name) for name in _CONTACT)


def _matched(contacts: list[Item], stored: Mapping[int, Row]) -> list[Item]:
    """Return copies of contacts; those without an id have that of a stored one, if any matches."""
    request_ids = {contact.get("id") for contact in contacts}
    free_rows = {id_: row for id_, row in stored.items() if id_ not in request_ids}
    new_rows = {i: _row(contact) for i, contact in enumerate(contacts) if not contact.get("id")}
    matches = match_existing(new_rows, free_rows, _MATCH_KEYS)
    return [
        contact | ({"id": matches[index]} if index in matches else {})
        for index, contact in enumerate(contacts)
    ]


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
    updates = ("update", "update_contacts", "remove_contacts", "restore_facilities")
    children = ("insert_contacts",)
    deletes = ("delete", "delete_contacts", "delete_facilities")

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the writes of contacts and facilities; report unknown contact ids.

        Before that, contacts without an id are matched to stored ones, or get new ids. Where own
        keys are unique, also report restores of facilities that share a name.
        """
        await self._identify_contacts(connection, write_set)
        upserts = write_set.upserts
        if write_set.restored_ids and upserts.caller.unique_keys:
            text = self.statements["check_facilities"].text
            parameters = (upserts.caller.organization_id, upserts.json())
            upserts.fail_all(await connection.fetch(text, *parameters))
        return await super().check(connection, write_set)

    async def _identify_contacts(self, connection: Connection, write_set: WriteSet) -> None:
        """Give each contact without an id that of the stored contact that it matches, or a new one.

        Stored contacts that the item names by id are not matched. Items get new lists, in which
        contacts with a new id have the member ``isNew``.
        """
        items = [
            item
            for item in write_set.upserts.items
            if not all(contact.get("id") for contact in item.get("contacts") or ())
        ]
        if not items:
            return
        stored = await self._stored_contacts(connection, write_set)
        for item in items:
            item["contacts"] = _matched(item["contacts"], stored[item["id"]])
        new = [contact for item in items for contact in item["contacts"] if not contact.get("id")]
        ids = await next_ids(connection, "sub_supplier_contact", len(new))
        for contact, contact_id in zip(new, ids, strict=True):
            contact |= {"id": contact_id, "isNew": True}

    async def _stored_contacts(
        self, connection: Connection, write_set: WriteSet
    ) -> Mapping[int, dict[int, Row]]:
        """Return the stored contacts by sub-supplier and by id; new sub-suppliers have none."""
        stored = defaultdict[int, dict[int, Row]](dict)
        batch = write_set.upserts
        if len(write_set.created_ids) < len(batch.items):
            text = self.statements["stored_contacts"].text
            for owner_id, contact_id, *row in await connection.fetch(
                text, batch.caller.organization_id, batch.id_array
            ):
                stored[owner_id][contact_id] = tuple(row)
        return stored

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each repeated contact id."""
        contacts = item.get("contacts")
        if isinstance(contacts, list):
            yield from duplicate_errors(enumerate(contacts), "id", "contacts")
