"""JSON Merge Patch: merges bulk items into stored records (RFC 7396; contract, Merges)."""

import asyncio
from typing import Final

import orjson

from service.batches.batch import Batch, Item
from service.errors import ApiError
from service.records.master_record import MasterRecord
from service.records.resource import DocumentRequest
from service.records.writable_resource import WritableResource
from service.writing.entry_keys import KeyedMerge, own_keys

_YIELD_BYTES: Final = 2**17
"""Bytes of records after which the merge yields to the event loop; some milliseconds."""


async def merge_stored(resource: WritableResource, batch: Batch, *, restores: bool) -> None:
    """Replace the content of each item by the stored writable form with the item merged into it.

    The records exist and are locked. With ``restores``, a deleted record becomes active unless the
    item sets ``state``; without, it stays deleted unless the item sets ``state``. Add errors to the
    batch for what the replace schema forbids. Raise ``too_many_items`` if several stored forms
    exceed ``MAX_BATCH_BYTES`` together.
    """
    if not batch.items:
        return
    writables = await resource.render(
        batch.connection, batch.caller, DocumentRequest(batch.ids, "writables", batch.parents)
    )
    forms = {record_id: orjson.loads(writable) for record_id, writable in writables.items()}
    names = await own_keys(resource, batch, forms)
    merged_bytes = 0
    for index, item in enumerate(batch.items):
        writable, stored_bytes = forms[item["id"]], len(writables[item["id"]])
        for name in resource.unique_fields:
            if isinstance(writable[name], bool):
                del writable[name]
        if restores and writable.get("state") == "deleted":
            writable["state"] = "active"
        patch = {name: item[name] for name in item if name != "id"}
        batch.merged[batch.request_indexes[index]] = patch
        merged_item = _merged(KeyedMerge(resource, names), batch, index, writable, patch)
        if batch.request_indexes[index] not in batch.errors:
            _validate(resource, batch, index, merged_item)
        _set_content(item, merged_item | {"id": item["id"]})
        merged_bytes += stored_bytes
        if merged_bytes > _YIELD_BYTES:
            merged_bytes = 0
            await asyncio.sleep(0)


def make_new(resource: MasterRecord, batch: Batch) -> None:
    """Turn items of records that do not exist into creates: drop nulls, check the create schema.

    The items change in place. Add the schema's errors to the batch, but for ``state`` ``deleted``.
    """
    for index, item in enumerate(batch.items):
        _set_content(item, _merged(KeyedMerge(resource), batch, index, {}, item))
        is_deleted = item.get("state") == "deleted"
        probe = item | {"state": "active"} if is_deleted else item
        for detail in resource.validators["create"].errors(probe, b""):
            batch.fail(index, detail.type, *detail.path, message=detail.message or "")


def _merged(merge: KeyedMerge, batch: Batch, index: int, stored: Item, patch: Item) -> Item:
    """Return the stored form with the patch merged into it; add the errors of entries' keys."""
    merged_item = merge.result(stored, patch)
    for path, alias in merge.aliases.items():
        batch.errors.report_at(batch.request_indexes[index], path, alias)
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


def _set_content(item: Item, content: Item) -> None:
    item.clear()
    item.update(content)
