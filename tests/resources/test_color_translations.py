"""Tests of translated color names (contract, Translations; contract, Parts)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Translations", "Parts")

COLORS = "/api/colors"


async def new_color(api: Api, **fields: Any) -> str:
    """Return the path of a new color's translations."""
    made = await api.post(COLORS, {"name": "Fir", **fields})
    assert made.status == 201, made.raw
    return f"{COLORS}/{made.data['id']}/translations"


async def shown(api: Api, path: str) -> dict[int, str]:
    """Return the names that the color itself shows."""
    names = (await api.get(path.removesuffix("/translations"))).data["languageNames"]
    return {translation["languageId"]: translation["colorName"] for translation in names}


async def test_translations_are_the_language_links(api: Api) -> None:
    """Contract, Translations: the set is that of languageIds; without a name the color's own."""
    path = await new_color(api, languageIds=[1, 2])
    empty = [{"languageId": language_id, "colorName": None} for language_id in (1, 2)]
    assert (await api.get(path)).data == empty
    answer = await api.put(path, [{"languageId": 3, "colorName": "Sapin"}, {"languageId": 2}])
    assert answer.data == [empty[1], {"languageId": 3, "colorName": "Sapin"}]
    assert await shown(api, path) == {2: "Fir", 3: "Sapin"}
    writable = (await api.get(path.removesuffix("/translations"), {"form": "writable"})).data
    assert writable["languageIds"] == [2, 3]


async def test_links_that_stay_keep_their_translation(api: Api) -> None:
    """Contract, Colors: a replace of the color that keeps a link keeps its name."""
    path = await new_color(api)
    await api.put(path, [{"languageId": 3, "colorName": "Sapin"}, {"languageId": 2}])
    color = path.removesuffix("/translations")
    body = {"name": "Pine", "state": "active", "languageIds": [1, 3]}
    assert (await api.put(color, body)).status == 200
    assert await shown(api, path) == {1: "Pine", 3: "Sapin"}
    await api.put(path, [{"languageId": 3, "colorName": None}])
    assert await shown(api, path) == {3: "Pine"}


@pytest.mark.shared_demo_data
@pytest.mark.contract("Features")
async def test_without_the_feature_there_are_none_to_write(other_api: Api) -> None:
    """Contract, Translations: feature_disabled for a populated list; stored links stay."""
    colors = (await other_api.get(COLORS, {"pageSize": "100"})).data
    path = next(
        f"{COLORS}/{color['id']}/translations" for color in colors if color["languageNames"]
    )
    stored = (await other_api.get(path)).data
    assert stored
    assert (await other_api.get(path, {"form": "writable"})).data == []
    refused = await other_api.put(path, [{"languageId": 1}])
    assert refused.details == [("validation_error.feature_disabled", None)]
    assert (await other_api.put(path, [])).data == stored


@in_each(
    ("entries", "details"),
    [
        ([{"colorName": "x"}], [("required_field", "[0].languageId")]),
        ([{"languageId": 1, "colorName": ""}], [("too_short", "[0].colorName")]),
        ([{"languageId": 1, "colorName": " "}], [("invalid_value", "[0].colorName")]),
        ([{"languageId": 1, "languageName": "x"}], [("unknown_field", "[0].languageName")]),
        ([{"languageId": 1}, {"languageId": 1}], [("duplicate", "[1].languageId")]),
        (
            [{"languageId": 999}, {"languageId": 1}, {"languageId": 998}],
            [("unknown_reference", "[0].languageId"), ("unknown_reference", "[2].languageId")],
        ),
    ],
)
async def test_errors_name_their_field(
    api: Api, entries: list[Any], details: list[tuple[str, str]]
) -> None:
    """Contract, Translations: each language once, and known; names are never empty."""
    path = await new_color(api)
    refused = await api.put(path, entries)
    assert refused.details == [(f"validation_error.{kind}", field) for kind, field in details]
    assert (await api.get(path)).data == []
