"""Brands (contract, Brands)."""

from tests.support.api import Api
from tests.support.restrictions import leaves_restrictions_for_good

PATH = "/api/brands"


async def test_fields(api: Api) -> None:
    """A name, the customer's own key and a state; null and omitted clear the key."""
    made = await api.post(PATH, {"name": "Coast", "customId": "BR-1"})
    assert made.data == {
        "id": made.data["id"],
        "customId": "BR-1",
        "name": "Coast",
        "state": "active",
    }
    assert (await api.get(PATH, {"customId": "BR-1"})).data == [made.data]
    replaced = await api.put(made.headers["Location"], {"name": "Coast", "state": "inactive"})
    assert replaced.data == {"id": made.data["id"], "name": "Coast", "state": "inactive"}
    deleted = await api.delete(made.headers["Location"])
    assert deleted.data["state"] == "deleted"
    assert (await api.get(PATH, {"id": made.data["id"]})).data == []


async def test_a_deleted_one_leaves_the_restrictions(api: Api) -> None:
    """For good: restoring it does not bring it back into custom fields."""
    await leaves_restrictions_for_good(api, PATH, "associatedBrands")
