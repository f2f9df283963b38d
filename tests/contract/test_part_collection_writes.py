"""Tests of writes that part collections have of their own (contract, Part collections)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.changes import Follower
from tests.support.part_collections import listed, put

pytestmark = pytest.mark.contract("Part collections")

CHARTS = "/api/measurement-charts"
MEASURED = "/api/measurements"
SIZES = "/api/size-range-sizes"
TRANSLATIONS = "/api/color-translations"


@pytest.mark.contract("Changes")
async def test_a_part_has_entries_of_its_own(api: Api) -> None:
    """The owner has one only where its own document changed; deletes take the part with them."""
    style = (await api.post("/api/styles", {"number": "F-1", "name": "Feed"})).data["id"]
    color = (await api.post("/api/colors", {"name": "Feed"})).data["id"]
    follower = Follower(api, documents="true")

    async def entries(call: Any) -> list[tuple[str, int, str, bool]]:
        await follower.begin()
        assert (await call).status == 200
        return [
            (entry["collection"], entry["recordId"], entry["operation"], bool(entry["document"]))
            for entry in await follower.entries()
        ]

    chart = ("measurement-charts", style)
    assert await entries(put(api, CHARTS, {"styleId": style, "unit": "cm", "lines": []})) == [
        (*chart, "created", True)
    ]
    line = {"styleId": style, "unit": "cm", "lines": [{"name": "Chest"}]}
    assert await entries(put(api, CHARTS, line)) == [(*chart, "updated", True)]
    path = f"/api/styles/{style}/measurement-chart"
    assert await entries(api.put(path, {"lines": []})) == [(*chart, "deleted", False)]
    assert await entries(put(api, CHARTS, {"styleId": style, "lines": []})) == []
    await put(api, CHARTS, line)
    path = f"/api/styles/{style}"
    assert await entries(api.delete(path)) == [
        (*chart, "deleted", False),
        ("styles", style, "deleted", False),
    ]
    renamed = [{"op": "replace", "path": "/name", "value": "Still deleted"}]
    assert await entries(api.patch(path, renamed)) == [("styles", style, "updated", False)]
    restored = [{"op": "replace", "path": "/state", "value": "active"}]
    assert await entries(api.patch(path, restored)) == [
        (*chart, "updated", True),
        ("styles", style, "updated", True),
    ]
    linked = {"name": "Feed", "state": "active", "languageIds": [2]}
    assert await entries(api.put(f"/api/colors/{color}", linked)) == [
        ("color-translations", color, "created", True),
        ("colors", color, "updated", True),
    ]
    named = {"colorId": color, "translations": [{"languageId": 2, "colorName": "Feed"}]}
    assert await entries(put(api, TRANSLATIONS, named)) == [
        ("color-translations", color, "updated", True)
    ]
    named["translations"][0]["colorName"] = "Essen"
    assert await entries(put(api, TRANSLATIONS, named)) == [
        ("color-translations", color, "updated", True),
        ("colors", color, "updated", True),
    ]


@pytest.mark.demo_data
@pytest.mark.contract("Measured values")
async def test_an_item_of_measurements_leaves_other_sizes(api: Api) -> None:
    """Sizes that are named are replaced, others stay, and unknown ones are reported."""
    owner = next(record for record in await listed(api, MEASURED) if len(record["sizes"]) > 1)
    first, second = owner["sizes"][0], owner["sizes"][1]
    entry = {"sizeRangeSizeId": first["sizeRangeSizeId"], "designerComment": "Anew", "lines": None}
    item = {"sampleRequestId": owner["sampleRequestId"], "sizes": [entry]}
    follower = Follower(api)
    for send in (api.put, api.patch):
        await follower.begin()
        [written] = (await send(MEASURED, [item])).data
        assert written["sizes"][0]["designerComment"] == entry["designerComment"]
        lines = [line for line in written["sizes"][0]["lines"] if line["lineId"]]
        assert {line["companyMeasurement"] for line in lines} == {None}
        assert written["sizes"][1] == second
        assert [
            (change["collection"], change["recordId"]) for change in await follower.entries()
        ] == [("measurements", owner["sampleRequestId"])]
        entry["designerComment"] = "Once more"
    wrong = {"sizeRangeSizeId": 2**62, "lines": [{"lineId": 2**62}]}
    line = {"lineId": 2**62}
    refused = await put(api, MEASURED, item | {"sizes": [wrong, entry | {"lines": [line, line]}]})
    assert refused.details == [("validation_error.duplicate", "[0].sizes[1].lines[1].lineId")]
    refused = await put(api, MEASURED, item | {"sizes": [wrong, entry | {"lines": [line]}]})
    assert refused.details == [
        ("validation_error.unknown_reference", "[0].sizes[0].sizeRangeSizeId"),
        ("validation_error.unknown_reference", "[0].sizes[1].lines[0].lineId"),
    ]
    twice = await put(api, MEASURED, item | {"sizes": [entry, entry]})
    assert twice.details == [("validation_error.duplicate", "[0].sizes[1].sizeRangeSizeId")]


@pytest.mark.contract("Merges")
async def test_merges_keep_what_is_not_sent(api: Api) -> None:
    """Null clears a field, and a list is replaced as a whole."""
    numbers = [{"number": f"M-{n}", "name": "Merged"} for n in (1, 2)]
    styles = (await api.post("/api/styles", numbers)).data
    items = [
        {"styleId": style["id"], "unit": "cm", "lines": [{"name": "A", "tolerance": "1.50"}]}
        for style in styles
    ]
    charts = (await put(api, CHARTS, *items)).data
    ids = [style["id"] for style in styles]
    merged = await api.patch(
        CHARTS, [{"styleId": ids[0], "unit": None}, {"styleId": ids[1], "lines": [{"name": "B"}]}]
    )
    assert merged.status == 200, merged.raw
    assert merged.data[0] == charts[0] | {"unit": None}
    assert merged.data[1]["unit"] == "cm"
    assert [line["name"] for line in merged.data[1]["lines"]] == ["B"]
    refused = await api.patch(CHARTS, [{"styleId": ids[0], "lines": None}])
    assert refused.details == [("validation_error.required_field", "[0].lines")]
    wrong = await api.patch(CHARTS, [{"styleId": ids[0], "lines": [{"lineId": 2**62}]}])
    assert wrong.details == [("validation_error.unknown_reference", "[0].lines[0].lineId")]


@pytest.mark.contract("Sizes")
async def test_relations_between_size_ranges_of_one_request(api: Api) -> None:
    """A size that another range of the request comes to need stays; one that it lets go goes."""
    ranges = [(await api.post("/api/size-ranges", {"name": name})).data["id"] for name in "AB"]
    first, second = (
        await put(
            api,
            SIZES,
            {"sizeRangeId": ranges[0], "sizes": [{"name": "S"}, {"name": "M"}]},
            {"sizeRangeId": ranges[1], "sizes": [{"name": "1", "isDefaultGrading": True}]},
        )
    ).data
    small, medium = (size["id"] for size in first["sizes"])
    related = [{"id": second["sizes"][0]["id"], "name": "1", "relatedSizeRangeSizeId": small}]
    answer = await put(
        api,
        SIZES,
        {"sizeRangeId": ranges[0], "sizes": [{"id": medium, "name": "M"}]},
        {"sizeRangeId": ranges[1], "sizes": related},
    )
    assert answer.status == 200, answer.raw
    states = {size["name"]: size["isDeactivated"] for size in answer.data[0]["sizes"]}
    assert states == {"S": True, "M": False}
    released = await put(
        api,
        SIZES,
        {"sizeRangeId": ranges[1], "sizes": [{"name": "1"}]},
        {"sizeRangeId": ranges[0], "sizes": []},
    )
    assert [len(record["sizes"]) for record in released.data] == [1, 1]
    record = (await api.get(f"/api/size-ranges/{ranges[1]}")).data
    assert "defaultGradingSizeId" not in record


@pytest.mark.contract("Sizes")
async def test_relations_by_key_outlast_failed_items(api: Api) -> None:
    """The items without errors are checked again, and their new sizes have other ids then."""
    ranges = [(await api.post("/api/size-ranges", {"name": name})).data["id"] for name in "AB"]
    sizes = [{"name": "S"}, {"name": "M", "relatedSizeRangeSizeId": {"name": "S"}}]
    wrong = [{"name": "1", "relatedSizeRangeSizeId": {"name": "?"}}]
    items = [{"sizeRangeId": ranges[0], "sizes": sizes}, {"sizeRangeId": ranges[1], "sizes": wrong}]
    answer = await put(api, f"{SIZES}?onError=skip", *items)
    assert [row["outcome"] for row in answer.data] == ["updated", "failed"]
    small, medium = (await api.get(f"/api/size-ranges/{ranges[0]}")).data["sizes"]
    assert medium["relatedSizeRangeSizeId"] == small["id"]


@pytest.mark.shared_demo_data
@pytest.mark.contract("Features")
async def test_translations_need_their_feature(other_api: Api) -> None:
    """Contract, Translations: without it, sets must be empty, and stored ones stay."""
    records = await listed(other_api, TRANSLATIONS)
    color = records[0]["colorId"] if records else (await other_api.get("/api/colors")).data[0]["id"]
    item = {"colorId": color, "translations": [{"languageId": 2}]}
    refused = await put(other_api, TRANSLATIONS, item)
    assert refused.details == [("validation_error.feature_disabled", "[0].translations")]
    assert (await put(other_api, TRANSLATIONS, item | {"translations": []})).status == 200
    assert await listed(other_api, TRANSLATIONS) == records


@pytest.mark.contract("References")
async def test_owners_are_named_by_their_own_keys(api: Api) -> None:
    """In replaces and merges; missing ones are not found, and one owner is named once."""
    style = (await api.post("/api/styles", {"number": "K-1", "name": "Keyed"})).data["id"]
    by_key: dict[str, Any] = {"styleId": {"number": "K-1"}, "lines": [{"name": "Chest"}]}
    [chart] = (await put(api, CHARTS, by_key)).data
    assert (chart["styleId"], chart["lines"][0]["name"]) == (style, "Chest")
    [merged] = (await api.patch(CHARTS, [{"styleId": {"number": "K-1"}, "unit": "cm"}])).data
    assert merged == chart | {"unit": "cm"}
    [outcome] = (await put(api, CHARTS, by_key | {"unit": "cm"}, dryRun="true")).data
    assert (outcome["outcome"], outcome["id"], outcome["key"]) == ("unchanged", style, "K-1")
    missing = {"styleId": {"number": "K-2"}, "lines": []}
    refused = await put(api, CHARTS, by_key, missing)
    assert (refused.status, refused.details) == (404, [("not_found", "[1].styleId")])
    skipped = await put(api, CHARTS, missing, by_key | {"unit": "in"}, onError="skip")
    assert [outcome["outcome"] for outcome in skipped.data] == ["failed", "updated"]
    twice = await put(api, CHARTS, {"styleId": style, "lines": []}, by_key)
    assert twice.details == [("validation_error.duplicate", "[1].styleId")]
    await api.post("/api/styles", {"number": "K-1", "name": "Twin"})
    ambiguous = await put(api, CHARTS, by_key)
    assert (ambiguous.status, ambiguous.details) == (
        409,
        [("conflict.ambiguous_key", "[0].styleId")],
    )
    wrong = await put(api, CHARTS, {"styleId": {"name": "Keyed"}, "lines": []})
    assert wrong.status == 400


@pytest.mark.contract("References")
async def test_colors_are_named_by_their_own_keys(api: Api) -> None:
    color = (await api.post("/api/colors", {"name": "Keyed", "userDefinedId": "KC"})).data["id"]
    item = {"colorId": {"userDefinedId": "KC"}, "translations": [{"languageId": {"code": "de"}}]}
    [written] = (await put(api, TRANSLATIONS, item)).data
    assert (written["colorId"], len(written["translations"])) == (color, 1)
    for send in (api.put, api.patch):
        refused = await send(TRANSLATIONS, [item | {"colorId": {"userDefinedId": "none"}}])
        assert refused.details == [("not_found", "[0].colorId")]


@pytest.mark.contract("References")
async def test_entries_are_named_by_their_own_keys(api: Api) -> None:
    """Lines and sizes of a sample request, and sizes of another range of the same request."""
    style = (await api.post("/api/styles", {"number": "K-3", "name": "Keyed"})).data["id"]
    ranges: list[Any] = [
        {"sizeRangeId": {"userDefinedId": key}, "sizes": [{"name": "S"}]} for key in ("KA", "KB")
    ]
    for key in ("KA", "KB"):
        await api.post("/api/size-ranges", {"name": key, "userDefinedId": key})
    related = {"sizeRangeId": {"userDefinedId": "KA"}, "name": "S"}
    ranges[1]["sizes"][0]["relatedSizeRangeSizeId"] = related
    first, second = (await put(api, SIZES, *ranges)).data
    size = first["sizes"][0]["id"]
    assert second["sizes"][0]["relatedSizeRangeSizeId"] == size
    chart = {"styleId": style, "lines": [{"name": "Chest", "requested": []}]}
    assert (await put(api, CHARTS, chart)).status == 200
    body = {"styleId": style, "name": "Proto", "sizeRangeSizeIds": [size]}
    request = (await api.post("/api/sample-requests", body)).data["id"]
    line = {"lineId": {"name": "Chest"}, "supplierMeasurement": "1.50"}
    item = {
        "sampleRequestId": {"styleId": {"number": "K-3"}, "name": "Proto"},
        "sizes": [{"sizeRangeSizeId": related, "lines": [line]}],
    }
    [measured] = (await put(api, MEASURED, item)).data
    assert measured["sampleRequestId"] == request
    assert measured["sizes"][0]["lines"][0]["supplierMeasurement"] == 1.5
    item["sampleRequestId"] = {"styleId": {"number": "K-4"}, "name": "Proto"}
    refused = await put(api, MEASURED, item)
    assert refused.details == [("not_found", "[0].sampleRequestId")]
