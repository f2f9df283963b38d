"""Previews: the fields that a dry run changes, before and after it (contract, Dry runs).

The fields are those of the writable form, read before the writes of the dry run and after them.
"""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, TypeAlias

import orjson

from service import schemas
from service.batches.change_recorder import DELETED
from service.batches.entry import MemberChange
from service.batches.write_set import WriteSet
from service.records.resource import DocumentRequest
from service.records.writable_resource import WritableResource
from service.schemas.key_forms import REFERS_TO

_ENTRY_IDS: Final = ("id", "lineId")
"""Members with the ids that the service gives to the entries of a list."""
_YIELD_BYTES: Final = 2**17
"""Bytes of forms after which the comparison yields to the event loop; some milliseconds."""

Forms: TypeAlias = Mapping[int, bytes]
"""Writable forms by the ids of their records."""


def requested_forms(write_set: WriteSet) -> tuple[DocumentRequest | None, DocumentRequest | None]:
    """Return the requests for the writable forms of the upserts, before the write and after it.

    The first one has no records to create. Each is None if it has no records.
    """
    ids, created_ids = write_set.upserts.ids, {*write_set.created_ids}
    stored_ids = [record_id for record_id in ids if record_id not in created_ids]
    before, after = (
        DocumentRequest(each, "writables", write_set.batch.parents) if each else None
        for each in (stored_ids, ids)
    )
    return before, after


async def set_changes(
    resource: WritableResource, write_set: WriteSet, forms: tuple[Forms, Forms]
) -> None:
    """Set the changes of the entries of an executed write set, none of unchanged records.

    ``forms`` are the writable forms before and after it, by ``requested_forms``. Deletes of live
    records change the ``state`` alone, also of records without one.
    """
    for entry in write_set.deletes.items:
        if entry.stored and not entry.was_deleted:
            entry.changes = [MemberChange("state", entry.stored["state"], DELETED)]
    (before, after), compared_bytes = forms, 0
    for entry in write_set.upserts.items:
        record_id = entry["id"]
        entry.changes = _differences(resource, before.get(record_id), after[record_id])
        compared_bytes += len(after[record_id])
        if compared_bytes > _YIELD_BYTES:
            compared_bytes = 0
            await asyncio.sleep(0)


def _differences(
    resource: WritableResource, before: bytes | None, after: bytes
) -> list[MemberChange]:
    """Return the fields in which two writable forms differ, in the order of the form.

    Of a new record these are all fields with a value. Ids of entries that the write adds are None:
    the real write gives them other ones.
    """
    if before == after:
        return []
    old = {} if before is None else _members(resource, before)
    new = _members(resource, after)
    for name, entry_id in _entry_lists(resource.name, resource.list_name).items():
        ids = {entry[entry_id] for entry in old.get(name) or ()}
        for entry in new.get(name) or ():
            if entry[entry_id] not in ids:
                entry[entry_id] = None
    return [
        MemberChange(name, old.get(name), value)
        for name, value in new.items()
        if old.get(name) != value
    ]


def _members(resource: WritableResource, form: bytes) -> dict[str, Any]:
    """Return the members of a writable form; a form that is a list is one member."""
    parsed = orjson.loads(form)
    return {resource.list_name: parsed} if resource.list_name else dict(parsed)


@cache
def _entry_lists(name: str, list_name: str) -> dict[str, str]:
    """Return the member with the id of an entry, for each list whose entries are no references."""
    forms = schemas.load()[name]["$defs"]
    sent = schemas.definition(
        name, next(form for form in ("fields", "item", "replace") if form in forms)
    )
    writable = schemas.definition(name, "writable")
    lists = {list_name: writable} if list_name else writable.properties
    return {
        field: entry_id
        for field, schema in lists.items()
        for entry_id in _ENTRY_IDS
        if entry_id in schema.items.properties
        and (list_name or REFERS_TO not in sent.properties[field].schema)
    }
