"""Merge patch of one record: edits of its writable form (RFC 7396; contract, Patches)."""

from collections.abc import Sequence

import orjson

from service.errors import ApiError
from service.handlers.patch import validated
from service.queries.batch import Item
from service.queries.merge_patch import apply_merge_patch
from service.queries.writable_resource import WritableResource
from service.queries.writes import Edit
from service.schemas.parsing import parse


def merge_editor(resource: WritableResource, raw: bytes) -> Edit:
    """Return the edit that merges the patch into a writable form.

    Raise ApiError, 400, for errors of the patch itself. The edit raises it, too, if
    the merged form violates the replace schema; it leaves its argument unchanged and can be called
    again. An ``id`` in the patch is ignored, as in a replace. A deleted record stays deleted unless
    the patch has ``state``.
    """
    body = parse(raw)
    if details := resource.validators["merge"].errors(body, raw):
        raise ApiError(details)
    patch = orjson.dumps({name: value for name, value in body.items() if name != "id"})

    def edit(stored: Item, _: Sequence[Item]) -> Item:
        members = orjson.loads(patch)
        merged = apply_merge_patch(stored, members)
        return validated(resource, stored, merged, touches_state="state" in members)

    return Edit(edit)
