"""Tests of compliance categories (contract, Compliance categories)."""

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Compliance categories")

CATEGORIES = "/api/compliance-categories"


async def test_fields(api: Api) -> None:
    """A replace clears what it omits; the position follows the highest one."""
    full = {"userDefinedId": "T-1", "name": "x" * 200, "description": "y" * 4000}
    first, second = (await api.post(CATEGORIES, [full, {"name": "Audits"}])).data
    position = {"position": first["position"], "state": "active"}
    assert first == {"id": first["id"], **full, **position}
    assert second["position"] == first["position"] + 1
    bare = {"name": "Tests", "state": "inactive"}
    replaced = (await api.put(f"{CATEGORIES}/{first['id']}", bare)).data
    assert replaced == {"id": first["id"], "description": None, **position, **bare}
    long = {"name": "x" * 201, "description": "y" * 4001}
    assert (await api.post(CATEGORIES, long)).details == [
        ("validation_error.too_long", "name"),
        ("validation_error.too_long", "description"),
    ]
