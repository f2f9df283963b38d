"""Tests of translations of styles (contract, Translations of styles; contract, Parts)."""

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Translations of styles")

SETS = "/api/style-translations"


async def test_names_and_descriptions_by_language(api: Api) -> None:
    style = (await api.post("/api/styles", {"number": "T-1", "name": "Vest"})).data["id"]
    path = f"/api/styles/{style}/translations"
    texts = [{"languageId": 3, "description": "Gilet"}, {"languageId": 2, "name": "Weste"}]
    stored = [{"name": None, "description": None} | each for each in texts[::-1]]
    assert (await api.put(path, texts)).data == stored
    assert (await api.get(SETS, {"styleId": style})).data == [
        {"styleId": style, "translations": stored}
    ]
    wrong = [{"languageId": 2}, {"languageId": 2, "name": ""}, {"languageId": 2**40}]
    assert (await api.put(path, wrong)).details == [
        ("validation_error.duplicate", "[1].languageId"),
        ("validation_error.too_short", "[1].name"),
    ]
    assert (await api.put(path, wrong[2:])).details == [
        ("validation_error.unknown_reference", "[0].languageId")
    ]
    assert (await api.put(path, [])).data == []


@pytest.mark.shared_demo_data
@pytest.mark.contract("Features")
async def test_without_the_feature_there_are_none_to_write(other_api: Api) -> None:
    """Stored translations stay, in writes of the part and of its collection."""
    [first, *_] = (await other_api.get(SETS)).data
    path = f"/api/styles/{first['styleId']}/translations"
    assert (await other_api.get(path, {"form": "writable"})).data == []
    refused = await other_api.put(path, [{"languageId": 1}])
    assert refused.details == [("validation_error.feature_disabled", None)]
    refused = await other_api.put(SETS, [first])
    assert refused.details == [("validation_error.feature_disabled", "[0].translations")]
    assert (await other_api.put(path, [])).data == first["translations"]
