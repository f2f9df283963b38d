"""Tests of suppliers (contract, Suppliers)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.changes import Follower

pytestmark = pytest.mark.contract("Suppliers")

SUPPLIERS, SUB_SUPPLIERS = "/api/suppliers", "/api/sub-suppliers"
BARE = {"name": "Bare", "state": "active"}
SENT: dict[str, Any] = {
    "customId": "T-14",
    "name": "Minho Malhas",
    "isStyleSupplier": True,
    "isItemSupplier": False,
    "currencyCode": "EUR",
    "countryCode": "PT",
    "deliveryTerms": "FOB Porto",
    "paymentTerms": "30 days net",
    "leadTimeDays": 75,
    "address": "Rua de Vila Pouca 210",
    "zipCode": "4750-795",
    "city": "Barcelos",
    "stateOrRegion": "Braga",
    "webSite": "https://minho.example.com",
    "vatNumber": "PT500000001",
    "mid": "PTMINMAL210BAR",
    "gln": "4006381333931",
    "latitude": 41.5,
    "longitude": -8.6,
}
NULLS = dict.fromkeys(
    ("currencyCode", "countryCode", "deliveryTerms", "paymentTerms", "leadTimeDays", "gln")
)
"""Fields that documents show without a value, too."""


async def sub_supplier(api: Api, key: str) -> str:
    return str((await api.post(SUB_SUPPLIERS, {"name": key, "customId": key})).data["id"])


async def linked(api: Api, path: str) -> list[str]:
    return list((await api.get(path)).data["subSupplierIds"])


async def test_fields(api: Api) -> None:
    """A replace clears what it omits; the country's name is that of its code."""
    made = await api.post(SUPPLIERS, SENT)
    path, shown = made.headers["Location"], made.data
    counted = {"usedInStyles": 0, "usedInItems": 0, "contacts": [], "subSupplierIds": []}
    own = {"id": shown["id"], "createdAt": shown["createdAt"], "state": "active"}
    assert shown == SENT | counted | own | {"countryName": "Portugal"}
    assert isinstance(shown["id"], int)
    flags = {"isStyleSupplier": False, "isItemSupplier": False}
    assert (await api.put(path, BARE)).data == BARE | NULLS | flags | counted | own


async def test_wrong_fields_are_refused(api: Api) -> None:
    refused = await api.post(
        SUPPLIERS,
        {
            "name": "x",
            "currencyCode": "XAU",
            "countryCode": "XX",
            "deliveryTerms": "x" * 201,
            "leadTimeDays": 1001,
            "gln": "4006381333932",
            "usedInItems": 1,
        },
    )
    assert refused.details == [
        ("validation_error.invalid_value", "currencyCode"),
        ("validation_error.invalid_value", "countryCode"),
        ("validation_error.too_long", "deliveryTerms"),
        ("validation_error.out_of_range", "leadTimeDays"),
        ("validation_error.invalid_value", "gln"),
        ("validation_error.read_only_field", "usedInItems"),
    ]


async def test_contacts_keep_their_identity_and_go_with_the_supplier(api: Api) -> None:
    """A restoring patch restores them; filters do not find those of deleted suppliers."""
    contacts = [{"email": "a@example.com"}, {"email": "b@example.com", "countryCode": "PT"}]
    path = (await api.post(SUPPLIERS, BARE | {"contacts": contacts, "state": None})).headers[
        "Location"
    ]
    first, second = (await api.get(path)).data["contacts"]
    assert (first["properties"], second["countryName"]) == ([], "Portugal")
    sent = [{"email": "b@example.com", "role": "Sales"}, {"id": first["id"], "role": "Quality"}]
    stored = (await api.put(path, BARE | {"contacts": sent})).data["contacts"]
    assert [(each["id"], each["role"]) for each in stored] == [
        (first["id"], "Quality"),
        (second["id"], "Sales"),
    ]
    by_email = {"contacts.email": "b@example.com"}
    assert len((await api.get(SUPPLIERS, by_email)).data) == 1
    assert (await api.delete(path)).data["contacts"] == []
    assert (await api.get(SUPPLIERS, by_email | {"state": "deleted"})).data == []
    assert (await api.patch(path, replacing("/state", "active"))).data["contacts"] == stored


@pytest.mark.contract("Filters by reference", "References")
async def test_deleted_sub_suppliers_are_not_shown_and_come_back(api: Api) -> None:
    """No write in between loses them, and none finds them; the feed tells both."""
    first, second, third = [await sub_supplier(api, f"T-SS{n}") for n in range(3)]
    body = BARE | {"subSupplierIds": [second, {"customId": "T-SS0"}]}
    made = await api.post(SUPPLIERS, body | {"state": None})
    path = made.headers["Location"]
    assert made.data["subSupplierIds"] == [first, second]
    follower = Follower(api, collection="suppliers")
    await follower.begin()
    assert (await api.delete(f"{SUB_SUPPLIERS}/{second}")).status == 200
    assert [entry["recordId"] for entry in await follower.entries()] == [made.data["id"]]
    assert await linked(api, path) == [first]
    for name, value in (("id", second), ("customId", "T-SS1")):
        assert (await api.get(SUPPLIERS, {f"subSuppliers.{name}": value})).data == []
    listed = await api.get(SUPPLIERS, {"subSuppliers.customId": "T-SS0"})
    assert [each["id"] for each in listed.data] == [made.data["id"]]
    refused = await api.put(path, BARE | {"subSupplierIds": [first, second, "07", first]})
    assert refused.details == [("validation_error.duplicate", "subSupplierIds[3]")]
    refused = await api.put(path, BARE | {"subSupplierIds": [first, second, "07"]})
    assert refused.details == [
        ("validation_error.unknown_reference", f"subSupplierIds[{n}]") for n in (1, 2)
    ]
    assert (await api.patch(path, replacing("/name", "Renamed"))).status == 200
    assert (await api.put(path, BARE | {"subSupplierIds": [third]})).status == 200
    await follower.entries()
    restored = await api.patch(f"{SUB_SUPPLIERS}/{second}", replacing("/state", "inactive"))
    assert restored.status == 200
    assert await linked(api, path) == [second, third]
    assert [entry["recordId"] for entry in await follower.entries()] == [made.data["id"]]
    assert (await api.put(path, BARE)).data["subSupplierIds"] == []


@pytest.mark.contract("States", "Styles", "Items")
@pytest.mark.parametrize(
    ("collection", "count"), [("styles", "usedInStyles"), ("items", "usedInItems")]
)
async def test_styles_and_items_protect_and_count_it(api: Api, collection: str, count: str) -> None:
    path = (await api.post(SUPPLIERS, {"name": "S", "customId": "T-S"})).headers["Location"]
    body = {"number": "T-1", "name": "N", "supplierId": {"customId": "T-S"}}
    made = await api.post(f"/api/{collection}", body)
    assert (await api.get(path)).data[count] == 1
    refused = await api.delete(path)
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "id")])
    text = f'Used by {collection}: 1 ({made.data["id"]} "T-1").'
    assert refused.json["error"]["details"][0]["value"] == text
    cleared = await api.patch(made.headers["Location"], replacing("/supplierId", None))
    assert cleared.data["supplierId"] is None
    assert (await api.get(path)).data[count] == 0
    assert (await api.delete(path)).status == 200
