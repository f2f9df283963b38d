"""Catalog entry: one SQL statement as it is sent, with its name, purpose and parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from service.database.statements import Statement, StatementError


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """Statement of the catalog: its texts are those that the service sends, unformatted."""

    name: str
    purpose: str
    """Sentence that says what the statement is for."""
    parameters: tuple[str, ...]
    """Names of the parameters, from ``$1``; the text casts each of them once at least."""
    text: str
    variants: Mapping[str, str] = field(default_factory=dict)
    """Texts that are sent instead in some cases, by a description of the case."""

    @property
    def texts(self) -> Iterator[str]:
        """Every text that is sent: ``text``, then the variants."""
        yield self.text
        yield from self.variants.values()


def statement_entry(statement: Statement) -> CatalogEntry:
    """Return the entry of a statement that is sent as its file has it, or with its slots filled.

    Raise StatementError unless it names its parameters, ``_PURPOSES`` has its purpose, and no slot
    is open.
    """
    file, _, name = statement.name.rpartition(".")
    purpose = _PURPOSES.get(statement.name) or _PURPOSES.get(name)
    if purpose is None or statement.parameters is None:
        raise StatementError(f"{file}.{name}: name its parameters, and its purpose in {__name__}")
    return CatalogEntry(name, purpose, statement.parameters, statement.text)


_PURPOSES: Final = {
    # Records and their links
    "check": "Report the errors that only stored data show.",
    "delete": "Mark records as deleted.",
    "delete_restrictions": "Delete the links of custom fields to deleted records.",
    "find": "Lock the records that entries name, by id or by custom id.",
    "in_use": "Report the records to delete that other records need.",
    "insert": "Insert new records.",
    "insert_values": "Insert new allowed values.",
    "purge": "Delete records from the database.",
    "reliances": "Read which items depend on which, to fail those that depend on failed items.",
    "remove_values": "Delete allowed values that items omit.",
    "stored_values": "Read the stored allowed values.",
    "unknown_parent": "Find the first id in the path that does not exist.",
    "update": "Update the records that differ from their items.",
    "update_values": "Update allowed values that differ.",
    # Single resources
    "care_instruction_materials.check_references": "Report own keys that live materials share.",
    "care_instruction_materials.release_references": "Clear own keys that other items take.",
    "care_texts.differing_translations": "Read which translations differ from the stored ones.",
    "care_texts.remove_translations": "Delete translations that items omit.",
    "care_texts.save_translations": "Insert and update translations.",
    "color_translations.remove": "Delete links to languages that the request omits.",
    "color_translations.save": "Insert and update translations.",
    "color_translations.stored": "Read the stored translations.",
    "color_translations.tell_colors": "Find the colors that show another name.",
    "colors.unknown_references": "Lock the color groups; report unknown groups and languages.",
    "facilities.leave_former": "Detach moved facilities from a deletion of their former owner.",
    "item_categories.clear_in_deleted_items": "Clear the references of deleted items.",
    "me.identity": "Read the installation and the organization.",
    "measurement_charts.deactivate": "Deactivate removed lines that sample requests use.",
    "measurement_charts.insert": "Insert new lines.",
    "measurement_charts.needed": "Find the removed lines that sample requests use.",
    "measurement_charts.remove": "Delete removed lines.",
    "measurement_charts.remove_values": "Delete requested values that the request omits.",
    "measurement_charts.save_values": "Insert and update requested values.",
    "measurement_charts.set_unit": "Update units that differ.",
    "measurement_charts.tell_charts": "Find the charts whose values were saved.",
    "measurement_charts.stored": "Read the stored units and lines.",
    "measurement_charts.stored_values": "Read the stored requested values.",
    "measurement_charts.update": "Update lines that differ.",
    "measurements.measured_lines": "Read the active lines of sizes, with their measured values.",
    "measurements.update": "Update sizes that differ.",
    "measurements.update_lines": "Update measured values that differ.",
    "sample_requests.freeze": "Freeze the requested values of new sizes.",
    "sample_requests.hold_charts": "Lock the styles from whose charts values are frozen.",
    "sample_requests.new_sizes": "Read the sizes that are not requested yet.",
    "size_range_sizes.deactivate": "Deactivate removed sizes that are in use.",
    "size_range_sizes.insert": "Insert new sizes.",
    "size_range_sizes.mark_default": "Update the sizes that grading starts from.",
    "size_range_sizes.needed": "Find the removed sizes that are in use.",
    "size_range_sizes.remove": "Delete removed sizes.",
    "size_range_sizes.stored": "Lock and read the stored sizes.",
    "size_range_sizes.update": "Update sizes that differ.",
    "size_ranges.demote": "Clear the default if an item becomes it.",
    "style_allowed_values.forget_parent_values": "Clear references to removed values.",
    "style_allowed_values.needed_values": "Report removed values that other fields refer to.",
    "style_allowed_values.unknown_parent_values": "Report values that the parent field lacks.",
    "style_relations.check_pairs": "Report pairs that are related already.",
    "style_relations.numbers": "Read the numbers of related styles, which outcomes show.",
    "styles.charted_in": "Find restored styles with chart values of deleted size ranges.",
    "styles.hold_size_ranges": "Lock the size ranges of the charts of restored styles.",
    "styles.tell_deleted": "Find the groups that count a style less.",
    "styles.tell_restored": "Find the groups that count a style more.",
    "sub_suppliers.check_facilities": "Report facilities that a restore would give one name.",
    "sub_suppliers.delete_contacts": "Mark contacts as deleted.",
    "sub_suppliers.delete_facilities": "Mark facilities as deleted.",
    "sub_suppliers.insert_contacts": "Insert new contacts.",
    "sub_suppliers.remove_contacts": "Delete contacts that items omit.",
    "sub_suppliers.restore_facilities": "Restore the facilities of restored sub-suppliers.",
    "sub_suppliers.stored_contacts": "Read the stored contacts.",
    "sub_suppliers.update_contacts": "Update contacts that differ.",
    # Writes of all resources
    "shared.lock_organization": "Lock the organization, if a write concerns unnamed records.",
    "shared.next_ids": "Take ids for new records.",
    "shared.next_ids_of_coordinator": "The same on a worker node of a cluster.",
    "writer_locks.insert": "Insert the writer lock of a collection.",
    "writer_locks.lock": "Take the writer lock of a collection, for a write by own key.",
    # Change feed
    "changes.advance": "Store the last assigned sequence number.",
    "changes.begin": "Insert the organization's feed.",
    "changes.clear": "Delete expired changes.",
    "changes.clear_up_to": "Store the sequence number up to which changes were deleted.",
    "changes.kept": "Find out whether the feed still has the changes after a transaction.",
    "changes.last_before": "Find the last transaction before a time.",
    "changes.lock": "Lock the feed.",
    "changes.heads": "Read the heads of feeds, for the long polls of their organizations.",
    "changes.number": "Assign sequence numbers to committed changes.",
    "changes.record": "Insert the change of a write into the outbox.",
    "changes.state": "Find out whether the data of the organization have changed.",
    "changes.oldest": "Read the oldest changes, to delete expired ones.",
    # Webhooks
    "webhooks.add": "Insert a subscription.",
    "webhooks.advance": "Store the position of a sender that has the lease.",
    "webhooks.active": "List the organizations that have active subscriptions.",
    "webhooks.claim": "Lease a subscription.",
    "webhooks.dispatch": "Store the batch that is on its way.",
    "webhooks.due": "Find the subscriptions that have something to send.",
    "webhooks.fail": "Store a failed try.",
    "webhooks.lags": "Measure the largest lag of each organization's subscriptions.",
    "webhooks.leased": "Read a leased subscription.",
    "webhooks.release": "End a lease.",
    "webhooks.renew": "Extend a lease.",
    "webhooks.feed": "Read where the feed begins and ends.",
    "webhooks.hold": "Lock and read a subscription.",
    "webhooks.remove": "Delete a subscription.",
    "webhooks.rewind": "Set the position.",
    "webhooks.rotate": "Store a new secret, and the former one for a while.",
    "webhooks.secrets": "Read what a message is made and signed with.",
    "webhooks.total": "Count the subscriptions.",
    "webhooks.update": "Update the subscription if it differs.",
    # Callers, settings and idempotency
    "callers.caller_of_key": "Look up an API key.",
    "callers.probe": "Find out whether the database answers for the organization.",
    "callers.use_key": "Store the time of a key's last use.",
    "idempotency.claim": "Claim an idempotency key.",
    "idempotency.forget": "Delete expired keys.",
    "idempotency.hold_organization": "Wait for a move of the organization.",
    "idempotency.store": "Store the response of a claimed key.",
    "idempotency.stored": "Read the stored response of a key.",
    "stored_answers.organizations": "Read the next organizations whose expired keys to delete.",
    "stored_answers.weight": "Measure an organization's stored responses.",
    "administration.create_key": "Create an API key.",
    "administration.create_organization": "Create an organization.",
    "administration.is_empty": "Find out whether the database has no organization.",
    "administration.is_live_key": "Find out whether a key is valid.",
    "administration.list_keys": "Read the keys of an organization, or all.",
    "administration.list_organizations": "Read all organizations.",
    "administration.list_webhooks": "Read the webhooks of an organization, or all.",
    "administration.organization_named": "Look up an organization by name.",
    "administration.revoke_key": "Revoke a key.",
    "administration.set_organization": "Update an organization's settings.",
    "administration.set_webhook_state": "Pause or resume a webhook.",
    "administration.settings": "Lock an organization and read its settings.",
}
"""Purposes of statements by name, or by file and name, which takes precedence."""
