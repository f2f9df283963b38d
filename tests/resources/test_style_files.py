"""Tests of style files (contract, Style files)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.inserted_rows import execute
from tests.support.judged_style import made

pytestmark = pytest.mark.contract("Style files")

FILES = "/api/style-files"
IMAGE = {"category": "image", "url": "https://example.com/a.jpg"}
CLEARED = dict.fromkeys(
    ["styleColorId", "mimeType", "sizeBytes", "width", "height", "altText", "sha256", "sortOrder"]
)


async def style_with_colors(api: Api, number: str) -> tuple[int, list[int]]:
    """Return the ids of a new style and of its two style colors."""
    style = await made(api, "styles", number=number, name="Jacket")
    colors = [await made(api, "colors", name=name) for name in ("Navy", "Rust")]
    return style, [await made(api, "style-colors", styleId=style, colorId=each) for each in colors]


async def shown(api: Api, style: int, field: str) -> dict[str, Any]:
    """Return a field of all files of a style by their names, deleted ones too."""
    query = [("styleId", str(style)), *(("state", s) for s in ("active", "inactive", "deleted"))]
    return {row["fileName"]: row[field] for row in (await api.get(FILES, query)).data}


async def test_fields(api: Api) -> None:
    """A replace clears what it omits, but for the style and whether it is the main image."""
    style, [color, _] = await style_with_colors(api, "SF-1")
    other, [foreign, _] = await style_with_colors(api, "SF-2")
    file = {"styleId": style, "fileName": "a.jpg", **IMAGE}
    more = {
        "styleColorId": color,
        "mimeType": "image/jpeg",
        "sizeBytes": 2**53 - 1,
        "width": 1,
        "height": 100000,
        "altText": "Front",
        "sha256": "ab" * 32,
        "sortOrder": 0,
    }
    answer = await api.post(FILES, file | more | {"isMain": True})
    location, stored = answer.headers["Location"], answer.data
    assert stored == {"id": stored["id"], **file, **more, "isMain": True, "state": "active"}
    bare = {"fileName": "a.jpg", **IMAGE, "state": "inactive"}
    replaced = await api.put(location, bare)
    assert replaced.data == stored | CLEARED | {"state": "inactive"}
    moved = await api.put(location, bare | {"styleId": other})
    assert moved.details == [("validation_error.read_only_field", "styleId")]
    foreign_color = await api.put(location, bare | {"styleColorId": foreign})
    assert foreign_color.details == [("validation_error.invalid_value", "styleColorId")]


async def test_wrong_fields_are_refused(api: Api) -> None:
    style, _ = await style_with_colors(api, "SF-1")
    file = {"styleId": style, "fileName": "a.jpg", **IMAGE}
    wrong = {"mimeType": "image/jpeg; q=1", "sha256": "AB" * 32, "sizeBytes": 2**53, "width": 0}
    refused = await api.post(FILES, file | wrong | {"url": "http://example.com/a.jpg"})
    assert sorted(refused.details) == [
        ("validation_error.invalid_value", "mimeType"),
        ("validation_error.invalid_value", "sha256"),
        ("validation_error.invalid_value", "url"),
        ("validation_error.out_of_range", "sizeBytes"),
        ("validation_error.out_of_range", "width"),
    ]
    unnamed = await api.post(FILES, IMAGE | {"styleId": style})
    assert unnamed.details == [("validation_error.required_field", "fileName")]


async def test_a_style_and_each_color_have_one_main_image(api: Api) -> None:
    """The later one demotes the former, also by moving; items that do not say it keep theirs."""
    style, [navy, rust] = await style_with_colors(api, "SF-3")
    file = {"styleId": style, "isMain": True, **IMAGE}
    colors = {"s": None, "n": navy, "r": rust}
    items = [file | {"fileName": name, "styleColorId": each} for name, each in colors.items()]
    ids = {row["fileName"]: row["id"] for row in (await api.post(FILES, items)).data}
    await api.post(FILES, file | {"fileName": "s2"})
    mains = {"s": False, "n": True, "r": True, "s2": True}
    assert await shown(api, style, "isMain") == mains
    await api.patch(f"{FILES}/{ids['n']}", replacing("/styleColorId", rust))
    assert await shown(api, style, "isMain") == mains | {"r": False}
    pair = [
        {"id": ids["n"], "fileName": "n", "styleColorId": rust, **IMAGE, "state": "active"},
        {"id": ids["r"], "fileName": "r", "styleColorId": rust, **IMAGE, "state": "active"},
    ]
    assert (await api.put(FILES, [pair[0], pair[1] | {"isMain": True}])).status == 200
    assert await shown(api, style, "isMain") == mains | {"n": False}
    twice = await api.put(FILES, [each | {"isMain": True} for each in pair])
    assert twice.details == [("validation_error.duplicate", "[1].isMain")]
    drawing = {"category": "sketch", "fileName": "d"}
    refused = await api.post(FILES, file | drawing)
    assert refused.details == [("validation_error.invalid_value", "isMain")]
    location = f"{FILES}/{ids['r']}"
    await api.delete(location)
    restored = await api.put(location, pair[1] | {"id": None})
    assert restored.data["isMain"] is True


@pytest.mark.contract("States")
async def test_a_restored_main_image_is_main_again(api: Api) -> None:
    """As barcodes are primary again: unless there is another; with its style or color, too."""
    style, [navy, _] = await style_with_colors(api, "SF-3")
    file = {"styleId": style, "isMain": True, **IMAGE}
    items = [file | {"fileName": "s"}, file | {"fileName": "n", "styleColorId": navy}]
    ids = [row["id"] for row in (await api.post(FILES, items)).data]
    mains = {"s": True, "n": True}
    for path in (f"{FILES}/{ids[0]}", f"/api/style-colors/{navy}", f"/api/styles/{style}"):
        assert (await api.delete(path)).status == 200
        assert (await api.patch(path, replacing("/state", "active"))).status == 200
        assert await shown(api, style, "isMain") == mains
    for location in [f"{FILES}/{id_}" for id_ in ids]:
        await api.delete(location)
        gone = (await api.get(location)).data
        assert (gone["isMain"], gone["state"]) == (True, "deleted")
        renamed = await api.patch(location, replacing("/altText", "A jacket"))
        assert (renamed.data["isMain"], renamed.data["state"]) == (True, "deleted")
    other = await made(api, "style-files", **file, fileName="other")
    whole = [
        {"id": id_, "fileName": name, "styleColorId": color, **IMAGE, "state": "active"}
        for id_, name, color in ((ids[0], "s", None), (ids[1], "n", navy))
    ]
    assert (await api.put(FILES, whole)).status == 200
    assert await shown(api, style, "isMain") == {"s": False, "n": True, "other": True}
    await api.delete(f"{FILES}/{other}")
    assert (await api.patch(f"{FILES}/{ids[0]}", replacing("/isMain", True))).status == 200
    restored = await api.patch(f"{FILES}/{other}", replacing("/state", "active"))
    assert restored.data["isMain"] is False, "the writable form says that it was"
    await api.delete(f"{FILES}/{ids[0]}")
    await api.delete(f"{FILES}/{other}")
    both = [whole[0], whole[0] | {"id": other, "fileName": "other"}]
    assert (await api.put(FILES, both)).status == 200
    assert await shown(api, style, "isMain") == {"s": True, "n": True, "other": False}


@pytest.mark.contract("States", "Changes")
async def test_files_go_and_come_with_style_and_style_color(api: Api) -> None:
    """Those deleted by themselves do not come back, nor those of colors that stay deleted."""
    style, [navy, rust] = await style_with_colors(api, "SF-4")
    file = {"styleId": style, **IMAGE}
    items = [
        file | {"fileName": "style", "state": "inactive"},
        file | {"fileName": "navy", "styleColorId": navy},
        file | {"fileName": "rust", "styleColorId": rust},
        file | {"fileName": "gone"},
    ]
    ids = [row["id"] for row in (await api.post(FILES, items)).data]
    before = {"style": "inactive", "navy": "active", "rust": "active", "gone": "deleted"}
    await api.delete(f"{FILES}/{ids[3]}")
    await api.delete(f"/api/style-colors/{navy}")
    assert await shown(api, style, "state") == before | {"navy": "deleted"}
    await api.delete(f"/api/styles/{style}")
    assert {*(await shown(api, style, "state")).values()} == {"deleted"}
    whole = {"number": "SF-4", "name": "Jacket", "state": "active"}
    start = (await api.get("/api/changes", {"from": "now"})).json["pagination"]["cursor"]
    assert (await api.put(f"/api/styles/{style}", whole)).status == 200
    assert await shown(api, style, "state") == before | {"navy": "deleted"}
    changes = (await api.get("/api/changes", {"cursor": start})).data
    entries = {(entry["collection"], entry["recordId"]) for entry in changes}
    assert {("style-files", ids[0]), ("style-files", ids[2])} <= entries
    assert ("style-files", ids[1]) not in entries
    color = f"/api/style-colors/{navy}"
    assert (await api.put(color, {"state": "active"})).status == 200
    assert await shown(api, style, "state") == before


@pytest.mark.contract("Unique keys")
async def test_a_restored_color_does_not_bring_back_a_name_that_is_taken(
    api: Api, shared_dsn: str
) -> None:
    setting = "update organization set unique_keys = true where id = $1"
    await execute(shared_dsn, setting, api.organization_id)
    style, [navy, _] = await style_with_colors(api, "SF-5")
    file = {"styleId": style, "fileName": "a.jpg", **IMAGE}
    await made(api, "style-files", **file, styleColorId=navy)
    color = f"/api/style-colors/{navy}"
    await api.delete(color)
    other = await made(api, "style-files", **file)
    refused = await api.put(color, {"state": "active"})
    assert (refused.status, refused.details) == (409, [("conflict.duplicate", "state")])
    await api.delete(f"{FILES}/{other}")
    assert (await api.put(color, {"state": "active"})).status == 200


@pytest.mark.contract("Search")
async def test_a_search_finds_words_of_the_name(api: Api) -> None:
    style, _ = await style_with_colors(api, "SF-9")
    items = [{"styleId": style, "fileName": name, **IMAGE} for name in ("front-1.jpg", "back.jpg")]
    ids = [row["id"] for row in (await api.post(FILES, items)).data]
    for text, matching_ids in (("fro", ids[:1]), ("back jpg", ids[1:]), ("side", [])):
        assert [row["id"] for row in (await api.get(FILES, {"q": text})).data] == matching_ids
