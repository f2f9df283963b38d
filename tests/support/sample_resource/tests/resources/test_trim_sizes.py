"""Tests of the sizes of trims."""

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Sizes of trims")


async def test_sizes_match_by_name(api: Api) -> None:
    trim = (await api.post("/api/trims", {"name": "Rivet"})).data["id"]
    path = f"/api/trims/{trim}/sizes"
    made = (await api.put(path, [{"name": "24L", "diameter": "15.0"}, {"name": "18L"}])).data
    written = (await api.put(path, [{"name": "18L", "diameter": 11.5}, {"name": "20L"}])).data
    assert written[0] == {"id": made[1]["id"], "name": "18L", "diameter": 11.5}
    assert made[0]["id"] not in [size["id"] for size in written]
    listed = await api.get("/api/trim-sizes", {"trimId": str(trim)})
    assert listed.data == [{"trimId": trim, "sizes": written}]
