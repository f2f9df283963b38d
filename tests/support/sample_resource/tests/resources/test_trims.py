"""Tests of trims."""

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Trims")


async def test_trims(api: Api) -> None:
    made = await api.post("/api/trims", {"name": "Button", "userDefinedId": "B-1"})
    trim = {"id": made.data["id"], "name": "Button", "userDefinedId": "B-1", "state": "active"}
    assert made.data == trim
    replaced = await api.put(made.headers["Location"], {"name": "Zipper", "state": "inactive"})
    assert replaced.data == trim | {"name": "Zipper", "userDefinedId": None, "state": "inactive"}
