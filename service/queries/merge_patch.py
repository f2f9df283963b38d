"""JSON Merge Patch: merges bulk items into stored records (RFC 7396; contract, Merges)."""

import asyncio
from typing import Any, Final

import orjson

from service.database.connections import Connection
from service.errors import ApiError
from service.queries.batch import Batch, Item
from service.queries.master_record import MasterRecord
from service.queries.resource import DocumentRequest
from service.queries.writable_resource import WritableResource

_YIELD_BYTES: Final = 2**17
"""Bytes of records after which the merge yields to the event loop; some milliseconds."""


def apply_merge_patch(target: Any, patch: Any) -> Any:
    """Return ``target`` with the merge patch applied; null removes a member (RFC 7396, 2).

    ``target`` stays as it is; the result may share its values.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = apply_merge_patch(result.get(name), value)
    return result


async def merge_stored(
    connection: Connection, resource: WritableResource, batch: Batch, *, restores: bool
) -> None:
    """Replace the content of each item by the stored writable form with the item merged into it.

    The records exist and are locked. With ``restores``, a deleted record becomes active unless the
    item sets ``state``; without, it stays deleted unless the item sets ``state``. Add errors to the
    batch for what the replace schema forbids. Raise ``too_many_items`` if several stored forms
    exceed ``MAX_BATCH_BYTES`` together.
    """
    if not batch.items:
        return
    writables = await resource.render(
        connection, batch.caller, DocumentRequest(batch.ids, "writables")
    )
    merged_bytes = 0
    for index, item in enumerate(batch.items):
        stored_json = writables[item["id"]]
        writable = orjson.loads(stored_json)
        for name in resource.side_effect_fields:
            del writable[name]
        merged_item = _merge_item(writable, item, restores=restores)
        _validate(resource, batch, index, merged_item)
        _set_content(item, merged_item | {"id": item["id"]})
        merged_bytes += len(stored_json)
        if merged_bytes > _YIELD_BYTES:
            merged_bytes = 0
            await asyncio.sleep(0)


def make_new(resource: MasterRecord, batch: Batch) -> None:
    """Turn items of records that do not exist into creates: drop nulls, check the create schema.

    The items change in place. Add the schema's errors to the batch.
    """
    for index, item in enumerate(batch.items):
        _set_content(item, apply_merge_patch({}, item))
        for detail in resource.validators["create"].errors(item, b""):
            batch.fail(index, detail.type, *detail.path, message=detail.message or "")


def _merge_item(writable: Item, item: Item, *, restores: bool) -> Item:
    """Return the writable form with the item merged into it."""
    if restores and writable.get("state") == "deleted":
        writable["state"] = "active"
    return dict(apply_merge_patch(writable, {name: item[name] for name in item if name != "id"}))


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
