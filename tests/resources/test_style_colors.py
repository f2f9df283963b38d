"""Tests of style colors (contract, Style colors)."""

import asyncio
from typing import Any

import pytest

from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Style colors")

PATH = "/api/style-colors"
MATCH = {"match": "colorId"}
TAKEN = "conflict.duplicate"


async def made(api: Api, path: str, **fields: Any) -> Any:
    """Return the id of a new record."""
    answer = await api.post(f"/api/{path}", fields)
    assert answer.status == 201, answer.raw
    return answer.data["id"]


async def now(api: Api) -> str:
    """Return the cursor of later changes."""
    answer = await api.get("/api/changes", {"from": "now"})
    return str(answer.json["pagination"]["cursor"])


async def style_and_color(api: Api) -> dict[str, int]:
    style = await made(api, "styles", number="SC-1", name="Jacket")
    color = await made(
        api, "colors", name="Navy", userDefinedId="SC-NVY", colorReference="19-4013 TCX"
    )
    return {"styleId": style, "colorId": color}


async def test_fields(api: Api) -> None:
    """A replace clears what it omits, but for style and color; renames show in the feed."""
    pair = await style_and_color(api)
    season = await made(api, "seasons", name="Spring", userDefinedId="SC-SP")
    more = {
        "name": "Zenith Blue",
        "sortOrder": 0,
        "seasonIds": [season],
        "availableFrom": "2027-01-15",
        "availableTo": "2027-01-15",
        "comment": "Dyed in the piece",
    }
    answer = await api.post(PATH, pair | more)
    location, record = answer.headers["Location"], answer.data["id"]
    shown = {"styleNumber": "SC-1", "colorName": "Navy"}
    shown |= {"colorUserDefinedId": "SC-NVY", "colorReference": "19-4013 TCX"}
    assert answer.data == {"id": record, **pair, **more, **shown, "state": "active"}
    for query in ("seasons.userDefinedId=SC-SP", "style.number=SC-1", "color.userDefinedId=SC-NVY"):
        assert [row["id"] for row in (await api.get(f"{PATH}?{query}")).data] == [record]
    for query in ("zen", "SC-NVY"):
        assert [row["id"] for row in (await api.get(PATH, {"q": query})).data] == [record], query
    assert (await api.get(PATH, {"q": "zenith dyed"})).data == []
    cleared = dict.fromkeys(more) | {"seasonIds": []}
    bare = (await api.put(location, {"state": "inactive"})).data
    assert bare == {"id": record, **pair, **shown, **cleared, "state": "inactive"}
    cursor = await now(api)
    await api.patch(f"/api/styles/{pair['styleId']}", replacing("/number", "SC-2"))
    await api.patch(f"/api/colors/{pair['colorId']}", replacing("/colorReference", "X"))
    changes = (await api.get("/api/changes", {"cursor": cursor})).data
    of_record = [row for row in changes if row["collection"] == "style-colors"]
    assert [row["recordId"] for row in of_record] == [record, record]
    renamed = (await api.get(location)).data
    assert (renamed["styleNumber"], renamed["colorReference"]) == ("SC-2", "X")


@pytest.mark.contract("Own keys")
async def test_style_and_color_are_set_at_creation(api: Api) -> None:
    """Every later write may repeat or omit them; by key, both are key objects or ids."""
    pair = await style_and_color(api)
    other = await made(api, "colors", name="Sage", userDefinedId="SC-SAGE")
    keys = {"styleId": {"number": "SC-1"}, "colorId": {"userDefinedId": "SC-NVY"}}
    [row] = (await api.put(PATH, [keys | {"state": "active"}], params=MATCH)).data
    assert (row["outcome"], row["key"]) == ("created", "SC-NVY")
    location = f"{PATH}/{row['id']}"
    for body in (pair, keys, dict.fromkeys(pair), {}):
        answer = await api.put(location, body | {"state": "active"})
        assert answer.status == 200, answer.raw
        assert answer.data | pair == answer.data
    fixed = "validation_error.read_only_field"
    answers = [
        (await api.put(location, {"colorId": other, "state": "active"}), "colorId"),
        (await api.patch(location, replacing("/colorId", other)), "colorId"),
        (await api.patch(PATH, [{"id": row["id"], "colorId": other}]), "[0].colorId"),
        (
            await api.put(PATH, [{"id": row["id"], "styleId": {"number": "SC-1"}, "state": "active",
                                  "colorId": {"userDefinedId": "SC-SAGE"}}]),
            "[0].colorId",
        ),
    ]  # fmt: skip
    for answer, field in answers:
        assert answer.details == [(fixed, field)], answer.raw


