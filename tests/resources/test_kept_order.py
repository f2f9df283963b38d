"""Tests of the order of sizes and lines: that of the request (contract, Order of arrays)."""

from random import Random
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.changes import Follower
from tests.support.sampling import settle_seed

pytestmark = pytest.mark.contract("Order of arrays")


async def test_sizes_and_lines_keep_the_order_in_which_they_are_sent(api: Api) -> None:
    """Everywhere, after a change of the order, too, which the feed tells of all that shows it."""
    range_id = (await api.post("/api/size-ranges", {"name": "Test"})).data["id"]
    style_id = (await api.post("/api/styles", {"number": "ORDER", "name": "Test"})).data["id"]
    sizes = (await api.put(f"/api/size-ranges/{range_id}/sizes", [{"name": n} for n in "SML"])).data
    ids = [size["id"] for size in sizes]
    requested = [{"sizeRangeSizeId": id_, "value": 1} for id_ in ids]
    chart = f"/api/styles/{style_id}/measurement-chart"
    lines = [{"name": name, "requested": requested} for name in ("Chest", "Hem")]
    assert (await api.put(chart, {"lines": lines})).status == 200
    sample = {"styleId": style_id, "name": "Fit", "sizeRangeSizeIds": ids}
    sample_id = (await api.post("/api/sample-requests", sample)).data["id"]

    async def read(path: str, **query: str) -> Any:
        return (await api.get(f"/api/{path}", query)).data

    async def shown() -> list[list[Any]]:
        """Return the sizes, then the lines, wherever they are shown."""
        measured = await read(f"styles/{style_id}/sample-requests/{sample_id}/measurements")
        collected = (await read("measurements", sampleRequestId=str(sample_id)))[0]["sizes"]
        charted = await read(f"styles/{style_id}/measurement-chart")
        sizes = [
            await read(f"size-ranges/{range_id}/sizes"),
            (await read(f"size-ranges/{range_id}/sizes", form="writable")),
            (await read(f"size-ranges/{range_id}"))["sizes"],
        ]
        requests = [
            (await read(f"sample-requests/{sample_id}"))["sizes"],
            *(line["requested"] for line in charted["lines"]),
            measured,
            collected,
        ]
        writable = await read(f"sample-requests/{sample_id}", form="writable")
        return [
            *([size["id"] for size in entries] for entries in sizes),
            *([size["sizeRangeSizeId"] for size in entries] for entries in requests),
            writable["sizeRangeSizeIds"],
            *([line["name"] for line in size["lines"]] for size in [*measured, *collected]),
            [line["name"] for line in charted["lines"]],
        ]

    async def expect(size_ids: list[int], *names: str) -> None:
        assert await shown() == [size_ids] * 9 + [[*names]] * 7

    await expect(ids, "Chest", "Hem")
    follower = Follower(api)
    await follower.begin()
    order = [sizes[2], sizes[0], sizes[1]]
    assert (await api.put(f"/api/size-ranges/{range_id}/sizes", order)).data == order
    showing = {"size-ranges", "size-range-sizes", "measurement-charts", "sample-requests"}
    changed = {entry["collection"] for entry in await follower.entries()}
    assert changed == showing | {"measurements"}
    await api.put(chart, {"lines": lines[::-1]})
    changed = {entry["collection"] for entry in await follower.entries()}
    assert changed == {"measurement-charts", "measurements"}
    await expect([size["id"] for size in order], "Hem", "Chest")
    # The same order again changes nothing.
    for path, body in (
        (f"/api/size-ranges/{range_id}/sizes", order),
        (chart, {"lines": lines[::-1]}),
    ):
        assert (await api.put(path, body)).status == 200
    assert await follower.entries() == []


async def test_any_order_stays(api: Api) -> None:
    """With sizes that are new, go, are deactivated by their use, and come back."""
    random = Random(settle_seed())
    range_id = (await api.post("/api/size-ranges", {"name": "Test"})).data["id"]
    path, names = f"/api/size-ranges/{range_id}/sizes", [*"ABCDEFGH"]
    ids = [size["id"] for size in (await api.put(path, [{"name": name} for name in names])).data]
    style_id = (await api.post("/api/styles", {"number": "ANY", "name": "Test"})).data["id"]
    sample = {"styleId": style_id, "name": "Order", "sizeRangeSizeIds": ids[:4]}
    assert (await api.post("/api/sample-requests", sample)).status == 201
    for _ in range(20):
        sent = random.sample(names, random.randint(0, len(names)))
        after = (await api.put(path, [{"name": name} for name in sent])).data
        assert [size["name"] for size in after if not size["isDeactivated"]] == sent
        assert (await api.put(path, after)).data == after
