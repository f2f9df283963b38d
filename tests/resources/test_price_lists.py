"""Tests of price lists (contract, Price lists), and of sets of plain values by them."""

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Price lists")

LISTS = "/api/price-lists"
RETAIL = {"name": "Retail", "type": "retail", "currencyCode": "EUR"}
DEFAULTS = {
    "includesTax": False,
    "countryCodes": [],
    "supplierId": None,
    "validFrom": None,
    "validTo": None,
    "state": "active",
    "usedInPrices": 0,
}


async def test_fields(api: Api) -> None:
    made = await api.post(LISTS, RETAIL)
    location, stored = made.headers["Location"], made.data
    assert stored == {"id": stored["id"], **RETAIL, **DEFAULTS}
    full = {"countryCodes": ["PT", "DE"], "includesTax": True, "validFrom": "2027-02-01"}
    replaced = (await api.put(location, {"name": "Retail", **full, "state": "active"})).data
    assert replaced == stored | full | {"countryCodes": ["DE", "PT"]}
    tag = (await api.get(location)).headers["ETag"]
    again = await api.put(location, RETAIL | full | {"state": "active"})
    assert again.headers["ETag"] == tag
    cleared = await api.put(location, {"name": "Retail", "state": "active"})
    assert cleared.data == stored
    wrong = {"name": "x", "type": "sale", "currencyCode": "XXX", "countryCodes": ["DE", "XX", "DE"]}
    assert (await api.post(LISTS, wrong)).details == [
        ("validation_error.invalid_value", "type"),
        ("validation_error.invalid_value", "currencyCode"),
        ("validation_error.invalid_value", "countryCodes[1]"),
        ("validation_error.duplicate", "countryCodes[2]"),
    ]


async def test_only_costs_have_a_supplier(api: Api) -> None:
    """Also in writes that leave the type out; the supplier cannot be deleted."""
    supplier = (await api.post("/api/suppliers", {"name": "Mill"})).data["id"]
    owned = {"name": "Mill", "supplierId": supplier}
    made = await api.post(LISTS, [RETAIL | owned, RETAIL | owned | {"type": "cost"}])
    assert made.details == [("validation_error.invalid_value", "[0].supplierId")]
    costs = (await api.post(LISTS, RETAIL | owned | {"type": "cost"})).headers["Location"]
    assert (await api.put(costs, owned | {"state": "active"})).data["supplierId"] == supplier
    retail = (await api.post(LISTS, RETAIL)).headers["Location"]
    refused = await api.put(retail, owned | {"state": "active"})
    assert refused.details == [("validation_error.invalid_value", "supplierId")]
    assert (await api.delete(f"/api/suppliers/{supplier}")).details == [("conflict.in_use", "id")]


async def test_type_and_currency_stay(api: Api) -> None:
    location = (await api.post(LISTS, RETAIL)).headers["Location"]
    other = RETAIL | {"type": "cost", "currencyCode": "SEK", "state": "active"}
    assert (await api.put(location, other)).details == [
        ("validation_error.read_only_field", "type"),
        ("validation_error.read_only_field", "currencyCode"),
    ]


@pytest.mark.contract("Filters", "Order of arrays", "CSV")
async def test_countries_filter_and_are_one_cell(api: Api) -> None:
    sets = [["SE", "DE"], ["PT"], []]
    made = await api.post(LISTS, [RETAIL | {"name": "F", "countryCodes": each} for each in sets])
    query = [("name", "F"), ("countryCodes", "DE"), ("countryCodes", "PT")]
    listed = await api.get(LISTS, query)
    assert [row["countryCodes"] for row in listed.data] == [["DE", "SE"], ["PT"]]
    listed = await api.get(
        LISTS, [*query, ("fields", "countryCodes")], headers={"Accept": "text/csv"}
    )
    assert listed.raw == b'countryCodes\r\n"DE;SE"\r\nPT\r\n'
    ordering = [("countryCodes", "xx"), ("sort[0].property", "countryCodes")]
    assert (await api.get(LISTS, ordering)).status == 400
    location = f"{LISTS}/{made.data[1]['id']}"
    appended = [{"op": "add", "path": "/countryCodes/-", "value": "AT"}]
    patched = await api.patch(location, appended)
    assert patched.data["countryCodes"] == ["AT", "PT"]
