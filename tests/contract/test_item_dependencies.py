"""Items that depend on failed items: bounded statements (contract, Skipping failing items)."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from tests.support.api import Api
from tests.support.statement_spy import record_statements

pytestmark = pytest.mark.contract("Skipping failing items")

Items = list[dict[str, Any]]
MATERIALS, RANGES = "/api/care-instruction-materials", "/api/size-ranges"
FIELDS = "/api/compliance-custom-fields"
SKIP = {"onError": "skip"}
FIELD = {"type": "allowedValue", "allowedValues": [{"value": "One"}]}
DELETED = {"name": "Gone", "state": "deleted"}


async def create(api: Api, root: str, **body: Any) -> int:
    """Create a record; return its id."""
    return int((await api.post(root, body)).data["id"])


async def materials_with_shifted_keys(api: Api, length: int) -> Items:
    """Return items that take the next item's own key each; the last item is invalid."""
    keys = [str(uuid4()) for _ in range(length + 1)]
    ids = [await create(api, MATERIALS, text="Wool", userDefinedId=key) for key in keys[:-1]]
    items: Items = [
        {"id": record_id, "text": "Wool", "userDefinedId": key}
        for record_id, key in zip(ids, keys[1:], strict=True)
    ]
    items[-1]["languages"] = [{"languageId": 2**40, "text": "Wolle"}]
    return items


async def generations(api: Api, length: int) -> list[int]:
    """Create custom fields, each the parent of the next; return their ids."""
    ids: list[int] = []
    for _ in range(length):
        parent = {"parentCustomFieldId": ids[-1]} if ids else {}
        ids.append(await create(api, FIELDS, name="Field", **FIELD, **parent))
    return ids


async def restored_fields(api: Api, length: int) -> Items:
    """Return items that restore custom fields; the first item is invalid."""
    ids = await generations(api, length)
    await api.delete(FIELDS, [("ids", str(record_id)) for record_id in ids])
    items: Items = [
        {"id": record_id, "name": "Back", "state": "active", **FIELD, "parentCustomFieldId": parent}
        for record_id, parent in zip(ids, [None, *ids[:-1]], strict=True)
    ]
    items[0]["allowedValues"] = [{"id": 2**60, "value": "x"}]
    return items


async def related_ranges(api: Api, length: int) -> list[int]:
    """Create size ranges whose sizes relate each to the one before; return their ids."""
    ids, size = list[int](), None
    for _ in range(length):
        ids.append(await create(api, RANGES, name="Run"))
        body = [{"name": "M", "relatedSizeRangeSizeId": size}]
        size = (await api.put(f"{RANGES}/{ids[-1]}/sizes", body)).data[0]["id"]
    return ids


async def deleted(
    create_chain: Callable[[Api, int], Awaitable[list[int]]], api: Api, length: int
) -> Items:
    """Return items that delete records, the last of which is used by one that stays."""
    *ids, _ = await create_chain(api, length + 1)
    return [{"id": record_id, **DELETED} for record_id in ids]


async def restored_ranges(api: Api, length: int) -> Items:
    """Return items that restore size ranges, the first of which needs one that stays deleted."""
    first, *ids = await related_ranges(api, length + 1)
    params = [("ids", str(record_id)) for record_id in (first, *ids)]
    assert (await api.delete(RANGES, params)).status == 200
    return [{"id": record_id, "name": "Run", "state": "active"} for record_id in ids]


CHAINS: dict[str, tuple[str, Callable[[Api, int], Awaitable[Items]]]] = {
    "materials with shifted keys": (MATERIALS, materials_with_shifted_keys),
    "deleted custom fields": (FIELDS, partial(deleted, generations)),
    "restored custom fields": (FIELDS, restored_fields),
    "deleted size ranges": (RANGES, partial(deleted, related_ranges)),
    "restored size ranges": (RANGES, restored_ranges),
}


@pytest.mark.parametrize("chain", CHAINS)
async def test_a_long_chain_takes_as_many_statements_as_a_short_one(
    chain: str, own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checking round by round would take one round for each item of a chain."""
    root, items_of = CHAINS[chain]
    counts = list[int]()
    with record_statements(monkeypatch) as sent:
        # The first request has statements of asyncpg's own, which look types up.
        for length in (4, 4, 12):
            items = await items_of(own_api, length)
            sent.clear()
            answer = await own_api.put(root, items, params=SKIP)
            assert [row["outcome"] for row in answer.data] == ["failed"] * length, answer.raw
            counts.append(len(sent))
    assert counts[1] == counts[2] > 0