async def test_a_color_once_in_a_style(api: Api) -> None:
    """With or without the feature of unique keys; deleted ones leave their place to others."""
    pair = await style_and_color(api)
    first = await made(api, "style-colors", **pair)
    taken, twice = await api.post(PATH, pair), await api.post(PATH, [pair, pair])
    assert taken.details == [(TAKEN, "colorId")]
    assert {(TAKEN, "[0].colorId"), (TAKEN, "[1].colorId")} < {*twice.details}
    await api.delete(f"{PATH}/{first}")
    twice = await api.post(PATH, [pair, pair])
    assert twice.details == [("validation_error.duplicate", "[1].colorId")]
    second = await made(api, "style-colors", **pair)
    restored = await api.patch(f"{PATH}/{first}", replacing("/state", "active"))
    assert restored.details == [(TAKEN, "state")]
    swap = [{"id": first, "state": "active"}, {"id": second, "state": "deleted"}]
    assert (await api.put(PATH, swap)).status == 200


async def test_a_pair_of_two_writers_is_made_once(api: Api) -> None:
    pair = await style_and_color(api)
    for _ in range(20):
        answers = await asyncio.gather(
            api.post(PATH, pair), api.put(PATH, [pair | {"state": "active"}], params=MATCH)
        )
        live = (await api.get(PATH, {"styleId": pair["styleId"]})).data
        assert len(live) == 1
        created, upserted = (answer.status for answer in answers)
        # The upsert restores the pair of the last turn, if there was one.
        assert (created, upserted) in {(201, 200), (409, 200), (409, 201)}
        await api.delete(f"{PATH}/{live[0]['id']}")


async def test_protects_color_and_season(api: Api) -> None:
    """A live style color protects its color and seasons; restores look for them at ``state``."""
    pair = await style_and_color(api)
    season = await made(api, "seasons", name="Spring")
    record = await made(api, "style-colors", **pair, seasonIds=[season])
    location = f"{PATH}/{record}"
    paths = [f"/api/colors/{pair['colorId']}", f"/api/seasons/{season}"]
    for path in paths:
        refused = await api.delete(path)
        assert refused.details == [("conflict.in_use", "id")]
        message = f'Used by style colors: 1 ({record} "SC-NVY").'
        assert refused.json["error"]["details"][0]["value"] == message
    await api.delete(location)
    assert [(await api.delete(path)).status for path in paths] == [200, 200]
    restored = await api.put(location, {"state": "active"})
    unknown = "validation_error.unknown_reference"
    assert restored.details == [(unknown, "state")]


async def test_deleted_and_restored_with_its_style(api: Api) -> None:
    """Those that were deleted before stay deleted; none is restored without its color."""
    pair = await style_and_color(api)
    style = f"/api/styles/{pair['styleId']}"
    colors = [pair["colorId"]] + [await made(api, "colors", name=name) for name in ("Sage", "Rust")]
    bodies = [{"styleId": pair["styleId"], "colorId": color} for color in colors]
    bodies[0]["state"] = "inactive"
    ids = [row["id"] for row in (await api.post(PATH, bodies)).data]
    await api.delete(f"{PATH}/{ids[2]}")

    async def states() -> list[str]:
        rows = [(await api.get(f"{PATH}/{record}")).data for record in ids]
        return [row["state"] for row in rows]

    cursor = await now(api)
    await api.delete(style)
    assert await states() == ["deleted"] * 3
    entries = (await api.get("/api/changes", {"cursor": cursor})).data
    deleted = [row["recordId"] for row in entries if row["collection"] == "style-colors"]
    assert sorted(deleted) == ids[:2]
    assert {row["operation"] for row in entries} == {"deleted"}
    restored = await api.patch(f"{PATH}/{ids[1]}", replacing("/state", "active"))
    assert restored.details == [("validation_error.unknown_reference", "state")]
    await api.delete(f"/api/colors/{colors[1]}")
    refused = await api.patch(style, replacing("/state", "active"))
    assert refused.details == [("validation_error.unknown_reference", "state")]
    await api.patch(f"/api/colors/{colors[1]}", replacing("/state", "active"))
    assert (await api.patch(style, replacing("/state", "active"))).status == 200
    assert await states() == ["inactive", "active", "deleted"]
