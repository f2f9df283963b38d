"""Rules of colors (specification, Color; contract, section 6)."""

from typing import Any

from tests.support.api import Api


async def _writable(api: Api, color: int) -> dict[str, Any]:
    writable: dict[str, Any] = (await api.get(f"/api/colors/{color}?form=writable")).data
    return writable | {"id": color}


async def _linked(api: Api) -> dict[str, Any]:
    """The writable form of a color with groups and languages."""
    for color in (await api.get("/api/colors")).data:
        if len(color["colorGroups"]) > 1 and len(color["languageNames"]) > 1:
            return await _writable(api, color["id"])
    raise AssertionError("the demo data has no such color")


async def test_links_become_the_set_that_is_sent_and_staying_names_stay(api: Api) -> None:
    color = await _linked(api)
    groups = [group["id"] for group in (await api.get("/api/color-groups")).data]
    new = next(group for group in groups if group not in color["colorGroupIds"])
    before = (await api.get(f"/api/colors/{color['id']}")).data
    color["colorGroupIds"] = sorted([*color["colorGroupIds"][1:], new])
    added = next(n for n in range(1, 40) if n not in color["languageIds"])
    color["languageIds"] = sorted([*color["languageIds"][1:], added])
    (after,) = (await api.put("/api/colors", [color])).data
    assert [group["id"] for group in after["colorGroups"]] == color["colorGroupIds"]
    assert [name["languageId"] for name in after["languageNames"]] == color["languageIds"]
    names = {name["languageId"]: name["colorName"] for name in after["languageNames"]}
    assert names.pop(added) == after["name"]
    kept = {name["languageId"]: name["colorName"] for name in before["languageNames"]}
    assert names.items() <= kept.items()


async def test_every_place_of_an_unknown_reference_is_reported_in_request_order(api: Api) -> None:
    first, second = [
        await _writable(api, one["id"]) for one in (await api.get("/api/colors")).data[:2]
    ]
    known = (await api.get("/api/color-groups")).data[0]["id"]
    first["colorGroupIds"] = [999_999, known, 888_888]
    second["languageIds"] = [1, 999_999]
    second["colorGroupIds"] = [999_999]
    answer = await api.put("/api/colors", [first, second])
    unknown = "validation_error.unknown_reference"
    assert answer.status == 400
    assert answer.details == [
        (unknown, "[0].colorGroupIds[0]"),
        (unknown, "[0].colorGroupIds[2]"),
        (unknown, "[1].colorGroupIds[0]"),
        (unknown, "[1].languageIds[1]"),
    ]
    assert answer.json["error"]["failed_items"] == 2


async def test_without_the_feature_stored_languages_stay(other_api: Api) -> None:
    colors = (await other_api.get("/api/colors?pageSize=100")).data
    color = await _writable(other_api, next(c["id"] for c in colors if c["languageNames"]))
    assert color["languageIds"] == []
    before = (await other_api.get(f"/api/colors/{color['id']}")).data
    color["colorNote"] = "Lab dip approved."
    color["colorGroupIds"] = []
    (after,) = (await other_api.put("/api/colors", [color])).data
    assert after["languageNames"] == before["languageNames"]
    assert after["colorGroups"] == []
    refused = await other_api.put("/api/colors", [color | {"languageIds": [1]}])
    assert refused.details == [("validation_error.feature_disabled", "[0].languageIds")]
