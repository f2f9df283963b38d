"""Items that say only what changes, merged into what is stored (RFC 7396)."""

import asyncio
from typing import Any, Final

import orjson

from service.database.connections import Connection
from service.errors import ApiError
from service.queries.batch import Batch, Item
from service.queries.master_record import MasterRecord

_LARGE: Final = 2**17
"""Bytes of records that take some milliseconds to merge and to judge."""


def merged(target: Any, patch: Any) -> Any:
    """The target as the merge patch changes it; null takes a member away."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


async def merge_stored(
    connection: Connection, resource: MasterRecord, batch: Batch, *, restores: bool
) -> None:
    """Make of each item the whole record that it leads to; the records are locked.

    Where it ``restores``, what is deleted becomes active unless the item says otherwise; else it
    stays deleted unless the item says so. Reports what the write schema forbids.
    """
    if not batch.items:
        return
    stored = await resource.render(connection, batch.caller, batch.ids, "writables")
    worked = 0
    for number, item in enumerate(batch.items):
        before = stored[item["id"]]
        whole = _whole(orjson.loads(before), item, restores=restores)
        _judge(resource, batch, number, whole)
        _become(item, whole | {"id": item["id"]})
        worked += len(before)
        if worked > _LARGE:
            worked = 0
            await asyncio.sleep(0)


def make_new(resource: MasterRecord, batch: Batch) -> None:
    """Make of each item the record that it creates; reports what creating forbids."""
    for number, item in enumerate(batch.items):
        _become(item, merged({}, item))
        for failure in resource.create_form.errors(item, b""):
            batch.fail(number, failure.type, *failure.path, message=failure.message or "")


def _whole(before: Item, item: Item, *, restores: bool) -> Item:
    """The writable form after the item."""
    if restores and before["state"] == "deleted":
        before["state"] = "active"
    return dict(merged(before, {name: item[name] for name in item if name != "id"}))


def _judge(resource: MasterRecord, batch: Batch, number: int, whole: Item) -> None:
    """Report what a replace by the whole form would; a deleted record may stay so."""
    probe = whole | {"state": "active"} if whole.get("state") == "deleted" else whole
    try:
        found = resource.replace_form.errors(probe, orjson.dumps(probe))
    except ApiError as error:
        found = [*error.details]
    for failure in found:
        batch.fail(number, failure.type, *failure.path, message=failure.message or "")


def _become(item: Item, whole: Item) -> None:
    item.clear()
    item.update(whole)
