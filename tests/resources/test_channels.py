"""Tests of channels (contract, Channels)."""

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Channels")

CHANNELS = "/api/channels"


async def test_fields(api: Api) -> None:
    """Languages, price lists and requirements are sets."""
    retail = {"name": "Retail", "type": "retail", "currencyCode": "EUR", "userDefinedId": "T-R"}
    prices = (await api.post("/api/price-lists", retail)).data["id"]
    sets = {"languageIds": [2, 1], "priceListIds": [{"userDefinedId": "T-R"}]}
    made = await api.post(CHANNELS, {"name": "Web", **sets, "requirements": ["skus", "care"]})
    stored = made.data
    shown = {"languageIds": [1, 2], "priceListIds": [prices], "requirements": ["care", "skus"]}
    assert stored == {"id": stored["id"], "name": "Web", **shown, "state": "active"}
    for name, value in {"languages.code": "en", "priceLists.userDefinedId": "T-R"}.items():
        listed = (await api.get(CHANNELS, {name: value, "pageSize": 100})).data
        assert stored in listed, name
    cleared: dict[str, list[str]] = {"languageIds": [], "priceListIds": [], "requirements": []}
    replaced = await api.put(made.headers["Location"], {"name": "Web", "state": "active"})
    assert replaced.data == stored | cleared
    wrong = {"name": "x", "requirements": ["skus", "love", "skus"]}
    assert (await api.post(CHANNELS, wrong)).details == [
        ("validation_error.invalid_value", "requirements[1]"),
        ("validation_error.duplicate", "requirements[2]"),
    ]
    unknown = {"name": "x", "languageIds": [1, 999], "priceListIds": [2**40]}
    assert (await api.post(CHANNELS, unknown)).details == [
        ("validation_error.unknown_reference", "languageIds[1]"),
        ("validation_error.unknown_reference", "priceListIds[0]"),
    ]
