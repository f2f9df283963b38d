"""Edits: entries become their record's stored form, edited or merged with (RFC 6902, RFC 7396)."""

import asyncio
from collections.abc import Mapping
from typing import Final

import orjson

from service.batches.batch import Batch
from service.batches.entry import Edit, Entry, Item
from service.errors import ApiError
from service.records.master_record import MasterRecord
from service.records.resource import DocumentRequest
from service.records.writable_resource import WritableResource
from service.writing.entry_keys import KeyedMerge, own_keys
from service.writing.keyed_references import with_ids

_YIELD_BYTES: Final = 2**17
"""Bytes of records after which the merge yields to the event loop; some milliseconds."""


async def edit_stored(resource: WritableResource, batch: Batch) -> None:
    """Give the entries of edits and merges the content that their records are to have.

    The records are locked. Entries of records that do not exist, or that they delete, are left out.
    """
    entries = [
        entry
        for entry in batch.subset().items
        if entry.is_edited and entry.stored and not entry.deletes
    ]
    if not entries:
        return
    edited = batch.of_entries(entries)
    if without := [entry["id"] for entry in entries if entry.form is None]:
        request = DocumentRequest(without, "writables", batch.parents)
        set_forms(edited, await resource.render(batch.connection, batch.caller, request))
    if edit := entries[0].edit:
        await _apply_edit(resource, edited, edit)
    else:
        await _merge_stored(resource, edited)


def set_forms(batch: Batch, forms: Mapping[int, bytes]) -> None:
    """Set the writable forms of stored records, given by id."""
    for entry in batch.items:
        entry.form = forms.get(entry["id"], entry.form)


async def _apply_edit(resource: WritableResource, batch: Batch, edit: Edit) -> None:
    """Replace the fields of the only entry by the edited form of its record."""
    batch.errors.raise_any()
    [entry] = batch.items
    values = await with_ids(resource, batch, edit.values)
    entry.set_fields(edit.apply(orjson.loads(entry.form or b"{}"), values))
    entry.patch = {}
    batch.errors.order_by(entry.index, entry)


async def _merge_stored(resource: WritableResource, batch: Batch) -> None:
    """Replace the content of each entry by the writable form with the entry merged into it.

    A deleted record becomes active by own key, unless the entry sets ``state``; by id it stays
    deleted. Add errors to the batch for what the replace schema forbids.
    """
    names = await own_keys(resource, batch)
    merged_bytes = 0
    for index, entry in enumerate(batch.items):
        form = _form_to_merge(resource, entry)
        entry.patch = {name: entry[name] for name in entry if name != "id"}
        merged = _merged(KeyedMerge(resource, names), batch, index, form, entry.patch)
        if entry.index not in batch.errors:
            _validate(resource, batch, index, merged)
        entry.set_fields(merged)
        merged_bytes += len(entry.form or b"")
        if merged_bytes > _YIELD_BYTES:
            merged_bytes = 0
            await asyncio.sleep(0)


def _form_to_merge(resource: WritableResource, entry: Entry) -> Item:
    """Return the stored form that an entry is merged into."""
    form: Item = orjson.loads(entry.form or b"{}")
    for name in resource.unique_fields:
        if isinstance(form[name], bool):
            del form[name]
    if not entry.is_by_id and form.get("state") == "deleted":
        form["state"] = "active"
    return form


def make_new(resource: MasterRecord, batch: Batch) -> None:
    """Turn items of records that do not exist into creates: drop nulls, check the create schema.

    The items change in place. Add the schema's errors to the batch, but for ``state`` ``deleted``.
    """
    for index, item in enumerate(batch.items):
        item.set_fields(_merged(KeyedMerge(resource), batch, index, {}, item))
        is_deleted = item.get("state") == "deleted"
        probe = item | {"state": "active"} if is_deleted else item
        for detail in resource.validators["create"].errors(probe, b""):
            batch.fail(index, detail.type, *detail.path, message=detail.message or "")


def _merged(merge: KeyedMerge, batch: Batch, index: int, stored: Item, patch: Item) -> Item:
    """Return the stored form with the patch merged into it; add the errors of entries' keys."""
    merged_item = merge.result(stored, patch)
    for path, alias in merge.aliases.items():
        batch.errors.report_at(batch.items[index].index, path, alias)
    for detail in merge.errors:
        batch.fail(index, detail.type, *detail.path, message=detail.message or "")
    return merged_item


def _validate(resource: WritableResource, batch: Batch, index: int, merged_item: Item) -> None:
    """Add the errors of the replace schema, which ``state`` ``deleted`` does not violate here."""
    is_deleted = merged_item.get("state") == "deleted"
    probe = merged_item | {"state": "active"} if is_deleted else merged_item
    try:
        details = resource.validators["replace"].errors(probe, orjson.dumps(probe))
    except ApiError as error:
        details = [*error.details]
    for detail in details:
        batch.fail(index, detail.type, *detail.path, message=detail.message or "")
